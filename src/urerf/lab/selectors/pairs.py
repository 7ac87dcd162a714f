"""Selectors that look for the best partner of each column: mutual information and xi."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import xlogy
from scipy.stats import rankdata

from ..._typing import Float32Array, FloatArray
from .common import Told, best_partner

# Rows per cell of a table of two binned columns if they are independent, as in the rule for
# chi-square tests, and the largest number of bins.
ROWS_PER_CELL = 5
MOST_BINS = 10
# Columns whose tables with all other columns are in memory at the same time.
BLOCK = 100


def mutual_information(X: FloatArray, told: Told, **settings: Any) -> FloatArray:
    """Keep the columns with the largest mutual information with another column.

    The estimate is that of bins with equally many rows: N. J. I. Mars and G. W. van Arragon, "Time
    delay estimation in nonlinear systems using average amount of mutual information analysis",
    Signal Processing 4 (1982).
    """
    return best_partner(binned_information(X))


def binned_information(X: FloatArray) -> FloatArray:
    """Return the mutual information of all pairs of columns, in nats."""
    n, n_columns = X.shape
    n_bins = int(np.sqrt(n / ROWS_PER_CELL))
    n_bins = min(max(n_bins, 2), MOST_BINS)
    member = bin_members(X, n_bins)
    flat = member.reshape(n_columns * n_bins, n)
    joint_entropy = np.empty((n_columns, n_columns))
    for start in range(0, n_columns, BLOCK):
        stop = start + BLOCK
        block = flat[start * n_bins : stop * n_bins]
        share = (block @ flat.T) / n
        terms = xlogy(share, share)
        tables = terms.reshape(-1, n_bins, n_columns, n_bins)
        sums = tables.sum(axis=(1, 3), dtype=np.float64)
        joint_entropy[start:stop] = -sums
    entropy = np.diag(joint_entropy)  # the table of a column with itself is diagonal
    return entropy[:, None] + entropy - joint_entropy


def bin_members(X: FloatArray, n_bins: int) -> Float32Array:
    """Return 1 where a row is in a bin of a column, else 0: (n_columns, n_bins, n)."""
    n, _ = X.shape
    place = (rankdata(X, axis=0) - 0.5) / n  # in (0, 1), equal for equal values
    bins = np.floor(place * n_bins)
    is_member = bins.T[:, None] == np.arange(n_bins)[:, None]
    return is_member.astype(np.float32)


def xi(X: FloatArray, told: Told, **settings: Any) -> FloatArray:
    """Keep the columns with the largest coefficient xi, as function of another or the other way.

    S. Chatterjee, "A new coefficient of correlation", Journal of the American Statistical
    Association 116 (2021).
    """
    coefficients = xi_coefficients(X)
    return best_partner(np.maximum(coefficients, coefficients.T))


def xi_coefficients(X: FloatArray) -> FloatArray:
    """Return xi of all pairs; row x and column y measure how far y is a function of x."""
    n, n_columns = X.shape
    columns = np.ascontiguousarray(X.T)
    ranks = rankdata(columns, axis=1, method="max").astype(np.float32)
    at_least = rankdata(-columns, axis=1, method="max")
    # The denominator of the paper's equation for ties; without ties, it is n (n^2 - 1) / 3.
    largest = 2 * np.sum(at_least * (n - at_least), axis=1)
    is_constant = largest == 0
    largest[is_constant] = 1.0
    coefficients = np.empty((n_columns, n_columns))
    for x, column in enumerate(columns):
        order = np.argsort(column, kind="stable")
        steps = np.abs(np.diff(ranks[:, order], axis=1))
        total = steps.sum(axis=1, dtype=np.float64)
        coefficients[x] = 1 - n * total / largest
    coefficients[:, is_constant] = 0.0
    return coefficients
