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
    figure = Figure(figsize=(width, 0.5 + height * n_rows), layout="constrained")
    FigureCanvasAgg(figure)
    return figure, figure.subplots(n_rows, n_columns, squeeze=False, **settings)


def save(figure: Any, path: Path, pdf: bool = False) -> None:
    """Write a figure as PNG, and with `pdf` as PDF; equal figures are equal files."""
    with replacing(path) as partial:
        figure.savefig(partial, dpi=130, metadata={"Software": None})
    if pdf:
        figure.set_layout_engine("none")  # the layout is done, and takes most of the time
        with (
            replacing(path.with_suffix(".pdf")) as partial,
            matplotlib.rc_context({"pdf.fonttype": 42}),
        ):
            figure.savefig(partial, metadata={"CreationDate": None})
