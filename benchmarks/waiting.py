"""How long it takes: `fit` and a graph of 15 neighbors, by rows, columns and trees, and the peers.

The numbers are for the page "How long will it take?" of the documentation.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from benchmarks import SMALL, THREADS, publish
from benchmarks._figures import FOLDER, draw_seconds
from benchmarks._methods import EUCLIDEAN, OURS, PYNN, FindNeighbors, is_missing, job
from benchmarks._worker import in_turns
from urerf._messages import count
from urerf.lab import canvas
from urerf.lab.palette import BLACK, CORAL, ORANGE, RED, SKY
from urerf.lab.writing import write_frame

TURNS = 2
COLUMNS = 50
ROWS = (300, 1000) if SMALL else (1000, 10_000, 100_000, 1_000_000)
NOISE = (0, 50) if SMALL else (0, 450, 9950)
WIDE_ROWS = 300 if SMALL else 1000
NOISY_ROWS = 1000 if SMALL else 100_000
NOISY_COLUMNS = 50 if SMALL else 450
# Exact search is slow above: its time grows with the square of the rows.
MAX_EUCLIDEAN_ROWS = 10_000
# A large number of trees is shown up to this size.
MAX_ROWS_OF_MANY_TREES = 100_000
DEFAULT = "URerF, defaults"
FEW = "URerF, 40 trees"
MANY = "URerF, 300 trees"
TREES = {DEFAULT: {}, FEW: {"n_estimators": 40}, MANY: {"n_estimators": 300}}
METHODS = (*TREES, PYNN, EUCLIDEAN)
COLORS = {DEFAULT: RED, FEW: ORANGE, MANY: CORAL, PYNN: SKY, EUCLIDEAN: BLACK}
SHARE = """Share of neighbors in the same cluster (with 1,000 rows a cluster has 10 rows, so that
at most 0.60 are possible):"""
NOTE = f"""CPU seconds of `fit` and a graph of 15 neighbors with {THREADS} threads, the smallest of
{count(TURNS, "run")}. The methods take turns, each in its own process that has compiled before. On
an idle machine, the waiting time is little more than the CPU time divided by the number of cores.
The rows fall into 100 clusters in {COLUMNS} columns; further columns are noise. *Euclidean* is the
exact search of scikit-learn."""


class Size(NamedTuple):
    """Size of a table: rows, and noise columns besides the columns with clusters."""

    n: int
    noise: int

    def __str__(self) -> str:
        noise = f", {self.noise:,} of them noise" if self.noise else ""
        return f"{self.n:,} rows, {COLUMNS + self.noise:,} columns{noise}"


def sizes() -> list[Size]:
    """Return all sizes: first more rows, then more columns."""
    tall = [Size(n, 0) for n in ROWS]
    wide = [Size(WIDE_ROWS, noise) for noise in NOISE if noise]
    return [*tall, Size(NOISY_ROWS, NOISY_COLUMNS), *wide]


def methods(size: Size) -> list[str]:
    """Return the methods that are run on a table of this size."""
    limits = {EUCLIDEAN: MAX_EUCLIDEAN_ROWS, MANY: MAX_ROWS_OF_MANY_TREES}
    installed = [method for method in METHODS if method in TREES or not is_missing(method)]
    return [method for method in installed if size.n <= limits.get(method, math.inf)]


def measure() -> list[dict[str, Any]]:
    """Measure all tables; the methods of a table take turns."""
    rows = []
    for size in sizes():
        chosen = methods(size)
        jobs = []
        for method in chosen:
            name = OURS if method in TREES else method
            settings = TREES.get(method, {})
            task = FindNeighbors(name, size.n, COLUMNS, noise=size.noise, settings=settings)
            jobs.append(job(f"{size}: {method}", task, label=method))
        for method, best in zip(chosen, in_turns(jobs, TURNS)):
            row = {
                "rows": size.n,
                "noise": size.noise,
                "method": method,
                "cpu_seconds": round(best["cpu"], 3),
                "wall_seconds": round(best["wall"], 3),
                "memory_mb": round(best["above"] / 2**20),
                "precision": round(best["precision"], 4),
            }
            rows.append(row)
    return rows


def seconds_text(seconds: float) -> str:
    """Return seconds with two digits.

    Examples
    --------
    >>> [seconds_text(value) for value in (0.0123, 0.456, 7.89, 123.4)]
    ['0.01', '0.46', '7.9', '123']
    """
    if seconds < 1:
        return f"{seconds:.2f}"
    return f"{seconds:.1f}" if seconds < 10 else f"{seconds:.0f}"


def pivot(table: pd.DataFrame, column: str, show: Any) -> str:
    """Return a Markdown table with one row per size and one column per method."""
    wide = table.pivot_table(column, "table", "method", sort=False)
    return write_frame(wide.map(show, na_action="ignore").fillna(""), str)


def draw(table: pd.DataFrame, path: Path = FOLDER / "waiting.png") -> None:
    """Draw time over rows and over columns."""
    styles = {}
    for method, color in COLORS.items():
        width = 2.4 if method == DEFAULT else 1.4
        styles[method] = {"color": color, "marker": "o", "linewidth": width}
    figure, axes = canvas.panels(1, 2, width=11, height=3.9, sharey=True)
    left, right = axes[0]
    tall = table[table.noise == 0]
    draw_seconds(left, tall, "rows", f"rows ({COLUMNS} columns)", styles)
    wide = table[table.rows == WIDE_ROWS]
    wide = wide.assign(columns=COLUMNS + wide.noise)
    draw_seconds(right, wide, "columns", f"columns ({WIDE_ROWS:,} rows)", styles)
    left.set_ylabel("CPU seconds")
    left.legend(frameon=False, fontsize=9)
    canvas.save(figure, path)


def main() -> None:
    rows = measure()
    table = pd.DataFrame(rows)
    table["table"] = [str(Size(*size)) for size in zip(table.rows, table.noise)]
    publish(
        "waiting",
        rows,
        NOTE,
        pivot(table, "cpu_seconds", seconds_text),
        "Memory in MB, in addition to the imported libraries:",
        pivot(table, "memory_mb", "{:,.0f}".format),
        SHARE,
        pivot(table, "precision", "{:.2f}".format),
    )
    draw(table)


if __name__ == "__main__":
    main()
