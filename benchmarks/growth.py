"""How CPU time grows with rows, columns, trees and neighbors: log-log plots with fitted exponents.

An exponent is the slope through the three largest sizes: at smaller sizes, the fixed cost of a call
bends the line.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import linregress

from benchmarks import SMALL, THREADS, publish, table
from benchmarks._figures import FOLDER, draw_seconds
from benchmarks._methods import (
    EUCLIDEAN,
    ISOLATION,
    OURS,
    PYNN,
    RANDOM_TREES,
    FindNeighbors,
    GrowTrees,
    HelixFit,
    is_missing,
    job,
)
from benchmarks._worker import in_turns
from urerf.lab import canvas
from urerf.lab.methods import METHODS

TURNS = 2
FITTED = 3
N_ROWS = 1000 if SMALL else 5000
N_COLUMNS = 50 if SMALL else 100
ROWS = (500, 1000, 2000) if SMALL else (2000, 4000, 8000, 16_000, 32_000, 64_000)
COLUMNS = (10, 30, 100) if SMALL else (10, 30, 100, 300, 1000, 3000)
TREES = (3, 10, 30) if SMALL else (10, 30, 100, 300)
KS = (5, 15, 50) if SMALL else (5, 15, 50, 150)
MAX_EUCLIDEAN_ROWS = 32_000
MAX_CLUSTER_COLUMNS = 1000
NOISE = f"{OURS}, 3 relevant columns"
# Selectors of columns are not timed.
STYLES = {method.label: method for method in METHODS.values() if method.select is None}
PANELS = {"n": "rows n", "p": "columns p", "T": "trees T", "k": "neighbors k"}
NOTE = f"""CPU seconds, the smallest of {TURNS} runs; all methods take turns. Fit and graph,
{THREADS} threads. The exponent is the slope through the {FITTED} largest sizes: doubling a size
multiplies the time by 2 to that power. Rows: 100 clusters, 50 columns, 15 neighbors, 100 trees
(on at most 4096 rows per tree, so that trees of large tables cost the same and only finding
leaves and counting grows with n). Columns: {N_ROWS} rows of the same; and a helix of 1000 rows
among noise columns, with three relevant columns, only the fit, default trees. Trees: {N_ROWS} rows,
and scikit-learn's forests on as many rows of {N_COLUMNS} columns. Neighbors: {N_ROWS} rows, 50
columns, 100 trees."""


class Point(NamedTuple):
    """A point of a line in a panel."""

    panel: str
    method: str
    size: int
    task: Any


def find_neighbors(method: str, n: int = N_ROWS, trees: int = 100, **settings: Any) -> Any:
    """Return the task of a fit and a graph."""
    own = {"n_estimators": trees} if method == OURS else {}
    return FindNeighbors(method, n, settings=own, **settings)


def points() -> list[Point]:
    """Return all points."""
    found = []
    few_columns = [p for p in COLUMNS if p <= MAX_CLUSTER_COLUMNS]
    few_rows = [n for n in ROWS if n <= MAX_EUCLIDEAN_ROWS]
    for method in (OURS, PYNN, EUCLIDEAN):
        rows = few_rows if method == EUCLIDEAN else ROWS
        for panel, sizes in {"n": rows, "p": few_columns, "k": KS}.items():
            for size in sizes:
                task = find_neighbors(method, **{panel: size})
                found.append(Point(panel, method, size, task))
    for p in COLUMNS:
        found.append(Point("p", NOISE, p, HelixFit(p)))
    for n_trees in TREES:
        task = find_neighbors(OURS, trees=n_trees)
        found.append(Point("T", OURS, n_trees, task))
        for method in (ISOLATION, RANDOM_TREES):
            task = GrowTrees(method, N_ROWS, N_COLUMNS, n_trees)
            found.append(Point("T", method, n_trees, task))
    return [point for point in found if not is_missing(point.task.method)]


def measure() -> list[dict[str, Any]]:
    """Measure all points; those of a panel take turns."""
    rows = []
    for panel in PANELS:
        chosen = [point for point in points() if point.panel == panel]
        jobs = [job(f"{panel}={point.size} {point.method}", point.task) for point in chosen]
        for point, best in zip(chosen, in_turns(jobs, TURNS)):
            row = {"panel": panel, "method": point.method, "size": point.size}
            rows.append({**row, "cpu_seconds": round(best["cpu"], 4)})
    return rows


def exponent(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """Return the slope of the logarithms through the largest sizes.

    Examples
    --------
    >>> round(exponent([1, 10, 100, 1000], [1.0, 2.0, 20.0, 200.0]), 3)
    1.0
    """
    return linregress(np.log(sizes[-FITTED:]), np.log(seconds[-FITTED:])).slope


def summary(measured: pd.DataFrame) -> list[dict[str, str]]:
    """Return the range and the exponent of each line."""
    rows = []
    for (panel, method), line in measured.groupby(["panel", "method"], sort=False):
        sizes = line["size"].tolist()
        seconds = line.cpu_seconds.tolist()
        row = {
            "size and method": f"{PANELS[panel]}: {method}",
            "sizes": f"{sizes[0]:,} to {sizes[-1]:,}",
            "CPU s": f"{seconds[0]:.2f} to {seconds[-1]:.2f}",
            "exponent": f"{exponent(sizes, seconds):.2f}",
        }
        rows.append(row)
    return rows


def draw(measured: pd.DataFrame, path: Path = FOLDER / "growth.png") -> None:
    """Draw one panel per size."""
    figure, axes = canvas.panels(2, 2, width=11, height=3.75)
    for one, (panel, title) in zip(axes.flat, PANELS.items()):
        rows = measured[measured.panel == panel]
        styles = {}
        for method, line in rows.groupby("method"):
            style = STYLES[OURS if method == NOISE else method]
            slope = exponent(line["size"], line.cpu_seconds)
            styles[method] = {
                "label": f"{method}: {slope:.2f}",
                "color": style.color,
                "marker": style.marker,
                "linestyle": "--" if method == NOISE else "-",
            }
        draw_seconds(one, rows, "size", title, styles)
        one.set_ylabel("CPU seconds")
        one.legend(title="exponent", frameon=False, fontsize=9)
    canvas.save(figure, path)


def main() -> None:
    rows = measure()
    measured = pd.DataFrame(rows)
    publish("growth", rows, NOTE, table(summary(measured)))
    draw(measured)


if __name__ == "__main__":
    main()
