"""The figure of the arena: one line per case, one mark per method."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from ..canvas import panels
from ..figures import legend_below, present
from ..methods import OURS, Method
from ..palette import DARK_GRAY, LIGHT_GRAY, RED
from ..words import at
from ..writing import short
from .cases import GROUPS
from .page import cases_of
from .standings import Standing, means_of_uses, standings

# Inches per line of the figure, and of its legend.
ROW_HEIGHT = 0.27
LEGEND_HEIGHT = 1.6


def draw(table: Any) -> Any:
    """Draw the best use of every method in every case, cases of a group by our lead."""
    results = standings(table, cases_of(table))
    results.sort(key=lambda one: (GROUPS.index(one.case.group), -one.lead))
    n_lines = len(results) + len(GROUPS)
    height = ROW_HEIGHT * n_lines + LEGEND_HEIGHT
    figure, grid = panels(1, 1, height=height)
    axes = grid[0, 0]
    place = 0
    for group, own in groupby(results, lambda one: one.case.group):
        place += 1
        axes.text(-0.01, place, group, ha="right", va="center", weight="bold")
        for result in own:
            place += 1
            draw_case(axes, table, result, place)
    axes.set_ylim(place + 0.7, 0.4)
    axes.set_xlim(0, 1.02)
    axes.set_yticks([])
    axes.set_xlabel("precision of the best use of each method; | is chance")
    axes.spines[["left", "right", "top"]].set_visible(False)
    for style in drawn(table).values():  # for the legend
        looks = {"color": style.color, "marker": style.marker, "linestyle": ""}
        axes.plot([], [], label=style.label, **looks)
    legend_below(figure, axes, n_columns=5)
    return figure


def draw_case(axes: Any, table: Any, result: Standing, place: int) -> None:
    """Draw all methods of a case, its name at the left and the result at the right."""
    case = result.case
    rows = at(table, row=case.label, k=case.k, only_true=False)
    best = means_of_uses(rows).groupby("method").max()
    axes.axhline(place, color=LIGHT_GRAY, linewidth=0.6, zorder=1)
    axes.plot(result.chance, place, marker="|", color=DARK_GRAY, markersize=9)
    for name, style in drawn(rows).items():
        looks = {"markersize": 5, "alpha": 0.75, "zorder": 3}
        if name == "urerf":
            looks = {"markersize": 12, "alpha": 1.0, "zorder": 4}
        axes.plot(
            best[name],
            place,
            color=style.color,
            marker=style.marker,
            **looks,
        )
    axes.text(-0.01, place, case.label, ha="right", va="center", fontsize=9)
    words = f"{result.lead:+.3f}"
    if result.lead < 0:
        words += f"  {result.rival} {short(result.theirs)}"
    color = RED if result.is_lost else DARK_GRAY
    axes.text(1.03, place, words, va="center", fontsize=8.5, color=color)


def drawn(table: Any) -> dict[str, Method]:
    """Return the methods that are drawn: of our forests only the default."""
    left_out = set(OURS) - {"urerf"}
    return {name: method for name, method in present(table).items() if name not in left_out}
