"""Selectors that look at one column at a time, and the random control."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import kstest
from sklearn.preprocessing import scale

from urerf.kernels.dip import dip as dip_of_sorted

from ..._typing import FloatArray
from .common import Told


def random_columns(X: FloatArray, told: Told, *, random_state: int) -> FloatArray:
    """Keep columns at random.

    The control of Rajabinasab, Houle, Chelly and Zimek, "Worse than random: the importance of a
    baseline for unsupervised feature selection", arXiv 2605.22973 (2026).
    """
    _, n_columns = X.shape
    rng = np.random.default_rng([random_state, 31])
    return rng.permutation(n_columns).astype(float)


def variance(X: FloatArray, told: Told, **settings: Any) -> FloatArray:
    """Keep the columns with the largest variance, in their own units."""
    return X.var(axis=0)


def kurtosis(X: FloatArray, told: Told, **settings: Any) -> FloatArray:
    """Keep the columns whose kurtosis is farthest from that of a Gaussian.

    Small values are a sign of two clusters, large ones of outliers: D. Peña and F. J. Prieto,
    "Cluster identification using projections", Journal of the American Statistical Association 96
    (2001).
    """
    excess = np.mean(scale(X) ** 4, axis=0) - 3
    return last_if_constant(X, np.abs(excess))


def dip(X: FloatArray, told: Told, **settings: Any) -> FloatArray:
    """Keep the columns that are least unimodal.

    J. A. Hartigan and P. M. Hartigan, "The dip test of unimodality", Annals of Statistics 13
    (1985).
    """
    columns = np.sort(X.T, axis=1)
    return np.array([dip_of_sorted(column) for column in columns])


def kolmogorov_smirnov(X: FloatArray, told: Told, **settings: Any) -> FloatArray:
    """Keep the columns that are farthest from Gaussian by the Kolmogorov-Smirnov statistic.

    The screen of IF-PCA: J. Jin and W. Wang, "Influential features PCA for high dimensional
    clustering", Annals of Statistics 44 (2016). Its correction of the null distribution changes
    all columns alike, and therefore not their order.
    """
    result = kstest(scale(X), "norm", axis=0)
    return last_if_constant(X, result.statistic)


def last_if_constant(X: FloatArray, scores: FloatArray) -> FloatArray:
    """Return the scores, minus infinity for columns with a single value."""
    is_constant = np.ptp(X, axis=0) == 0
    return np.where(is_constant, -np.inf, scores)
