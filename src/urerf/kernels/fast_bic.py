"""Fast-BIC: the exact best cut of sorted values, with most cuts ruled out unseen.

With r_j = SS_j / SS, the share of the node's sum of squares that cluster j keeps, the BIC of
`urerf.kernels.split` for the cut after the s-th value (n1 = s, n2 = n - s) is n log SS, plus a
constant of n, plus

- unequal variances: n1 log r1 + n2 log r2 - 3 c + log n
- equal variances:   n log(r1 + r2) - 2 c - n log n

where c = n1 log n1 + n2 log n2 comes from a table. The logarithms of the r take the time, and two
bounds avoid most of them:

- **Runs.** SS_1 grows with s and SS_2 falls, the logarithms are never positive, and c is convex.
  The sums at both ends of a run of cuts therefore bound the BIC of all its cuts from below. Runs
  are blocks of `BLOCK` sorted values, or bins of values that are not sorted (`urerf.kernels.bins`).
  The run with the lowest bound is searched first; those whose bound is above the best cut found so
  far are skipped. In a unimodal column that leaves the tails.
- **Cheap logarithms.** `log_below` is less than 0.0005 below the logarithm and takes a few
  multiplications. Only cuts that it does not rule out get true logarithms.
"""

import math
from typing import NamedTuple

import numpy as np

from ._jit import inlined, inner
from .bins import bin_values, place_values
from .settings import GAIN
from .sort import between, sort_values

# Values per run. Longer runs have fewer bounds to compute but looser ones.
BLOCK = 16
# A bin with more than one in so many of the values costs more than sorting them all: in columns
# with a long tail, nearly all values are in one bin, which has a single bound.
_CROWDED = 4
_LOG_2 = math.log(2.0)
# Layout of a float64: 52 bits of fraction, below an exponent with an offset of 1023.
_FRACTION = (1 << 52) - 1
_EXPONENT_OF_ONE = 1023 << 52
_LOG_2PI_E = 1.0 + math.log(2.0 * math.pi)


class Values(NamedTuple):
    """What all cuts of a set of values have in common."""

    n: int
    log_n: float
    min_samples_leaf: int
    middle: float
    """Subtracted from all values before they are summed."""
    total: float
    total_sq: float
    """Sum and sum of squares of all values."""
    unit: float
    """1 / SS."""
    least: float
    """The smallest share r_j per value, from the floor of the variance."""


@inlined
def describe(n, rule, spread, middle, total, total_sq):
    """Return the `Values` of n values whose SS is ``spread``."""
    log_n = math.log(n)
    unit = 1.0 / spread
    least = rule.floor / n
    return Values(n, log_n, rule.min_samples_leaf, middle, total, total_sq, unit, least)


def x_log_x(n):
    """Return the table of i log i for i = 0..n, with 0 log 0 = 0."""
    table = np.arange(n + 1, dtype=np.float64)
    table[1:] *= np.log(table[1:])
    return table


