"""Selectors that compare the distances or kernels of two columns: distance correlation and HSIC.

A column becomes an n x n matrix, centered by rows and columns; two columns depend on each other as
far as their matrices are alike. All pairs are one matrix product per block of rows, in which no
n x n matrix of any column is ever complete.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.spatial.distance import pdist
from sklearn.preprocessing import scale

from ..._typing import Float32Array, FloatArray
from .common import Told, best_partner, sample_rows

# The cost grows with the square of the rows: 3 CPU seconds for 1000 columns of this many.
MOST_ROWS = 500
# Elements of all matrices in memory at the same time: 64 MB.
BLOCK_ELEMENTS = 2**24

Matrix = Callable[[Float32Array], Float32Array]


def distance_correlation(X: FloatArray, told: Told, *, random_state: int) -> FloatArray:
    """Keep the columns with the largest distance correlation with another column.

    G. J. Székely, M. L. Rizzo and N. K. Bakirov, "Measuring and testing dependence by correlation
    of distances", Annals of Statistics 35 (2007).
    """
    rows = sample_rows(X, MOST_ROWS, random_state)
    return best_partner(alignment(scale(rows), np.abs))


def hsic(X: FloatArray, told: Told, *, random_state: int) -> FloatArray:
    """Keep the columns with the largest Hilbert-Schmidt independence criterion with another column.

    Gaussian kernels of the median distance, as in A. Gretton, O. Bousquet, A. Smola and B.
    Schölkopf, "Measuring statistical dependence with Hilbert-Schmidt norms", ALT (2005); divided by
    the criteria of the columns with themselves, so that columns are comparable.
    """
    rows = sample_rows(X, MOST_ROWS, random_state)
    scaled = rows / median_distance(rows)
    return best_partner(alignment(scaled, gaussian_kernel))


def gaussian_kernel(differences: Float32Array) -> Float32Array:
    """Return the kernel of width 1."""
    return np.exp(-(differences**2) / 2)


def median_distance(X: FloatArray) -> FloatArray:
    """Return the median distance between two rows in each column, 1 for a constant column."""
    medians = np.empty(X.shape[1])
    for i, column in enumerate(X.T):
        distances = pdist(column[:, None])
        medians[i] = np.median(distances)
    spread = X.std(axis=0)  # for columns in which most pairs of rows are equal
    widths = np.where(medians > 0, medians, spread)
    return np.where(widths > 0, widths, 1.0)


def alignment(X: FloatArray, matrix: Matrix) -> FloatArray:
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
    blocks = [slice(start, start + block) for start in range(0, n, block)]
    for rows in blocks:
        part = elements(columns, rows, matrix)
        row_means[:, rows] = part.mean(axis=2)
    center = row_means.mean(axis=1)
    products = np.zeros((n_columns, n_columns))
    for rows in blocks:
        part = elements(columns, rows, matrix)
        part -= row_means[:, rows, None]
        part -= row_means[:, None]
        part += center[:, None, None]
        flat = part.reshape(n_columns, -1)
        products += flat @ flat.T
    norms = np.sqrt(np.diag(products))
    norms[norms == 0] = 1.0
    return products / np.outer(norms, norms)


def elements(columns: Float32Array, rows: slice, matrix: Matrix) -> Float32Array:
    """Return some rows of the matrix of each column, (n_columns, n_rows, n)."""
    differences = columns[:, rows, None] - columns[:, None]
    return matrix(differences)
