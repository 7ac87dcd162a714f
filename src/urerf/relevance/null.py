"""The p-value of the dependence of two columns.

`urerf.kernels.pair_scores` has the moments of the null distribution. Here they become p-values,
with more care for columns that live on a few rows and for columns of two values.
"""

from __future__ import annotations

import numpy as np
from scipy.special import chdtrc, gammaincc

from ..kernels.expansion import FOURTH, N_MOMENTS, SIZE, SKEW, TILT
from ..kernels.pair_scores import hypergeometric_tail, null_of_pairs
from .basis import Array, Index, Mask

# Squared skewness of the products of functions, averaged over all directions, above which the far
# tail of T is longer than that of the gamma distribution: the number of rows in which two rare
# values coincide is nearly Poisson. It is 0 for numbers in one function each, below 0.3 in four.
SKEWED = 0.5

# P-value below which that of two binary columns is computed exactly, which takes longer.
UNLIKELY = 0.05


def tails(
    correlations: Array,
    moments: Array,
    n_rows: Index,
    prefixes: Index,
    effective_dof: Array | None = None,
) -> Array:
    """Return the p-value of each pair: the smallest over all numbers of functions, times them.

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
    squares = np.square(correlations).reshape(n_pairs, *correlations.shape[-2:])
    sums = [squares[:, :size, :size].sum(axis=(1, 2)) for size in prefixes]
    statistic = (n_rows[:, None] - 1) * np.stack(sums, axis=1)
    gamma_shape = np.empty(statistic.shape)
    y = np.empty(statistic.shape)
    null_of_pairs(statistic, moments, n_rows, gamma_shape, y)
    tail = gammaincc(np.maximum(gamma_shape, 1e-9), y)
    skewness2 = _skewness2(moments)
    poisson = _poisson_tail(statistic, moments, skewness2 / n_rows[:, None])
    tail = np.where(skewness2 > SKEWED, np.maximum(tail, poisson), tail)
    dof = moments[0, ..., SIZE] * moments[1, ..., SIZE]
    if effective_dof is not None:
        dependent = _dependent_tail(statistic, dof, effective_dof.reshape(statistic.shape))
        tail = np.maximum(tail, dependent)
    tail = np.where((dof > 0) & (gamma_shape > 0), tail, 1)
    n_tests = 1 + (np.diff(dof, axis=1) > 0).sum(axis=1)
    smallest = np.minimum(1, tail.min(axis=1) * n_tests)
    if effective_dof is not None:
        return smallest.reshape(shape)
    binary = _is_binary(moments[0, :, -1]) & _is_binary(moments[1, :, -1])
    for pair in np.flatnonzero(binary & (smallest < UNLIKELY)):
        smallest[pair] = _exact_tail(statistic[pair, -1], moments[:, pair, -1], n_rows[pair])
    return smallest.reshape(shape)


def _dependent_tail(statistic: Array, dof: Array, effective_dof: Array) -> Array:
    """Return the tail of T for correlations that depend on each other, 0 if they do not.

    A multiple of chi-square with the same mean and the same variance (Satterthwaite).
    """
    fewer = effective_dof < 0.99 * dof
    scaled = statistic * effective_dof / np.maximum(dof, 1)
    return np.where(fewer, chdtrc(np.maximum(effective_dof, 1e-9), scaled), 0.0)


def _is_binary(moments: Array) -> Mask:
    """Return which columns have two values: their fourth moment is the smallest there is."""
    excess = moments[..., FOURTH] - moments[..., SKEW] - 1
    return (moments[..., SIZE] == 1) & (excess < 1e-6 * moments[..., FOURTH])


def _exact_tail(statistic: float, moments: Array, n_rows: int) -> float:
    """Return the p-value of two binary columns: the count of a coincidence is hypergeometric."""
    variance = 1 / (moments[:, FOURTH] + 3)
    share = (1 - np.sqrt(np.maximum(1 - 4 * variance, 0))) / 2
    first, second = np.round(share * n_rows).astype(np.int64)
    deviation = np.sqrt(statistic * variance.prod() / (n_rows - 1)) * n_rows
    return hypergeometric_tail(n_rows, first, second, deviation)


def _skewness2(moments: Array) -> Array:
    """Return the squared skewness of the products of functions, averaged over all directions."""
    first, second = moments
    dof = np.maximum(first[..., SIZE] * second[..., SIZE], 1)
    third = 6 * first[..., SKEW] * second[..., SKEW] + 9 * first[..., TILT] * second[..., TILT]
    return third / (dof * (dof + 2) * (dof + 4))


def _poisson_tail(statistic: Array, moments: Array, skewness2: Array) -> Array:
    """Return the tail of T for columns whose functions live on a few rows.

    The rate of a Gaussian sum is T, that of a sum with skewness b is, by Bennett, 2 / b^2 *
    ((1 + u) log(1 + u) - u), u = b sqrt(T), which is exact for the joint count of two rare values.
    """
    dof = np.maximum(moments[0, ..., SIZE] * moments[1, ..., SIZE], 1)
    return chdtrc(dof, _corrected(statistic, skewness2))


def _corrected(statistic: Array, skewness2: Array) -> Array:
    """Return Bennett's rate, given T and the squared skewness b^2."""
    u = np.sqrt(skewness2 * statistic)
    v = np.maximum(u, 0.01)  # below, the difference cancels: use the first terms of the series
    series = 1 - u / 3
    bennett = (1 + v) * np.log1p(v) - v
    rate = 2 * bennett / v**2
    return statistic * np.where(u < v, series, rate)
