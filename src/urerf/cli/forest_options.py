"""Options that say how the forest is grown."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any

import typer

PANEL = "Forest"
AUTO = "auto"


class Weighting(StrEnum):
    """How trees draw columns."""

    relevance = "relevance"
    all_groups = "all_groups"
    uniform = "uniform"


def parse_trees(text: Any) -> Any:
    """Return a number of trees, or "auto".

    >>> parse_trees("auto"), parse_trees("40")
    ('auto', 40)
    """
    if text == AUTO:
        return AUTO
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise typer.BadParameter(f"must be 'auto' or a number of at least 1, got {text!r}")
    return number


Seed = Annotated[
    int,
    typer.Option(
        min=0,
        metavar="N",
        help="Random seed; the same seed gives the same result.",
        rich_help_panel=PANEL,
    ),
]
Jobs = Annotated[
    int,
    typer.Option(
        metavar="N",
        help="Number of threads; -1 for all cores.",
        rich_help_panel=PANEL,
    ),
]


@dataclass
class ForestChoices:
    """How to grow the forest."""

    trees: Annotated[
        Any,
        typer.Option(
            parser=parse_trees,
            metavar="N",
            help="Number of trees, or 'auto': 60 to 150, fewer for tables of many rows.",
            rich_help_panel=PANEL,
        ),
    ] = AUTO
    weighting: Annotated[
        Weighting,
        typer.Option(
            "--weighting",
            help=(
                "Columns to use: those that carry structure; these and the groups of columns that "
                "are otherwise set aside; or all of them."
            ),
            rich_help_panel=PANEL,
        ),
    ] = Weighting.relevance
    seed: Seed = 0
    jobs: Jobs = -1
