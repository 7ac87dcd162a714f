"""Fast-BIC: the exact best cut of sorted values, most cuts ruled out unseen.

With r_j = SS_j / SS, the share of the node's sum of squares that cluster j keeps, the BIC of `urerf.kernels.split` is
n log SS plus a constant of n plus, for the cut after the s-th value (n1 = s, n2 = n - s),

- unequal variances: n1 log r1 + n2 log r2 - 3 c + log n
- equal variances:   n log(r1 + r2) - 2 c - n log n

where c = n1 log n1 + n2 log n2 comes from a table. Logarithms of the r are what costs, and two bounds spare most:

- **Blocks.** SS_1 grows with s and SS_2 falls, the logarithms are never positive, and c is convex. So the sums at both
  ends of a block of `BLOCK` cuts bound the BIC of all of them from below. The block of the lowest bound is looked at
  first; those above the best cut found so far are passed over. On a column with one hump that leaves its tails.
- **Cheap logarithms.** `log_below` is under the logarithm by less than 0.0005 and takes a few multiplications. Only
  cuts that it does not rule out get true ones.
"""

import math

import numpy as np

from ._jit import jit

BLOCK = 16
_LOG_2 = math.log(2.0)
_FRACTION, _EXPONENT_OF_ONE = (1 << 52) - 1, 1023 << 52
_LOG_2PI_E = 1.0 + math.log(2.0 * math.pi)


@jit
def x_log_x(n):
    """Return the table of i log i, i = 0..n (0 log 0 = 0)."""
    table = np.zeros(n + 1)
    for i in range(2, n + 1):
        table[i] = i * math.log(i)
    return table


@jit
def block_sums(z, sums, squares):
    """Fill sums[b], squares[b] with the sum and sum of squares of the first b * `BLOCK` values; return SS of all.

    Sums run over z minus its middle value, in double precision, so that a shift of z does not eat the digits.
    """
    n = z.size
    middle = np.float64(z[n // 2])
    total, total_sq, b = 0.0, 0.0, 0
    for start in range(0, n, BLOCK):
        sums[b], squares[b] = total, total_sq
        b += 1
        for i in range(start, min(start + BLOCK, n)):
            d = z[i] - middle
            total += d
            total_sq += d * d
    sums[b], squares[b] = total, total_sq
    return max(total_sq - total * total / n, 0.0)


@jit
def log_below(x):
    """Return a number in (log(x) - 0.0005, log(x)], for a normal x > 0: exponent and a polynomial of the fraction."""
    bits = np.float64(x).view(np.int64)
    t = np.int64((bits & _FRACTION) | _EXPONENT_OF_ONE).view(np.float64) - 1.0
    log = t * (0.998123 + t * (-0.472511 + t * (0.224592 + t * -0.057056)))
    return ((bits >> 52) - 1023) * _LOG_2 + (log - 0.0002)


@jit
def _bound(first, last, share1, share2, n, nlogn):
    """Return a lower bound of the BIC of the cuts first..last, in which the clusters keep at least these shares."""
    counts = max(nlogn[first] + nlogn[n - first], nlogn[last] + nlogn[n - last])
    unequal = last * log_below(min(share1, 1.0)) + (n - first) * log_below(min(share2, 1.0)) - 3.0 * counts
    return min(unequal + math.log(n), n * log_below(share1 + share2) - 2.0 * counts - nlogn[n])


@jit
def _bound_blocks(n, min_leaf, spread, sums, squares, nlogn, floor, bounds):
    """Fill bounds[b] for the cuts b * BLOCK + 1 .. (b + 1) * BLOCK, inf where none is allowed; return the lowest."""
    blocks = (n + BLOCK - 1) // BLOCK
    total, total_sq, lowest = sums[blocks], squares[blocks], 0
    for b in range(blocks):
        start, end = b * BLOCK, min((b + 1) * BLOCK, n)
        first, last = max(start + 1, min_leaf), min(end, n - min_leaf)
        bounds[b] = np.inf
        if first > last:
            continue
        share1, share2 = floor * first / n, floor * (n - last) / n
        if start > 0:
            share1 = max(share1, (squares[b] - sums[b] * sums[b] / start) / spread)
        if end < n:
            above = total - sums[b + 1]
            share2 = max(share2, (total_sq - squares[b + 1] - above * above / (n - end)) / spread)
        bounds[b] = _bound(first, last, share1, share2, n, nlogn)
        lowest = b if bounds[b] < bounds[lowest] else lowest
    return lowest


@jit
def _cut_block(z, b, min_leaf, spread, sums, squares, nlogn, floor, best, at):
    """Look at the cuts of block b; return (score, s) of the best so far."""
    n = z.size
    blocks = (n + BLOCK - 1) // BLOCK
    middle, log_n, least, unit = np.float64(z[n // 2]), math.log(n), floor / n, 1.0 / spread
    total, total_sq, below, below_sq = sums[blocks], squares[blocks], sums[b], squares[b]
    for s in range(b * BLOCK + 1, min((b + 1) * BLOCK, n - min_leaf) + 1):
        d = z[s - 1] - middle
        below += d
        below_sq += d * d
        if s < min_leaf or not z[s - 1] < z[s]:
            continue
        n1, n2 = s, n - s
        above, above_sq = total - below, total_sq - below_sq
        share1 = max((below_sq - below * below / n1) * unit, least * n1)
        share2 = max((above_sq - above * above / n2) * unit, least * n2)
        counts = nlogn[n1] + nlogn[n2]
        unequal, equal = log_n - 3.0 * counts, -nlogn[n] - 2.0 * counts
        bound = n1 * log_below(share1) + n2 * log_below(share2) + unequal
        if min(bound, n * log_below(share1 + share2) + equal) < best:
            unequal += n1 * math.log(share1) + n2 * math.log(share2)
            score = min(unequal, n * math.log(share1 + share2) + equal)
            if score < best:
                best, at = score, s
    return best, at


@jit
def cut_fast_bic(z, min_leaf, spread, sums, squares, nlogn, floor, beat):
    """Return the smallest Fast-BIC and where, after `block_sums`, which returned ``spread``.

    Cuts that do not beat the BIC ``beat`` are of no interest: where there is no other, s is 0. ``sums`` and ``squares``
    have room for z.size + 2 numbers.
    """
    n = z.size
    constant = n * (math.log(spread) + _LOG_2PI_E) + 2.0 * nlogn[n] + 4.0 * math.log(n)
    blocks = (n + BLOCK - 1) // BLOCK
    bounds = sums[blocks + 1 :]
    lowest = _bound_blocks(n, min_leaf, spread, sums, squares, nlogn, floor, bounds)
    best, at = _cut_block(z, lowest, min_leaf, spread, sums, squares, nlogn, floor, beat - constant, np.int64(0))
    for b in range(blocks):
        if bounds[b] < best and b != lowest:
            best, at = _cut_block(z, b, min_leaf, spread, sums, squares, nlogn, floor, best, at)
    return best + constant, at
