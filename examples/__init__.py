"""What geodesic learning is for: worked examples, compared with the usual tool under noise.

`python -m examples [NAME...]` (also `make gallery`) runs them and writes a page with figure and
numbers for each to docs/gallery. An example is a module whose docstring is the text of its page and
whose `run` returns a `Result`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

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
        values = {row["noise columns"]: row[score] for row in mine if row["method"] == method}
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
