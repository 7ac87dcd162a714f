"""From the user's columns to the matrix that trees read: which columns, and in which units.

The matrix is columns x rows, float32. A column of numbers is measured from its median, so that a
large offset costs no digits. With ``scaled``, it is measured in units of its width, the distance
between its 1 % and 99 % quantiles: a population and an age then count alike. Columns whose widths
are alike, such as the lengths of parts of a body or the pixels of an image, are measured in one
unit, so that a difference counts the same in each of them, except those of few values: see
`_units`. A category holds the codes of its levels, and has a width too: see `_level_widths`.
Missing values are NaN.

`Columns.reading` adds what `urerf.reading` needs to replace levels and missing values: for every
missing value, the values of the 5 nearest *donors* (at most 4096 fitted rows) in the columns that
both have.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ._memory import available_memory, reserve_on_disk
from ._threads import row_blocks, run
from .kernels.missing import MISMATCH, NEAREST, find_donor_values
from .kernels.table import row_fingerprints
from .reading import Gaps, Reading

MEASURED_ROWS = 4096  # enough that the quantiles of a column move by less than 1 % of its width
DONOR_VALUES = 1 << 20  # bounds the search for donors: 0.3 ms per row with missing values
BLOCK_VALUES = 1 << 17  # values converted per task: they fit into the second-level cache
FILL_ROWS = 256  # rows for which donors are sought per task
# How many times as wide the wide columns may be as the narrow ones, if all are to have one unit.
# The pixels of digits have 4, gene expressions 4.2; lengths, weights and prices in one table mostly
# more.
LARGEST_RATIO = 4.5
# With fewer columns, like widths are often chance: 23 of 67 public tables gain by one unit, and 29
# lose. With at least 8, digits, gene expressions and glass gain .01 to .04 in label agreement, on
# which this was chosen; 10 others with 15 labels change by -.014 to +.014, by -.001 on average
# (docs/design/ranking.md).
LEAST_ALIKE = 8
# A column with at most this many values (yes or no, a grade, a group) counts or names something
# and has no unit to share: next to scores from 0 to 99, a 1 or 2 would not count at all. With 8,
# pixels at the edge of an image would be such columns (digits .963 -> .958).
FEW_VALUES = 5


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

    chosen: np.ndarray
    center: np.ndarray
    unit: np.ndarray
    width: np.ndarray
    n_levels: np.ndarray
    level_width: np.ndarray
    feature_weights: np.ndarray
    donors: np.ndarray

    @classmethod
    def learn(
        cls,
        X: Any,
        weights: np.ndarray,
        *,
        scaled: bool,
        missing: bool = False,
        n_levels: Sequence[int] | None = None,
    ) -> Columns:
        """Choose the columns of positive weight (all if there is none) and measure them.

        Medians and widths come from at most `MEASURED_ROWS` rows. With ``missing``, these rows are
        kept as donors. ``n_levels`` has the number of levels of every category of X, and 0 for
        columns of numbers; None if there are no categories.
        """
        chosen = np.flatnonzero(weights > 0.0)
        if not len(chosen):
            chosen = np.arange(X.shape[1])
        levels = np.zeros(X.shape[1], dtype=np.int32)
        if n_levels is not None:
            levels[:] = n_levels
        levels = levels[chosen]
        rows = measured_rows(X.shape[0])
        # float64 first, so that float32 and float64 of the same values are measured alike.
        values = dense(X[rows])[:, chosen].astype(np.float64)
        center, width = _measures(values, levels)
        unit = _units(width, values, levels) if scaled else np.ones(len(chosen))
        narrowest = np.finfo(np.float64).tiny  # no width vanishes in a large unit
        width = np.where(width > 0.0, np.maximum(width / unit, narrowest), 1.0)
        level_width = _level_widths(values, levels)
        weights = np.where(weights[chosen] > 0.0, weights[chosen], 1.0).astype(np.float64)
        no_donors = np.empty((len(chosen), 0), dtype=np.float32)
        columns = cls(
            chosen=chosen.astype(np.int64),
            center=center,
            unit=unit,
            width=width,
            n_levels=levels,
            level_width=level_width,
            feature_weights=weights,
            donors=no_donors,
        )
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

    def measure(self, X: Any, n_jobs: int | None = None) -> np.ndarray:
        """Return the matrix of X; kept on disk if it does not fit into memory."""
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

    def reading(self, matrix: np.ndarray, n_jobs: int | None = None) -> Reading:
        """Return what trees need to read a matrix: levels, and what may fill missing values."""
        n_gaps = np.zeros(matrix.shape[1], dtype=np.int64)
        for column in matrix:
            n_gaps += np.isnan(column)
        if not n_gaps.any():
            return Reading(matrix, self.n_levels, self.level_width, None)
        start = np.concatenate([[0], np.cumsum(n_gaps)])
        n_cells = int(start[-1])
        gaps = Gaps(
            start=start,
            column=np.empty(n_cells, dtype=np.int32),
            value=np.zeros((n_cells, NEAREST), dtype=np.float32),
            n_values=np.zeros(n_cells, dtype=np.int32),
            fingerprint=fingerprints_of(matrix),
        )
        rows = np.flatnonzero(n_gaps)
        blocks = np.array_split(rows, -(-len(rows) // FILL_ROWS))
        run([partial(self._find_donors, matrix, block, gaps) for block in blocks], n_jobs)
        return Reading(matrix, self.n_levels, self.level_width, gaps)

    def _find_donors(self, matrix: np.ndarray, rows: np.ndarray, gaps: Gaps) -> None:
        """Write the values that may fill the missing cells of some rows."""
        find_donor_values(
            matrix,
            rows,
            self.donors,
            self.feature_weights,
            self.level_width,
            gaps.start[rows],
            gaps.column,
            gaps.value,
            gaps.n_values,
        )

    @property
    def mismatch(self) -> np.ndarray:
        """The length of a step between two levels of each category, in the units of trees.

        It is 0 for columns of numbers.
        """
        return np.sqrt(MISMATCH) * self.level_width * self.feature_weights

    def reach(self, *, raw_units: bool) -> float:
        """Return the length of the diagonal of the table, from its columns' widths."""
        numbers = self.n_levels == 0
        longest = self.feature_weights * self.width * (self.unit if raw_units else 1.0)
        steps = self.mismatch * (self._typical_unit if raw_units else 1.0)
        return float(np.linalg.norm(np.where(numbers, longest, steps)))

    @property
    def _typical_unit(self) -> float:
        """The unit in which levels of categories differ."""
        numbers = self.unit[self.n_levels == 0]
        return float(np.median(numbers)) if len(numbers) else 1.0

    def points(self, reading: Reading, *, raw_units: bool, dtype: Any = np.float64) -> Points:
        """Return rows as points among which distances are measured.

        A missing number is the mean of the values that may fill it, a missing level the nearest
        donor's, or a level of its own. Numbers are in the units of the data or in those of the
        trees; columns of small weight are shrunk by it.
        """
        values = reading.matrix.T.astype(dtype, order="C")
        gaps = reading.gaps
        if gaps is not None:
            row = np.repeat(np.arange(len(values)), np.diff(gaps.start))
            mean = gaps.value.sum(axis=1, dtype=np.float64) / np.maximum(gaps.n_values, 1)
            n_levels = self.n_levels[gaps.column]
            level = np.where(gaps.n_values > 0, gaps.value[:, 0], n_levels)
            filled = np.where(n_levels > 0, level, mean.astype(np.float32))
            values[row, gaps.column] = filled
        is_category = self.n_levels > 0
        scale = self.feature_weights * (self.unit if raw_units else 1.0)
        values *= np.where(is_category, 1.0, scale)
        mismatch = self.mismatch * (self._typical_unit if raw_units else 1.0)
        known = np.ones(len(values), dtype=bool)
        known[reading.empty_rows] = False
        return Points(values, mismatch, known)


