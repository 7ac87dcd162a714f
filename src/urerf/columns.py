"""From the user's columns to the matrix that trees read: which columns, and in which units.

The matrix is columns x rows, float32. A column of numbers is measured from its median, so that a
large offset costs no digits, and with ``scaled`` in the unit that `urerf.units` chooses. A category
holds the codes of its levels. Missing values are NaN.

`Columns.reading` adds what `urerf.reading` needs to replace levels and missing values: for every
missing value, the values of the 5 nearest *donors* (at most 4096 fitted rows) in the columns that
both have.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from ._memory import available_memory, reserve_on_disk
from ._threads import run_blocks
from ._typing import Array
from .gaps import Donors, find_gaps
from .kernels.missing import MISMATCH
from .points import Points, filled_rows
from .reading import Reading
from .units import centers_and_widths, level_widths, present, units_of

MEASURED_ROWS = 4096  # enough that the quantiles of a column move by less than 1 % of its width
DONOR_VALUES = 1 << 20  # bounds the search for donors: 0.3 ms per row with missing values
BLOCK_VALUES = 1 << 17  # values converted per task: they fit into the second-level cache
NARROWEST = np.finfo(np.float64).tiny  # no width vanishes in a large unit
TOO_LARGE = "X: has values too large for float32 (beyond 3.4e38) once centered; rescale its columns"


@dataclass(frozen=True, eq=False)
class Columns:
    """Which of the user's columns trees read, and how they are measured.

    Attributes
    ----------
    chosen : ndarray of int64
        Positions of the columns, ascending.
    center, unit : ndarray of float64
        A number x becomes (x - center) / unit.
    width : ndarray of float64
        Distance between the 1 % and the 99 % quantile of a column, in the units of the trees: 1 if
        that is the unit, and 1 for categories.
    n_levels : ndarray of int32
        Number of levels of a category; 0 for numbers.
    level_width : ndarray of float64
        Width of the interval from which trees draw numbers for the levels of a category; 0 for
        numbers.
    feature_weights : ndarray of float64
        Probability that a drawn column is kept, in (0, 1].
    donors : ndarray of float32, (columns, donors)
        Rows from which missing values are filled; none if missing values are refused.
    """

    chosen: Array
    center: Array
    unit: Array
    width: Array
    n_levels: Array
    level_width: Array
    feature_weights: Array
    donors: Array

    @classmethod
    def learn(
        cls,
        X: Any,
        weights: Array,
        *,
        scaled: bool,
        missing: bool = False,
        n_levels: Sequence[int] | int = 0,
    ) -> Columns:
        """Choose the columns of positive weight (all if there is none) and measure them.

        Medians and widths come from at most `MEASURED_ROWS` rows. With ``missing``, these rows are
        kept as donors. ``n_levels`` has the number of levels of every category of X, and 0 for
        columns of numbers.
        """
        if not (weights > 0.0).any():
            weights = np.ones(len(weights))
        chosen = np.flatnonzero(weights > 0.0)
        levels = np.zeros(len(weights), dtype=np.int32)
        levels[:] = n_levels
        levels = levels[chosen]
        is_number = levels == 0
        rows = measured_rows(X.shape[0])
        block = dense(X[rows])
        # float64 first, so that float32 and float64 of the same values are measured alike.
        values = block[:, chosen].astype(np.float64)
        center, width = centers_and_widths(values, is_number)
        unit = np.ones(len(chosen))
        if scaled:
            unit = units_of(width, values, levels)
        in_units = np.maximum(width / unit, NARROWEST)
        columns = cls(
            chosen=chosen,
            center=center,
            unit=unit,
            width=np.where(width > 0.0, in_units, 1.0),
            n_levels=levels,
            level_width=level_widths(values, levels),
            feature_weights=weights[chosen],
            donors=np.empty((len(chosen), 0), dtype=np.float32),
        )
        if not missing:
            return columns
        donors = X[_donor_rows(rows, len(chosen))]
        return replace(columns, donors=columns.measure(donors))

    def weights_of_all(self, n_columns: int) -> Array:
        """Return the weights of all columns of the table, 0 for those that are not chosen."""
        weights = np.zeros(n_columns)
        weights[self.chosen] = self.feature_weights
        return weights

    def measure(self, X: Any, n_jobs: int | None = None) -> Array:
        """Return the matrix of X; kept on disk if it does not fit into memory."""
        n_rows, n_columns = X.shape
        matrix = _allocate(len(self.chosen), n_rows)
        block_rows = max(1, BLOCK_VALUES // n_columns)
        run_blocks(partial(self._measure_rows, X, matrix), n_rows, block_rows, n_jobs)
        return matrix

    def read(self, X: Any, n_jobs: int | None = None) -> Reading:
        """Return rows of a table as trees read them."""
        return self.reading(self.measure(X, n_jobs), n_jobs)

    def _measure_rows(self, X: Any, matrix: Array, rows: slice) -> None:
        block = dense(X[rows])
        values = block[:, self.chosen]
        out = matrix[:, rows]
        with np.errstate(over="ignore", invalid="ignore"):
            measured = (values - self.center) / self.unit
            out[:] = measured.T
        if np.isinf(out).any():
            raise ValueError(TOO_LARGE)

    def reading(self, matrix: Array, n_jobs: int | None = None) -> Reading:
        """Return what trees need to read a matrix: levels, and what may fill missing values."""
        donors = Donors(self.donors, self.feature_weights, self.level_width)
        return Reading(
            matrix=matrix,
            n_levels=self.n_levels,
            level_width=self.level_width,
            gaps=find_gaps(matrix, donors, n_jobs),
        )

    def _mismatch(self, raw_units: bool) -> Array:
        """Return the length of a step between two levels of each category; 0 for numbers.

        It is in the units of trees, or in the typical unit of the columns of numbers.
        """
        steps = np.sqrt(MISMATCH) * self.level_width * self.feature_weights
        units = self.unit[self.n_levels == 0]
        if raw_units and len(units):
            steps *= np.median(units)
        return steps

    def reach(self, *, raw_units: bool) -> float:
        """Return the length of the diagonal of the table, from its columns' widths."""
        lengths = self.feature_weights * self.width
        if raw_units:
            lengths *= self.unit
        is_number = self.n_levels == 0
        sides = np.where(is_number, lengths, self._mismatch(raw_units))
        # In a power of two near the longest side, which is exact: squares neither overflow nor
        # vanish.
        _, power = np.frexp(sides.max())
        diagonal = np.linalg.norm(np.ldexp(sides, -power))
        return float(np.ldexp(diagonal, power))

    def points(
        self,
        reading: Reading,
        *,
        raw_units: bool,
        dtype: Any = np.float64,
    ) -> Points:
        """Return rows as points among which distances are measured.

        Missing values are filled as `filled_rows` does. Numbers are in the units of the data or in
        those of the trees; columns of small weight are shrunk by it.
        """
        scale = self.feature_weights
        if raw_units:
            scale = scale * self.unit
        is_number = self.n_levels == 0
        values = filled_rows(reading, dtype)
        values *= np.where(is_number, scale, 1.0)
        known = np.ones(len(values), dtype=bool)
        known[reading.empty_rows] = False
        return Points(values, self._mismatch(raw_units), known)


