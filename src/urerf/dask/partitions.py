"""A Dask array or DataFrame as a list of checked partitions.

Rows are numbered across all partitions, as in one table. Nothing here holds more than one partition
in one place; every pass reads the data again, unless it was persisted.
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
    """Partitions as delayed arrays, and the first row of each; ``first[-1]`` is n."""

    blocks: list[Any]
    first: np.ndarray
    n_columns: int
    names: np.ndarray | None

    @classmethod
    def of(cls, X: Any, client: Client, missing: str) -> Partitions:
        """Check every partition once; an error names the partition.

        ``missing`` is the parameter of `URerF`.
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
        """Number of rows in all partitions."""
        return int(self.first[-1])

    def take(self, rows: np.ndarray) -> Any:
        """Return the given rows, in the given order, as one delayed array."""
        order = np.argsort(rows, kind="stable")
        ascending = rows[order]
        pieces = []
        for block, first, last in zip(self.blocks, self.first[:-1], self.first[1:]):
            begin, end = np.searchsorted(ascending, [first, last])
            if begin < end:
                pieces.append(delayed(_take)(block, ascending[begin:end] - first))
        return delayed(_arrange)(pieces, order)


def place(i: int) -> str:
    """Return how an error names partition i."""
    return f"X, partition {i}"


def checked(
    block: Any, where: str, n_columns: int, names: np.ndarray | None, missing: str
) -> np.ndarray:
    """Return a partition as an array of finite floats (or NaN, if these are handled)."""
    shape = np.shape(block)
    if len(shape) != 2 or shape[1] != n_columns:
        raise ValueError(
            f"{where}: has shape {shape}, but the table has {n_columns} columns; make all "
            "partitions alike"
        )
    if names is not None and list(block.columns) != list(names):
        raise ValueError(
            f"{where}: has columns {list(block.columns)}, expected {list(names)}; make all "
            "partitions alike"
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
        "X: must be a Dask array, a Dask DataFrame or a two-dimensional ndarray, "
        f"got {type(X).__name__}"
    )


def _take(block: np.ndarray, rows: np.ndarray) -> np.ndarray:
    return block[rows]


def _arrange(pieces: list[np.ndarray], order: np.ndarray) -> np.ndarray:
    """Join pieces that are in ascending order of rows, and undo the sorting."""
    ascending = np.concatenate(pieces)
    rows = np.empty_like(ascending)
    rows[order] = ascending
    return rows
