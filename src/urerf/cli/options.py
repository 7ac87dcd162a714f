"""Options that several commands share."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .completion import complete_column

if TYPE_CHECKING:
    from urerf.files import ColumnOptions, ReadOptions


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


WORDS = {"none": "", "space": " "}  # thousands separators that are hard to type
INPUT = "Columns"
FILE = "File format"
FOREST = "Forest"
AUTO = "auto"

Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE",
        help=(
            "CSV or other text, JSON, XLSX, ODS, Parquet, Arrow, NPY, NPZ, H5AD, Stata, SPSS or "
            "SAS, also compressed; - for stdin."
        ),
    ),
]


def column_option(text: str, metavar: str = "COLUMN") -> Any:
    """Return an option that takes the name of a column, which shells can complete."""
    return typer.Option(
        metavar=metavar,
        help=text,
        autocompletion=complete_column,
        rich_help_panel=INPUT,
    )


def file_option(text: str, metavar: str, **settings: Any) -> Any:
    """Return an option about how the file is written."""
    return typer.Option(
        metavar=metavar,
        help=text,
        rich_help_panel=FILE,
        **settings,
    )


Id = Annotated[
    list[str],
    column_option("Column with row names (not used as a feature); can be repeated."),
]
OneId = Annotated[
    str | None,
    column_option("Column with row names (default: the one that named the fitted rows)."),
]
Label = Annotated[
    str | None,
    column_option("Column with row labels (not used as a feature)."),
]
Group = Annotated[
    str | None,
    column_option(
        "Column that says which rows belong together, such as a patient (not a feature)."
    ),
]
Ordered = Annotated[
    bool,
    typer.Option(
        "--ordered",
        help="Rows are in order, such as time: rows that follow each other are alike.",
        rich_help_panel=INPUT,
    ),
]
Ignore = Annotated[
    list[str],
    column_option("Column to leave out; can be repeated."),
]
Number = Annotated[
    list[str],
    column_option("Column of numbers, even if it seems to count the rows; can be repeated."),
]
Categorical = Annotated[
    list[str],
    column_option("Column of categories, even if they are numbers; can be repeated."),
]
Ordinal = Annotated[
    list[str],
    column_option(
        "Column of ordered categories, lowest first: size=S,M,L; can be repeated.",
        "COLUMN[=LEVELS]",
    ),
]
Datetime = Annotated[
    list[str],
    column_option(
        "Column of dates; day=dmy or day=mdy says what comes first; can be repeated.",
        "COLUMN[=ORDER]",
    ),
]
Header = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        help="Whether the table begins with column names (default: detected).",
        show_default=False,
        rich_help_panel=FILE,
    ),
]
Separator = Annotated[
    str | None,
    file_option(
        "Separator of the columns of a text file, or tab, space (default: detected).",
        "CHARACTER",
    ),
]
Decimal = Annotated[
    str | None,
    file_option("Decimal mark, such as , (default: detected).", "CHARACTER"),
]
Thousands = Annotated[
    str | None,
    file_option("Thousands separator, or space, none (default: detected).", "CHARACTER"),
]
Encoding = Annotated[
    str | None,
    file_option("Character encoding, such as utf-8 or cp1252 (default: detected).", "NAME"),
]
Na = Annotated[
    list[str],
    file_option(
        "Cell that stands for a missing value: -999 or age=99; can be repeated.",
        "[COLUMN=]VALUE",
    ),
]
Skip = Annotated[
    int,
    file_option("Lines to skip at the top, in addition to titles and comments.", "N", min=0),
]
Sheet = Annotated[
    str | None,
    file_option("Sheet of a spreadsheet, or its number (default: the first).", "NAME"),
]
MaxSize = Annotated[
    float | None,
    file_option(
        "Largest unpacked size of a compressed file (default: 200 times the packed size).",
        "GB",
        min=0,
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


Trees = Annotated[
    Any,
    typer.Option(
        parser=parse_trees,
        metavar="N",
        help="Number of trees, or 'auto': as many as the number of rows calls for.",
        rich_help_panel=FOREST,
    ),
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
Methods = Annotated[
    str | None,
    typer.Option(metavar="NAMES", help="Only these methods, separated by commas."),
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
    """What the columns of the input are."""

    id: Id = field(default_factory=list)
    label: Label = None
    group: Group = None
    ordered: Ordered = False
    ignore: Ignore = field(default_factory=list)
    number: Number = field(default_factory=list)
    categorical: Categorical = field(default_factory=list)
    ordinal: Ordinal = field(default_factory=list)
    datetime: Datetime = field(default_factory=list)
    missing: MissingValues = Missing.handle

    def columns(self) -> ColumnOptions:
        """Return what is declared about columns, as the readers take it."""
        from urerf.files import ColumnOptions  # start-up time

        return ColumnOptions(
            id=tuple(self.id),
            label=self.label,
            group=self.group,
            ignore=tuple(self.ignore),
            number=tuple(self.number),
            categorical=tuple(self.categorical),
            ordinal=tuple(self.ordinal),
            datetime=tuple(self.datetime),
        )


@dataclass
class FileOptions:
    """How the input is written."""

    header: Header = None
    sep: Separator = None
    decimal: Decimal = None
    thousands: Thousands = None
    encoding: Encoding = None
    na: Na = field(default_factory=list)
    skip: Skip = 0
    sheet: Sheet = None
    max_size: MaxSize = None

    def options(self) -> ReadOptions:
        """Return the options as the readers take them."""
        from urerf.files import ReadOptions  # start-up time

        return ReadOptions(
            header=self.header,
            sep=self.sep,
            decimal=self.decimal,
            thousands=WORDS.get(self.thousands or "", self.thousands),
            encoding=self.encoding,
            na=tuple(self.na),
            skip=self.skip,
            sheet=self.sheet,
            max_size=None if self.max_size is None else self.max_size * 1e9,
        )


@dataclass
class ForestOptions:
    """How to grow the forest."""

    trees: Trees = AUTO
    weighting: Weights = Weighting.relevance
    seed: Seed = 0
    jobs: Jobs = -1


def names_in(text: str | None) -> list[str] | None:
    """Return the names in a list separated by commas, or None.

    >>> names_in("urerf,euclidean"), names_in(None)
    (['urerf', 'euclidean'], None)
    """
    return text.split(",") if text else None


def examples(*lines: str) -> str:
    r"""Return the end of a help page.

    >>> print(examples("urerf fit data.csv"))
    <BLANKLINE>
    Examples:
    <BLANKLINE>
      urerf fit data.csv
    """
    return "\nExamples:\n" + "".join(f"\n  {line}" for line in lines)
