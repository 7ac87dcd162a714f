"""A Dask array or Dask DataFrame as a list of partitions: how long they are, whether they are sound, some of the rows.

Rows are numbered through all partitions, as they would be in one table. Nothing here holds more
than one partition in one place; the data is read again by every pass over it, unless it was
persisted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import dask.array as da
import dask.dataframe as dd
import numpy as np
from dask import delayed
from distributed import Client
from sklearn.utils import check_array

from .cluster import fetch


@dataclass(frozen=True)
class Partitions:
    """Partitions as delayed arrays of numbers, and the number of the first row of each; ``first[-1]`` is n."""

    blocks: list[Any]
    first: np.ndarray
    n_columns: int
    names: np.ndarray | None

    @classmethod
    def of(cls, X: Any, client: Client, missing: str) -> Partitions:
        """Look at every partition once: a number that is none, or a wrong column count, is an error that names it.

        ``missing`` is the setting of `URerF`.
        """
        X = _as_collection(X)
        names = np.asarray(X.columns, dtype=object) if isinstance(X, dd.DataFrame) else None
        if names is not None and not all(isinstance(name, str) for name in names):
            names = None  # as scikit-learn does
        if names is None and isinstance(X, da.Array) and X.numblocks[1] > 1:
            X = X.rechunk({1: -1})
        p = X.shape[1]
        raw = X.to_delayed().ravel() if isinstance(X, da.Array) else X.to_delayed()
        blocks = [
            delayed(checked)(block, place(i), p, names, missing, pure=False)
            for i, block in enumerate(raw)
        ]
        lengths = fetch(client, [delayed(len)(block) for block in blocks])
        return cls(blocks, np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64), p, names)

    @property
    def n_rows(self) -> int:
        """Return the number of all rows."""
        return int(self.first[-1])

    def take(self, rows: np.ndarray) -> Any:
        """Return the given rows, in the given order, as one delayed array."""
        order = np.argsort(rows, kind="stable")
        ascending = rows[order]
        pieces = []
        for block, first, last in zip(self.blocks, self.first[:-1], self.first[1:]):
            mine = ascending[slice(*np.searchsorted(ascending, [first, last]))] - first
            if len(mine):
                pieces.append(delayed(_take)(block, mine))
        return delayed(_arrange)(pieces, order)


def place(i: int) -> str:
    """Return how an error names partition i."""
    return f"X, partition {i}"


def checked(
    block: Any, where: str, n_columns: int, names: np.ndarray | None, missing: str
) -> np.ndarray:
    """Return a partition as an array of finite floats (or NaN, if that is handled), or say what is wrong with it."""
    shape = np.shape(block)
    if len(shape) != 2 or shape[1] != n_columns:
        raise ValueError(
            f"{where}: has shape {shape}, but the table has {n_columns} columns; make them alike"
        )
    if names is not None and list(block.columns) != list(names):
        raise ValueError(
            f"{where}: has columns {list(block.columns)}, expected {list(names)}; make them alike"
        )
    try:
        finite = "allow-nan" if missing == "handle" else True
        return check_array(
            block, dtype=[np.float64, np.float32], ensure_all_finite=finite, ensure_min_samples=0
        )
    except (ValueError, TypeError) as error:
        raise type(error)(f"{where}: {error}") from error


def _as_collection(X: Any) -> Any:
    if isinstance(X, (da.Array, dd.DataFrame)):
        if X.ndim != 2:
            raise ValueError(f"X: must have two dimensions, rows and columns, got {X.ndim}")
        return X
    if isinstance(X, np.ndarray) and X.ndim == 2:
        return da.from_array(X, chunks=(max(1, (1 << 22) // max(1, X.shape[1])), -1))
    raise TypeError(
        f"X: must be a Dask array, a Dask DataFrame or a two-dimensional ndarray, got {type(X).__name__}"
    )


def _take(block: np.ndarray, rows: np.ndarray) -> np.ndarray:
    return block[rows]


def _arrange(pieces: list[np.ndarray], order: np.ndarray) -> np.ndarray:
    """Put pieces together that are in ascending order of rows, and undo the sorting."""
    ascending = np.concatenate(pieces)
    rows = np.empty_like(ascending)
    rows[order] = ascending
    return rows
