"""Expand each column in a few orthonormal functions of its values.

Numbers, ordinals, booleans and dates have Legendre polynomials of their ranks, which depend neither
on the scale nor on the distribution of a column. Categories have the indicators of their levels; if
there are more levels than functions, random numbers per level: a random projection of the
indicators. The functions are orthonormal on the rows in which the column has a value, and 0 in all
others. A column with k distinct values has at most k - 1 of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._threads import run_blocks
from .._typing import Array, BoolArray, Float32Array, IntArray
from ..kernels.expansion import DEGREE, FOURTH, N_MOMENTS, SIZE, expand
from ..schema import CATEGORY

# Numbers of functions that are compared, each with its own test: a few functions find simple
# dependence with few rows, many find complicated dependence with many rows.
PREFIXES = (1, 2, DEGREE)

# Functions of a category, the first of these numbers that CATEGORY_WORK allows: more of them find
# more of the dependence between categories of many levels, but their products take time.
CATEGORY_SLOTS = (16, 8)
# Squared number of functions times rows, up to which categories have as many: 0.2 s of one core.
CATEGORY_WORK = 2e10

# Columns whose first function has a larger mean fourth power live on a few rows, and their
# correlations vary more than those of others. It is 1.8 without ties, 3 for a Gaussian.
MAX_FOURTH_MOMENT = 4.0

# Columns per matrix product: large enough for full BLAS speed. It does not depend on `n_jobs`, so
# that the result does not either.
BLOCK = 256

# Columns expanded at a time, so that they stay in the cache: 2000 rows of 32 columns are 0.5 MB.
CHUNK = 32


@dataclass(frozen=True, eq=False)
class Basis:
    """The functions of all columns, in blocks of columns; zeros fill up the last block.

    Attributes
    ----------
    functions : ndarray of shape (n_blocks, slots, columns per block, n_rows)
        Each has mean 0 and mean square 1, or is 0 where a column has fewer functions.
    moments : ndarray of shape (n_blocks * columns per block, prefixes, moments)
        Moments of the first functions, for every number in `prefixes`; see
        `urerf.kernels.expansion.moments_of`.
    prefixes : ndarray
        Numbers of functions that are compared.
    values : ndarray of shape (n_columns, n_rows)
        The columns, with NaN where a value is missing.
    order : ndarray of shape (n_columns, n_rows)
        What sorts them.
    seed : ndarray of shape (n_columns,)
        For a category, the seed of its random numbers; 0 for other columns.
    """

    functions: Float32Array
    moments: Array
    prefixes: IntArray
    values: Array
    order: NDArray[np.int32]
    seed: NDArray[np.int64]

    @classmethod
    def of(cls, values: Array, kinds: Sequence[str] | None, n_jobs: int | None) -> Basis:
        """Expand columns, given as the rows of `values`."""
        n_columns, n_rows = values.shape
        seed = np.zeros(n_columns, dtype=np.int64)
        if kinds is not None:
            nominal = np.array([kind == CATEGORY for kind in kinds])
            seed[nominal] = 1 + np.flatnonzero(nominal)
        n_slots = _slots(values, seed > 0)
        prefixes = np.array(PREFIXES)
        if n_slots > DEGREE:
            prefixes = np.append(prefixes, n_slots)
        width = min(BLOCK, n_columns)
        n_blocks = math.ceil(n_columns / width)
        n_places = n_blocks * width
        basis = cls(
            functions=np.zeros((n_blocks, n_slots, width, n_rows), dtype=np.float32),
            moments=np.zeros((n_places, len(prefixes), N_MOMENTS)),
            prefixes=prefixes,
            values=values,
            order=np.empty(values.shape, dtype=np.int32),
            seed=seed,
        )
        without_ties = _functions_of_ranks(n_rows, n_slots, prefixes)
        expand_chunk = partial(basis._expand_chunk, without_ties)
        run_blocks(expand_chunk, n_columns, CHUNK, n_jobs)
        return basis

    def _expand_chunk(self, without_ties: tuple[Float32Array, Array], chunk: slice) -> None:
        """Expand a few columns, those without ties and gaps all at once."""
        values = self.values[chunk]
        self.order[chunk] = np.argsort(values, axis=1)
        order = self.order[chunk]
        ordered = np.take_along_axis(values, order, axis=1)
        is_step = ordered[:, 1:] > ordered[:, :-1]
        has_no_ties = is_step.all(axis=1)
        is_nominal = self.nominal[chunk]
        simple = has_no_ties & ~is_nominal
        simple_columns = chunk.start + np.flatnonzero(simple)
        self._expand_ranks(simple_columns, *without_ties)
        other_columns = chunk.start + np.flatnonzero(~simple)
        for column in other_columns:
            self._expand(int(column))

    def _expand_ranks(self, columns: IntArray, functions: Float32Array, moments: Array) -> None:
        """Give columns without ties the functions of ranks, (slots, ranks)."""
        rank = np.empty((len(columns), self.n_rows), dtype=np.intp)
        ranks = np.arange(self.n_rows)
        order = self.order[columns]
        np.put_along_axis(rank, order, ranks[None, :], axis=1)
        by_function = functions.take(rank, axis=1)
        by_column = by_function.swapaxes(0, 1)
        block, place = self._place(columns)
        self.functions[block, :, place] = by_column
        self.moments[columns] = moments

    def _expand(self, column: int) -> None:
        """Expand a column with ties or gaps, or a category."""
        block, place = self._place(column)
        expand(
            self.values[column],
            self.order[column],
            self.is_present[column],
            self.seed[column],
            self.prefixes,
            self.functions[block],
            place,
            self.moments[column],
        )

    def _place(self, columns: Any) -> tuple[Any, Any]:
        """Return the block of columns, and their place in it."""
        width = self.functions.shape[2]
        return divmod(columns, width)

    @property
    def n_columns(self) -> int:
        """Return the number of columns without the filling."""
        return len(self.values)

    @property
    def n_rows(self) -> int:
        """Return the number of rows."""
        return self.values.shape[1]

    @property
    def nominal(self) -> BoolArray:
        """Return which columns are categories."""
        return self.seed > 0

    @property
    def size(self) -> IntArray:
        """Return the number of functions of each column: 0 if it is constant."""
        n_functions = self.moments[: self.n_columns, -1, SIZE]
        return n_functions.astype(np.intp)

    @property
    def is_spread(self) -> BoolArray:
        """Return for which columns the first function is spread over many rows."""
        fourth = self.moments[: self.n_columns, 0, FOURTH]
        has_function = fourth > 0
        on_many_rows = fourth <= MAX_FOURTH_MOMENT
        return has_function & on_many_rows

    @cached_property
    def is_present(self) -> BoolArray:
        """Return where the columns have a value, (n_columns, n_rows)."""
        return ~np.isnan(self.values)

    @cached_property
    def present(self) -> Float32Array | None:
        """Return 1 where a column has a value, else 0, in blocks; None if no value is missing."""
        if self.is_present.all():
            return None
        n_blocks, _, width, n_rows = self.functions.shape
        n_places = n_blocks * width
        present = np.zeros((n_places, n_rows), dtype=np.float32)
        present[: self.n_columns] = self.is_present
        return present.reshape(n_blocks, width, n_rows)

    def of_columns(self, columns: IntArray | int) -> Float32Array:
        """Return the functions of columns, of shape (..., slots, n_rows)."""
        block, place = self._place(columns)
        return self.functions[block, :, place]


def _slots(values: Array, nominal: BoolArray) -> int:
    """Return the number of functions for which there is room per column."""
    n_columns, n_rows = values.shape
    if not nominal.any():
        return DEGREE
    codes = values[nominal]
    is_present = ~np.isnan(codes)
    largest_code = np.max(codes, initial=0, where=is_present)
    n_levels = largest_code + 1
    if n_levels <= DEGREE + 1:
        return DEGREE
    for n_slots in CATEGORY_SLOTS:
        n_functions = n_slots * n_columns
        work = n_functions**2 * n_rows
        if work <= CATEGORY_WORK:
            return n_slots
    return DEGREE


def _functions_of_ranks(
    n_rows: int, n_slots: int, prefixes: IntArray
) -> tuple[Float32Array, Array]:
    """Return the functions of a column without ties, by rank, and their moments."""
    table = np.zeros((n_slots, 1, n_rows), dtype=np.float32)
    moments = np.zeros((len(prefixes), N_MOMENTS))
    ranks = np.arange(n_rows, dtype=np.int32)
    values = ranks * 1.0
    keep = np.ones(n_rows, dtype=bool)
    expand(values, ranks, keep, 0, prefixes, table, 0, moments)
    return table[:, 0], moments
