"""Fast-BIC: the exact best cut of sorted values, most cuts ruled out unseen.

With r_j = SS_j / SS, the share of the node's sum of squares that cluster j keeps, the BIC of
`urerf.kernels.split` is n log SS plus a constant of n plus, for the cut after the s-th value (n1 =
s, n2 = n - s),

- unequal variances: n1 log r1 + n2 log r2 - 3 c + log n
- equal variances:   n log(r1 + r2) - 2 c - n log n

where c = n1 log n1 + n2 log n2 comes from a table. Logarithms of the r are what costs, and two
bounds spare most:

- **Runs.** SS_1 grows with s and SS_2 falls, the logarithms are never positive, and c is convex. So
  the sums at both ends of a run of cuts bound the BIC of all of them from below. Sorted values are
  looked at in runs of `BLOCK`: the run of the lowest bound first; those above the best cut found so
  far are passed over. On a column with one hump that leaves its tails. Values that are not sorted
  have runs as well: see `urerf.kernels.bins`.
- **Cheap logarithms.** `log_below` is under the logarithm by less than 0.0005 and takes a few
  multiplications. Only cuts that it does not rule out get true ones.
"""

import math

import numpy as np

from ._jit import inlined, jit

BLOCK = 16
_LOG_2 = math.log(2.0)
_FRACTION = (1 << 52) - 1
_EXPONENT_OF_ONE = 1023 << 52
_LOG_2PI_E = 1.0 + math.log(2.0 * math.pi)


def x_log_x(n):
    """Return the table of i log i, i = 0..n (0 log 0 = 0)."""
    table = np.arange(n + 1, dtype=np.float64)
    table[1:] *= np.log(table[1:])
    return table


