"""The p-value of the dependence of two columns.

`urerf.kernels.pair_scores` has the moments of the null distribution. Here they become p-values,
with more care for columns that live on a few rows and for columns of two values.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtrc, gammaincc

from .._typing import Array, BoolArray, IntArray
from ..kernels.expansion import FOURTH, N_MOMENTS, SIZE, SKEW, TILT
from ..kernels.pair_scores import hypergeometric_tail, null_of_pairs

# Squared skewness of the products of functions, averaged over all directions, above which the far
# tail of T is longer than that of the gamma distribution: the number of rows in which two rare
# values coincide is nearly Poisson. It is 0 for numbers in one function each, below 0.3 in four.
SKEWED = 0.5

# P-value below which that of two binary columns is computed exactly, which takes longer.
UNLIKELY = 0.05

# Exponent of the mean of p-values behind a hint. Exponents from -1 (mostly the smallest) to 0 (the
# geometric mean) were compared: docs/design/relevance.md, A hint.
MEAN_EXPONENT = -0.5

# Smallest parameter of a distribution: functions of SciPy are NaN at 0, that of constant columns.
TINY = 1e-9
# Smallest p-value whose powers are finite.
SMALLEST = 1e-300


class Tails(NamedTuple):
    """The p-values of pairs, from the tests with one, two, four functions."""

    smallest: Array  # times the number of tests
    mean: Array  # a power mean, which is smaller if several tests agree


def tails(
    correlations: Array,
    moments: Array,
    n_rows: IntArray,
    prefixes: IntArray,
    effective_dof: Array | None = None,
) -> Tails:
    """Return the p-values of each pair, over all numbers of functions.

    Parameters
    ----------
    correlations : ndarray of shape (..., slots, slots)
        Correlations of the functions of two columns.
    moments : ndarray of shape (2, ..., prefixes, moments)
        Moments of the functions of either column.
    n_rows : ndarray of shape (...)
        Number of rows on which they were compared.
    prefixes : ndarray
        Numbers of functions.
    effective_dof : ndarray of shape (..., prefixes) or None
        If the correlations of a pair are not independent, the number of independent ones whose
        sum of squares varies as much.
    """
    shape = n_rows.shape
    n_pairs = n_rows.size
    n_rows = n_rows.ravel()
    moments = moments.reshape(2, n_pairs, len(prefixes), N_MOMENTS)
    n_slots = correlations.shape[-1]
    squares = np.square(correlations)
    squares = squares.reshape(n_pairs, n_slots, n_slots)
    statistic = _statistic(squares, n_rows, prefixes)
    tail = gamma_tail(statistic, moments, n_rows)
    tail = _with_poisson_tail(tail, statistic, moments, n_rows)
    dof = n_correlations(moments)
    if effective_dof is not None:
        effective_dof = effective_dof.reshape(statistic.shape)
        dependent = _dependent_tail(statistic, dof, effective_dof)
        tail = np.maximum(tail, dependent)
    tail = np.where(dof > 0, tail, 1)
    adds_functions = np.diff(dof, axis=1) > 0
    n_tests = 1 + adds_functions.sum(axis=1)
    adjusted = tail.min(axis=1) * n_tests
    smallest = np.minimum(1, adjusted)
    mean = _power_mean(tail)
    if effective_dof is None:
        _replace_by_exact_tails(smallest, statistic, moments, n_rows)
        _replace_by_exact_tails(mean, statistic, moments, n_rows)
    return Tails(smallest.reshape(shape), mean.reshape(shape))


def _power_mean(tail: Array) -> Array:
    """Return the mean of the p-values of each pair with the exponent `MEAN_EXPONENT`."""
    positive = np.maximum(tail, SMALLEST)
    powers = positive**MEAN_EXPONENT
    mean_power = powers.mean(axis=1)
    return mean_power ** (1 / MEAN_EXPONENT)


def interpolated(table: Array, sizes: tuple[int, ...], n: ArrayLike) -> Array:
    """Return the rows of a table, one per size, at n: between sizes, linear in their logarithms.

    >>> print(interpolated(np.array([0.0, 1.0, 2.0]), (10, 100, 1000), [10, 55, 5000]).round(2))
    [0.   0.74 2.  ]
    """
    places = np.arange(len(sizes))
    log_n = np.log(n)
    log_sizes = np.log(sizes)
    place = np.interp(log_n, log_sizes, places)
    last_interval = len(sizes) - 2
    lower = np.minimum(place.astype(int), last_interval)
    share = place - lower
    entry_axes = (1,) * (table.ndim - 1)
    share = share.reshape(share.shape + entry_axes)
    from_lower = (1 - share) * table[lower]
    from_upper = share * table[lower + 1]
    return from_lower + from_upper


def n_correlations(moments: Array) -> Array:
    """Return the number of correlations D = d1 * d2 of each pair: the mean of T by chance."""
    first, second = moments
    d1 = first[..., SIZE]
    d2 = second[..., SIZE]
    return d1 * d2


def _statistic(squares: Array, n_rows: IntArray, prefixes: IntArray) -> Array:
    """Return T = (n - 1) * sum(C ** 2) of each pair and prefix, given C ** 2."""
    n_pairs = len(squares)
    statistic = np.empty((n_pairs, len(prefixes)))
    for place, size in enumerate(prefixes):
        of_prefix = squares[:, :size, :size]
        total = of_prefix.sum(axis=(1, 2))
        statistic[:, place] = (n_rows - 1) * total
    return statistic


def gamma_tail(statistic: Array, moments: Array, n_rows: IntArray) -> Array:
    """Return the tail of T by a gamma distribution with three moments; 1 where there is none."""
    shape = np.empty(statistic.shape)
    y = np.empty(statistic.shape)
    null_of_pairs(statistic, moments, n_rows, shape, y)
    has_distribution = shape > 0
    positive_shape = np.maximum(shape, TINY)
    tail = gammaincc(positive_shape, y)
    return np.where(has_distribution, tail, 1)


def _with_poisson_tail(
    tail: Array,
    statistic: Array,
    moments: Array,
    n_rows: IntArray,
) -> Array:
    """Return the larger tail of both distributions for columns that live on a few rows.

    The rate of a Gaussian sum is T, that of a sum with skewness b is, by Bennett, 2 / b^2 *
    ((1 + u) log(1 + u) - u), u = b sqrt(T), which is exact for the joint count of two rare values.
    """
    skewness2 = _skewness2(moments)
    is_skewed = skewness2 > SKEWED
    skewness2_of_sum = skewness2 / n_rows[:, None]
    rate = _corrected(statistic, skewness2_of_sum)
    dof = np.maximum(n_correlations(moments), 1)
    poisson_tail = chdtrc(dof, rate)
    larger = np.maximum(tail, poisson_tail)
    return np.where(is_skewed, larger, tail)


def _replace_by_exact_tails(
    p_value: Array,
    statistic: Array,
    moments: Array,
    n_rows: IntArray,
) -> None:
    """Replace small p-values of two binary columns by exact ones."""
    with_all = moments[:, :, -1]  # all functions of each column
    first, second = _is_binary(with_all)
    both_binary = first & second
    doubtful = both_binary & (p_value < UNLIKELY)
    for pair in np.flatnonzero(doubtful):
        of_all = statistic[pair, -1]
        moments_of_pair = with_all[:, pair]
        p_value[pair] = _exact_tail(of_all, moments_of_pair, n_rows[pair])


def _dependent_tail(statistic: Array, dof: Array, effective_dof: Array) -> Array:
    """Return the tail of T for correlations that depend on each other, 0 if they do not.

    A multiple of chi-square with the same mean and the same variance (Satterthwaite).
    """
    depend = effective_dof < 0.99 * dof  # beyond rounding
    mean = np.maximum(dof, 1)
    scaled = statistic * effective_dof / mean
    positive_dof = np.maximum(effective_dof, TINY)
    tail = chdtrc(positive_dof, scaled)
    return np.where(depend, tail, 0.0)


def _is_binary(moments: Array) -> BoolArray:
    """Return which columns have two values: their fourth moment is the smallest there is."""
    fourth = moments[..., FOURTH]
    skew = moments[..., SKEW]
    excess = fourth - skew - 1
    rounding = 1e-6 * fourth
    has_one_function = moments[..., SIZE] == 1
    return has_one_function & (excess < rounding)


def _exact_tail(statistic: float, moments: Array, n_rows: int) -> float:
    """Return the p-value of two binary columns: the count of a coincidence is hypergeometric.

    A column that has its rarer value on a share q of the rows has the variance v = q (1 - q), and
    the mean fourth power 1 / v - 3 of its only function.
    """
    fourth = moments[:, FOURTH]
    variance = 1 / (fourth + 3)
    discriminant = np.maximum(1 - 4 * variance, 0)
    share = (1 - np.sqrt(discriminant)) / 2
    n_rarer = np.round(share * n_rows)
    first, second = n_rarer.astype(np.int64)
    squared_covariance = statistic * variance.prod() / (n_rows - 1)
    covariance = np.sqrt(squared_covariance)
    deviation = covariance * n_rows
    return hypergeometric_tail(n_rows, first, second, deviation)


def _skewness2(moments: Array) -> Array:
    """Return the squared skewness of the products of functions, averaged over all directions."""
    first, second = moments
    dof = np.maximum(n_correlations(moments), 1)
    first_skew = first[..., SKEW]
    second_skew = second[..., SKEW]
    skew = 6 * first_skew * second_skew
    first_tilt = first[..., TILT]
    second_tilt = second[..., TILT]
    tilt = 9 * first_tilt * second_tilt
    normalization = dof * (dof + 2) * (dof + 4)
    return (skew + tilt) / normalization


def _corrected(statistic: Array, skewness2: Array) -> Array:
    """Return Bennett's rate, given T and the squared skewness b^2."""
    u = np.sqrt(skewness2 * statistic)
    v = np.maximum(u, 0.01)  # below, the difference cancels: use the first terms of the series
    bennett = (1 + v) * np.log1p(v) - v
    exact = 2 * bennett / v**2
    series = 1 - u / 3
    is_small = u < v
    factor = np.where(is_small, series, exact)
    return statistic * factor