class Points(NamedTuple):
    """Rows as points, (rows, columns): numbers, and codes of levels."""

    values: np.ndarray
    mismatch: np.ndarray
    """The length of a step from one level of a category to another; 0 for columns of numbers."""
    known: np.ndarray
    """Whether a row has any value; where the others are is not known."""

    @classmethod
    def of_numbers(cls, values: np.ndarray) -> Points:
        """Return points without categories and without missing values."""
        return cls(values, np.zeros(values.shape[1]), np.ones(len(values), dtype=bool))

    def take(self, rows: Any) -> Points:
        """Return some of the points."""
        return Points(self.values[rows], self.mismatch, self.known[rows])


def fingerprints_of(matrix: np.ndarray) -> np.ndarray:
    """Return a hash of every row, by which a fitted row is recognized when it comes back."""
    return run([partial(row_fingerprints, matrix)])[0]


def measured_rows(n: int) -> np.ndarray:
    """Return which of n rows columns are measured on, ascending."""
    if n <= MEASURED_ROWS:
        return np.arange(n)
    return np.linspace(0, n - 1, MEASURED_ROWS).astype(int)


def is_constant(column: np.ndarray) -> bool:
    """Return whether all values of a column that are not missing are equal."""
    known = column[~np.isnan(column)]
    return bool((known == known[:1]).all())


