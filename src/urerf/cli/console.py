"""Where commands print tables for people."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

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