def measured_rows(n: int) -> Array:
    """Return which of n rows columns are measured on, ascending."""
    if n <= MEASURED_ROWS:
        return np.arange(n)
    return _spread(n, MEASURED_ROWS)


def _donor_rows(rows: Array, n_columns: int) -> Array:
    """Return those of the measured rows that fill missing values."""
    most = max(1, DONOR_VALUES // n_columns)
    n_donors = min(len(rows), most)
    places = _spread(len(rows), n_donors)
    return rows[places]


def _spread(n: int, count: int) -> Array:
    """Return ``count`` of the numbers 0 to n - 1, evenly spread."""
    places = np.linspace(0, n - 1, count)
    return places.astype(int)


def is_constant(column: Array) -> bool:
    """Return whether all values of a column that are not missing are equal."""
    known = present(column)
    is_first = known == known[:1]
    return bool(is_first.all())


def dense(X: Any) -> Array:
    """Return a block of rows as an ndarray."""
    if sp.issparse(X):
        return X.toarray()
    return np.asarray(X)


def cells_of(X: Any, i: int) -> Array:
    """Return one column of a table, dense or sparse, as float64."""
    column = dense(X[:, [i]])
    return column.ravel().astype(np.float64)


def _allocate(n_columns: int, n_rows: int) -> Array:
    """Return an empty float32 array, in a temporary file if it would take half of the memory."""
    shape = (n_columns, n_rows)
    n_bytes = 4 * n_columns * n_rows
    if n_bytes <= available_memory() / 2:
        return np.empty(shape, dtype=np.float32)
    with tempfile.TemporaryFile() as file:
        reserve_on_disk(file, n_bytes)
        on_disk = np.memmap(file, dtype=np.float32, mode="w+", shape=shape)
        return np.asarray(on_disk)
