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

# Excess T - D below which the score of a pair is 0, up to rounding.
TINY = 1e-9
# Variance of a function, which is 1 on all rows, below which it is constant on the shared rows.
CONSTANT = 1e-3


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
    first_kurtosis = _standard_kurtosis(a, first[FOURTH], n)
    second_kurtosis = _standard_kurtosis(b, second[FOURTH], n)
    correction = (n - 3.0) / (2.0 * n * (n - 1.0))
    correction *= first_kurtosis * second_kurtosis
    variance = 2.0 * mean * shrinkage * (1.0 + correction)
    skew = 4.0 * first[SKEW] * second[SKEW]
    skew += 6.0 * first[TILT] * second[TILT]
    fourth = _fourth_excess(first) * _fourth_excess(second)
    sixth = _sixth_excess(first) * _sixth_excess(second)
    third = 8.0 * mean * shrinkage**3
    third += (skew + 12.0 * max(fourth, 0.0)) / n * shrinkage**2
    third += max(sixth, 0.0) / (n * n)
    return mean, max(variance, 1e-9), third


@inlined
def _standard_kurtosis(size, fourth, n):
    """Return the kurtosis that permutations see: for many rows, 0 for Gaussian functions."""
    factor = (n - 1.0) / ((n - 3.0) * (n - 1.0 - size))
    excess = (n + 1.0) * fourth / size
    excess -= (n - 1.0) * (size + 2.0)
    return factor * excess


@inlined
def _fourth_excess(moments):
    """Return E|f|^4 less that of Gaussian functions."""
    d = moments[SIZE]
    return moments[FOURTH] - d * (d + 2.0)


@inlined
def _sixth_excess(moments):
    """Return E|f|^6 less what E|f|^4 explains: 0 for Gaussian functions."""
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


class SharedSums(NamedTuple):
    """Sums over the rows that two columns share, for the columns of two blocks."""

    n_rows: Array
    """Number of these rows: (first, second)."""
    first: Array
    """Sums of the functions of the first column: (slots, first, second)."""
    first_squares: Array
    """Sums of their squares."""
    second: Array
    """Sums of the functions of the second column: (slots, second, first)."""
    second_squares: Array
    """Sums of their squares."""


class ScanSpace(NamedTuple):
    """What `scan` writes to: arrays for the pairs of one column with those of a block."""

    sizes: Array
    """Number of functions of every column of the block: (prefixes, width)."""
    n_shared: Array
    """Number of rows that each pair shares: (width,)."""
    weight: Array
    """T of a pair per sum of squared products: (width,)."""
    total: Array
    """Sums of squared products: float32, (width,)."""
    excess: Array
    """The largest T - D of each pair: (width,)."""
    mean: Array
    """Means of the functions of either column on the shared rows: (2, slots, width)."""
    variance: Array
    """Variances of the functions of either column on the shared rows: (2, slots, width)."""


