"""Empty figures, and writing them; without pandas, so that ``urerf demo`` needs only matplotlib."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from urerf._output import replacing


def panels(
    n_rows: int,
    n_columns: int = 4,
    *,
    width: float = 13.0,
    height: float = 2.7,
    **settings: Any,
) -> tuple[Any, Any]:
    """Return a figure and its (n_rows, n_columns) axes; `height` is that of one row.

    Matplotlib's global state is not touched.
    """
    total_height = 0.5 + height * n_rows
    figure = Figure(figsize=(width, total_height), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(n_rows, n_columns, squeeze=False, **settings)
    return figure, axes


def save(figure: Any, path: Path, pdf: bool = False) -> None:
    """Write a figure as PNG, and with `pdf` as PDF; equal figures are equal files."""
    with replacing(path) as partial:
        figure.savefig(partial, dpi=130, metadata={"Software": None})
    if pdf:
        figure.set_layout_engine("none")  # the layout is done, and takes most of the time
        name = path.with_suffix(".pdf")
        with replacing(name) as partial, matplotlib.rc_context({"pdf.fonttype": 42}):
            figure.savefig(partial, metadata={"CreationDate": None})
