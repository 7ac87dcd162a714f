"""All methods on raw data with 2 to 10 noise columns."""

from __future__ import annotations

from typing import Any

from urerf.paper.experiment import Drawing, Experiment, Plan
from urerf.paper.experiments import _few_columns
from urerf.paper.tasks import Cell


def cells(plan: Plan) -> list[Cell]:
    """All methods at 2 to 10 noise columns."""
    return _few_columns.cells(plan, (2, 6, 10) if plan.quick else range(2, 11, 2), rescaled=False)


def draw(table: Any) -> list[Drawing]:
    """Draw one row of panels."""
    caption = "Precision of 50 neighbours among 1000 points with 2 to 10 columns of Gaussian noise of variance 70."
    return _few_columns.draw(table, "supplement", caption)


EXPERIMENT = Experiment(
    name="supplement",
    title="The first few noise columns",
    asks="How quickly do the methods fall? A closer look at 2 to 10 noise columns, the paper's supplemental figure.",
    reading="As before, on raw data and an ordinary axis.",
    cells=cells,
    draw=draw,
    shows=_few_columns.shows,
)
