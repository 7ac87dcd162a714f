"""Where commands print tables for people."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from urerf._messages import one_line

if TYPE_CHECKING:
    from rich.console import Console

# Characters per line of a table that is printed to a file or to another program.
FILE_WIDTH = 100


def make_console() -> Console:
    """Return the standard output: as wide as the terminal, $COLUMNS, or else `FILE_WIDTH`."""
    from rich.console import Console  # start-up time

    console = Console(highlight=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = FILE_WIDTH
    return console


def print_table(
    head: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    numbers: Collection[str] = (),
    unbroken: Collection[str] = (),
    styles: Mapping[str, str] | None = None,
) -> None:
    """Print a table.

    Columns of ``numbers`` are aligned to the right, those that are ``unbroken`` keep on one line,
    and ``styles`` gives a style to some rows, by their first cell.
    """
    from rich.table import Table  # start-up time
    from rich.text import Text

    table = Table()
    for name in head:
        is_number = name in numbers
        table.add_column(
            name,
            justify="right" if is_number else "left",
            no_wrap=is_number or name in unbroken,
            overflow="fold",
        )
    for row in rows:
        cells = [Text(one_line(cell)) for cell in row]
        style = styles.get(row[0]) if styles else None
        table.add_row(*cells, style=style)
    make_console().print(table)
