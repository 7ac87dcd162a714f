"""CPU seconds until the package works: imports, the help of the command line, the first fit."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import urerf
from benchmarks import publish, table

REPEATS = 5
FIT = """
import time
import numpy as np
from urerf import URerF
X = np.random.default_rng(0).normal(size=(200, 10))
start = time.process_time()
URerF(n_estimators=10, random_state=0, n_jobs=1).fit(X).kneighbors(n_neighbors=5)
print(time.process_time() - start)
"""
SKLEARN = "import sklearn.neighbors"
HELP = "urerf --help"
URERF = "from urerf import URerF"  # `import urerf` alone loads nothing
COLD = "first fit, nothing compiled"
WARM = "first fit, compiled before"
OVER = f"{URERF} over {SKLEARN}"
# Ceilings of the design.
TARGETS = {HELP: 1.0, COLD: 12.0, WARM: 0.4, OVER: 0.3}
NOTE = f"""CPU seconds of a new process, the best of {REPEATS} turns (nothing compiled: once),
on a shared machine. The first fit is 10 trees and the 5 nearest of 200 rows, without the import
of urerf but with that of Numba."""


def child_cpu(command: list[str]) -> float:
    """Run a command; return its CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def copy_package(folder: str) -> None:
    """Copy the package without compiled code, which is also looked for next to the sources."""
    source = Path(urerf.__file__).parent
    shutil.copytree(source, Path(folder) / "urerf", ignore=shutil.ignore_patterns("__pycache__"))


def first_fit(folder: str) -> float:
    """Fit in a new process with the package and compiled code of `folder`; return CPU seconds."""
    environment = {
        **os.environ,
        "PYTHONPATH": folder,
        "NUMBA_CACHE_DIR": str(Path(folder) / "cache"),
        "XDG_CACHE_HOME": str(Path(folder) / "cache"),
    }
    command = [sys.executable, "-c", FIT]
    return float(subprocess.check_output(command, env=environment, text=True))


def measure() -> dict[str, float]:
    """Return the CPU seconds of each item."""
    imports = ("pass", SKLEARN, "import urerf", URERF)
    commands = {code: [sys.executable, "-c", code] for code in imports}
    commands[HELP] = [str(Path(sys.executable).with_name("urerf")), "--help"]
    best = dict.fromkeys([*commands, WARM], float("inf"))
    with tempfile.TemporaryDirectory() as folder:
        copy_package(folder)
        best[COLD] = first_fit(folder)
        for _ in range(REPEATS):
            for name, command in commands.items():
                best[name] = min(best[name], child_cpu(command))
            best[WARM] = min(best[WARM], first_fit(folder))
    best[OVER] = best[URERF] - best[SKLEARN]
    return best


def main() -> None:
    rows = [
        {
            "item": item,
            "cpu_seconds": round(seconds, 2),
            "target": TARGETS.get(item, ""),
        }
        for item, seconds in measure().items()
    ]
    publish("startup", rows, NOTE, table(rows))


if __name__ == "__main__":
    main()
