"""Options that several commands share."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated

import typer


class Missing(StrEnum):
    """What to do with missing values."""

    handle = "handle"
    error = "error"
    drop = "drop"


class Weighting(StrEnum):
    """How trees draw columns."""

    relevance = "relevance"
    all_groups = "all_groups"
    uniform = "uniform"


INPUT = "Input"
FOREST = "Forest"

Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE",
        help="CSV, TSV, NPY, NPZ, Parquet, Arrow or H5AD, also gzipped; - for stdin.",
    ),
]
Id = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="Column with row names (not used as a feature).",
        rich_help_panel=INPUT,
    ),
]
Label = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="Column with row labels (not used as a feature).",
        rich_help_panel=INPUT,
    ),
]
Ignore = Annotated[
    list[str],
    typer.Option(
        metavar="COLUMN",
        help="Column to skip; can be repeated.",
        rich_help_panel=INPUT,
    ),
]
Header = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        help="Whether the first line contains column names (default: detected).",
        show_default=False,
        rich_help_panel=INPUT,
    ),
]
MissingValues = Annotated[
    Missing,
    typer.Option(
        "--missing",
        help="Missing values: let the forest handle them, report an error, or drop their rows.",
        rich_help_panel=INPUT,
    ),
]
Neighbors = Annotated[
    int,
    typer.Option("-k", "--neighbors", min=1, metavar="K", help="Number of neighbors per row."),
]
Trees = Annotated[
    int,
    typer.Option(min=1, metavar="N", help="Number of trees.", rich_help_panel=FOREST),
]
Weights = Annotated[
    Weighting,
    typer.Option(
        "--weighting",
        help="Use the columns that carry structure, or all columns equally.",
        rich_help_panel=FOREST,
    ),
]
Seed = Annotated[
    int,
    typer.Option(
        min=0,
        metavar="N",
        help="Random seed; the same seed gives the same result.",
        rich_help_panel=FOREST,
    ),
]
Jobs = Annotated[
    int,
    typer.Option(
        metavar="N",
        help="Number of threads; -1 for all cores.",
        rich_help_panel=FOREST,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="Print no notices and no progress.")]
TableOut = Annotated[
    str,
    typer.Option(
        "-o",
        "--out",
        metavar="FILE",
        help="Output file: .csv, .tsv, .json or .parquet; - for stdout.",
    ),
]
GraphOut = Annotated[
    str,
    typer.Option(
        "-o",
        "--out",
        metavar="FILE",
        help=(
            "Output file: .csv, .tsv, .json or .parquet for a list of edges, "
            ".npz for a SciPy sparse matrix; - for stdout."
        ),
    ),
]


@dataclass
class InputOptions:
    """How to read the input."""

    id: Id = None
    label: Label = None
    ignore: Ignore = field(default_factory=list)
    header: Header = None
    missing: MissingValues = Missing.handle


@dataclass
class ForestOptions:
    """How to grow the forest."""

    trees: Trees = 300
    weighting: Weights = Weighting.relevance
    seed: Seed = 0
    jobs: Jobs = -1


def examples(*lines: str) -> str:
    r"""Return the end of a help page.

    >>> print(examples("urerf fit data.csv"))
    <BLANKLINE>
    Examples:
    <BLANKLINE>
      urerf fit data.csv
    """
    return "\nExamples:\n" + "".join(f"\n  {line}" for line in lines)
