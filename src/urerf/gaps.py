"""Find what may fill missing values: those of the nearest donors, in the columns that both have."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from ._threads import run, run_blocks
from ._typing import Array
from .kernels.missing import NEAREST, find_donor_values
from .kernels.table import row_fingerprints
from .reading import Gaps

FILL_ROWS = 256  # rows for which donors are sought per task


class Donors(NamedTuple):
    """Rows from which missing values are filled, and how they are compared with others."""

    matrix: Array
    """float32, (columns, donors)."""
    feature_weights: Array
    level_width: Array


def find_gaps(matrix: Array, donors: Donors, n_jobs: int | None) -> Gaps | None:
    """Return the missing cells of a matrix (columns x rows); None if no value is missing."""
    n_rows = matrix.shape[1]
    n_missing = np.zeros(n_rows, dtype=np.int64)
    for column in matrix:  # one by one: the matrix may be on disk
        n_missing += np.isnan(column)
    rows = np.flatnonzero(n_missing)
    if not len(rows):
        return None
    start = np.zeros(n_rows + 1, dtype=np.int64)
    np.cumsum(n_missing, out=start[1:])
    n_cells = start[-1]
    gaps = Gaps(
        start=start,
        column=np.empty(n_cells, dtype=np.int32),
        value=np.zeros((n_cells, NEAREST), dtype=np.float32),
        n_values=np.zeros(n_cells, dtype=np.int32),
        fingerprint=fingerprints_of(matrix),
    )

    def find_values(block: slice) -> None:
        find_donor_values(
            matrix,
            rows[block],
            *donors,
            start[rows[block]],
            gaps.column,
            gaps.value,
            gaps.n_values,
        )

    run_blocks(find_values, len(rows), FILL_ROWS, n_jobs)
    return gaps


def fingerprints_of(matrix: Array) -> Array:
    """Return a hash of every row, by which a fitted row is recognized when it comes back."""
    task = partial(row_fingerprints, matrix)
    return run([task])[0]
