"""Compare all columns of two blocks, and keep the best partners of each column.

T = (n - 1) * sum(C ** 2) measures the dependence of two columns, with C the correlations of their
functions. If they are independent, all permutations of the rows of one of them are equally likely.
Then T has the mean D, the number of correlations, and a variance that is known exactly (Kazi-Aoual
et al., 1995, Computational Statistics & Data Analysis 20). Its third cumulant is that of n
independent rows, shrunk for small n in the way of a single squared correlation, where it is exact.
The gamma distribution with these three moments is the null distribution.
"""

import math
from typing import NamedTuple

import numpy as np

from .._typing import Array
from ._jit import inlined, inner, leaf
from .expansion import FOURTH, SIXTH, SIZE, SKEW, TILT

# Smallest number of shared rows on which two columns are compared. With fewer, the test has no
# power: two equal columns are not significant in a table of ten columns.
MIN_ROWS = 20


@inlined
def null_moments(first, second, n):
    """Return the mean, the variance and the third cumulant of T for two independent columns.

    ``first`` and ``second`` are the moments of their functions (`expansion.moments_of`).
    """
    a = first[SIZE]
    b = second[SIZE]
    mean = a * b
    if mean == 0.0 or n <= max(a, b) + 3:
        return 0.0, 0.0, 0.0
    shrinkage = (n - 1.0 - a) * (n - 1.0 - b) / ((n + 1.0) * (n - 2.0))
    kurtosis = _standard_kurtosis(a, first[FOURTH], n) * _standard_kurtosis(b, second[FOURTH], n)
    variance = 2.0 * mean * shrinkage * (1.0 + (n - 3.0) / (2.0 * n * (n - 1.0)) * kurtosis)
    skew = 4.0 * first[SKEW] * second[SKEW] + 6.0 * first[TILT] * second[TILT]
    fourth = (first[FOURTH] - a * (a + 2.0)) * (second[FOURTH] - b * (b + 2.0))
    sixth = _sixth_excess(first) * _sixth_excess(second)
    third = 8.0 * mean * shrinkage**3
    third += (skew + 12.0 * max(fourth, 0.0)) / n * shrinkage**2
    third += max(sixth, 0.0) / (n * n)
    return mean, max(variance, 1e-9), third


@inlined
def _standard_kurtosis(size, fourth, n):
    factor = (n - 1.0) / ((n - 3.0) * (n - 1.0 - size))
    return factor * ((n + 1.0) * fourth / size - (n - 1.0) * (size + 2.0))


@inlined
def _sixth_excess(moments):
    d = moments[SIZE]
    fourth = 3.0 * (d + 4.0) * moments[FOURTH]
    return moments[SIXTH] - fourth + 2.0 * d * (d + 2.0) * (d + 4.0)


@inner
def gamma_of(statistic, first, second, n):
    """Return the shape of the null distribution and the value of T in units of its scale."""
    mean, variance, third = null_moments(first, second, n)
    if mean == 0.0:
        return 0.0, 0.0
    scale = third / (2.0 * variance)
    shape = variance / (scale * scale)
    return shape, max((statistic - mean) / scale + shape, 0.0)


@inlined
def score_of(statistic, first, second, n):
    """Return -2 log of Chernoff's bound on the p-value; -1 for columns that cannot be compared.

    It ranks pairs with different numbers of functions, and is cheaper than the p-value.
    """
    shape, y = gamma_of(statistic, first, second, n)
    if shape == 0.0:
        return -1.0
    if y <= shape:
        return 0.0
    return 2.0 * (y - shape - shape * math.log(y / shape))


class ScanSpace(NamedTuple):
    """What `scan` writes to: arrays for the pairs of one column with those of a block."""

    sizes: Array
    """Number of functions of every column of the second block: (prefixes, width)."""
    statistic: Array
    """T of each pair: (prefixes, width)."""
    excess: Array
    """The largest T - D of each pair: (width,)."""
    n_shared: Array
    """Number of rows that each pair shares: (width,)."""
    total: Array
    """Sums of squares: float32, (width,)."""


