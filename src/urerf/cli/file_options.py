"""Options that say how files are written."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from urerf.files import ReadOptions

PANEL = "File format"
WORDS = {"none": "", "space": " "}  # thousands separators that are hard to type


def file_option(text: str, metavar: str, **settings: Any) -> Any:
    """Return an option about how the file is written."""
    return typer.Option(
        metavar=metavar,
        help=text,
        rich_help_panel=PANEL,
        **settings,
    )


@dataclass
class FileChoices:
    """How the input is written."""

    header: Annotated[
        bool | None,
        typer.Option(
            "--header/--no-header",
            help="Whether the table begins with column names (default: detected).",
            show_default=False,
            rich_help_panel=PANEL,
        ),
    ] = None
    sep: Annotated[
        str | None,
        file_option(
            "Separator of the columns of a text file, or tab, space (default: detected).",
            "CHARACTER",
        ),
    ] = None
    decimal: Annotated[
        str | None,
        file_option("Decimal mark, such as , (default: detected).", "CHARACTER"),
    ] = None
    thousands: Annotated[
        str | None,
        file_option("Thousands separator, or space, none (default: detected).", "CHARACTER"),
    ] = None
    encoding: Annotated[
        str | None,
        file_option("Character encoding, such as utf-8 or cp1252 (default: detected).", "NAME"),
    ] = None
    na: Annotated[
        list[str],
        file_option(
            "Cell that stands for a missing value: -999 or age=99; can be repeated.",
            "[COLUMN=]VALUE",
        ),
    ] = field(default_factory=list)
    skip: Annotated[
        int,
        file_option("Lines to skip at the top, in addition to titles and comments.", "N", min=0),
    ] = 0
    sheet: Annotated[
        str | None,
        file_option("Sheet of a spreadsheet, or its number (default: the first).", "NAME"),
    ] = None
    max_size: Annotated[
        float | None,
        file_option(
            "Largest unpacked size of a compressed file (default: 200 times the packed size, or "
            "256 MB if that is more).",
            "GB",
            min=0,
        ),
    ] = None

    def file_options(self) -> ReadOptions:
        """Return the options as the readers take them."""
        from urerf.files import ReadOptions  # start-up time

        return ReadOptions(
            header=self.header,
            sep=self.sep,
            decimal=self.decimal,
            thousands=WORDS.get(self.thousands or "", self.thousands),
            encoding=self.encoding,
            na=self.na,
            skip=self.skip,
            sheet=self.sheet,
            max_size=None if self.max_size is None else self.max_size * 1e9,
        )
