"""Compile the kernels of a default fit before they are needed, and tell the user about it."""

import sys
import threading
import time

import numpy as np

from .forest import Forest, Growth
from .graph import build_index, nearest_rows
from .kernels.straight import straight_lengths
from .kernels.table import row_fingerprints
from .relevance import examine_rows

# Seconds after which a message says what the user is waiting for. Loading the machine code from
# disk takes less, so only a first run prints anything.
PATIENCE = 2.0
_compiled = threading.Event()


def compile_kernels() -> None:
    """Run the kernels once, so that they are compiled here, announced, and not inside a thread."""
    if _compiled.is_set():
        return
    announcement = threading.Timer(
        PATIENCE,
        _say,
        ["compiling its kernels for this machine, or loading them if that was done before"],
    )
    announcement.daemon = True
    announcement.start()
    start = time.perf_counter()
    try:
        _run_kernels()
    finally:
        announcement.cancel()
    seconds = time.perf_counter() - start
    if seconds > PATIENCE:
        _say(f"kernels are ready after {seconds:.0f} s")
    _compiled.set()


def _say(text: str) -> None:
    print(f"urerf: {text}", file=sys.stderr, flush=True)


def _run_kernels() -> None:
    """Call every kernel of `URerF.fit` and `URerF.kneighbors` with the array types of real data."""
    matrix = np.arange(24, dtype=np.float32).reshape(2, 12)
    growth = Growth(
        max_features=1, density=0.5, min_samples_split=4, max_samples=12, bootstrap=False
    )
    row_fingerprints(matrix)
    examine_rows(np.repeat(np.arange(30.0)[:, None], 2, axis=1), n_jobs=1)
    forest = Forest.grow(matrix, growth, seed=0, trees=[0], n_jobs=1)
    leaves = forest.apply(matrix, n_jobs=1)
    index = build_index(forest, leaves, "depth", n_jobs=1)
    _, ids = nearest_rows(index, leaves, 2, selves=np.arange(12), seed=0, n_jobs=1)
    points = np.ascontiguousarray(matrix.T)
    straight_lengths(points, points, np.zeros(2), 0, ids, np.zeros(ids.shape))
