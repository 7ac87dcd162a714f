"""What geodesic learning is for: worked examples, compared with the usual tool under noise.

`python -m examples [NAME...]` (also `make gallery`) runs them and writes a page with figure and
numbers for each to docs/gallery. An example is a module whose docstring is the text of its page and
whose `run` returns a `Result`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import pandas as pd

from urerf.lab.canvas import panels
from urerf.lab.figures import legend_below
from urerf.lab.palette import LIGHT_GRAY, RED

NAMES = (
    "manifold_learning",
    "clustering",
    "outliers",
    "vertex_nomination",
    "labels",
    "controls",
)
NOISES = (0, 10, 100, 1000)


class Result(NamedTuple):
    """The scores of an example, and its figure.

    The table has the columns data, noise columns and method, and one column per score. If a method
    has several rows, its score is their mean.
    """

    table: pd.DataFrame
    figure: Any


def compare(
    data: Iterable[str],
    noises: Iterable[int],
    score: Callable[[str, int], Iterable[Mapping[str, Any]]],
) -> pd.DataFrame:
    """Return the table of an example.

    Parameters
    ----------
    data : iterable of str
        Names of the data sets.
    noises : iterable of int
        Numbers of noise columns.
    score : callable
        From a data set and a number of noise columns to rows with a method and its scores.
    """
    rows = []
    for name in data:
        for noise in noises:
            where = {"data": name, "noise columns": noise}
            rows += [where | row for row in score(name, noise)]
    return pd.DataFrame(rows)


def score_panels(
    table: pd.DataFrame,
    chances: Mapping[str, float | None],
    colors: Mapping[str, str],
) -> Result:
    """Draw one panel per data set; ``chances`` has the score of random answers in each, or None."""
    figure, axes = panels(1, len(chances), height=3.1, sharey=True)
    for one, (data, chance) in zip(axes[0], chances.items()):
        draw_scores(one, table, data, colors, chance)
        one.label_outer()
    legend_below(figure, axes[0][0])
    return Result(table, figure)


def draw_scores(
    axes: Any,
    table: pd.DataFrame,
    data: str,
    colors: Mapping[str, str],
    chance: float | None = None,
) -> None:
    """Draw the first score of each method on one data set over the number of noise columns."""
    score = table.columns[3]
    mine = table[table["data"] == data]
    scores = mine.pivot_table(score, "noise columns", "method")
    places = range(len(scores))
    for method, color in colors.items():
        width = 2.2 if color == RED else 1.4
        axes.plot(
            places,
            scores[method],
            "o-",
            color=color,
            label=method,
            linewidth=width,
        )
    if chance is not None:
        axes.axhline(chance, color=LIGHT_GRAY, linestyle=":")
    axes.set_xticks(places, scores.index.map("{:,}".format))
    axes.set(xlabel="noise columns", ylabel=score, title=data)
    axes.set_ylim(min(0.0, axes.get_ylim()[0]), 1.05)
    axes.spines[["right", "top"]].set_visible(False)