@jit
def block_sums(z, sums, squares):
    """Fill sums[b], squares[b] with the sum and sum of squares of the first b * `BLOCK` values; return SS of all.

    Sums run over z minus its middle value, in double precision, so that a shift of z does not eat
    the digits.
    """
    n = z.size
    middle = np.float64(z[n // 2])
    total = 0.0
    total_sq = 0.0
    b = 0
    for start in range(0, n, BLOCK):
        sums[b] = total
        squares[b] = total_sq
        b += 1
        for i in range(start, min(start + BLOCK, n)):
            d = z[i] - middle
            total += d
            total_sq += d * d
    sums[b] = total
    squares[b] = total_sq
    return max(total_sq - total * total / n, 0.0)


@jit
def log_below(x):
    """Return a number in (log(x) - 0.0005, log(x)], for a normal x > 0: exponent and a polynomial of the fraction."""
    bits = np.float64(x).view(np.int64)
    t = np.int64((bits & _FRACTION) | _EXPONENT_OF_ONE).view(np.float64) - 1.0
    log = t * (0.998123 + t * (-0.472511 + t * (0.224592 + t * -0.057056)))
    return ((bits >> 52) - 1023) * _LOG_2 + (log - 0.0002)


@inlined
def bound_run(
    start, end, below, below_sq, above, above_sq, n, log_n, min_samples_leaf, unit, nlogn, least
):
    """Return a lower bound of the BIC of the cuts start + 1 .. end, inf where none is allowed.

    ``below`` and ``below_sq`` are the sums of the first ``start`` values, ``above`` and
    ``above_sq`` of all but the first ``end``; ``unit`` is 1 / SS, ``least`` the floor / n. Without
    a branch, and with one array only: else Numba counts references to the arrays in every turn of
    the caller's loop, which takes longer than all the rest.
    """
    first = min(max(start + 1, min_samples_leaf), n)
    last = max(min(end, n - min_samples_leaf), 0)
    share1 = max(least * first, (below_sq - below * below / max(start, 1)) * unit)
    share2 = max(least * (n - last), (above_sq - above * above / max(n - end, 1)) * unit)
    counts = max(nlogn[first] + nlogn[n - first], nlogn[last] + nlogn[n - last])
    unequal = (
        last * log_below(min(share1, 1.0))
        + (n - first) * log_below(min(share2, 1.0))
        - 3.0 * counts
    )
    bound = min(unequal + log_n, n * log_below(share1 + share2) - 2.0 * counts - nlogn[n])
    return bound if first <= last else np.inf


@jit
def cut_run(
    z,
    start,
    run,
    runs,
    n,
    log_n,
    middle,
    min_samples_leaf,
    unit,
    sums,
    squares,
    nlogn,
    least,
    best,
    at,
):
    """Look at the cuts after the values of a run, all but the last of ``z``; return (score, s) of the best so far.

    The run begins after the first ``start`` values, whose sums are sums[run], squares[run]; those
    of all values are sums[runs], squares[runs]. Sums are of values minus ``middle``.
    """
    total = sums[runs]
    total_sq = squares[runs]
    below = sums[run]
    below_sq = squares[run]
    for i in range(min(z.size - 1, n - min_samples_leaf - start)):
        s = start + i + 1
        d = z[i] - middle
        below += d
        below_sq += d * d
        if s < min_samples_leaf or not z[i] < z[i + 1]:
            continue
        n1 = s
        n2 = n - s
        above = total - below
        above_sq = total_sq - below_sq
        share1 = max((below_sq - below * below / n1) * unit, least * n1)
        share2 = max((above_sq - above * above / n2) * unit, least * n2)
        counts = nlogn[n1] + nlogn[n2]
        unequal = log_n - 3.0 * counts
        equal = -nlogn[n] - 2.0 * counts
        bound = n1 * log_below(share1) + n2 * log_below(share2) + unequal
        if min(bound, n * log_below(share1 + share2) + equal) < best:
            unequal += n1 * math.log(share1) + n2 * math.log(share2)
            score = min(unequal, n * math.log(share1 + share2) + equal)
            if score < best:
                best = score
                at = s
    return best, at


@inlined
def constant_part(n, spread, nlogn):
    """Return what all cuts' BIC have in common and the scores of runs leave out."""
    return n * (math.log(spread) + _LOG_2PI_E) + 2.0 * nlogn[n] + 4.0 * math.log(n)


@jit
def cut_fast_bic(z, min_samples_leaf, spread, sums, squares, nlogn, floor, beat):
    """Return the smallest Fast-BIC and where, after `block_sums`, which returned ``spread``.

    Cuts that do not beat the BIC ``beat`` are of no interest: where there is no other, s is 0.
    ``sums`` and ``squares`` have room for z.size + 2 numbers.
    """
    n = z.size
    constant = constant_part(n, spread, nlogn)
    log_n = math.log(n)
    least = floor / n
    unit = 1.0 / spread
    blocks = (n + BLOCK - 1) // BLOCK
    middle = np.float64(z[n // 2])
    bounds = sums[blocks + 1 :]
    lowest = 0
    total = sums[blocks]
    total_sq = squares[blocks]
    for b in range(blocks):
        start = b * BLOCK
        end = min((b + 1) * BLOCK, n)
        above = total - sums[b + 1]
        above_sq = total_sq - squares[b + 1]
        bounds[b] = bound_run(
            start,
            end,
            sums[b],
            squares[b],
            above,
            above_sq,
            n,
            log_n,
            min_samples_leaf,
            unit,
            nlogn,
            least,
        )
        lowest = b if bounds[b] < bounds[lowest] else lowest
    best = beat - constant
    at = np.int64(0)
    for turn in range(-1, blocks):  # the lowest bound first
        b = lowest if turn < 0 else turn
        if bounds[b] < best:
            start = b * BLOCK
            run = z[b * BLOCK : (b + 1) * BLOCK + 1]
            best, at = cut_run(
                run,
                start,
                b,
                blocks,
                n,
                log_n,
                middle,
                min_samples_leaf,
                unit,
                sums,
                squares,
                nlogn,
                least,
                best,
                at,
            )
            bounds[b] = np.inf
    return best + constant, at
