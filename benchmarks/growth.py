"""How CPU time grows with rows, columns, trees and neighbours: log-log plots with fitted exponents.

An exponent is the slope through the three largest sizes: below them what every call costs bends the
line.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks import RESULTS, SMALL, made_by, markdown, write_csv, write_page
from benchmarks._methods import (
    BRUTE,
    ISOLATION,
    OURS,
    PYNN,
    RANDOM_TREES,
    THREADS,
    HelixFit,
    Neighbours,
    Trees,
    missing,
    worker,
)
from benchmarks._worker import in_turns

TURNS = 2
FITTED = 3
FEW_ROWS, FEW_COLUMNS = (1000, 50) if SMALL else (5000, 100)
ROWS = (500, 1000, 2000) if SMALL else (2000, 4000, 8000, 16_000, 32_000, 64_000)
COLUMNS = (10, 30, 100) if SMALL else (10, 30, 100, 300, 1000, 3000)
TREES = (3, 10, 30) if SMALL else (10, 30, 100, 300)
NEIGHBOURS = (5, 15, 50) if SMALL else (5, 15, 50, 150)
MAX_BRUTE = 32_000
NOISE = f"{OURS}, 3 columns matter"
LOOKS = {
    OURS: ("#d00000", "o"),
    NOISE: ("#d00000", "s"),
    PYNN: ("#0072b2", "^"),
    BRUTE: ("#000000", "D"),
}
LOOKS |= {ISOLATION: ("#009e73", "v"), RANDOM_TREES: ("#e69f00", "P")}
PANELS = {"n": "rows n", "p": "columns p", "T": "trees T", "k": "neighbours k"}
NOTE = f"""CPU seconds, the least of {TURNS} turns, all methods in turn; fit and graph, {THREADS} threads. The slope
through the {FITTED} largest sizes is the exponent: doubling a size multiplies the time by 2 to that power. Rows: 100
clusters, 50 columns, 15 neighbours, 100 trees (never more than 4096 rows a tree, so trees of large tables cost the
same and only looking rows up and counting grows with n). Columns: {FEW_ROWS} rows of the same; and a helix of 1000
rows among noise columns, of which three matter, the fit alone, 300 trees. Trees: {FEW_ROWS} rows, and scikit-learn's
forests on as many rows of {FEW_COLUMNS} columns. Neighbours: {FEW_ROWS} rows, 50 columns, 100 trees."""


def neighbours(
    method: str, n: int, p: int = 50, k: int = 15, trees: int = 100
) -> tuple[Any, dict[str, Any]]:
    """Return the work of a fit and a graph."""
    settings = {"n_estimators": trees} if method == OURS else {}
    return Neighbours, {
        "method": method,
        "n": n,
        "p": p,
        "k": k,
        "threads": THREADS,
        "settings": settings,
    }


def trees_alone(method: str, trees: int) -> tuple[Any, dict[str, Any]]:
    """Return the work of growing scikit-learn's trees."""
    return Trees, {"method": method, "n": FEW_ROWS, "p": FEW_COLUMNS, "trees": trees}


def points() -> list[tuple[str, str, int, str, Any, dict[str, Any]]]:
    """Return every point: panel, line, size, method, work, arguments."""
    found = []
    for method in (OURS, PYNN, BRUTE):
        found += [
            ("n", method, n, method, *neighbours(method, n))
            for n in ROWS
            if method != BRUTE or n <= MAX_BRUTE
        ]
        found += [
            ("p", method, p, method, *neighbours(method, FEW_ROWS, p)) for p in COLUMNS if p <= 1000
        ]
        found += [("k", method, k, method, *neighbours(method, FEW_ROWS, k=k)) for k in NEIGHBOURS]
    helix = {"n": 1000, "threads": THREADS}
    found += [("p", NOISE, p, OURS, HelixFit, {**helix, "p": p}) for p in COLUMNS]
    found += [("T", OURS, t, OURS, *neighbours(OURS, FEW_ROWS, trees=t)) for t in TREES]
    for method in (ISOLATION, RANDOM_TREES):
        found += [("T", method, t, method, *trees_alone(method, t)) for t in TREES]
    return [point for point in found if not missing(point[3])]


