"""A table on disk that is larger than memory: `python -m benchmarks memmap`.

A process fits a NumPy memmap and makes the graph, told that a quarter of the table's size is free.
What counts is its anonymous memory: pages of files the system can take away at any time.
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

from benchmarks import SMALL, markdown, write_csv, write_page

ROWS, COLUMNS = (20_000, 500) if SMALL else (1_000_000, 1000)
INFORMATIVE = 50
CENTRES = 100
BLOCK = 10_000
TREES = 10
K = 5
NOTE = f"""Float32, {ROWS:,} x {COLUMNS}, {4 * ROWS * COLUMNS / 2**20:,.0f} MB on disk: {INFORMATIVE} columns in
{CENTRES} clusters, the others noise. {TREES} trees, {K} neighbours, two threads. The process is told that a quarter of
that is free, so the table that trees read goes to disk as well where all columns count (`feature_weighting="uniform"`).
Anonymous memory is the peak of `RssAnon` (Linux) above what the process held before."""


def write_table(path: Path) -> None:
    """Write the table, block by block."""
    rng = np.random.default_rng(0)
    centres = rng.normal(scale=3.0, size=(CENTRES, INFORMATIVE)).astype(np.float32)
    with path.open("wb") as file:
        for _ in range(0, ROWS, BLOCK):
            block = rng.standard_normal((BLOCK, COLUMNS), dtype=np.float32)
            block[:, :INFORMATIVE] += centres[rng.integers(CENTRES, size=BLOCK)]
            block.tofile(file)


def anonymous_bytes() -> int:
    """Return the memory of this process that no file backs."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return 1024 * next(
        int(line.split()[1]) for line in status.splitlines() if line.startswith("RssAnon")
    )


class Watch:
    """The peak of anonymous memory while it is open."""

    def __enter__(self) -> Watch:
        self.before = self.peak = anonymous_bytes()
        self.open = True
        self.thread = threading.Thread(target=self._look, daemon=True)
        self.thread.start()
        return self

    def _look(self) -> None:
        while self.open:
            self.peak = max(self.peak, anonymous_bytes())
            time.sleep(0.005)

    def __exit__(self, *_: object) -> None:
        self.open = False
        self.thread.join()


def measure(path: str, weighting: str) -> None:
    """Fit and graph; print what they took."""
    from urerf import URerF, columns

    URerF(2, n_jobs=2).fit(np.random.default_rng(0).normal(size=(100, 5))).kneighbors_graph()
    X: Any = np.memmap(path, dtype=np.float32, mode="r", shape=(ROWS, COLUMNS))
    columns.available_memory = lambda: X.nbytes / 4
    model = URerF(TREES, n_neighbors=K, feature_weighting=weighting, n_jobs=2, random_state=0)
    with Watch() as watch:
        began = time.perf_counter()
        model.fit(X)
        fitted = time.perf_counter()
        model.kneighbors_graph()
    took = fitted - began, time.perf_counter() - fitted
    print(len(model._table), *(round(t, 1) for t in took), watch.peak - watch.before)


def main() -> None:
    kept = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "table.f4")
        write_table(path)
        for weighting in ("relevance", "uniform"):
            command = [sys.executable, "-m", "benchmarks.memmap", "measure", str(path), weighting]
            command += ["--small"] if SMALL else []
            done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
            read, fit, graph, peak = done.stdout.split()
            row = {"feature_weighting": weighting, "columns_read": int(read), "fit_seconds": fit}
            row |= {"graph_seconds": graph, "anonymous_mb": round(int(peak) / 2**20)}
            kept.append({**row, "share_of_table": round(int(peak) / (4 * ROWS * COLUMNS), 3)})
    write_csv("memmap", kept)
    head = [
        "feature_weighting",
        "columns that trees read",
        "fit, s",
        "graph, s",
        "anonymous MB",
        "of the table",
    ]
    write_page("memmap", NOTE, markdown(head, [list(row.values()) for row in kept]))


if __name__ == "__main__":
    if "measure" in sys.argv:
        measure(*sys.argv[2:4])
    else:
        main()
