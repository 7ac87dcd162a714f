"""Benchmarks: each module runs alone by `python -m benchmarks NAME`, those of speed by `python -m benchmarks`.

Times are CPU seconds, the best of repeats that take turns, because the machine may be busy with
other things; compare within a table, never across machines. Results are kept in
``benchmarks/results``, as CSV and as Markdown; those of a trial with ``--small`` sizes go to
``build/benchmarks`` and mean nothing.
"""

from __future__ import annotations

import csv
import os
import platform
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

SMALL = "--small" in sys.argv
RESULTS = Path("build/benchmarks") if SMALL else Path(__file__).parent / "results"
PACKAGES = ("numpy", "scipy", "scikit-learn", "numba")


def best_cpu(jobs: Mapping[str, Callable[[], Any]], repeats: int) -> dict[str, float]:
    """Return the least CPU seconds of each job; the jobs take turns, so that a busy minute hits all of them."""
    best = dict.fromkeys(jobs, float("inf"))
    for turn in range(repeats):
        for name, job in jobs.items():
            start = time.process_time()
            job()
            best[name] = min(best[name], time.process_time() - start)
            print(
                f"{turn + 1}/{repeats} {name}: best {best[name]:.2f} CPU s",
                file=sys.stderr,
                flush=True,
            )
    return best


def made_by(name: str) -> str:
    """Say which command and which versions made a result."""
    versions = ", ".join(f"{package} {version(package)}" for package in PACKAGES)
    return (
        f"Made by `python -m benchmarks {name}` with Python {platform.python_version()}, {versions}; "
        f"{platform.machine()}, {os.cpu_count()} cores."
    )


def write_csv(name: str, rows: Sequence[Mapping[str, Any]], benchmark: str | None = None) -> None:
    """Write a tidy table to results/NAME.csv; the first line is a comment that says which benchmark made it."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    with (RESULTS / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
        file.write(f"# {made_by(benchmark or name)}\n")
        table = csv.DictWriter(file, fieldnames=list(rows[0]), lineterminator="\n")
        table.writeheader()
        table.writerows(rows)


def read_csv(name: str) -> list[dict[str, str]]:
    """Read results/NAME.csv back, nothing where there is none."""
    path = RESULTS / f"{name}.csv"
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        file.readline()
        return list(csv.DictReader(file))


def write_page(name: str, *parts: str) -> None:
    """Write results/NAME.md from its parts, and print it."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    page = "\n\n".join([f"# {name}", made_by(name), *parts]) + "\n"
    (RESULTS / f"{name}.md").write_text(page, encoding="utf-8")
    print(page)


def markdown(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Return a Markdown table; the first column is text, the others are numbers."""

    def line(cells: Sequence[Any]) -> str:
        return f"| {' | '.join(map(str, cells))} |"

    return "\n".join([line(head), line(["---"] + ["---:"] * (len(head) - 1)), *map(line, rows)])
