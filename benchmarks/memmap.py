"""A table on disk that is larger than memory.

A process fits a NumPy memmap and makes the graph, and is told that a quarter of the size of the
table is available. What counts is its anonymous memory: the system can drop pages of files.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import SMALL, THREADS, publish, table

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


def anonymous_bytes() -> int:
    """Return the memory of this process that no file backs."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("RssAnon"))


class Watch:
    """The peak of anonymous memory while it is open."""

    def __enter__(self) -> Watch:
        self.before = anonymous_bytes()
        self.peak = self.before
        self.is_open = True
        self.thread = threading.Thread(target=self._look, daemon=True)
        self.thread.start()
        return self

    def _look(self) -> None:
        while self.is_open:
            self.peak = max(self.peak, anonymous_bytes())
            time.sleep(0.005)

    def __exit__(self, *_: object) -> None:
        self.is_open = False
        self.thread.join()


def measure(path: str, weighting: str) -> None:
    """Fit and graph; print columns read, seconds and bytes."""
    from urerf import URerF, columns

    X: Any = np.memmap(path, dtype=np.float32, mode="r", shape=(N_ROWS, N_COLUMNS))
    URerF(2, n_jobs=THREADS).fit(X[:100, :5]).kneighbors_graph()  # compiles
    columns.available_memory = lambda: SIZE / 4
    settings = {
        "feature_weighting": weighting,
        "n_jobs": THREADS,
        "random_state": 0,
    }
    model = URerF(N_TREES, n_neighbors=K, **settings)
    with Watch() as watch:
        start = time.perf_counter()
        model.fit(X)
        middle = time.perf_counter()
        model.kneighbors_graph()
        end = time.perf_counter()
    n_read = len(model._fitted.matrix)
    print(
        n_read,
        round(middle - start, 1),
        round(end - middle, 1),
        watch.peak - watch.before,
    )


def main() -> None:
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "table.f4")
        write_table(path)
        for weighting in ("relevance", "uniform"):
            command = [
                sys.executable,
                "-m",
                "benchmarks.memmap",
                "measure",
                str(path),
                weighting,
            ]
            command += ["--small"] if SMALL else []
            printed = subprocess.check_output(command, text=True)
            n_read, fit, graph, peak = printed.split()
            row = {
                "feature_weighting": weighting,
                "columns_read": n_read,
                "fit_seconds": fit,
            }
            row |= {
                "graph_seconds": graph,
                "anonymous_mb": round(int(peak) / 2**20),
            }
            rows.append(row | {"share_of_table": round(int(peak) / SIZE, 3)})
    publish("memmap", rows, NOTE, table(rows))


if __name__ == "__main__":
    if "measure" in sys.argv:
        measure(*sys.argv[2:4])
    else:
        main()
