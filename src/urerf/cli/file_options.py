"""The files of a command, and options that say how they are written."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from urerf.files import ReadOptions

PANEL = "File format"
WORDS = {"none": "", "space": " "}  # thousands separators that are hard to type

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


def file_option(text: str, metavar: str, **settings: Any) -> Any:
    """Return an option about how the file is written."""
    return typer.Option(
        metavar=metavar,
        help=text,
        rich_help_panel=PANEL,
        **settings,
    )


Header = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        help="Whether the table begins with column names (default: detected).",
        show_default=False,
        rich_help_panel=PANEL,
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
        "Largest unpacked size of a compressed file (default: 200 times the packed size, or 256 MB "
        "if that is more).",
        "GB",
        min=0,
    ),
]


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
