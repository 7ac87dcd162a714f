"""What the methods share: optional libraries, ties broken by the seed, and ranking."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from types import ModuleType
from typing import Any

import numpy as np
from sklearn.preprocessing import OneHotEncoder

from urerf.schema import Frame

from ..._typing import Array, FloatArray, IntArray

Neighbors = Callable[..., IntArray]
Distances = Callable[..., FloatArray]

BLOCK_ROWS = 500  # rows of a distance matrix that are in memory at the same time
# Smallest node that the paper splits, used for all trees of the comparison.
MIN_SAMPLES_SPLIT = 100


def need(module: str, extra: str = "paper") -> ModuleType:
    """Import an optional library, or say how to install it: with which extra of this package."""
    try:
        with quiet():
            return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(f"{module} is not installed: pip install urerf[{extra}]") from error


@contextmanager
def quiet() -> Iterator[None]:
    """Suppress warnings of other libraries, which are about their defaults, not about the data."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def ties_by_seed(method: Neighbors) -> Neighbors:
    """Pass the rows to `method` in a random order, so that ties are not broken by row order."""

    @wraps(method)
    def shuffled(
        X: FloatArray | Frame,
        k: int,
        *,
        random_state: int = 0,
        n_jobs: int | None = None,
        **params: Any,
    ) -> IntArray:
        values = X.values if isinstance(X, Frame) else X
        rng = np.random.default_rng(random_state)
        order = rng.permutation(len(values))
        rows: Any = np.ascontiguousarray(values[order])
        if isinstance(X, Frame):
            rows = Frame(rows, X.schema)
        with quiet():
            found = method(rows, k, random_state=random_state, n_jobs=n_jobs, **params)
        indices = np.empty_like(found)
        indices[order] = order[found]
        return indices

    return shuffled


def nearest(distances: Array, k: int, first_row: int = 0) -> IntArray:
    """Rank the columns of a block of distances.

    Parameters
    ----------
    distances : ndarray of shape (n_rows, n)
        Rows ``first_row, first_row + 1, ...`` of a distance matrix.
    k : int
        Number of columns to keep.
    first_row : int
        Position of the block in the matrix, which tells the column of the row itself.

    Returns
    -------
    ndarray of shape (n_rows, k)
        Columns, nearest first, without the row itself.
    """
    block = np.array(distances, dtype=np.float64)
    rows = np.arange(len(block))
    block[rows, first_row + rows] = np.nan  # sorts last, even after points that are unreachable
    chosen = np.argpartition(block, k - 1, axis=1)[:, :k]
    chosen.sort(axis=1)
    chosen_distances = np.take_along_axis(block, chosen, axis=1)
    ranks = np.argsort(chosen_distances, axis=1, kind="stable")
    return np.take_along_axis(chosen, ranks, axis=1)


def nearest_in_blocks(distances: Callable[[slice], Array], n: int, k: int) -> IntArray:
    """Rank all n rows of a distance matrix of which some rows are computed at a time."""
    blocks = []
    for start in range(0, n, BLOCK_ROWS):
        block = distances(slice(start, start + BLOCK_ROWS))
        blocks.append(nearest(block, k, start))
    return np.vstack(blocks)


def nearest_by_leaf(leaves: Array, k: int) -> IntArray:
    """Rank rows by the number of trees in which they share a leaf.

    Parameters
    ----------
    leaves : ndarray of shape (n, n_trees)
        Leaf of each row in each tree.
    k : int
        Number of rows to keep.

    Returns
    -------
    ndarray of shape (n, k)
    """
    member = OneHotEncoder(dtype=np.float32).fit_transform(leaves)

    def distances(rows: slice) -> Array:
        return -(member[rows] @ member.T).toarray()

    return nearest_in_blocks(distances, len(leaves), k)


def without_self(found: Array, k: int, random_state: int) -> IntArray:
    """Drop the index of the row itself, and replace missing neighbors (-1) by random rows."""
    every = np.arange(len(found))
    rng = np.random.default_rng(random_state)
    indices = []
    for row, line in enumerate(found):
        kept = line[(line >= 0) & (line != row)][:k]
        if len(kept) < k:
            rest = np.setdiff1d(every, [*kept, row])
            drawn = rng.choice(rest, k - len(kept), replace=False)
            kept = np.append(kept, drawn)
        indices.append(kept)
    return np.array(indices, dtype=np.intp)
