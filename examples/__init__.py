"""What geodesic learning is for: worked examples, compared with the usual tool under noise.

`python -m examples [NAME...]` (also `make gallery`) runs them and writes a page with figure and
numbers for each to docs/gallery. An example is a module whose docstring is the text of its page and
whose `run` returns a `Result`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

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
    """The rows of the table of an example, and its figure."""

    rows: list[dict[str, Any]]
    figure: Any


def score_panels(
    rows: list[dict[str, Any]],
    chances: Mapping[str, float | None],
    colors: Mapping[str, str],
) -> Result:
    """Draw one panel per data set; ``chances`` has the score of random answers in each, or None."""
    figure, axes = panels(1, len(chances), height=3.1, sharey=True)
    for one, (data, chance) in zip(axes[0], chances.items()):
        draw_scores(one, rows, data, colors, chance)
        one.label_outer()
    legend_below(figure, axes[0][0])
    return Result(rows, figure)


def draw_scores(
    axes: Any,
    rows: Sequence[dict[str, Any]],
    data: str,
    colors: Mapping[str, str],
    chance: float | None = None,
) -> None:
    """Draw the score of each method on one data set over the number of noise columns."""
    score = list(rows[0])[3]
    mine = [row for row in rows if row["data"] == data]
    noises = sorted({row["noise columns"] for row in mine})
    for method, color in colors.items():
        of_method = [row for row in mine if row["method"] == method]
        values = {row["noise columns"]: row[score] for row in of_method}
        heights = [values[noise] for noise in noises]
        width = 2.2 if color == RED else 1.4
        axes.plot(
            range(len(noises)),
            heights,
            "o-",
            color=color,
            label=method,
            linewidth=width,
        )
    if chance is not None:
        axes.axhline(chance, color=LIGHT_GRAY, linestyle=":")
    axes.set_xticks(range(len(noises)), [f"{noise:,}" for noise in noises])
    axes.set(xlabel="noise columns", ylabel=score, title=data)
    axes.set_ylim(min(0.0, axes.get_ylim()[0]), 1.05)
    axes.spines[["right", "top"]].set_visible(False)
