"""The figure of ``urerf demo helix``: the neighbors of one point of a helix by several methods."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from urerf.datasets import Manifold

from ..._typing import Array, FloatArray, IntArray
from ..palette import DARK_GRAY, LIGHT_GRAY, SKY, YELLOW
from .helix import Result

SMALL: dict[str, Any] = {
    "fontsize": 8.5,
    "frameon": False,
    "borderaxespad": 0.0,
}


def helix_figure(helix: Manifold, results: Sequence[Result], chance: float) -> Any:
    """Draw the neighbors of one point of a helix by each method, and the precision of all points.

    Parameters
    ----------
    helix : Manifold
        The points without their noise columns.
    results : sequence of Result
        Results of each method, from left to right. A method with a comma in its name is shown only
        in the chart of precision.
    chance : float
        Precision of random neighbors.

    Returns
    -------
    matplotlib.figure.Figure
    """
    shown = [result for result in results if "," not in result.label]
    figure = Figure(figsize=(13.0, 4.4))
    grid = figure.add_gridspec(
        2,
        len(shown),
        height_ratios=(4, 1),
        left=0.02,
        right=0.7,
        bottom=0.13,
        top=0.9,
        wspace=0.14,
        hspace=0.08,
    )
    t = helix.latent[:, 0]
    query = int(np.argsort(t)[len(helix) // 2])
    distances = helix.distances(rows=[query])[0]
    position = np.where(t < t[query], -distances, distances)
    for column, result in enumerate(shown):
        space = figure.add_subplot(grid[0, column], projection="3d", computed_zorder=False)
        below = figure.add_subplot(grid[1, column])
        neighbors = result.indices[query]
        reach = np.sort(distances)[len(neighbors)]
        n_right = np.sum(distances[neighbors] <= reach)
        _draw_in_space(space, helix.X, query, result, n_right)
        _draw_along(below, position, neighbors, reach, result.color)
    right = figure.add_axes((0.76, 0.13, 0.23, 0.77))
    _draw_bars(right, results, chance)
    return figure


def _draw_in_space(axes: Any, X: FloatArray, query: int, result: Result, n_right: int) -> None:
    """Draw the helix in its three columns, one point, and its neighbors."""
    neighbors = result.indices[query]
    _draw_points(axes, X, s=3, color=LIGHT_GRAY, linewidth=0)
    _draw_points(axes, X[neighbors], s=20, color=result.color, linewidth=0)
    _draw_points(axes, X[[query]], s=170, marker="*", color=YELLOW, edgecolor="black")
    title = axes.text2D(0.5, 1.05, result.label, transform=axes.transAxes, ha="center")
    title.set(color=result.color, fontsize=13, fontweight="bold")
    counted = f"{n_right} of {len(neighbors)} right"
    axes.text2D(0.5, 0.97, counted, transform=axes.transAxes, ha="center")
    axes.view_init(elev=32, azim=-60)
    axes.set_box_aspect((1, 1, 0.8), zoom=1.4)
    axes.set_axis_off()


def _draw_points(axes: Any, points: Array, **style: Any) -> None:
    """Draw points in space, all equally bright."""
    x, y, z = points.T
    axes.scatter(x, y, z, depthshade=False, **style)


def _draw_along(
    axes: Any,
    position: FloatArray,
    neighbors: IntArray,
    reach: float,
    color: str,
) -> None:
    """Draw each neighbor as a line at its position along the curve, on a band of right ones."""
    text = f"truly nearest {len(neighbors)}"
    axes.axvspan(-reach, reach, color=SKY, alpha=0.5, linewidth=0, label=text)
    axes.vlines(position[neighbors], 0.1, 0.9, color=color, linewidth=0.9)
    axes.set_xlim(position.min(), position.max())
    axes.set_ylim(0, 1)
    axes.set_yticks([])
    axes.spines[["left", "right", "top"]].set_visible(False)
    axes.set_xlabel("position along the helix")
    axes.legend(loc="lower right", bbox_to_anchor=(1, 0.95), **SMALL)


def _draw_bars(axes: Any, results: Sequence[Result], chance: float) -> None:
    """Draw the precision of every method as a bar, and that of random neighbors as a line."""
    for place, result in enumerate(results):
        bar = axes.bar(place, result.precision, color=result.color, width=0.7)
        axes.bar_label(bar, fmt="%.2f", padding=3, fontsize=11)
    axes.axhline(
        chance,
        label=f"chance, {chance:.2f}",
        color=DARK_GRAY,
        linestyle=(0, (2, 2)),
        linewidth=1,
    )
    axes.legend(loc="upper left", **SMALL)
    labels = [result.label.replace(" ", "\n") for result in results]
    axes.set_xticks(range(len(labels)), labels, fontsize=9)
    axes.set_xlim(-0.6, len(labels) - 0.4)
    axes.set_ylim(0, 1.2)
    axes.set_yticks(np.linspace(0, 1, 6))
    axes.spines[["right", "top"]].set_visible(False)
    axes.set_title("precision over all points", fontsize=12)