def scan(c, sums, n_rows, blocks, prefixes, moments, bound, best, parent, linear):
    """Take in the pairs of a block of columns with the same or a later block.

    Parameters
    ----------
    c : ndarray of shape (slots, width, slots, width)
        Products of the functions, added up over the rows.
    sums : SharedSums or None
        What gaps need. None without gaps: their code is then not compiled.
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
    n_slots, width, _, _ = c.shape
    weight_of_all_rows = _weight_of(n_rows)
    space = ScanSpace(
        sizes=np.empty((prefixes.size, width)),
        n_shared=np.full(width, n_rows),
        weight=np.full(width, weight_of_all_rows),
        total=np.empty(width, np.float32),
        excess=np.empty(width),
        mean=np.empty((2, n_slots, width)),
        variance=np.empty((2, n_slots, width)),
    )
    _scan(c, sums, n_rows, blocks, prefixes, moments, bound, best, parent, linear, space)


@inlined
def _weight_of(n):
    """Return T of n rows for a sum of squared products of 1."""
    return (n - 1.0) / (n * n)


@leaf
def _scan(c, sums, n_rows, blocks, prefixes, moments, bound, best, parent, linear, space):
    """Do the work of `scan`.

    Most pairs are ruled out by an upper bound of their score, T - D times `_stretch`.
    """
    width = c.shape[1]
    first, second = blocks
    score, partner = best
    sizes = space.sizes
    n_shared = space.n_shared
    excess = space.excess
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
            _correlate_on_shared_rows(c, sums, i, space)
            for j in range(width):
                fewest = min(fewest, n_shared[j])
        start = i + 1 if first == second else 0
        if linear.size > 0:
            _write_linear(c, i, start, blocks, linear, space)
        _write_excess(c, i, prefixes, moments[column], space)
        stretch = _stretch(moments[column, -1, SIZE], largest_size, fewest)
        own = score[column - first]
        for j in range(start, width):
            other = second + j
            if excess[j] * stretch <= min(own[0], score[other - first, 0], bound):
                continue  # the score is smaller still
            n = n_shared[j]
            if sizes[0, j] == 0.0 or n < MIN_ROWS:
                continue
            value = _score(c, i, j, n, prefixes, moments[column], moments[other])
            _insert(own, partner[column - first], value, other)
            _insert(score[other - first], partner[other - first], value, column)
            if value > bound:
                _unite(parent, column, other)


@inlined
def _write_linear(c, i, start, blocks, linear, space):
    """Write T of the first functions of column i and those of a block, 1 if not comparable."""
    first, second = blocks
    column = first + i
    for j in range(start, space.n_shared.size):
        statistic = 1.0
        if space.sizes[0, j] > 0.0 and space.n_shared[j] >= MIN_ROWS:
            statistic = c[0, i, 0, j] * c[0, i, 0, j] * space.weight[j]
        linear[column, second + j] = statistic
        linear[second + j, column] = statistic


@inlined
def _write_excess(c, i, prefixes, own, space):
    """Write the largest T - D of column i with each column of a block, at least `TINY`.

    A score of 0 is better than none.
    """
    total = space.total
    excess = space.excess
    weight = space.weight
    sizes = space.sizes
    width = total.size
    for j in range(width):
        total[j] = 0.0
        excess[j] = TINY
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
        own_size = own[k, SIZE]
        for j in range(width):
            excess[j] = max(excess[j], total[j] * weight[j] - own_size * sizes[k, j])


@inner
def _score(c, i, j, n, prefixes, first, second):
    """Return the largest score of a pair over all prefixes."""
    weight = _weight_of(n)
    largest = 0.0
    total = np.float32(0.0)
    done = 0
    for k in range(prefixes.size):
        size = prefixes[k]
        for a in range(size):
            for b in range(size):
                if a >= done or b >= done:
                    total += c[a, i, b, j] * c[a, i, b, j]
        done = size
        largest = max(largest, score_of(total * weight, first[k], second[k], n))
    return largest


@inlined
def _stretch(a, b, n):
    """Return the largest ratio of a score to T - D."""
    n = max(n, MIN_ROWS)
    free = (n - 1.0 - a) * (n - 1.0 - b)
    ratio = (n + 1.0) * (n - 2.0) / max(free, 1.0)
    return ratio**2


@inner
def _correlate_on_shared_rows(c, sums, i, space):
    """Turn products of column i over all rows into n times correlations on the shared rows.

    The functions are 0 where a value is missing.
    """
    n_slots, width, _, _ = c.shape
    n_shared = space.n_shared
    for j in range(width):
        n_shared[j] = np.int64(sums.n_rows[i, j] + 0.5)
        space.weight[j] = _weight_of(max(n_shared[j], 1))
    for a in range(n_slots):
        for j in range(width):
            _write_moments(sums.first[a, i, j], sums.first_squares[a, i, j], 0, a, j, space)
            _write_moments(sums.second[a, j, i], sums.second_squares[a, j, i], 1, a, j, space)
    for a in range(n_slots):
        mean_first = space.mean[0, a]
        variance_first = space.variance[0, a]
        for b in range(n_slots):
            mean_second = space.mean[1, b]
            variance_second = space.variance[1, b]
            products = c[a, i, b]
            for j in range(width):
                product = products[j] - n_shared[j] * mean_first[j] * mean_second[j]
                products[j] = product / math.sqrt(variance_first[j] * variance_second[j])


@inlined
def _write_moments(total, squares, side, a, j, space):
    """Write mean and variance of a function; the variance of a constant is infinite."""
    n = max(space.n_shared[j], 1)
    mean = total / n
    variance = squares / n - mean * mean
    space.mean[side, a, j] = mean
    space.variance[side, a, j] = variance if variance > CONSTANT else np.inf


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
def merge_best(score, partner, other_score, other_partner, nobody):
    """Take over the best partners that another part of the search found, except for ``nobody``."""
    n_columns, n_partners = score.shape
    for column in range(n_columns):
        for k in range(n_partners):
            other = other_partner[column, k]
            if other != nobody:
                _insert(score[column], partner[column], other_score[column, k], other)


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
            first = moments[0, pair, k]
            second = moments[1, pair, k]
            gamma = gamma_of(statistic[pair, k], first, second, n_rows[pair])
            shape[pair, k], y[pair, k] = gamma


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
            unmarked = n - first - second + k
            ratio = (first - k) * (second - k) / ((k + 1.0) * (unmarked + 1.0))
            log_p += math.log(ratio)
    return min(total, 1.0)


@inlined
def _log_choose(n, k):
    return math.lgamma(n + 1.0) - math.lgamma(k + 1.0) - math.lgamma(n - k + 1.0)
