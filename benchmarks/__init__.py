"""Benchmarks of speed: `python -m benchmarks [NAME...] [--small]`.

Times are CPU seconds, the best of repetitions that take turns, because the machine may be busy with
other things; compare within a table, never across machines. Results are written to
``benchmarks/results`` as CSV and Markdown; those of a run with ``--small`` sizes go to
``build/benchmarks`` and are only a test.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from urerf.lab.writing import markdown, write_csv, write_page

SMALL = "--small" in sys.argv
RESULTS = Path("build/benchmarks") if SMALL else Path(__file__).parent / "results"
THREADS = 2

Rows = Sequence[dict[str, Any]]


def log(*words: Any) -> None:
    """Report progress on stderr."""
    print(*words, file=sys.stderr, flush=True)


def table(rows: Rows) -> str:
    """Return rows as a Markdown table with the keys of the first row as its head."""
    head = [name.replace("_", " ") for name in rows[0]]
    return markdown(head, [list(row.values()) for row in rows], show=str)


def publish(name: str, rows: Rows, *sections: str) -> None:
    """Write rows to results/NAME.csv and sections to results/NAME.md, and print the page."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    command = f"python -m benchmarks {name}"
    write_csv(RESULTS / f"{name}.csv", rows, command)
    page = write_page(RESULTS / f"{name}.md", name, command, *sections)
    print(page.read_text(encoding="utf-8"))
