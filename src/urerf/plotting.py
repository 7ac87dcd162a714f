"""Figures. matplotlib is optional and imported inside; nothing here touches its global state."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .datasets import Manifold

if TYPE_CHECKING:
    from .demo import Result

GREY = "#c8c8c8"
BAND = "#56b4e9"
TITLE: dict[str, Any] = {"fontsize": 13, "fontweight": "bold"}
SMALL: dict[str, Any] = {"fontsize": 8.5, "frameon": False, "borderaxespad": 0.0}


def need_matplotlib() -> None:
    """Raise an ImportError that says how to get matplotlib, where it is missing."""
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError as error:
        raise ImportError("matplotlib is needed for figures: pip install urerf[plot]") from error


def save(figure: Any, path: Path) -> None:
    """Write a figure as PNG; no version or date inside, so that equal figures are equal files."""
    figure.savefig(path, dpi=130, metadata={"Software": None})


def helix_figure(helix: Manifold, results: Sequence[Result], chance: float) -> Any:
    """Draw the neighbours that each method gives one point of the helix, and the precision over all points.

    Parameters
    ----------
    helix : Manifold
        The points without their noise columns.
    results : sequence of Result
        What each method found, in the order of the bars; methods whose name has a comma get a bar
        only.
    chance : float
        Precision of neighbours drawn at random.

    Returns
    -------
    matplotlib.figure.Figure
    """
    need_matplotlib()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    shown = [result for result in results if "," not in result.label]
    figure = Figure(figsize=(13.0, 4.4))
    FigureCanvasAgg(figure)
    left = figure.add_gridspec(
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
    query = int(np.argsort(helix.latent[:, 0])[len(helix) // 2])
    for column, result in enumerate(shown):
        _draw_in_space(
            figure.add_subplot(left[0, column], projection="3d", computed_zorder=False),
            helix,
            query,
            result,
        )
        _draw_along(figure.add_subplot(left[1, column]), helix, query, result)
    _draw_bars(figure.add_axes((0.76, 0.13, 0.23, 0.77)), results, chance)
    return figure


def _draw_in_space(axes: Any, helix: Manifold, query: int, result: Result) -> None:
    """Draw the helix in its three true columns, one point, and its neighbours."""
    axes.scatter(*helix.X.T, s=3, color=GREY, linewidth=0, depthshade=False)
    axes.scatter(
        *helix.X[result.indices[query]].T, s=20, color=result.color, linewidth=0, depthshade=False
    )
    axes.scatter(
        *helix.X[[query]].T, s=170, marker="*", color="#f0e442", edgecolor="black", depthshade=False
    )
    right = int(_is_right(helix, query, result).sum())
    axes.text2D(
        0.5, 1.05, result.label, transform=axes.transAxes, ha="center", color=result.color, **TITLE
    )
    axes.text2D(
        0.5,
        0.97,
        f"{right} of {result.indices.shape[1]} right",
        transform=axes.transAxes,
        ha="center",
    )
    axes.view_init(elev=32, azim=-60)
    axes.set_box_aspect((1, 1, 0.8), zoom=1.4)
    axes.set_axis_off()


def _is_right(helix: Manifold, query: int, result: Result) -> np.ndarray:
    """Return which neighbours of a point are among the truly nearest."""
    away = helix.distances(rows=[query])[0]
    found = result.indices[query]
    return away[found] <= np.sort(away)[len(found)]


def _draw_along(axes: Any, helix: Manifold, query: int, result: Result) -> None:
    """Unroll the helix: a stroke for each neighbour, where it lies along the curve, over the band of the right ones."""
    away = helix.distances(rows=[query])[0]
    place = np.where(helix.latent[:, 0] < helix.latent[query, 0], -away, away)
    found = result.indices[query]
    reach = np.sort(away)[len(found)]
    band = axes.axvspan(-reach, reach, color=BAND, alpha=0.5, linewidth=0)
    axes.vlines(place[found], 0.1, 0.9, color=result.color, linewidth=0.9)
    axes.set_xlim(place.min(), place.max())
    axes.set_ylim(0, 1)
    axes.set_yticks([])
    axes.spines[["left", "right", "top"]].set_visible(False)
    axes.set_xlabel("place along the helix")
    axes.legend(
        [band],
        [f"truly nearest {len(found)}"],
        loc="lower right",
        bbox_to_anchor=(1, 0.95),
        **SMALL,
    )


def _draw_bars(axes: Any, results: Sequence[Result], chance: float) -> None:
    """Draw the precision of every method as a bar, and that of chance as a line."""
    axes.bar(
        range(len(results)),
        [result.precision for result in results],
        color=[r.color for r in results],
        width=0.7,
    )
    for x, result in enumerate(results):
        axes.text(
            x,
            result.precision + 0.015,
            f"{result.precision:.2f}",
            ha="center",
            va="bottom",
            fontsize=11,
        )
    axes.axhline(
        chance, color="#555555", linestyle=(0, (2, 2)), linewidth=1, label=f"chance, {chance:.2f}"
    )
    axes.legend(loc="upper left", **SMALL)
    axes.set_xticks(
        range(len(results)), [result.label.replace(" ", "\n") for result in results], fontsize=9
    )
    axes.set_xlim(-0.6, len(results) - 0.4)
    axes.set_ylim(0, 1.2)
    axes.set_yticks(np.linspace(0, 1, 6))
    axes.spines[["right", "top"]].set_visible(False)
    axes.set_title("precision over all points", fontsize=12)
