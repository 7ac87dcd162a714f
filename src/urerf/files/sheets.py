"""Reader for spreadsheets: XLSX, XLS, XLSB and ODS, by calamine, which may hang on damaged ones."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from urerf._memory import check_memory
from urerf._messages import UnknownNameError, hint, listed
from urerf.kinds.convert import number_text

from .apart import read_apart
from .layout import Row, is_blank
from .optional import optional
from .options import ReadOptions, Roles
from .rows import read_rows
from .source import ZIP, Source, check_members, first_line
from .table import RawTable

OLD_SPREADSHEET = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
Range = tuple[tuple[int, int], tuple[int, int]]  # row and column of the first and the last cell
BYTES_PER_CELL = 100  # a Python object in a list


def read_sheet(source: Source, options: ReadOptions, roles: Roles) -> RawTable:
    """Read a sheet: the first one with cells, unless the user names another."""
    if source.start().startswith(ZIP):
        check_members(source, options.max_size)
    wanted = [] if options.sheet is None else [options.sheet]
    grid = read_apart("sheets", source, *wanted)
    rows = []
    for i, cells in enumerate(grid.cells, start=1):
        filled = [] if is_blank(cells) else cells
        rows.append(Row(i, filled))

    def open_rows() -> Iterator[Row]:
        return iter(rows[options.skip :])

    raw = read_rows(open_rows, source.name, options, roles, unit_of_lines="row")
    if grid.others and options.sheet is None:
        others = listed(grid.others)
        raw.notices.append(
            f"Read sheet {grid.name!r}; there is also {others} (choose with --sheet)."
        )
    return raw


class Grid(NamedTuple):
    """A sheet: its name, the names of the others, and the cells of all rows."""

    name: str
    others: list[str]
    cells: list[list[str]]


def load(path: str, name: str, wanted: str | None = None) -> Grid:
    """Read a file on disk."""
    purpose = f"{name}: python-calamine is needed to read spreadsheets"
    calamine = optional("python_calamine", purpose, "files")
    try:
        book = calamine.load_workbook(path)
        names = list(book.sheet_names)
        chosen = _chosen(names, book, wanted, name)
        sheet = book.get_sheet_by_name(chosen)
        n_cells = sheet.total_height * sheet.total_width
        check_memory(BYTES_PER_CELL * n_cells, f"{name}:")
        cells = sheet.to_python(skip_empty_area=False)
    except (UnknownNameError, MemoryError):
        raise
    except BaseException as error:  # a panic of the Rust library is not an Exception
        message = first_line(error)
        if message.startswith(f"{name}:"):
            raise
        raise ValueError(f"{name}: cannot be read as a spreadsheet: {message}") from None
    others = [other for other in names if other != chosen]
    # Absent from versions of calamine before 0.4, and None for formats other than XLSX and XLS.
    merged = getattr(sheet, "merged_cell_ranges", None) or []
    fill_down(cells, merged)
    texts = [[_cell(value) for value in row] for row in cells]
    return Grid(chosen, others, texts)


def fill_down(cells: list[list[Any]], merged: Sequence[Range]) -> None:
    """Write the value of cells that were merged in one column into each of them.

    Cells that were merged across columns are titles, or names of several columns.

    >>> cells = [["north", 1], ["", 2]]
    >>> fill_down(cells, [((0, 0), (1, 0))])
    >>> cells
    [['north', 1], ['north', 2]]
    >>> fill_down(cells, [((0, 7), (1, 7))])  # outside of the table
    """
    width = len(cells[0]) if cells else 0  # empty cells outside of it may be merged, too
    for (top, left), (bottom, right) in merged:
        if left == right < width:
            rows_below = cells[top + 1 : bottom + 1]
            for row in rows_below:
                row[left] = cells[top][left]


def _chosen(
    names: list[str],
    book: Any,
    wanted: str | None,
    source: str,
) -> str:
    """Return the name of the sheet to read."""
    if not names:
        raise ValueError(f"{source}: has no sheets")
    if wanted is None:
        filled = (name for name in names if book.get_sheet_by_name(name).total_height > 1)
        return next(filled, names[0])
    if wanted in names:
        return wanted
    if wanted.isdigit():
        number = int(wanted)
        if 1 <= number <= len(names):
            return names[number - 1]
    advice = hint(wanted, names)
    raise UnknownNameError(f"--sheet: {source} has no sheet {wanted!r}; {advice}")


def _cell(value: Any) -> str:
    """Return a cell as text that is read back exactly."""
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, float):
        return number_text(value)
    if isinstance(value, dt.datetime):
        text = value.isoformat(sep=" ")
        return text.removesuffix(" 00:00:00")
    if isinstance(value, dt.timedelta):
        days = value / dt.timedelta(days=1)
        return repr(days)
    if value is None:
        return ""
    return str(value)
