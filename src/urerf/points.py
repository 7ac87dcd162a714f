"""Rows as points among which straight distances are measured."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ._typing import Array
from .reading import Reading


class Points(NamedTuple):
    """Rows as points, (rows, columns): numbers, and codes of levels."""

    values: Array
    mismatch: Array
    """The length of a step from one level of a category to another; 0 for columns of numbers."""
    known: Array
    """Whether a row has any value; where the others are is not known."""

    def take(self, rows: Any) -> Points:
        """Return some of the points."""
        return self._replace(values=self.values[rows], known=self.known[rows])


def filled_rows(reading: Reading, dtype: Any) -> Array:
    """Return the rows of a matrix, (rows, columns), without missing values.

    A missing number is the mean of the values that may fill it, a missing level the nearest
    donor's, or a level of its own.
    """
    rows = reading.matrix.T.astype(dtype, order="C")
    gaps = reading.gaps
    if gaps is None:
        return rows
    n_levels = reading.n_levels[gaps.column]
    nearest = gaps.value[:, 0]
    level = np.where(gaps.n_values > 0, nearest, n_levels)
    total = gaps.value.sum(axis=1, dtype=np.float64)
    mean = total / np.maximum(gaps.n_values, 1)
    number = mean.astype(np.float32)
    n_missing = np.diff(gaps.start)
    row = np.repeat(np.arange(len(rows)), n_missing)
    is_category = n_levels > 0
    rows[row, gaps.column] = np.where(is_category, level, number)
    return rows
