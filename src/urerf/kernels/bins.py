"""Fast-BIC of values that are not sorted: bins tell which cuts cannot win, and only the others are looked at.

Values are put into bins of equal width; a bin keeps how many there are, their sum and their sum of squares. Bins are
runs of the sorted values, so the bounds of `urerf.kernels.fast_bic` hold for their cuts, for one pass over the values:

- A candidate none of whose cuts can beat the best so far is passed over: most candidates of a node are.
- In a node of more than `BINNED_ROWS` rows only the values of the bins that may hold the best cut are sorted. The cut
  is the exact one, but for rounding: sums are added up bin by bin, not value by value.

Where neither helps, as in a long tail that leaves nearly all values in one bin, the values are sorted after all.
"""

import math

import numpy as np

from ._jit import inlined, jit
from .fast_bic import bound_run, constant_part, cut_run
from .sort import sort_values
from .split import GAIN, between, bic_one

BINS = 256
VALUES_A_BIN = 16
BINNED_ROWS = 4096
WORTH_IT = 4


@inlined
def bin_values(z, where, counts, sums, squares):
    """Put values into bins; return (bins, SS, middle), 0 bins where all values are equal or some are not finite.

    where[i] is the bin of z[i]. For the values of all bins below b, sums[b] and squares[b] are the sums of the values
    minus the middle of their range, and counts[b] is how many there are.
    """
    n, low, high = z.size, z[0], z[0]
    for i in range(n):
        low, high = min(low, z[i]), max(high, z[i])
    bins = max(1, min(n // VALUES_A_BIN, BINS))
    lowest, width, middle = np.float64(low), np.float64(high) - np.float64(low), 0.5 * (np.float64(low) + high)
    if not 0.0 < width < np.inf:
        return 0, 0.0, middle
    a_unit = bins / width
    for b in range(bins + 1):
        counts[b], sums[b], squares[b] = 0, 0.0, 0.0
    for i in range(n):
        here = np.uint64(max(min(np.int64((z[i] - lowest) * a_unit), bins - 1), 0))
        d, after = z[i] - middle, here + np.uint64(1)
        where[i] = here
        counts[after] += 1
        sums[after] += d
        squares[after] += d * d
    for b in range(bins):
        counts[b + 1] += counts[b]
        sums[b + 1] += sums[b]
        squares[b + 1] += squares[b]
    return bins, max(squares[bins] - sums[bins] * sums[bins] / n, 0.0), middle


@inlined
def _bound_bins(n, bins, min_leaf, spread, counts, sums, squares, nlogn, floor, bounds):
    """Fill bounds[b] for the cuts after the values of bin b; return the lowest."""
    log_n, least, unit, lowest = math.log(n), floor / n, 1.0 / spread, np.inf
    total, total_sq = sums[bins], squares[bins]
    for b in range(bins):
        above, above_sq = total - sums[b + 1], total_sq - squares[b + 1]
        bound = bound_run(
            counts[b], counts[b + 1], sums[b], squares[b], above, above_sq, n, log_n, min_leaf, unit, nlogn, least
        )
        bounds[b] = bound if counts[b] < counts[b + 1] else np.inf
        lowest = min(lowest, bounds[b])
    return lowest


@inlined
def _collect(z, where, bounds, limit, counts, place, out):
    """Copy the values of every bin whose bound is at most ``limit`` to out, bin after bin, a free place after each.

    place[b] becomes the end of bin b in ``out``. Returns whether that was done: not if these are too many values.
    """
    at = 0
    for b in range(bounds.size):
        place[b] = at
        at += counts[b + 1] - counts[b] + 1 if bounds[b] <= limit else 0
    few = WORTH_IT * (at - bounds.size) <= z.size
    if few:
        for i in range(z.size):
            here = np.uint64(where[i])
            wanted = bounds[here] <= limit
            if wanted:
                out[np.uint64(place[here])] = z[i]
            place[here] += wanted
    return few


@inlined
def _search_bins(z, bins, middle, min_leaf, spread, sums, squares, nlogn, floor, limit, best, scratch):
    """Return (whether all is known, best score, the values on both sides of the cut), bounds being in ``sums``.

    The bins of the lowest bound, ``limit``, first, then all that may still win.
    """
    where, counts, place, some, spare, counters = scratch
    n, bounds = z.size, sums[bins + 1 : 2 * bins + 1]
    log_n, least, unit = math.log(n), floor / n, 1.0 / spread
    low, high = np.float32(0.0), np.float32(0.0)
    for _ in range(2):
        if not _collect(z, where, bounds, limit, counts, place, some):
            return False, best, low, high
        for b in range(bins):
            if bounds[b] > limit or not bounds[b] < best:
                continue
            start, size = counts[b], counts[b + 1] - counts[b]
            run = some[place[b] - size : place[b] + 1]
            sort_values(run[:size], spare, counters)
            run[size] = np.inf  # the next value is in another bin
            best, at = cut_run(
                run, start, b, bins, n, log_n, middle, min_leaf, unit, sums, squares, nlogn, least, best, np.int64(-1)
            )
            if at >= 0:
                low, high = run[at - start - 1], run[at - start]
            bounds[b] = np.inf
        limit = best
    if high == np.inf:
        for i in range(n):
            high = min(high, z[i]) if z[i] > low else high
    return True, best, low, high


@jit
def cut_unsorted(z, score, min_leaf, sums, squares, nlogn, floor, beat, scratch):
    """Cut values by Fast-BIC as `urerf.kernels.split.choose_cut` does; return (whether all is known, score, cut).

    Where it is not known, the values must be sorted. ``scratch`` has, for n values, room for n bins (uint8), `BINS` + 1
    counts, `BINS` places, twice n + `BINS` float32, and what `sort_values` counts in.
    """
    n = z.size
    bins, spread, middle = bin_values(z, scratch[0], scratch[1], sums, squares)
    if bins == 0 or not spread > 0.0:
        return False, np.inf, np.float32(0.0)
    one, constant = bic_one(spread, n) if score == GAIN else 0.0, constant_part(n, spread, nlogn)
    limit = _bound_bins(n, bins, min_leaf, spread, scratch[1], sums, squares, nlogn, floor, sums[bins + 1 :])
    best = beat + one - constant
    if limit > best + 1e-6 * n:  # a bit is left for rounding
        return True, np.inf, np.float32(0.0)
    if n <= BINNED_ROWS:
        return False, np.inf, np.float32(0.0)
    known, best, low, high = _search_bins(
        z, bins, middle, min_leaf, spread, sums, squares, nlogn, floor, limit, best, scratch
    )
    return known, (best + constant - one if low < high else np.inf), between(low, high)
