"""What trees read: the matrix, with levels and missing values drawn anew for every tree.

A level of a category has no place on a scale. Every tree therefore draws a random number for each
level and reads the column as if it held these numbers: over many trees that is a random projection
of the indicators of the levels, whatever they are called. A missing value is filled with
the value of one of the most similar rows that have it; every tree draws which one. So a row whose
value could be one of two things is sometimes here and sometimes there, and not in between.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ._typing import Array
from .kernels.reading import read_gaps, read_levels
from .kernels.rng import derive

# Branches of the random stream of a tree; `urerf.forest` has the others.
_LEVELS = 2
_GAPS = 3


class Gaps(NamedTuple):
    """The missing cells of all rows, row by row, and the values that may fill them."""

    start: Array
    """The cells of row i are start[i] to start[i + 1]; int64, one more than there are rows."""
    column: Array
    """int32, one per cell."""
    value: Array
    """float32, (cells, donors), nearest first."""
    n_values: Array
    """int32, the number of values of a cell."""
    fingerprint: Array
    """uint64, one per row: equal rows are filled alike."""


class Reading(NamedTuple):
    """A matrix (columns x rows, float32) and all that is needed to read it as a tree does."""

    matrix: Array
    n_levels: Array
    """int32, the number of levels of each category; 0 for columns of numbers."""
    level_width: Array
    """float64, the numbers that stand for levels are below it; 0 for columns of numbers."""
    gaps: Gaps | None
    """None if no value is missing."""

    @classmethod
    def of_numbers(cls, matrix: Array) -> Reading:
        """Return the reading of a matrix without categories and without missing values."""
        n_columns = len(matrix)
        return cls(
            matrix=matrix,
            n_levels=np.zeros(n_columns, dtype=np.int32),
            level_width=np.zeros(n_columns),
            gaps=None,
        )

    @property
    def is_plain(self) -> bool:
        """Whether every tree reads the matrix as it is."""
        return self.gaps is None and not self.n_levels.any()

    @property
    def empty_rows(self) -> Array:
        """Rows without any value."""
        if self.gaps is None:
            return np.empty(0, dtype=np.intp)
        n_missing = np.diff(self.gaps.start)
        n_columns = len(self.matrix)
        return np.flatnonzero(n_missing == n_columns)

    def rows(self, rows: Array, key: np.uint64) -> Array:
        """Return some rows as the tree of that key reads them, (columns, rows)."""
        values = np.empty((len(self.matrix), len(rows)), dtype=np.float32)
        for column, out in zip(self.matrix, values):  # one by one: the matrix may be on disk
            np.take(column, rows, out=out, mode="clip")
        self.draw(values, values, rows, key)
        return values

    def draw(
        self,
        codes: Array,
        values: Array,
        rows: Array,
        key: np.uint64,
    ) -> None:
        """Write what the tree of that key reads in place of levels and of missing values.

        ``codes`` are the given rows of the matrix; ``values`` the same, to be changed in place.
        """
        level_key = np.uint64(derive(key, _LEVELS))
        categories = np.flatnonzero(self.n_levels).astype(np.int32)
        if len(categories):
            read_levels(codes, categories, self.level_width, level_key, values)
        if self.gaps is not None:
            gap_key = np.uint64(derive(key, _GAPS))
            levels = self.n_levels, self.level_width
            read_gaps(rows, *self.gaps, *levels, gap_key, level_key, values)
