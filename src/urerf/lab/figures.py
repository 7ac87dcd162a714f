"""Figures: rows of panels of equal size, one line per method."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.lines import Line2D

from urerf.datasets import SIMULATIONS

from . import published
from .canvas import panels
from .methods import METHODS, Method
from .palette import DARK_GRAY, LIGHT_GRAY
from .words import at, means_by

LABELS = {
    "linear": "Linear",
    "helix": "Helix",
    "sphere": "Sphere",
    "gaussian_mixture": "Gaussian mixture",
    "connectome": "Connectome",
}
PRECISION = "geodesic precision"
NOISE = "noise columns"
NEIGHBORS = "k (number of neighbors)"
ZERO = 0.32  # position of "no noise columns" on a logarithmic axis that starts at 1


def present(table: Any) -> dict[str, Method]:
    """Return the methods that occur in a table."""
    names = set(table.method)
    return {name: method for name, method in METHODS.items() if name in names}


def places(values: Any, log_zero: bool) -> Any:
    """Return positions on the horizontal axis."""
    values = np.asarray(values, dtype=float)
    return np.where(values == 0, ZERO, values) if log_zero else values


def line(
    axes: Any,
    table: Any,
    x: str,
    style: Method,
    *,
    y: str = "precision",
    log_zero: bool = False,
) -> None:
    """Draw the mean over seeds, with a band of one standard deviation."""
    groups = table.groupby(x)[y]
    mean = groups.mean()
    spread = groups.std().fillna(0.0)
    where = places(mean.index, log_zero)
    looks = {"markersize": 4, "linewidth": 1.2, "zorder": 2}
    if style.is_ours:
        looks = {"markersize": 5, "linewidth": 2.2, "zorder": 3}
    axes.plot(
        where,
        mean,
        color=style.color,
        linestyle=style.linestyle,
        marker=style.marker,
        label=style.label,
        **looks,
    )
    low = mean - spread
    high = mean + spread
    axes.fill_between(
        where,
        low,
        high,
        color=style.color,
        alpha=0.15,
        linewidth=0,
    )


def lines(axes: Any, table: Any, x: str, **settings: Any) -> None:
    """Draw one line per method."""
    for name, style in present(table).items():
        line(axes, at(table, method=name), x, style, **settings)


def dashed(axes: Any, x: Any, y: Any, style: Method) -> None:
    """Draw a published curve."""
    axes.plot(
        x,
        y,
        color=style.color,
        linestyle="--",
        linewidth=1.2,
        alpha=0.8,
    )


def noise_axis(axes: Any, most: int) -> None:
    """Make the horizontal axis logarithmic in the number of noise columns, with 0 at its left."""
    most = max(most, 10)
    powers = [10**exponent for exponent in range(5) if 10**exponent <= most]
    labels = [f"{power:,}" for power in powers]
    axes.set_xscale("log")
    axes.set_xticks([ZERO, *powers], ["0", *labels])
    axes.minorticks_off()
    axes.set_xlim(ZERO * 0.75, most * 1.35)
    axes.axvline(ZERO * 1.8, color=LIGHT_GRAY, linewidth=0.8)  # 0 is not on the logarithmic scale


def log_axes(axes: Any, sizes: Iterable[int], xlabel: str) -> None:
    """Make both axes logarithmic, the horizontal one with a tick at each size."""
    ticks = sorted(set(sizes))
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xticks(ticks, map("{:,}".format, ticks))
    axes.minorticks_off()
    axes.set_xlabel(xlabel)
    axes.grid(alpha=0.25)


def legend(axes_row: Any, dashes: bool = False) -> None:
    """Put one legend to the right of a row of panels."""
    found: dict[str, Any] = {}
    for axes in axes_row:
        handles, labels = axes.get_legend_handles_labels()
        found |= dict(zip(labels, handles))
    if dashes:
        found["published (dashed)"] = Line2D(
            [],
            [],
            color=DARK_GRAY,
            linestyle="--",
            linewidth=1.2,
        )
    axes_row[-1].legend(
        found.values(),
        found.keys(),
        frameon=False,
        fontsize=8.5,
        loc="center left",
        bbox_to_anchor=(1.02, 0.5),
    )


def legend_below(figure: Any, axes: Any, n_columns: int | None = None) -> None:
    """Put the legend of one of the axes under the whole figure, in one line or in columns."""
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(
        handles,
        labels,
        loc="outside lower center",
        ncols=n_columns or len(labels),
        frameon=False,
    )


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
    """Draw one row: one panel per simulation, one line per group.

    Parameters
    ----------
    axes_row : array of four axes
    table : DataFrame
        Results with columns dataset, variant, precision, chance, `x` and `group`.
    x : str
        Column of the horizontal axis.
    styles : mapping
        How each value of `group` is drawn, in the order of the legend.
    group : str
        Column that distinguishes the lines.
    experiment : str or None
        Where to look for published curves of the methods.
    log_zero : bool
        Whether the horizontal axis is a `noise_axis`.
    """
    for axes, dataset in zip(axes_row, SIMULATIONS):
        rows = at(table, dataset=dataset)
        for value, style in styles.items():
            group_rows = rows[rows[group] == value]
            if group_rows.empty:
                continue
            line(axes, group_rows, x, style, log_zero=log_zero)
            if experiment:
                first = group_rows.iloc[0]
                curve = published.curve(experiment, dataset, first.method, first.variant, x)
                dashed(axes, places(curve[x], log_zero), curve["value"], style)
        if len(rows):
            level = means_by(rows, x, "chance")
            axes.plot(
                places(level.index, log_zero),
                level,
                color=DARK_GRAY,
                linestyle=(0, (1, 3)),
                linewidth=1.2,
                label="chance",
                zorder=1,
            )
        if log_zero:
            noise_axis(axes, table[x].max())
        axes.set_ylim(0, 1.03)
        axes.grid(alpha=0.25)
    legend(axes_row, dashes=experiment is not None)


def titles(axes: Any, xlabel: str, ylabels: Sequence[str] = ()) -> None:
    """Label columns at the top, horizontal axes at the bottom, vertical ones at the left."""
    for one, name in zip(axes[0], SIMULATIONS):
        one.set_title(LABELS[name])
    for one in axes[-1]:
        one.set_xlabel(xlabel)
    if not ylabels:
        ylabels = [PRECISION] * len(axes)
    for row, label in zip(axes, ylabels):
        row[0].set_ylabel(label)


def method_panels(
    table: Any,
    x: str,
    xlabel: str,
    *,
    experiment: str | None = None,
    log_zero: bool = False,
) -> Any:
    """Draw all methods of a table in one row of four panels."""
    figure, axes = panels(1, height=3.0, sharey=True)
    precision_row(
        axes[0],
        table,
        x,
        present(table),
        experiment=experiment,
        log_zero=log_zero,
    )
    titles(axes, xlabel)
    return figure
