"""From the user's columns to the table that trees read: which columns, measured from where, in which unit.

The table is columns x rows, float32. A column is measured from its median, so that a large offset
costs no digits. With ``scaled``, wide columns are measured in units of their own width, narrow ones
in a common unit: dividing by max(width, NARROW x median width) puts columns of different units on a
par without blowing up columns in which little happens, as dividing by the width itself would. The
width is the distance of the 1 % and 99 % quantiles.

**Missing values** (NaN) are filled before trees see them: with the mean of that column over the 5
rows, of at most 4096 fitted ones (the *donors*), that are nearest in the columns both have. So
every node sends a row that lacks a value to the side where rows like it go, and a row gets the same
values when it comes back as a query.
"""

import os
import tempfile
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from ._threads import row_blocks, run

NARROW = 0.4
LOOK_ROWS = 4096
DONOR_VALUES = 1 << 22
BLOCK_VALUES = 1 << 17
FILL_ROWS = 256


@dataclass(frozen=True, eq=False)
class Columns:
    """Which of the user's columns trees read, and how they are measured.

    ``chance`` is the chance of each to be drawn, in (0, 1]; ``donors`` are the rows, as a table,
    from which missing values are filled.
    """

    chosen: np.ndarray
    centre: np.ndarray
    unit: np.ndarray
    chance: np.ndarray
    donors: np.ndarray

    @classmethod
    def learn(
        cls, X: Any, relevance: np.ndarray, *, scaled: bool, missing: bool = False
    ) -> "Columns":
        """Choose the columns of positive relevance (all, if there is none) and measure them on at most 4096 rows.

        With ``missing`` these rows are kept as donors.
        """
        chosen = np.flatnonzero(relevance > 0.0)
        chosen = chosen if len(chosen) else np.arange(X.shape[1])
        rows = look_rows(X.shape[0])
        # float64 first, so that float32 and float64 of the same values are measured alike
        some = dense(X[rows])[:, chosen].astype(np.float64)
        known = np.where(
            np.isnan(some).all(axis=0), 0.0, some
        )  # a column without a value is constant
        with np.errstate(over="ignore", invalid="ignore"):
            centre = np.nanmedian(known, axis=0)
            unit = _units(known) if scaled else np.ones(len(chosen))
        if not (np.isfinite(centre).all() and np.isfinite(unit).all()):
            raise ValueError(
                "X: has values too large for float64 once centred; rescale its columns"
            )
        chance = np.where(relevance[chosen] > 0.0, relevance[chosen], 1.0).astype(np.float64)
        columns = cls(
            chosen.astype(np.int64),
            centre,
            unit,
            chance,
            np.empty((len(chosen), 0), dtype=np.float32),
        )
        if not missing:
            return columns
        few = max(1, min(len(rows), DONOR_VALUES // len(chosen)))
        return replace(
            columns, donors=columns.measure(X[rows[np.linspace(0, len(rows) - 1, few).astype(int)]])
        )

    def table(self, X: Any, n_jobs: int | None = None) -> np.ndarray:
        """Return the table of X, missing values filled."""
        table = self.measure(X, n_jobs)
        lacking = np.zeros(table.shape[1], dtype=bool)
        for column in table:
            lacking |= np.isnan(column)
        gaps = np.flatnonzero(lacking)
        if len(gaps):
            parts = np.array_split(gaps, -(-len(gaps) // FILL_ROWS))
            run([partial(self._fill, table, rows) for rows in parts], n_jobs)
        return table

    def _fill(self, table: np.ndarray, rows: np.ndarray) -> None:
        from .kernels.missing import fill_missing

        some = np.ascontiguousarray(table[:, rows])
        fill_missing(some, self.donors, self.chance)
        table[:, rows] = some

    def measure(self, X: Any, n_jobs: int | None = None) -> np.ndarray:
        """Return the table of X as it is, made in row blocks; on disk if it does not fit into memory."""
        table = _room((len(self.chosen), X.shape[0]))
        blocks = row_blocks(X.shape[0], max(1, BLOCK_VALUES // X.shape[1]))
        run([partial(self._measure_rows, X, rows, table) for rows in blocks], n_jobs)
        return table

    def _measure_rows(self, X: Any, rows: slice, table: np.ndarray) -> None:
        with np.errstate(over="ignore", invalid="ignore"):
            table[:, rows] = ((dense(X[rows])[:, self.chosen] - self.centre) / self.unit).T
        if np.isinf(table[:, rows]).any():
            raise ValueError(
                "X: has values too large for float32 (beyond 3.4e38) once centred; rescale its columns"
            )

    def lengths(self, table: np.ndarray) -> np.ndarray:
        """Return the table in the units of the data, columns that count less shrunk: rows x columns, float64."""
        return table.T * (self.unit * self.chance)


def fingerprints_of(table: np.ndarray) -> np.ndarray:
    """Return a hash of every row of a table, by which a fitted row is known when it comes back."""
    from .kernels.table import row_fingerprints

    return run([partial(row_fingerprints, table)])[0]


def look_rows(n: int) -> np.ndarray:
    """Return which of n rows columns are measured on, ascending."""
    return np.arange(n) if n <= LOOK_ROWS else np.linspace(0, n - 1, LOOK_ROWS).astype(int)


def _room(shape: tuple[int, int]) -> np.ndarray:
    """Return an empty float32 array, in a file that goes away with it if it would take most of the free memory."""
    if 4 * shape[0] * shape[1] <= available_memory() / 2:
        return np.empty(shape, dtype=np.float32)
    with tempfile.TemporaryFile() as file:
        return np.asarray(np.memmap(file, dtype=np.float32, mode="w+", shape=shape))


def available_memory() -> float:
    """Return the bytes that can be allocated, as far as the system tells."""
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            for line in file:
                if line.startswith("MemAvailable:"):
                    return 1024.0 * int(line.split()[1])
    except OSError:
        pass
    try:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, ValueError, OSError):
        return float("inf")


def dense(X: Any) -> np.ndarray:
    """Return a block of rows as an ndarray."""
    return X.toarray() if sp.issparse(X) else np.asarray(X)


def _units(values: np.ndarray) -> np.ndarray:
    low, high = np.nanquantile(values, [0.01, 0.99], axis=0)
    width = np.where(high > low, high - low, np.nanmax(values, axis=0) - np.nanmin(values, axis=0))
    if not (width > 0.0).any():
        return np.ones(len(width))
    return np.maximum(width, NARROW * np.median(width[width > 0.0]))
