"""Drawing in the paper's arrangement: a row of four panels of equal width that share the vertical axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from urerf.paper import published
from urerf.paper.baselines import METHODS, Method
from urerf.paper.tasks import SIMULATIONS

LABELS = {
    "linear": "Linear",
    "helix": "Helix",
    "sphere": "Sphere",
    "gaussian_mixture": "Gaussian mixture",
    "connectome": "Connectome",
}
PRECISION = "geodesic precision"
NOISE = "noise columns"
ZERO = 0.32  # where "no noise columns" stands on an axis whose logarithm starts at 1


def new(
    rows: int, columns: int = 4, height: float = 2.7, sharey: bool = True, **settings: Any
) -> tuple[Any, Any]:
    """Make a figure of panels of equal size; returns the figure and the (rows, columns) array of axes."""
    figure = Figure(figsize=(13.0, 0.5 + height * rows), layout="constrained")
    FigureCanvasAgg(figure)
    return figure, figure.subplots(rows, columns, sharey=sharey, squeeze=False, **settings)


def save(figure: Any, folder: Path, name: str) -> None:
    """Write a figure as PNG and as PDF; no date inside, so equal figures are equal files."""
    with matplotlib.rc_context({"pdf.fonttype": 42}):
        figure.savefig(folder / f"{name}.png", dpi=130, metadata={"Software": None})
        figure.set_layout_engine(
            "none"
        )  # the panels are in place, and placing them takes most of the time
        figure.savefig(folder / f"{name}.pdf", metadata={"CreationDate": None})


def line(
    axis: Any, table: Any, x: str, style: Method, *, y: str = "precision", log_zero: bool = False
) -> None:
    """Draw the mean over seeds, and one standard deviation to either side as a band."""
    summary = table.groupby(x)[y].agg(["mean", "std"]).fillna({"std": 0.0})
    places = np.asarray(summary.index, dtype=float)
    places = np.where(places == 0, ZERO, places) if log_zero else places
    ours = style.label.startswith("URerF")
    axis.plot(
        places,
        summary["mean"],
        color=style.color,
        linestyle=style.linestyle,
        marker=style.marker,
        markersize=5 if ours else 4,
        linewidth=2.2 if ours else 1.2,
        label=style.label,
        zorder=3 if ours else 2,
    )
    low = summary["mean"] - summary["std"]
    high = summary["mean"] + summary["std"]
    axis.fill_between(places, low, high, color=style.color, alpha=0.15, linewidth=0)


def dashed(axis: Any, curve: Any, x: str, style: Method, *, log_zero: bool = False) -> None:
    """Draw a published curve."""
    if len(curve):
        places = np.asarray(curve[x], dtype=float)
        places = np.where(places == 0, ZERO, places) if log_zero else places
        axis.plot(
            places, curve["value"], color=style.color, linestyle="--", linewidth=1.2, alpha=0.8
        )


def at_chance(axis: Any, table: Any, x: str, *, log_zero: bool = False) -> None:
    """Draw the precision of neighbours taken at random."""
    level = table.groupby(x)["chance"].mean()
    places = np.asarray(level.index, dtype=float)
    places = np.where(places == 0, ZERO, places) if log_zero else places
    axis.plot(
        places,
        level,
        color="#555555",
        linestyle=(0, (1, 3)),
        linewidth=1.2,
        label="chance",
        zorder=1,
    )


def noise_axis(axis: Any, most: int) -> None:
    """Give an axis the logarithm of the number of noise columns, from 1, with 0 at its left."""
    powers = [10**power for power in range(5) if 10**power <= max(most, 10)]
    axis.set_xscale("log")
    axis.set_xticks([ZERO, *powers], ["0", *(f"{power:,}" for power in powers)])
    axis.minorticks_off()
    axis.set_xlim(ZERO * 0.75, max(most, 10) * 1.35)
    axis.axvline(ZERO * 1.8, color="#bbbbbb", linewidth=0.8)  # 0 is not on the logarithmic part


def legend(axes_row: Any, dashes: bool = False) -> None:
    """Put one legend to the right of a row of panels."""
    found: dict[str, Any] = {}
    for axis in axes_row:
        for handle, label in zip(*axis.get_legend_handles_labels()):
            found.setdefault(label, handle)
    if dashes:
        from matplotlib.lines import Line2D

        found["published (dashed)"] = Line2D([], [], color="#555555", linestyle="--", linewidth=1.2)
    place = {"loc": "center left", "bbox_to_anchor": (1.02, 0.5)}
    axes_row[-1].legend(found.values(), found.keys(), frameon=False, fontsize=8.5, **place)


def precision_row(
    axes_row: Any,
    table: Any,
    x: str,
    styles: Mapping[Any, Method],
    *,
    group: str = "method",
    experiment: str | None = None,
    log_zero: bool = False,
) -> None:
    """Draw one row: a panel a simulation, a line a group (by default a method).

    Parameters
    ----------
    axes_row : array of four axes
    table : DataFrame
        Results with columns dataset, variant, precision, chance, `x` and `group`.
    x : str
        Column along the horizontal axis.
    styles : mapping
        How each value of `group` is drawn, in the order of the legend.
    group : str
        Column that tells the lines apart.
    experiment : str or None
        Where to look for published curves of the methods.
    log_zero : bool
        Whether the horizontal axis is `noise_axis`.
    """
    for axis, dataset in zip(axes_row, SIMULATIONS):
        here = table[table.dataset == dataset]
        for value, style in styles.items():
            rows = here[here[group] == value]
            if len(rows):
                line(axis, rows, x, style, log_zero=log_zero)
                if experiment:
                    curve = published.curve(
                        experiment, dataset, str(rows.method.iloc[0]), rows.variant.iloc[0], x
                    )
                    dashed(axis, curve, x, style, log_zero=log_zero)
        if len(here):
            at_chance(axis, here, x, log_zero=log_zero)
        if log_zero:
            noise_axis(axis, int(table[x].max()))
        axis.set_ylim(0, 1.03)
        axis.grid(alpha=0.25)
    legend(axes_row, dashes=experiment is not None)


def titles(
    axes: Any, xlabel: str, names: Sequence[str] = SIMULATIONS, ylabel: str = PRECISION
) -> None:
    """Name the columns at the top, the horizontal axis at the bottom and the vertical axis at the left."""
    for axis, name in zip(axes[0], names):
        axis.set_title(LABELS.get(name, name))
    for axis in axes[-1]:
        axis.set_xlabel(xlabel)
    for row in axes:
        row[0].set_ylabel(ylabel)


def method_panels(
    table: Any, x: str, xlabel: str, *, experiment: str | None = None, log_zero: bool = False
) -> Any:
    """Draw all methods of a table in one row of four panels."""
    figure, axes = new(1, height=3.0)
    present = {name: style for name, style in METHODS.items() if name in set(table.method)}
    precision_row(axes[0], table, x, present, experiment=experiment, log_zero=log_zero)
    titles(axes, xlabel)
    return figure
