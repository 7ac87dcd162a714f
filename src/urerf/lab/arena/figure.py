"""The figure of the arena: one line per case, one mark per method."""

from __future__ import annotations

from typing import Any

from urerf.lab.arena.cases import GROUPS
from urerf.lab.arena.page import cases_of
from urerf.lab.arena.standings import Standing, means_of_uses, standings
from urerf.lab.canvas import panels
from urerf.lab.figures import legend_below, present
from urerf.lab.methods import OURS, Method
from urerf.lab.palette import DARK_GRAY, LIGHT_GRAY, RED
from urerf.lab.words import at
from urerf.lab.writing import short

ROW_HEIGHT = 0.27
LEGEND_HEIGHT = 1.6


def draw(table: Any) -> Any:
    """Draw the best use of every method in every case, cases of a group by our lead."""
    results = ordered(standings(table, cases_of(table)))
    n_lines = len(results) + len(GROUPS)
    figure, axes = panels(1, 1, height=ROW_HEIGHT * n_lines + LEGEND_HEIGHT)
    axes = axes[0, 0]
    place = 0.0
    previous = None
    for result in results:
        if result.case.group != previous:
            place += 1.0
            axes.text(
                -0.01,
                place,
                result.case.group,
                ha="right",
                va="center",
                weight="bold",
            )
            previous = result.case.group
        place += 1.0
        draw_case(axes, table, result, place)
    axes.set_ylim(place + 0.7, 0.4)
    axes.set_xlim(0, 1.02)
    axes.set_yticks([])
    axes.set_xlabel("precision of the best use of each method; | is chance")
    for side in ("left", "right", "top"):
        axes.spines[side].set_visible(False)
    mark_methods(axes, table)
    legend_below(figure, axes, n_columns=5)
    return figure


def ordered(results: list[Standing]) -> list[Standing]:
    """Sort the cases by group and by our lead."""
    by_lead = sorted(results, key=lambda one: -one.lead)
    return sorted(by_lead, key=lambda one: GROUPS.index(one.case.group))


def draw_case(axes: Any, table: Any, result: Standing, place: float) -> None:
    """Draw all methods of a case, its name at the left and the result at the right."""
    case = result.case
    rows = at(table, row=case.label, k=case.k, only_true=False)
    means = means_of_uses(rows).groupby("method").max()
    axes.axhline(place, color=LIGHT_GRAY, linewidth=0.6, zorder=1)
    axes.plot(result.chance, place, marker="|", color=DARK_GRAY, markersize=9)
    for name, style in drawn(rows).items():
        is_urerf = name == "urerf"
        axes.plot(
            means[name],
            place,
            color=style.color,
            marker=style.marker,
            markersize=12 if is_urerf else 5,
            alpha=1.0 if is_urerf else 0.75,
            zorder=4 if is_urerf else 3,
        )
    axes.text(-0.01, place, case.label, ha="right", va="center", fontsize=9)
    words = f"{result.lead:+.3f}"
    if result.lead < 0:
        words = f"{words}  {result.rival} {short(result.theirs)}"
    color = RED if result.is_lost else DARK_GRAY
    axes.text(1.03, place, words, va="center", fontsize=8.5, color=color)


def drawn(table: Any) -> dict[str, Method]:
    """Return the methods that are drawn: of our forests only the default."""
    methods = present(table)
    for name in OURS:
        if name != "urerf":
            methods.pop(name, None)
    return methods


def mark_methods(axes: Any, table: Any) -> None:
    """Add one invisible point per method for the legend."""
    for style in drawn(table).values():
        axes.plot(
            [],
            [],
            label=style.label,
            color=style.color,
            marker=style.marker,
            linestyle="",
        )