def dense(X: Any) -> np.ndarray:
    """Return a block of rows as an ndarray."""
    return X.toarray() if sp.issparse(X) else np.asarray(X)


def _allocate(shape: tuple[int, int]) -> np.ndarray:
    """Return an empty float32 array, in a temporary file if it would take half of the memory."""
    if 4 * shape[0] * shape[1] <= available_memory() / 2:
        return np.empty(shape, dtype=np.float32)
    with tempfile.TemporaryFile() as file:
        reserve_on_disk(file, 4 * shape[0] * shape[1])
        return np.asarray(np.memmap(file, dtype=np.float32, mode="w+", shape=shape))


def _measures(values: np.ndarray, n_levels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return center and width of every column; 0 and 1 for categories.

    The width of a constant column is 0.
    """
    center = np.zeros(values.shape[1])
    width = np.ones(values.shape[1])
    is_number = n_levels == 0
    numbers = values[:, is_number]
    if numbers.shape[1]:
        empty = np.isnan(numbers).all(axis=0)
        numbers = np.where(empty, 0.0, numbers)  # an empty column is constant
        with np.errstate(over="ignore", invalid="ignore"):
            center[is_number] = np.nanmedian(numbers, axis=0)
            # Measured from the center: after a shift without rounding, widths are equal to the bit.
            width[is_number] = _widths(numbers - center[is_number])
    if not (np.isfinite(center).all() and np.isfinite(width).all()):
        raise ValueError("X: has values too large for float64 once centered; rescale its columns")
    return center, width


def _level_widths(values: np.ndarray, n_levels: np.ndarray) -> np.ndarray:
    """Return the width of the numbers that stand for the levels of each category; 0 for numbers.

    A column of numbers is 1 wide. Two levels drawn from as narrow an interval would differ by a
    third of it, less than two numbers often do. The more levels, the rarer and the more telling it
    is that two rows share one. So the width is 1 for a single level and grows by 1 whenever the
    number of levels is 4 times as large. What counts is their effective number, the inverse of the
    probability that two rows have the same level: rare ones do not matter.
    """
    widths = np.zeros(values.shape[1])
    for c in np.flatnonzero(n_levels):
        known = values[~np.isnan(values[:, c]), c]
        counts = np.bincount(known.astype(np.int64)).astype(np.float64)
        same = np.square(counts).sum() / max(len(known), 1) ** 2
        effective = 1.0 / same if same > 0.0 else 1.0
        widths[c] = 1.0 + np.log2(effective) / 2.0
    return widths


def _widths(values: np.ndarray) -> np.ndarray:
    low, high = np.nanquantile(values, [0.01, 0.99], axis=0)
    span = np.nanmax(values, axis=0) - np.nanmin(values, axis=0)
    return np.where(high > low, high - low, span)


def have_like_widths(widths: np.ndarray) -> bool:
    """Return whether columns may have been measured in the same unit, by their widths.

    A tenth of the columns may be much wider or narrower than the others, as pixels at the edge of
    an image are.

    Examples
    --------
    >>> import numpy as np
    >>> have_like_widths(np.array([3.4, 2.2, 5.7, 2.3]))  # four lengths
    True
    >>> have_like_widths(np.array([26.3, 8.0, 57.0, 3300.0]))  # three lengths and a weight
    False
    """
    low, high = np.quantile(widths, [0.1, 0.9])
    return bool(high <= LARGEST_RATIO * low)


def _units(widths: np.ndarray, values: np.ndarray, n_levels: np.ndarray) -> np.ndarray:
    """Return the unit of every column: the typical width where they share one, or its own width.

    A column that is much wider than the others does not share their unit, in which it would decide
    everything. Nor does a column of few values, which would not count at all.
    """
    own_unit = np.where(widths > 0.0, widths, 1.0)
    varying = widths[widths > 0.0]
    is_enough = len(varying) >= LEAST_ALIKE
    if not is_enough or n_levels.any() or not have_like_widths(varying):
        return own_unit
    shared_unit = np.maximum(np.median(varying), widths / LARGEST_RATIO)
    has_few_values = np.array([_has_few_values(column) for column in values.T])
    return np.where(has_few_values, own_unit, shared_unit)


def _has_few_values(column: np.ndarray) -> bool:
    """Return whether a column has at most `FEW_VALUES` different values."""
    known = column[~np.isnan(column)]
    return len(np.unique(known)) <= FEW_VALUES
