"""`python -m hardening.soak [--minutes 60] [--record]`: a long life of one process.

Fit, query, save, load and report, again and again, with tables that grow and shrink. At the end,
memory must be level, and no temporary file, open handle or thread may be left.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import io
import os
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import typer

from hardening import record
from urerf import URerF
from urerf.cli import app
from urerf.datasets import add_noise, make_helix

COMMAND = typer.main.get_command(app)
ROWS = (50, 200, 1000, 3000, 1000, 200)  # grows and shrinks
WARM_UP = 0.25  # share of the time after which memory must be level
# Memory may grow by this share, or this many bytes, whichever is more: allocators keep some.
GROWTH = 0.1
SLACK = 50 * 2**20


class State(NamedTuple):
    """What a process holds on to."""

    memory: int
    handles: int
    threads: int
    files: int


def state(folder: Path) -> State:
    """Return what this process holds on to now; ``folder`` is that of temporary files."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return State(
        memory=pages * os.sysconf("SC_PAGE_SIZE"),
        handles=len(os.listdir("/proc/self/fd")),
        threads=threading.active_count(),
        files=sum(len(names) for _, _, names in os.walk(folder)),
    )


def one_cycle(n_rows: int, seed: int, folder: Path) -> None:
    """Fit, query, save, load and report on one table."""
    X = add_noise(make_helix(n_rows, random_state=seed).X, 10, random_state=seed)
    X[:: max(2, n_rows // 10), 4] = np.nan
    model = URerF(n_estimators=20, random_state=seed).fit(X)
    neighbors = model.kneighbors(n_neighbors=5)[1]
    model.kneighbors(X[:20], n_neighbors=5)
    model.geodesic_distances([0])
    model.save(folder / "model.urerf")
    loaded = URerF.load(folder / "model.urerf")
    assert np.array_equal(loaded.kneighbors(n_neighbors=5)[1], neighbors)
    table = folder / "table.csv"
    pd.DataFrame(X).add_prefix("x").to_csv(table, index=False, float_format="%.6g")
    page = folder / "report.html"
    arguments = ["report", str(table), "-o", str(page), "--trees", "10", "-k", "5", "-q"]
    with contextlib.redirect_stdout(io.StringIO()):
        COMMAND.main(arguments, standalone_mode=False)
    for path in (folder / "model.urerf", table, page):
        path.unlink()


def soak(minutes: float) -> list[tuple[float, State]]:
    """Return the states after every cycle, with the seconds since the start."""
    history = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tempfile.tempdir = str(folder)
        start = time.monotonic()
        cycle = 0
        while time.monotonic() - start < 60 * minutes:
            for n_rows in ROWS:
                one_cycle(n_rows, cycle, folder)
                cycle += 1
            history.append((time.monotonic() - start, state(folder)))
        tempfile.tempdir = None
    return history


def faults(history: list[tuple[float, State]]) -> list[str]:
    """Return what was not level."""
    total = history[-1][0]
    warm = [now for seconds, now in history if seconds >= WARM_UP * total]
    first = warm[: max(1, len(warm) // 3)]
    last = warm[-max(1, len(warm) // 3) :]
    before = float(np.median([now.memory for now in first]))
    after = float(np.median([now.memory for now in last]))
    said = []
    if after > before + max(SLACK, GROWTH * before):
        said.append(f"memory grew from {before / 1e6:.0f} to {after / 1e6:.0f} MB")
    for name in ("handles", "threads", "files"):
        begun = getattr(warm[0], name)
        ended = getattr(warm[-1], name)
        if ended > begun:
            said.append(f"{name} grew from {begun} to {ended}")
    if warm[-1].files:
        said.append(f"{warm[-1].files} temporary files are left")
    return said


def main() -> int:
    """Run, print and record."""
    parser = argparse.ArgumentParser(prog="python -m hardening.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--record", action="store_true", help="write the numbers to the docs page")
    options = parser.parse_args()
    history = soak(options.minutes)
    said = faults(history)
    quarter = history[len(history) // 4][1]
    end = history[-1][1]
    numbers = {
        "minutes": round(history[-1][0] / 60, 1),
        "cycles": len(history) * len(ROWS),
        "memory_mb": [round(quarter.memory / 1e6), round(end.memory / 1e6)],
        "handles": [quarter.handles, end.handles],
        "threads": [quarter.threads, end.threads],
        "files": end.files,
        "faults": said,
    }
    print(numbers)
    if options.record:
        record.save("soak", numbers)
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