def measure() -> list[dict[str, Any]]:
    """Do every point; those of a panel take turns."""
    rows = []
    for panel in PANELS:
        some = [point for point in points() if point[0] == panel]
        taken = in_turns(
            [(f"{panel}={x} {line}", worker(m), work, size) for _, line, x, m, work, size in some],
            TURNS,
        )
        for (_, line, x, *_), one in zip(some, taken):
            row = {"panel": panel, "line": line, "size": x, "cpu_seconds": round(one["cpu"], 4)}
            rows.append(
                {
                    **row,
                    "wall_seconds": round(one["wall"], 4),
                    "peak_mb": round(one["peak"] / 2**20),
                }
            )
    return rows


def exponent(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """Return the slope of the logarithms through the largest sizes.

    Examples
    --------
    >>> float(round(exponent([1, 10, 100, 1000], [1.0, 2.0, 20.0, 200.0]), 3))
    1.0
    """
    x = np.log(sizes[-FITTED:])
    y = np.log(seconds[-FITTED:])
    return float(np.polyfit(x, y, 1)[0])


def lines(rows: list[dict[str, Any]], panel: str) -> dict[str, tuple[list[int], list[float]]]:
    """Return the lines of a panel: sizes and seconds."""
    found: dict[str, tuple[list[int], list[float]]] = {}
    for row in rows:
        if row["panel"] == panel:
            sizes, seconds = found.setdefault(row["line"], ([], []))
            sizes.append(row["size"])
            seconds.append(row["cpu_seconds"])
    return found


def draw(rows: list[dict[str, Any]]) -> None:
    """Draw results/growth.png, a panel for each size."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 8), layout="constrained")
    for axes, (panel, title) in zip(figure.subplots(2, 2).flat, PANELS.items()):
        for name, (sizes, seconds) in lines(rows, panel).items():
            color, marker = LOOKS[name]
            label = f"{name}: {exponent(sizes, seconds):.2f}"
            style = "--" if name == NOISE else "-"
            axes.loglog(sizes, seconds, color=color, marker=marker, linestyle=style, label=label)
        at = sorted({row["size"] for row in rows if row["panel"] == panel})
        axes.set_xticks(at, [f"{size:,}" for size in at])
        axes.yaxis.set_major_formatter("{x:g}")
        axes.minorticks_off()
        axes.set_xlabel(title)
        axes.set_ylabel("CPU seconds")
        axes.grid(which="major", color="#dddddd")
        axes.legend(title="exponent", frameon=False, fontsize=9)
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(RESULTS / "growth.png", dpi=110, metadata={"Comment": made_by("growth")})


def show_in_docs() -> None:
    """Copy the figure to where docs/speed.md, which includes results/growth.md, can show it."""
    if not SMALL:
        shutil.copy(RESULTS / "growth.png", RESULTS.parents[1] / "docs" / "growth.png")


def main() -> None:
    rows = measure()
    write_csv("growth", rows)
    draw(rows)
    show_in_docs()
    cells = []
    for panel, title in PANELS.items():
        for name, (sizes, seconds) in lines(rows, panel).items():
            span = f"{sizes[0]:,} to {sizes[-1]:,}"
            took = f"{seconds[0]:.2f} to {seconds[-1]:.2f}"
            cells.append([f"{title}: {name}", span, took, f"{exponent(sizes, seconds):.2f}"])
    table = markdown(["size and method", "sizes", "CPU s", "exponent"], cells)
    write_page("growth", NOTE, table, "![CPU seconds against n, p, T and k](growth.png)")


if __name__ == "__main__":
    main()