def scan(c, sums, n_rows, blocks, prefixes, moments, bound, best, parent, linear):
    """Take in the pairs of a block of columns with the same or a later block.

    Parameters
    ----------
    c : ndarray of shape (slots, width, slots, width)
        Products of the functions, added up over the rows.
    sums : tuple or None
        What gaps need: see `_shared`. None without gaps: their code is then not compiled.
    n_rows : int
    blocks : (int, int)
        First column of either block.
    prefixes : ndarray
        Numbers of functions that are compared.
    moments : ndarray of shape (columns, prefixes, moments)
    bound : float
        Score from which two columns belong to one group.
    best : (score, partner)
        Best partners of all columns from the first block on, updated.
    parent : ndarray
        Groups of columns as a forest: every column points to another of its group, updated.
    linear : ndarray of shape (columns, columns) or (0, 0)
        Receives T of the first functions, for the test of weak dependence.
    """
    width = c.shape[1]
    space = ScanSpace(
        sizes=np.empty((prefixes.size, width)),
        statistic=np.empty((prefixes.size, width)),
        excess=np.empty(width),
        n_shared=np.full(width, n_rows),
        total=np.empty(width, np.float32),
    )
    _scan(c, sums, n_rows, blocks, prefixes, moments, bound, best, parent, linear, space)


@leaf
def _scan(c, sums, n_rows, blocks, prefixes, moments, bound, best, parent, linear, space):
    """Do the work of `scan`."""
    width = c.shape[1]
    first, second = blocks
    score, partner = best
    sizes = space.sizes
    statistic = space.statistic
    excess = space.excess
    n_shared = space.n_shared
    largest_size = 0.0
    for j in range(width):
        for k in range(prefixes.size):
            sizes[k, j] = moments[second + j, k, SIZE]
            largest_size = max(largest_size, sizes[k, j])
    for i in range(width):
        column = first + i
        if moments[column, 0, SIZE] == 0.0:
            continue
        fewest = n_rows
        if sums is not None:
            for j in range(width):
                n_shared[j] = _shared(c, sums, i, j, prefixes[-1])
                fewest = min(fewest, n_shared[j])
        _add_up(c, i, prefixes, n_shared, statistic, space.total)
        _largest_excess(statistic, moments[column], sizes, excess)
        own = score[column - first]
        stretch = _stretch(moments[column, -1, SIZE], largest_size, fewest)
        for j in range(i + 1 if first == second else 0, width):
            other = second + j
            n = n_shared[j]
            if linear.size > 0:
                enough = sizes[0, j] > 0.0 and n >= MIN_ROWS
                linear[column, other] = statistic[0, j] if enough else 1.0
                linear[other, column] = linear[column, other]
            if sizes[0, j] == 0.0 or n < MIN_ROWS:
                continue
            # No score of a pair is negative: a place without a partner yet, at -1, is filled.
            if max(excess[j] * stretch, 0.0) <= min(own[0], score[other - first, 0], bound):
                continue  # the score is smaller still
            value = 0.0
            for k in range(prefixes.size):
                value = max(
                    value, score_of(statistic[k, j], moments[column, k], moments[other, k], n)
                )
            _insert(own, partner[column - first], value, other)
            _insert(score[other - first], partner[other - first], value, column)
            if value > bound:
                _unite(parent, column, other)


@inlined
def _largest_excess(statistic, own, sizes, excess):
    """Write the largest T - D of each pair."""
    n_prefixes, width = statistic.shape
    for j in range(width):
        excess[j] = statistic[0, j] - own[0, SIZE] * sizes[0, j]
    for k in range(1, n_prefixes):
        size = own[k, SIZE]
        for j in range(width):
            excess[j] = max(excess[j], statistic[k, j] - size * sizes[k, j])


@inlined
def _stretch(a, b, n):
    """Return the largest ratio of a score to T - D."""
    n = max(n, MIN_ROWS)
    return ((n + 1.0) * (n - 2.0) / max((n - 1.0 - a) * (n - 1.0 - b), 1.0)) ** 2


