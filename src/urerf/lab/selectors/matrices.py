"""Selectors that compare the distances or kernels of two columns: distance correlation and HSIC.

A column becomes an n x n matrix, centered by rows and columns; two columns depend on each other as
far as their matrices are alike. All pairs are one matrix product per block of rows, in which no
n x n matrix of any column is ever complete.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from urerf.lab.selectors.common import (
    Rows,
    Scores,
    Told,
    best_partner,
    sample_rows,
    standardized,
)

# The cost grows with the square of the rows: 3 CPU seconds for 1000 columns of this many.
MOST_ROWS = 500
# Elements of all matrices in memory at the same time: 64 MB.
BLOCK_ELEMENTS = 2**24

Matrix = Callable[[NDArray[np.float32]], NDArray[np.float32]]


def distance_correlation(X: Rows, told: Told, *, random_state: int) -> Scores:
    """Keep the columns with the largest distance correlation with another column.

    G. J. Székely, M. L. Rizzo and N. K. Bakirov, "Measuring and testing dependence by correlation
    of distances", Annals of Statistics 35 (2007).
    """
    rows = standardized(sample_rows(X, MOST_ROWS, random_state))
    return best_partner(alignment(rows, np.abs))


def hsic(X: Rows, told: Told, *, random_state: int) -> Scores:
    """Keep the columns with the largest Hilbert-Schmidt independence criterion with another column.

    Gaussian kernels of the median distance, as in A. Gretton, O. Bousquet, A. Smola and B.
    Schölkopf, "Measuring statistical dependence with Hilbert-Schmidt norms", ALT (2005); divided by
    the criteria of the columns with themselves, so that columns are comparable.
    """
    rows = sample_rows(X, MOST_ROWS, random_state)
    return best_partner(alignment(rows / median_distance(rows), gaussian_kernel))


def gaussian_kernel(differences: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the kernel of width 1."""
    return np.exp(-(differences**2) / 2)


def median_distance(X: Rows) -> Scores:
    """Return the median distance between two rows in each column, 1 for a constant column."""
    first, second = np.triu_indices(len(X), 1)
    medians = np.array([np.median(np.abs(column[first] - column[second])) for column in X.T])
    spread = X.std(axis=0)
    medians = np.where(medians > 0, medians, spread)
    return np.where(medians > 0, medians, 1.0)


def alignment(X: Rows, matrix: Matrix) -> Scores:
    """Return the cosines between the centered matrices of all columns.

    Parameters
    ----------
    X : ndarray of shape (n, p)
    matrix : callable
        From the differences between rows in each column to the elements of the matrices.

    Returns
    -------
    ndarray of shape (p, p)
    """
    columns = np.ascontiguousarray(X.T, dtype=np.float32)
    n_columns, n = columns.shape
    row_means = np.empty((n_columns, n), dtype=np.float32)
    block = max(1, BLOCK_ELEMENTS // (n_columns * n))
    starts = range(0, n, block)
    for start in starts:
        row_means[:, start : start + block] = elements(columns, start, block, matrix).mean(axis=2)
    center = row_means.mean(axis=1)[:, None, None]
    products = np.zeros((n_columns, n_columns))
    for start in starts:
        part = elements(columns, start, block, matrix)
        part -= row_means[:, start : start + block, None]
        part -= row_means[:, None] - center
        flat = part.reshape(n_columns, -1)
        products += flat @ flat.T
    norms = np.sqrt(np.diag(products))
    norms = np.where(norms > 0, norms, 1.0)
    return products / np.outer(norms, norms)


def elements(
    columns: NDArray[np.float32], start: int, n_rows: int, matrix: Matrix
) -> NDArray[np.float32]:
    """Return some rows of the matrix of each column, (n_columns, n_rows, n)."""
    some = columns[:, start : start + n_rows]
    return matrix(some[:, :, None] - columns[:, None])
