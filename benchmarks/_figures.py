"""Seconds over sizes, on logarithmic axes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks import RESULTS, SMALL
from urerf.lab.figures import log_axes

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
        axes.plot(rows[size], rows.cpu_seconds, **{"label": method, **styles[method]})
    log_axes(axes, table[size], title)
    axes.yaxis.set_major_formatter("{x:g}")
