"""Studies of all methods over one setting: a table of settings, and what to report of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .. import figures
from ..study import QUICK_SIDE_METHODS, Drawing, PaperStudy, Plan, on_simulations
from ..trial import Trial
from ..words import at, ours_and_best_rival

Grid = dict[str, Iterable[Any]]


def sweep(
    name: str,
    *,
    grid: Grid,
    quick: Grid,
    x: str,
    xlabel: str,
    caption: str,
    reported: Mapping[str, Mapping[str, Any]],
    **texts: str,
) -> PaperStudy:
    """Return a study of all methods on the simulations of the paper.

    Parameters
    ----------
    name : str
        Name of the study.
    grid, quick : mapping
        Values of settings, which are combined, and those that differ in a quick run.
    x, xlabel : str
        Column of the horizontal axis, and its label.
    caption : str
        Caption of the figure. Unless `x` is the number of noise columns, there is one figure for
        each number of them, which the caption has as ``{noise}``.
    reported : mapping
        Which rows are put into words, by the words that say which.
    **texts : str
        Title, question and how to read the figures.
    """

    def trials(plan: Plan) -> list[Trial]:
        values = grid | quick if plan.quick else grid
        return on_simulations(plan, plan.keep(quick=QUICK_SIDE_METHODS), **values)

    def draw(table: Any) -> list[Drawing]:
        if x == "noise":
            return [Drawing(name, caption, figures.method_panels(table, x, xlabel))]
        drawings = []
        for noise, rows in table.groupby("noise"):
            figure = figures.method_panels(rows, x, xlabel)
            drawing = Drawing(f"{name}_{noise}", caption.format(noise=noise), figure)
            drawings.append(drawing)
        return drawings

    def shows(table: Any) -> list[str]:
        sentences = []
        for words, where in reported.items():
            scores = ours_and_best_rival(at(table, **where))
            sentences.append(f"{words}: {scores}.")
        return sentences

    return PaperStudy(name, trials=trials, draw=draw, shows=shows, **texts)
