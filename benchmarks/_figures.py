"""Seconds over sizes, on logarithmic axes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks import RESULTS, SMALL

FOLDER = RESULTS if SMALL else Path(__file__).parents[1] / "docs"


def draw_seconds(
    axes: Any,
    table: Any,
    size: str,
    title: str,
    styles: Mapping[str, Mapping[str, Any]],
) -> None:
    """Draw the CPU seconds of each method of a DataFrame over the sizes in one of its columns."""
    for method, rows in table.groupby("method", sort=False):
        rows = rows.sort_values(size)
        axes.loglog(rows[size], rows.cpu_seconds, **{"label": method, **styles[method]})
    sizes = sorted(table[size].unique())
    axes.set_xticks(sizes, [f"{value:,}" for value in sizes])
    axes.yaxis.set_major_formatter("{x:g}")
    axes.minorticks_off()
    axes.set_xlabel(title)
    axes.grid(alpha=0.25)
