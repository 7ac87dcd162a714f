"""From the user's columns to the matrix that trees read: which columns, and in which units.

The matrix is columns x rows, float32. A column is measured from its median, so that a large offset
costs no digits. With ``scaled``, wide columns are measured in units of their own width and narrow
ones in a common unit: dividing by max(width, NARROW x median width) makes columns of different
units comparable without blowing up columns in which little happens, as dividing by the width itself
would. The width is the distance between the 1 % and 99 % quantiles.

**Missing values** (NaN) are filled before trees see them: with the mean of that column over the 5
nearest *donors* (at most 4096 fitted rows) in the columns that both have. So every node sends a row
with a missing value to the side where similar rows go, and a row gets the same values when it comes
back as a query.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from ._memory import available_memory
from ._threads import row_blocks, run
from .kernels.missing import fill_missing
from .kernels.table import row_fingerprints

# Smallest unit, as a share of the median width. Smaller values let columns in which little happens
# (the corner pixels of digits) count as much as others; larger ones ignore narrow but real columns.
NARROW = 0.4
MEASURED_ROWS = 4096  # enough that the quantiles of a column move by less than 1 % of its width
DONOR_VALUES = 1 << 22  # 16 MB of donors at most, whatever the number of columns
BLOCK_VALUES = 1 << 17  # values converted per task: they fit into the second-level cache
FILL_ROWS = 256  # rows filled per task


@dataclass(frozen=True, eq=False)
class Columns:
    """Which of the user's columns trees read, and how they are measured.

    Attributes
    ----------
    chosen : ndarray of int64
        Positions of the columns, ascending.
    center, unit : ndarray of float64
        A value x becomes (x - center) / unit.
    feature_weights : ndarray of float64
        Probability that a drawn column is kept, in (0, 1].
    donors : ndarray of float32, (columns, donors)
        Rows from which missing values are filled; none if missing values are refused.
    """

    chosen: np.ndarray
    center: np.ndarray
    unit: np.ndarray
    feature_weights: np.ndarray
    donors: np.ndarray

    @classmethod
    def learn(
        cls, X: Any, weights: np.ndarray, *, scaled: bool, missing: bool = False
    ) -> Columns:
        """Choose the columns of positive weight (all if there is none) and measure them.

        Medians and widths come from at most `MEASURED_ROWS` rows. With ``missing``, these rows are
        kept as donors.
        """
        chosen = np.flatnonzero(weights > 0.0)
        if not len(chosen):
            chosen = np.arange(X.shape[1])
        rows = measured_rows(X.shape[0])
        # float64 first, so that float32 and float64 of the same values are measured alike.
        values = dense(X[rows])[:, chosen].astype(np.float64)
        values = np.where(np.isnan(values).all(axis=0), 0.0, values)  # an empty column is constant
        with np.errstate(over="ignore", invalid="ignore"):
            center = np.nanmedian(values, axis=0)
            unit = _units(values) if scaled else np.ones(len(chosen))
        if not (np.isfinite(center).all() and np.isfinite(unit).all()):
            raise ValueError(
                "X: has values too large for float64 once centered; rescale its columns"
            )
        weights = np.where(weights[chosen] > 0.0, weights[chosen], 1.0).astype(np.float64)
        no_donors = np.empty((len(chosen), 0), dtype=np.float32)
        columns = cls(chosen.astype(np.int64), center, unit, weights, no_donors)
        if not missing:
            return columns
        n_donors = max(1, min(len(rows), DONOR_VALUES // len(chosen)))
        donors = rows[np.linspace(0, len(rows) - 1, n_donors).astype(int)]
        return replace(columns, donors=columns.measure(X[donors]))

    def weights_of_all(self, n_columns: int) -> np.ndarray:
        """Return the weights of all columns of the table, 0 for those that are not chosen."""
        weights = np.zeros(n_columns)
        weights[self.chosen] = self.feature_weights
        return weights

    def matrix(self, X: Any, n_jobs: int | None = None) -> np.ndarray:
        """Return the matrix of X, with missing values filled."""
        matrix = self.measure(X, n_jobs)
        has_gap = np.zeros(matrix.shape[1], dtype=bool)
        for column in matrix:
            has_gap |= np.isnan(column)
        rows = np.flatnonzero(has_gap)
        if len(rows):
            blocks = np.array_split(rows, -(-len(rows) // FILL_ROWS))
            run([partial(self._fill, matrix, block) for block in blocks], n_jobs)
        return matrix

    def _fill(self, matrix: np.ndarray, rows: np.ndarray) -> None:
        block = np.ascontiguousarray(matrix[:, rows])
        fill_missing(block, self.donors, self.feature_weights)
        matrix[:, rows] = block

    def measure(self, X: Any, n_jobs: int | None = None) -> np.ndarray:
        """Return the matrix of X with its gaps; kept on disk if it does not fit into memory."""
        matrix = _allocate((len(self.chosen), X.shape[0]))
        blocks = row_blocks(X.shape[0], max(1, BLOCK_VALUES // X.shape[1]))
        run([partial(self._measure_rows, X, rows, matrix) for rows in blocks], n_jobs)
        return matrix

    def _measure_rows(self, X: Any, rows: slice, matrix: np.ndarray) -> None:
        with np.errstate(over="ignore", invalid="ignore"):
            values = dense(X[rows])[:, self.chosen]
            matrix[:, rows] = ((values - self.center) / self.unit).T
        if np.isinf(matrix[:, rows]).any():
            raise ValueError(
                "X: has values too large for float32 (beyond 3.4e38) once centered; "
                "rescale its columns"
            )

    def lengths(self, matrix: np.ndarray) -> np.ndarray:
        """Return the matrix as points (rows x columns, float64) in the units of the data.

        Columns of small weight are shrunk by it.
        """
        return matrix.T * (self.unit * self.feature_weights)


def fingerprints_of(matrix: np.ndarray) -> np.ndarray:
    """Return a hash of every row, by which a fitted row is recognized when it comes back."""
    return run([partial(row_fingerprints, matrix)])[0]


def measured_rows(n: int) -> np.ndarray:
    """Return which of n rows columns are measured on, ascending."""
    if n <= MEASURED_ROWS:
        return np.arange(n)
    return np.linspace(0, n - 1, MEASURED_ROWS).astype(int)


def dense(X: Any) -> np.ndarray:
    """Return a block of rows as an ndarray."""
    return X.toarray() if sp.issparse(X) else np.asarray(X)


def _allocate(shape: tuple[int, int]) -> np.ndarray:
    """Return an empty float32 array, in a temporary file if it would take half of the memory."""
    if 4 * shape[0] * shape[1] <= available_memory() / 2:
        return np.empty(shape, dtype=np.float32)
    with tempfile.TemporaryFile() as file:
        return np.asarray(np.memmap(file, dtype=np.float32, mode="w+", shape=shape))


def _units(values: np.ndarray) -> np.ndarray:
    low, high = np.nanquantile(values, [0.01, 0.99], axis=0)
    span = np.nanmax(values, axis=0) - np.nanmin(values, axis=0)
    width = np.where(high > low, high - low, span)
    if not (width > 0.0).any():
        return np.ones(len(width))
    return np.maximum(width, NARROW * np.median(width[width > 0.0]))
