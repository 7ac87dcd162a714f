"""What geodesic learning is for: worked examples, each beside the usual tool, with more and more noise columns.

`python -m examples [NAME...]` (also `make gallery`) runs them and writes a page with figure and
numbers for each to docs/gallery. An example is a module whose docstring is the text of its page and
whose `run` returns a `Result`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure

NAMES = ("manifold_learning", "clustering", "outliers", "vertex_nomination", "labels")
NOISES = (0, 10, 100, 1000)
# Okabe and Ito's colours, which stay apart for colour-blind readers; the reds are URerF's alone.
RED = "#d00000"
ROSE = "#cc79a7"
BLACK = "#000000"
BLUE = "#0072b2"
ORANGE = "#e69f00"
GREY = "#c8c8c8"


class Result(NamedTuple):
    """The numbers of an example, a mapping for each line of its table, and its figure."""

    rows: list[dict[str, Any]]
    figure: Figure


def new_figure(
    columns: int, width: float = 13.0, height: float = 3.6, **keywords: Any
) -> tuple[Figure, Any]:
    """Return a figure with a row of axes; matplotlib's global state is left alone."""
    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots(1, columns, squeeze=False, **keywords)[0]


def draw_scores(
    axes: Axes, rows: Sequence[dict[str, Any]], score: str, colors: dict[str, str]
) -> None:
    """Draw a score of every method over the number of noise columns."""
    noises = sorted({row["noise columns"] for row in rows})
    for method, color in colors.items():
        values = {row["noise columns"]: row[score] for row in rows if row["method"] == method}
        width = 2.2 if color == RED else 1.4
        axes.plot(
            range(len(noises)),
            [values[n] for n in noises],
            "o-",
            color=color,
            label=method,
            linewidth=width,
        )
    axes.set_xticks(range(len(noises)), [f"{n:,}" for n in noises])
    axes.set_xlabel("noise columns")
    axes.set_ylabel(score)
    axes.set_ylim(min(0.0, axes.get_ylim()[0]), 1.05)
    axes.spines[["right", "top"]].set_visible(False)


def legend_below(figure: Figure, axes: Axes) -> None:
    """Name the lines of one of the axes under the whole figure."""
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False)
