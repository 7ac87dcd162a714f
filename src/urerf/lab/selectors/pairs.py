"""Selectors that look for the best partner of each column: mutual information and xi."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import xlogy
from scipy.stats import rankdata

from urerf.lab.selectors.common import Rows, Scores, Told, best_partner

# Rows per cell of a table of two binned columns if they are independent, as in the rule for
# chi-square tests, and the largest number of bins.
ROWS_PER_CELL = 5
MOST_BINS = 10
# Columns whose tables with all other columns are in memory at the same time.
BLOCK = 100


def mutual_information(X: Rows, told: Told, **settings: Any) -> Scores:
    """Keep the columns with the largest mutual information with another column.

    The estimate is that of bins with equally many rows: N. J. I. Mars and G. W. van Arragon, "Time
    delay estimation in nonlinear systems using average amount of mutual information analysis",
    Signal Processing 4 (1982).
    """
    return best_partner(binned_information(X))


def binned_information(X: Rows) -> Scores:
    """Return the mutual information of all pairs of columns, in nats."""
    n, n_columns = X.shape
    n_bins = int(np.clip(np.sqrt(n / ROWS_PER_CELL), 2, MOST_BINS))
    bins = np.minimum((rankdata(X, axis=0) - 0.5) * n_bins // n, n_bins - 1).astype(int)
    is_in_bin = (bins.T[:, None] == np.arange(n_bins)[:, None]).astype(np.float32)
    flat = is_in_bin.reshape(n_columns * n_bins, n)
    share = flat.mean(axis=1).astype(np.float64)
    entropy = -xlogy(share, share).reshape(n_columns, n_bins).sum(axis=1)
    joint_entropy = np.empty((n_columns, n_columns))
    for start in range(0, n_columns, BLOCK):
        block = flat[start * n_bins : (start + BLOCK) * n_bins]
        joint = (block @ flat.T).astype(np.float64) / n
        cells = -xlogy(joint, joint).reshape(-1, n_bins, n_columns, n_bins)
        joint_entropy[start : start + BLOCK] = cells.sum(axis=(1, 3))
    return entropy[:, None] + entropy - joint_entropy


def xi(X: Rows, told: Told, **settings: Any) -> Scores:
    """Keep the columns with the largest coefficient xi, as function of another or the other way.

    S. Chatterjee, "A new coefficient of correlation", Journal of the American Statistical
    Association 116 (2021).
    """
    coefficients = xi_coefficients(X)
    return best_partner(np.maximum(coefficients, coefficients.T))


def xi_coefficients(X: Rows) -> Scores:
    """Return xi of all pairs; row x and column y measure how far y is a function of x."""
    n, n_columns = X.shape
    ranks = np.ascontiguousarray(rankdata(X, axis=0, method="max").astype(np.float32).T)
    at_least = rankdata(-X, axis=0, method="max")
    # Without ties, this is n (n^2 - 1) / 3; a constant column is a function of nothing.
    largest = 2 * (at_least * (n - at_least)).sum(axis=0)
    coefficients = np.empty((n_columns, n_columns))
    for x, order in enumerate(np.argsort(X.T, axis=1, kind="stable")):
        steps = np.abs(np.diff(ranks[:, order], axis=1)).sum(axis=1, dtype=np.float64)
        coefficients[x] = 1 - n * steps / np.where(largest > 0, largest, np.inf)
    coefficients[:, largest == 0] = 0
    return coefficients
