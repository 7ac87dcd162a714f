"""CPU seconds until the package works: importing, the command line's help, the first fit without and with a cache."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks import markdown, write_csv, write_page

REPEATS = 5
FIT = """
import time
start = time.process_time()
import numpy as np
from urerf import URerF
imported = time.process_time()
model = URerF(n_estimators=10, random_state=0, n_jobs=1).fit(np.random.default_rng(0).normal(size=(200, 10)))
model.kneighbors(n_neighbors=5)
print(time.process_time() - imported)
"""
PYTHON = "python -c pass"
SKLEARN = "import sklearn.neighbors"
HELP = "urerf --help"
# the package alone loads nothing: the class does
PACKAGE = "import urerf"
URERF = "from urerf import URerF"
COLD = "first fit, nothing compiled"
WARM = "first fit, compiled before"
BARS = {HELP: 1.0, COLD: 20.0, WARM: 1.0}
NOTE = """CPU seconds of a fresh process, the best of 5 turns (nothing compiled: once), on a shared
machine. A first fit is 10 trees and the 5 nearest of 200 rows, without the import of urerf but with that of Numba."""


def child_cpu(command: list[str]) -> float:
    """Run a command; return the CPU seconds it used."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def first_fit(cache: str) -> float:
    """Fit in a fresh process whose compiled code is kept in ``cache``; return the CPU seconds after the import."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
    done = subprocess.run(
        [sys.executable, "-c", FIT], check=True, env=environment, stdout=subprocess.PIPE, text=True
    )
    return float(done.stdout)


def measure() -> dict[str, float]:
    """Return the CPU seconds of each item."""
    commands = {
        PYTHON: [sys.executable, "-c", "pass"],
        SKLEARN: [sys.executable, "-c", SKLEARN],
        PACKAGE: [sys.executable, "-c", PACKAGE],
        URERF: [sys.executable, "-c", URERF],
        HELP: [str(Path(sys.executable).with_name("urerf")), "--help"],
    }
    best = dict.fromkeys(commands, float("inf"))
    with tempfile.TemporaryDirectory() as cache:
        best |= {COLD: first_fit(cache), WARM: float("inf")}
        for _ in range(REPEATS):
            for name, command in commands.items():
                best[name] = min(best[name], child_cpu(command))
            best[WARM] = min(best[WARM], first_fit(cache))
    return best


def main() -> None:
    seconds = measure()
    over = f"{URERF} over {SKLEARN}"
    seconds[over] = seconds[URERF] - seconds[SKLEARN]
    bars = {**BARS, over: 0.3}
    rows = [
        {"item": item, "cpu_seconds": round(value, 2), "bar": bars.get(item, "")}
        for item, value in seconds.items()
    ]
    write_csv("startup", rows)
    write_page(
        "startup", NOTE, markdown(["item", "CPU s", "bar"], [list(row.values()) for row in rows])
    )


if __name__ == "__main__":
    main()
