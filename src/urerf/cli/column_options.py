"""Options that say what the columns of a file are."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .completion import complete_column

if TYPE_CHECKING:
    from urerf.files import ColumnOptions

PANEL = "Columns"


class Missing(StrEnum):
    """What to do with missing values."""

    handle = "handle"
    error = "error"
    drop = "drop"


def column_option(text: str, metavar: str = "COLUMN") -> Any:
    """Return an option that takes the name of a column, which shells can complete."""
    return typer.Option(
        metavar=metavar,
        help=text,
        autocompletion=complete_column,
        rich_help_panel=PANEL,
    )


OneId = Annotated[
    str | None,
    column_option("Column with row names (default: the one that named the fitted rows)."),
]
MissingValues = Annotated[
    Missing,
    typer.Option(
        "--missing",
        help="Missing values: let the forest handle them, report an error, or drop their rows.",
        rich_help_panel=PANEL,
    ),
]


@dataclass
class ColumnChoices:
    """What the columns of the input are."""

    id: Annotated[
        list[str],
        column_option("Column with row names (not used as a feature); can be repeated."),
    ] = field(default_factory=list)
    label: Annotated[
        str | None,
        column_option("Column with row labels (not used as a feature)."),
    ] = None
    group: Annotated[
        str | None,
        column_option(
            "Column that says which rows belong together, such as a patient "
            "(not used as a feature)."
        ),
    ] = None
    ordered: Annotated[
        bool,
        typer.Option(
            "--ordered",
            help="Rows are in order, such as time: rows that follow each other are alike.",
            rich_help_panel=PANEL,
        ),
    ] = False
    ignore: Annotated[
        list[str],
        column_option("Column to leave out; can be repeated."),
    ] = field(default_factory=list)
    number: Annotated[
        list[str],
        column_option("Column of numbers, even if it seems to count the rows; can be repeated."),
    ] = field(default_factory=list)
    categorical: Annotated[
        list[str],
        column_option("Column of categories, even if they are numbers; can be repeated."),
    ] = field(default_factory=list)
    ordinal: Annotated[
        list[str],
        column_option(
            "Column of ordered categories, lowest first: size=S,M,L; can be repeated.",
            "COLUMN[=LEVELS]",
        ),
    ] = field(default_factory=list)
    datetime: Annotated[
        list[str],
        column_option(
            "Column of dates; day=dmy or day=mdy says what comes first; can be repeated.",
            "COLUMN[=ORDER]",
        ),
    ] = field(default_factory=list)
    missing: MissingValues = Missing.handle

    def column_options(self) -> ColumnOptions:
        """Return what is declared about columns, as the readers take it."""
        from urerf.files import ColumnOptions  # start-up time

        return ColumnOptions(
            id=self.id,
            label=self.label,
            group=self.group,
            ignore=self.ignore,
            number=self.number,
            categorical=self.categorical,
            ordinal=self.ordinal,
            datetime=self.datetime,
        )
