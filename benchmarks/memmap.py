"""A table on disk that is larger than memory.

A process fits a NumPy memmap and makes the graph, and is told that a quarter of the size of the
table is available. What counts is its anonymous memory: the system can drop pages of files.
"""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from benchmarks import SMALL, THREADS, publish, table
from benchmarks._worker import Task, Worker, status_bytes
from urerf import URerF, columns
from urerf.warmup import compile_kernels

N_ROWS = 20_000 if SMALL else 1_000_000
N_COLUMNS = 500 if SMALL else 1000
SIZE = 4 * N_ROWS * N_COLUMNS
N_INFORMATIVE = 50
N_CLUSTERS = 100
BLOCK = 10_000
N_TREES = 10
K = 5
NOTE = f"""Float32, {N_ROWS:,} x {N_COLUMNS}, {SIZE / 2**20:,.0f} MB on disk: {N_INFORMATIVE}
columns in {N_CLUSTERS} clusters, the others noise. {N_TREES} trees, {K} neighbors, two threads.
The process is told that a quarter of that is available, so that the matrix that trees read goes
to disk too if all columns count (`feature_weighting="uniform"`). Anonymous memory is the peak
of `RssAnon` (Linux) above that before the fit."""


def write_table(path: Path) -> None:
    """Write the table, block by block."""
    rng = np.random.default_rng(0)
    centers = rng.normal(scale=3.0, size=(N_CLUSTERS, N_INFORMATIVE)).astype(np.float32)
    with path.open("wb") as file:
        for _ in range(0, N_ROWS, BLOCK):
            block = rng.standard_normal((BLOCK, N_COLUMNS), dtype=np.float32)
            block[:, :N_INFORMATIVE] += centers[rng.integers(N_CLUSTERS, size=BLOCK)]
            block.tofile(file)


@contextmanager
def watching() -> Iterator[list[int]]:
    """Look at the anonymous memory of this process every 5 ms; yield the list of what was seen."""
    seen = [status_bytes("RssAnon")]
    is_done = threading.Event()

    def look() -> None:
        while not is_done.wait(0.005):
            seen.append(status_bytes("RssAnon"))

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    try:
        yield seen
    finally:
        is_done.set()
        thread.join()


@dataclass
class FitFromDisk(Task):
    """Fit a memmap and make the graph."""

    path: Path
    weighting: str

    def load(self) -> None:
        """Open the table."""
        self.X = np.memmap(self.path, dtype=np.float32, mode="r", shape=(N_ROWS, N_COLUMNS))

    def run(self) -> dict[str, Any]:
        """Return the columns that the trees read, seconds and bytes."""
        model = URerF(
            N_TREES,
            n_neighbors=K,
            feature_weighting=self.weighting,
            n_jobs=THREADS,
            random_state=0,
        )
        with patch.object(columns, "available_memory", lambda: SIZE / 4), watching() as seen:
            start = time.perf_counter()
            model.fit(self.X)
            middle = time.perf_counter()
            model.kneighbors_graph()
            end = time.perf_counter()
        anonymous = max(seen) - seen[0]
        return {
            "columns_read": len(model._fitted.matrix),
            "fit_seconds": round(middle - start, 1),
            "graph_seconds": round(end - middle, 1),
            "anonymous_mb": round(anonymous / 2**20),
            "share_of_table": round(anonymous / SIZE, 3),
        }

    def score(self, result: dict[str, Any]) -> dict[str, Any]:
        """Return what was measured."""
        return {"row": {"feature_weighting": self.weighting, **result}}


def main() -> None:
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "table.f4")
        write_table(path)
        for weighting in ("relevance", "uniform"):
            with Worker(compile_kernels) as worker:
                rows.append(worker.measure(FitFromDisk(path, weighting))["row"])
    publish("memmap", rows, NOTE, table(rows))


if __name__ == "__main__":
    main()
