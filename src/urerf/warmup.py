"""Compile the kernels of a default fit before they are needed, and tell the user about it."""

import threading

import numpy as np

from .forest import Forest, Growth
from .kernels._compiling import compiling
from .kernels._garbage import without_garbage_collection
from .kernels.dip import dip
from .kernels.straight import straight_lengths
from .kernels.table import row_fingerprints
from .ranking.index import build_index, nearest_rows
from .relevance import examine_rows

_compiled = threading.Event()


def compile_kernels() -> None:
    """Run the kernels once, so that they are compiled here, announced, and not inside a thread."""
    compiling.restart()
    if _compiled.is_set():
        return
    with without_garbage_collection():
        _run_kernels()
    compiling.finish()
    _compiled.set()


def _run_kernels() -> None:
    """Call every kernel of `URerF.fit` and `URerF.kneighbors` with the array types of real data."""
    dip(np.arange(3.0))
    matrix = np.arange(24, dtype=np.float32).reshape(2, 12)
    growth = Growth(
        max_features=1,
        density=0.5,
        min_samples_split=4,
        max_samples=12,
        bootstrap=False,
        projection="direction",
    )
    row_fingerprints(matrix)
    column = np.arange(30.0)
    examine_rows(np.column_stack([column, column]), n_jobs=1)
    forest = Forest.grow(
        matrix,
        growth,
        seed=0,
        trees=[0],
        n_jobs=1,
    )
    leaves = forest.apply(matrix, n_jobs=1)
    index = build_index(forest, leaves, "depth", n_jobs=1)
    _, ids = nearest_rows(
        index,
        leaves,
        2,
        selves=np.arange(12),
        seed=0,
        n_jobs=1,
    )
    points = np.ascontiguousarray(matrix.T)
    straight_lengths(points, points, np.zeros(2), 0, ids, np.zeros(ids.shape))
