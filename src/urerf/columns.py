"""From the user's columns to the table that trees read: which columns, measured from where, in which unit.

The table is columns x rows, float32. A column is measured from its median, so that a large offset costs no digits.
With ``scaled``, wide columns are measured in units of their own width, narrow ones in a common unit: dividing by
max(width, NARROW x median width) puts columns of different units on a par without blowing up columns in which little
happens, as dividing by the width itself would. The width is the distance of the 1 % and 99 % quantiles.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

NARROW = 0.4
LOOK_ROWS = 4096


@dataclass(frozen=True, eq=False)
class Columns:
    """Which of the user's columns trees read, and how they are measured.

    ``chance`` is the chance of each to be drawn, in (0, 1].
    """

    chosen: np.ndarray
    centre: np.ndarray
    unit: np.ndarray
    chance: np.ndarray

    @classmethod
    def learn(cls, X: Any, relevance: np.ndarray, *, scaled: bool) -> "Columns":
        """Choose the columns of positive relevance (all, if there is none) and measure them on at most 4096 rows."""
        chosen = np.flatnonzero(relevance > 0.0)
        chosen = chosen if len(chosen) else np.arange(X.shape[1])
        # float64 first, so that float32 and float64 of the same values are measured alike
        some = dense(X[look_rows(X.shape[0])])[:, chosen].astype(np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            centre, unit = np.median(some, axis=0), _units(some) if scaled else np.ones(len(chosen))
        if not (np.isfinite(centre).all() and np.isfinite(unit).all()):
            raise ValueError("X: has values too large for float64 once centred; rescale its columns")
        chance = np.where(relevance[chosen] > 0.0, relevance[chosen], 1.0).astype(np.float64)
        return cls(chosen.astype(np.int64), centre, unit, chance)

    def table(self, X: Any) -> np.ndarray:
        """Return the table of X, made in row blocks."""
        n = X.shape[0]
        table = np.empty((len(self.chosen), n), dtype=np.float32)
        step = max(1, (1 << 22) // X.shape[1])
        with np.errstate(over="ignore", invalid="ignore"):
            for start in range(0, n, step):
                block = dense(X[start : start + step])[:, self.chosen]
                table[:, start : start + step] = ((block - self.centre) / self.unit).T
        if not np.isfinite(table).all():
            raise ValueError("X: has values too large for float32 (beyond 3.4e38) once centred; rescale its columns")
        return table

    def lengths(self, table: np.ndarray) -> np.ndarray:
        """Return the table in the units of the data, columns that count less shrunk: rows x columns, float64."""
        return table.T * (self.unit * self.chance)


def look_rows(n: int) -> np.ndarray:
    """Return which of n rows columns are measured on, ascending."""
    return np.arange(n) if n <= LOOK_ROWS else np.linspace(0, n - 1, LOOK_ROWS).astype(int)


def dense(X: Any) -> np.ndarray:
    """Return a block of rows as an ndarray."""
    return X.toarray() if sp.issparse(X) else np.asarray(X)


def _units(values: np.ndarray) -> np.ndarray:
    low, high = np.quantile(values, [0.01, 0.99], axis=0)
    width = np.where(high > low, high - low, np.ptp(values, axis=0))
    if not (width > 0.0).any():
        return np.ones(len(width))
    return np.maximum(width, NARROW * np.median(width[width > 0.0]))
