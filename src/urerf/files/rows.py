"""From rows of text cells, of a text file or a sheet, to columns.

The first rows decide how every column is read: as numbers in some format, or as text. A column is
numeric if at least four fifths of its filled cells are numbers. If a later cell contradicts this,
the rows above it are read once more, with that column as text, and all of its cells decide what it
is:

* a column with a few cells that are not numbers is an error that names line and column, so that a
  typing error does not turn a numeric column into a category;
* a column with more than a fifth of such cells is text, and a notice says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np

from urerf._memory import check_memory
from urerf._messages import listed
from urerf.kinds.convert import Levels
from urerf.schema import IGNORE, NUMBER, ORDINAL

from .._typing import Array
from .cells import NUMERIC_SHARE, Context
from .data_rows import DataRows
from .encoding import Repair
from .layout import Layout, Row, find_layout, is_data
from .level_column import LevelColumn
from .missing import USUAL, MissingByColumn
from .names import unique_names
from .number_column import NumberColumn
from .number_formats import PLAIN, candidates, decimal_mark, find_format, is_word
from .options import ReadOptions, Roles
from .table import RawTable

# Rows that are parsed together: enough for NumPy to parse a column at once, few enough that the
# cells of a large file are not all in memory as text.
CHUNK = 1000
# Cells that decide the layout and the formats, but at least a few rows of a very wide table.
SAMPLE_CELLS = 100_000
FEWEST_SAMPLE_ROWS = 20
# Memory is checked after so many chunks: what is read so far is needed once more in the end.
CHECKED_CHUNKS = 100
BYTES_PER_VALUE = 8
BYTES_PER_COLUMN = 1000  # of the objects that read it
# Different cells per column that a format has to explain.
MOST_EVIDENCE = 200

AnyColumn = NumberColumn | LevelColumn


def read_rows(
    open_rows: Callable[[], Iterator[Row]],
    name: str,
    options: ReadOptions,
    roles: Roles,
    *,
    names: list[str] | None = None,
    separator: str = ",",
    unit_of_lines: str = "line",
) -> RawTable:
    """Read a table from rows of text.

    Parameters
    ----------
    open_rows : function
        Returns an iterator over all rows, from the start; a blank line has no cells.
    name : str
        Name of the file, for messages.
    options, roles : ReadOptions, Roles
        What the user says.
    names : list of str or None
        Column names, if they are known; None to look for them in the first rows.
    separator : str
        Separator of the cells, for messages and as evidence for the decimal mark.
    unit_of_lines : str
        What the lines of the file are called in messages.
    """
    sample = _sample(open_rows())
    if not any(is_data(row.cells) for row in sample):
        raise ValueError(f"{name}: is empty")
    layout = Layout(names, 0, []) if names else find_layout(sample, options.header, unit_of_lines)
    check_memory(BYTES_PER_COLUMN * len(layout.names), f"{name}:")
    repair = Repair()
    repaired = [repair(text) for text in layout.names]
    names, unnamed, renamed = unique_names(repaired)
    declared = roles.resolve(names, name)
    first_cells = _sample_cells(sample, layout)
    mark = options.decimal or decimal_mark(first_cells, separator)
    formats = candidates(options.decimal, options.thousands, mark)
    missing = MissingByColumn(options.na, names, name)
    context = Context(name, missing, repair, formats, unit_of_lines)
    columns = {}
    for column, cells in zip(names, first_cells):
        kind = declared.get(column)
        if kind != IGNORE:
            columns[column] = _new_column(column, context, kind, cells)

    def data_rows() -> DataRows:
        below_names = islice(open_rows(), layout.first_row, None)
        return DataRows(below_names, layout.names, name, unit_of_lines, separator)

    lines, left_out = _fill(columns, names, data_rows, context)
    n_rows = len(lines)
    empty = np.full(n_rows, np.nan)
    values = dict.fromkeys(names, empty)
    for column, read in columns.items():
        values[column] = read.finish(lines)
    for column in unnamed:
        if len(values) > 1 and _is_empty(values[column]):
            del values[column]
    notices = [
        *layout.notices,
        *left_out,
        *renamed,
        *_units(columns),
        *context.notices,
    ]
    if repair.n_repaired:
        notices.append(
            "The file is not UTF-8 text; it is read as Windows-1252 (Latin-1). If letters look "
            "wrong, give --encoding."
        )
    row_names = None
    first = names[0]
    if first in unnamed and first in values:
        row_names = first
    return RawTable(
        name,
        values,
        n_rows,
        lines=lines,
        notices=notices,
        day_first=True if mark == "," else None,
        unit_of_lines=unit_of_lines,
        row_names=row_names,
        roles=declared,
    )


def _sample(rows: Iterator[Row]) -> list[Row]:
    first = list(islice(rows, FEWEST_SAMPLE_ROWS))
    if not first:
        return []
    widest = max(1, *(len(row.cells) for row in first))
    n_rows = min(CHUNK, SAMPLE_CELLS // widest)
    n_more = max(0, n_rows - len(first))
    more = islice(rows, n_more)
    return [*first, *more]


def _sample_cells(sample: Sequence[Row], layout: Layout) -> list[list[str]]:
    """Return the different filled cells of every column in the first rows."""
    width = len(layout.names)
    data = sample[layout.first_row :]
    rows = [row.cells for row in data if len(row.cells) >= width]
    columns = zip(*rows)
    filled: list[list[str]] = [[] for _ in range(width)]
    for kept, cells in zip(filled, columns):
        different = dict.fromkeys(cells)
        present = (cell.strip() for cell in different if not USUAL.in_numbers(cell))
        kept.extend(islice(present, MOST_EVIDENCE))
    return filled


def _new_column(name: str, context: Context, kind: Any, cells: list[str]) -> AnyColumn:
    """Return an empty column, by its declared kind or else by its first cells."""
    if kind not in (None, NUMBER, ORDINAL):
        return LevelColumn(name, context, kind)
    missing = context.missing.of(name)
    filled = [context.repair(cell) for cell in cells if not missing(cell)]
    form, n_read = find_format(filled, context.formats)
    fewest = NUMERIC_SHARE * len(filled)
    are_numbers = filled and n_read >= fewest
    is_declared = kind == NUMBER
    if is_declared or are_numbers:
        if kind is None:
            context.tell_same_number(name, filled)
            if form == PLAIN:
                context.tell_thousands(name, filled)
        return NumberColumn(name, context, form, is_declared)
    return LevelColumn(name, context)


def _fill(
    columns: dict[str, AnyColumn],
    names: Sequence[str],
    data_rows: Callable[[], DataRows],
    context: Context,
) -> tuple[Array, list[str]]:
    """Fill the columns; return the line of every row, and notices about those that are left out."""
    rows = data_rows()
    lines: list[Array] = []
    for chunk in _chunks(rows):
        for name, cells in _cells_by_column(chunk, names):
            if name in columns:
                columns[name].add(cells)
        lines.append(np.array([row.line for row in chunk]))
        if len(lines) % CHECKED_CHUNKS == 0:
            n_values = CHUNK * len(lines) * len(columns)
            check_memory(BYTES_PER_VALUE * n_values, f"{context.source}:")
    if not lines:
        raise ValueError(f"{context.source}: has a line of column names, but no rows")
    columns.update(_read_as_text(columns, names, data_rows()))
    return np.concatenate(lines), rows.notices()


def _read_as_text(
    columns: Mapping[str, AnyColumn],
    names: Sequence[str],
    rows: Iterable[Row],
) -> dict[str, LevelColumn]:
    """Return the columns that turned out not to be numbers in their format, as text.

    The rows before the first such cell are read again.
    """
    n_chunks = {}
    as_text = {}
    rests = {}
    for name, column in columns.items():
        if isinstance(column, NumberColumn) and column.rest is not None:
            n_chunks[name] = len(column.parts)
            as_text[name] = column.as_text()
            rests[name] = column.rest
    most = max(n_chunks.values(), default=0)
    for i, chunk in enumerate(islice(_chunks(rows), most)):
        for name, cells in _cells_by_column(chunk, names):
            if i < n_chunks.get(name, 0):
                as_text[name].add(cells)
    for name, text in as_text.items():
        text.extend(rests[name])
    return as_text


def _chunks(rows: Iterable[Row]) -> Iterator[list[Row]]:
    iterator = iter(rows)
    while chunk := list(islice(iterator, CHUNK)):
        yield chunk


def _cells_by_column(
    chunk: Sequence[Row],
    names: Sequence[str],
) -> Iterable[tuple[str, tuple[str, ...]]]:
    columns = zip(*(row.cells for row in chunk))
    return zip(names, columns)


def _units(columns: Mapping[str, AnyColumn]) -> list[str]:
    """Return one line about the words after numbers that are left out, such as cm."""
    shown = []
    for name, column in columns.items():
        unit = column.form.unit
        if is_word(unit):
            shown.append(f"{name} ({unit})")
    if not shown:
        return []
    return [f"Numbers with a unit: {listed(shown)}."]


def _is_empty(values: Any) -> bool:
    if isinstance(values, Levels):
        return bool((values.codes < 0).all())
    return bool(np.isnan(values).all())