@inlined
def block_sums(z, begin, sums, squares):
    """Divide sorted values into blocks; return (blocks, SS, middle).

    ``begin`` becomes where the blocks begin; sums[b] and squares[b] become the sums of the values
    before block b. Sums run over z minus its middle value, in double precision, so that a shift of
    z does not cost digits.
    """
    n = z.size
    middle = np.float64(z[n // 2])
    total = 0.0
    total_sq = 0.0
    b = 0
    for start in range(0, n, BLOCK):
        begin[b] = start
        sums[b] = total
        squares[b] = total_sq
        b += 1
        for i in range(start, min(start + BLOCK, n)):
            d = z[i] - middle
            total += d
            total_sq += d * d
    begin[b] = n
    sums[b] = total
    squares[b] = total_sq
    spread = total_sq - total * total / n
    return b, max(spread, 0.0), middle


@inlined
def log_below(x):
    """Return a number in (log(x) - 0.0005, log(x)] for a normal x > 0.

    The exponent of x, plus a polynomial fitted to the logarithm of its fraction and lowered by the
    largest error.
    """
    bits = np.float64(x).view(np.int64)
    exponent = (bits >> 52) - 1023
    fraction = np.int64((bits & _FRACTION) | _EXPONENT_OF_ONE).view(np.float64)
    t = fraction - 1.0
    log = t * (0.998123 + t * (-0.472511 + t * (0.224592 + t * -0.057056)))
    return exponent * _LOG_2 + (log - 0.0002)


@inner
def bound_runs(runs, values, begin, sums, squares, nlogn, bounds):
    """Fill bounds[b] with a lower bound of the BIC of the cuts begin[b] + 1 .. begin[b + 1].

    It is inf if there is none or none is allowed. The table is read in a loop of its own: the other
    loop reads and writes in order, so that LLVM makes vector code of it.
    """
    n = values.n
    min_samples_leaf = values.min_samples_leaf
    for b in range(runs):
        first = np.uint64(min(max(begin[b] + 1, min_samples_leaf), n))
        last = np.uint64(max(min(begin[b + 1], n - min_samples_leaf), 0))
        counts_first = nlogn[first] + nlogn[np.uint64(n) - first]
        counts_last = nlogn[last] + nlogn[np.uint64(n) - last]
        bounds[b] = max(counts_first, counts_last)
    all_counts = nlogn[n]
    for i in range(runs):
        start = np.uint64(i)
        end = start + np.uint64(1)
        counts = bounds[start]
        first = max(begin[start] + 1, min_samples_leaf)
        last = min(begin[end], n - min_samples_leaf)
        above = values.total - sums[end]
        above_sq = values.total_sq - squares[end]
        ss1 = squares[start] - sums[start] * sums[start] / max(begin[start], 1)
        ss2 = above_sq - above * above / max(n - begin[end], 1)
        share1 = max(values.least * first, ss1 * values.unit)
        share2 = max(values.least * (n - last), ss2 * values.unit)
        log1 = log_below(min(share1, 1.0))
        log2 = log_below(min(share2, 1.0))
        unequal = last * log1 + (n - first) * log2 - 3.0 * counts + values.log_n
        equal = n * log_below(share1 + share2) - 2.0 * counts - all_counts
        bounds[start] = min(unequal, equal) if first <= last else np.inf


@inner
def cut_run(z, start, below, below_sq, values, nlogn, best, at):
    """Search the cuts after all but the last of ``z``; return (score, s) of the best so far.

    The run begins after the first ``start`` values, whose sums are ``below`` and ``below_sq``.
    ``best`` and ``at`` are the score and the s of the best cut before.
    """
    n = values.n
    min_samples_leaf = values.min_samples_leaf
    unit = values.unit
    least = values.least
    # Invariant: below and below_sq are the sums of the first s values.
    stop = min(z.size - 1, n - min_samples_leaf - start)
    for i in range(stop):
        s = start + i + 1
        d = z[i] - values.middle
        below += d
        below_sq += d * d
        if s < min_samples_leaf or not z[i] < z[i + 1]:
            continue
        n1 = s
        n2 = n - s
        above = values.total - below
        above_sq = values.total_sq - below_sq
        ss1 = below_sq - below * below / n1
        ss2 = above_sq - above * above / n2
        share1 = max(ss1 * unit, least * n1)
        share2 = max(ss2 * unit, least * n2)
        counts = nlogn[n1] + nlogn[n2]
        unequal = values.log_n - 3.0 * counts
        equal = -nlogn[n] - 2.0 * counts
        bound_unequal = n1 * log_below(share1) + n2 * log_below(share2) + unequal
        bound_equal = n * log_below(share1 + share2) + equal
        if min(bound_unequal, bound_equal) < best:
            unequal += n1 * math.log(share1) + n2 * math.log(share2)
            equal += n * math.log(share1 + share2)
            score = min(unequal, equal)
            if score < best:
                best = score
                at = s
    return best, at


@inlined
def constant_part(n, spread, nlogn):
    """Return what the BIC of all cuts have in common and the scores of runs leave out."""
    return n * (math.log(spread) + _LOG_2PI_E) + 2.0 * nlogn[n] + 4.0 * math.log(n)


@inlined
def bic_one(spread, n):
    """Return the BIC of one Gaussian component for n values whose SS is ``spread``."""
    return n * math.log(spread / n) + n * _LOG_2PI_E + 2.0 * math.log(n)


@inlined
def _lowest_of(bounds, runs):
    """Return the run with the lowest bound."""
    lowest = 0
    for b in range(runs):
        lowest = b if bounds[b] < bounds[lowest] else lowest
    return lowest


@inlined
def _is_crowded(begin, bounds, runs, best, n):
    """Return whether a run that may hold the best cut has a large share of the n values."""
    largest = 0
    for b in range(runs):
        size = begin[b + 1] - begin[b]
        largest = size if bounds[b] < best and size > largest else largest
    return _CROWDED * largest > n


@inlined
def _search_runs(z, is_sorted, runs, lowest, values, best, scratch):
    """Search the cuts of all runs, ``lowest`` first; return (score, s, run) of the best one.

    Only cuts below ``best`` count: s is 0 if there is none. If z is not sorted, it holds the values
    bin after bin, and the bins that are searched are sorted here.
    """
    begin = scratch.begin
    sums = scratch.sums
    squares = scratch.squares
    bounds = scratch.bounds
    nlogn = scratch.nlogn
    at = np.int64(0)
    winner = 0
    for turn in range(-1, runs):
        b = lowest if turn < 0 else turn
        if bounds[b] < best:
            start = begin[b]
            end = begin[b + 1]
            if not is_sorted:
                sort_values(z[start:end], scratch.spare, scratch.counters)
            # The value after a bin is larger than all of the bin, also if its own is not sorted.
            run = z[start : end + 1]
            before = at
            best, at = cut_run(run, start, sums[b], squares[b], values, nlogn, best, at)
            winner = b if at != before else winner
            bounds[b] = np.inf
    return best, at, winner


@inlined
def _value_after(z, s, run, begin):
    """Return the smallest value after the first s, the last of which is in the given run.

    Of an unsorted z, the values of the next run may not be sorted.
    """
    while begin[run + 1] <= s:
        run += 1
    value = z[s]
    for i in range(s + 1, begin[run + 1]):
        value = min(value, z[i])
    return value


@inner
def cut_fast_bic(z, is_sorted, rule, beat, scratch):
    """Cut float32 values by Fast-BIC; return (score, cut).

    The score is inf if no cut is allowed or none is below ``beat``. Values that are not sorted are
    cut at the same place as sorted ones, except for rounding, and keep their order.
    """
    n = z.size
    begin = scratch.begin
    sums = scratch.sums
    squares = scratch.squares
    bounds = scratch.bounds
    if is_sorted:
        runs, spread, middle = block_sums(z, begin, sums, squares)
    else:
        runs, spread, middle = bin_values(z, scratch.bin_of, begin, sums, squares)
    # Values may differ and still be so close together that their squares vanish.
    if n < 2 * rule.min_samples_leaf or not spread > 0.0:
        return np.inf, np.float32(0.0)
    one = bic_one(spread, n) if rule.split_score == GAIN else 0.0
    constant = constant_part(n, spread, scratch.nlogn)
    best = beat + one - constant
    values = describe(n, rule, spread, middle, sums[runs], squares[runs])
    bound_runs(runs, values, begin, sums, squares, scratch.nlogn, bounds)
    lowest = _lowest_of(bounds, runs)
    if not bounds[lowest] < best:
        return np.inf, np.float32(0.0)
    ordered = z
    if not is_sorted:
        ordered = scratch.placed[:n]
        place_values(z, runs, scratch.bin_of, begin, scratch.counters, ordered)
        if _is_crowded(begin, bounds, runs, best, n):
            sort_values(ordered, scratch.spare, scratch.counters)
            runs, _, middle = block_sums(ordered, begin, sums, squares)
            values = describe(n, rule, spread, middle, sums[runs], squares[runs])
            bound_runs(runs, values, begin, sums, squares, scratch.nlogn, bounds)
            lowest = _lowest_of(bounds, runs)
            is_sorted = np.bool_(True)
    best, s, run = _search_runs(ordered, is_sorted, runs, lowest, values, best, scratch)
    if s == 0:
        return np.inf, np.float32(0.0)
    after = _value_after(ordered, s, run, begin)
    return best + constant - one, between(ordered[s - 1], after)
