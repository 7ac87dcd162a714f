"""How CPU time grows with rows, columns, trees and neighbors: log-log plots with fitted exponents.

An exponent is the slope through the three largest sizes: at smaller sizes, the fixed cost of a call
bends the line.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks import RESULTS, SMALL, THREADS, Rows, publish, table
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
FIGURE = RESULTS / "growth.png" if SMALL else Path(__file__).parents[1] / "docs" / "growth.png"
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
    line: str
    size: int
    task: Any


def find_neighbors(method: str, n: int = N_ROWS, trees: int = 100, **settings: Any) -> Any:
    """Return the task of a fit and a graph."""
    own = {"n_estimators": trees} if method == OURS else {}
    return FindNeighbors(method, n, settings=own, **settings)


def points() -> list[Point]:
    """Return all points."""
    found = []
    for method in (OURS, PYNN, EUCLIDEAN):
        for n in ROWS:
            if method != EUCLIDEAN or n <= MAX_EUCLIDEAN_ROWS:
                found.append(Point("n", method, n, find_neighbors(method, n)))
        for p in COLUMNS:
            if p <= MAX_CLUSTER_COLUMNS:
                found.append(Point("p", method, p, find_neighbors(method, p=p)))
        found += [Point("k", method, k, find_neighbors(method, k=k)) for k in KS]
    found += [Point("p", NOISE, p, HelixFit(p)) for p in COLUMNS]
    for n_trees in TREES:
        found.append(Point("T", OURS, n_trees, find_neighbors(OURS, trees=n_trees)))
        for method in (ISOLATION, RANDOM_TREES):
            task = GrowTrees(method, N_ROWS, N_COLUMNS, n_trees)
            found.append(Point("T", method, n_trees, task))
    return [point for point in found if not is_missing(point.task.method)]


def measure() -> list[dict[str, Any]]:
    """Measure all points; those of a panel take turns."""
    rows = []
    for panel in PANELS:
        chosen = [point for point in points() if point.panel == panel]
        jobs = [job(f"{panel}={point.size} {point.line}", point.task) for point in chosen]
        for point, best in zip(chosen, in_turns(jobs, TURNS)):
            row = {"panel": panel, "line": point.line, "size": point.size}
            rows.append(row | {"cpu_seconds": round(best["cpu"], 4)})
    return rows


def exponent(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """Return the slope of the logarithms through the largest sizes.

    Examples
    --------
    >>> round(exponent([1, 10, 100, 1000], [1.0, 2.0, 20.0, 200.0]), 3)
    1.0
    """
    x = np.log(sizes[-FITTED:])
    y = np.log(seconds[-FITTED:])
    return float(np.polyfit(x, y, 1)[0])


def lines(rows: Rows, panel: str) -> dict[str, tuple[list[int], list[float]]]:
    """Return the lines of a panel: sizes and seconds."""
    found: dict[str, tuple[list[int], list[float]]] = {}
    for row in rows:
        if row["panel"] == panel:
            sizes, seconds = found.setdefault(row["line"], ([], []))
            sizes.append(row["size"])
            seconds.append(row["cpu_seconds"])
    return found


def draw(rows: Rows, path: Path = FIGURE) -> None:
    """Draw one panel per size."""
    figure, axes = canvas.panels(2, 2, width=11, height=3.75)
    for one, (panel, title) in zip(axes.flat, PANELS.items()):
        ticks = set()
        for name, (sizes, seconds) in lines(rows, panel).items():
            style = STYLES[OURS if name == NOISE else name]
            one.loglog(
                sizes,
                seconds,
                color=style.color,
                marker=style.marker,
                linestyle="--" if name == NOISE else "-",
                label=f"{name}: {exponent(sizes, seconds):.2f}",
            )
            ticks.update(sizes)
        one.set_xticks(sorted(ticks), [f"{size:,}" for size in sorted(ticks)])
        one.yaxis.set_major_formatter("{x:g}")
        one.minorticks_off()
        one.set_xlabel(title)
        one.set_ylabel("CPU seconds")
        one.grid(alpha=0.25)
        one.legend(title="exponent", frameon=False, fontsize=9)
    canvas.save(figure, path)


def main() -> None:
    rows = measure()
    shown = []
    for panel, title in PANELS.items():
        for name, (sizes, seconds) in lines(rows, panel).items():
            row = {"size and method": f"{title}: {name}"}
            row["sizes"] = f"{sizes[0]:,} to {sizes[-1]:,}"
            row["CPU s"] = f"{seconds[0]:.2f} to {seconds[-1]:.2f}"
            shown.append({**row, "exponent": f"{exponent(sizes, seconds):.2f}"})
    publish("growth", rows, NOTE, table(shown))
    draw(rows)


if __name__ == "__main__":
    main()