@inlined
def _add_up(c, i, prefixes, n_shared, statistic, total):
    """Write T of column i with all columns of a block, for every number of functions."""
    width = n_shared.size
    for j in range(width):
        total[j] = 0.0
    done = 0
    for k in range(prefixes.size):
        size = prefixes[k]
        for a in range(size):
            for b in range(size):
                if a >= done or b >= done:
                    products = c[a, i, b]
                    for j in range(width):
                        total[j] += products[j] * products[j]
        done = size
        for j in range(width):
            n = max(n_shared[j], 1) * 1.0
            statistic[k, j] = total[j] * ((n - 1.0) / (n * n))


@inner
def _shared(c, sums, i, j, limit):
    """Turn products over all rows into n times correlations on the shared rows; return their n.

    The functions are 0 where a value is missing. ``sums`` holds the number of shared rows, and for
    the functions of either column their sums and their sums of squares over these.
    """
    n_shared, sum_first, square_first, sum_second, square_second = sums
    n = np.int64(n_shared[i, j] + 0.5)
    if n < 2:
        return 0
    for a in range(limit):
        mean = sum_first[a, i, j] / n
        first = square_first[a, i, j] / n - mean * mean
        for b in range(limit):
            mean_second = sum_second[b, j, i] / n
            second = square_second[b, j, i] / n - mean_second * mean_second
            product = c[a, i, b, j] - n * mean * mean_second
            if first > 1e-3 and second > 1e-3:
                c[a, i, b, j] = product / math.sqrt(first * second)
            else:
                c[a, i, b, j] = 0.0
    return n


@inner
def _insert(score, partner, value, column):
    """Put a partner in its place among the best, which are sorted from the worst to the best.

    Of equal scores, the column that comes first is better.
    """
    if value < score[0] or (value == score[0] and column > partner[0]):
        return
    k = 0
    while k + 1 < score.size:
        if value < score[k + 1] or (value == score[k + 1] and column > partner[k + 1]):
            break
        score[k] = score[k + 1]
        partner[k] = partner[k + 1]
        k += 1
    score[k] = value
    partner[k] = column


@inner
def _root(parent, column):
    while parent[column] != column:
        parent[column] = parent[parent[column]]
        column = parent[column]
    return column


@inlined
def _unite(parent, a, b):
    a = _root(parent, a)
    b = _root(parent, b)
    parent[max(a, b)] = min(a, b)


@leaf
def merge_best(score, partner, other_score, other_partner):
    """Take over the best partners that another part of the search found."""
    for column in range(score.shape[0]):
        for k in range(score.shape[1]):
            if other_score[column, k] >= 0.0:
                _insert(
                    score[column], partner[column], other_score[column, k], other_partner[column, k]
                )


@leaf
def unite_pairs(parent, columns, partners):
    """Join the groups of the two columns of every pair; ``parent`` is described in `scan`."""
    for k in range(columns.size):
        _unite(parent, columns[k], partners[k])


@leaf
def null_of_pairs(statistic, moments, n_rows, shape, y):
    """Write the shape and the scaled value of each statistic, (pairs, prefixes).

    ``moments`` is (2, pairs, prefixes, moments), ``n_rows`` has one entry per pair.
    """
    n_pairs, n_prefixes = statistic.shape
    for pair in range(n_pairs):
        for k in range(n_prefixes):
            shape[pair, k], y[pair, k] = gamma_of(
                statistic[pair, k], moments[0, pair, k], moments[1, pair, k], n_rows[pair]
            )


@leaf
def hypergeometric_tail(n, first, second, deviation):
    """Return the probability that a hypergeometric count is as far from its mean as given.

    The count of rows that are marked in two columns, if ``first`` and ``second`` of n are marked.
    """
    mean = first * second / n
    least = max(0, first + second - n)
    most = min(first, second)
    # In logarithms: the first probability is below the smallest float for 2 x 1000 of 2000 rows.
    log_p = _log_choose(second, least) + _log_choose(n - second, first - least)
    log_p -= _log_choose(n, first)
    total = 0.0
    for k in range(least, most + 1):
        if abs(k - mean) >= deviation - 0.01:
            total += math.exp(log_p)
        if k < most:
            ratio = (first - k) * (second - k) / ((k + 1.0) * (n - first - second + k + 1.0))
            log_p += math.log(ratio)
    return min(total, 1.0)


@inlined
def _log_choose(n, k):
    return math.lgamma(n + 1.0) - math.lgamma(k + 1.0) - math.lgamma(n - k + 1.0)
