"""From rows of text cells, of a text file or a sheet, to columns.

The first rows decide how every column is read: as numbers in some format, or as text. A column is
numeric if at least four fifths of its filled cells are numbers. Cells that contradict this later
make the reader decide again with more evidence, and start from the beginning. In the end

* a column with a few cells that are not numbers is an error that names line and column, so that a
  typing error does not turn a numeric column into a category;
* a column with more than a fifth of such cells is text, and a notice says so.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from urerf._messages import MOST_NAMES, count, listed, plural
from urerf.convert import Levels
from urerf.schema import IGNORE, NUMBER, ORDINAL

from .._typing import Array
from .arrays import check_memory
from .cells import NUMERIC_SHARE, Context, ReinterpretError, SkippedColumn
from .encoding import Repair
from .layout import Layout, Row, find_layout, is_blank, is_comment, is_data, left_out
from .level_column import LevelColumn
from .missing import Missing, MissingByColumn
from .number_column import NumberColumn
from .number_formats import (
    PLAIN,
    NumberFormat,
    candidates,
    decimal_mark,
    find_format,
    is_word,
    looks_numeric,
    parse_one,
)
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
# Lines below the table: sources and remarks.
MOST_BELOW = 100
LONG_REMARK = 40  # characters; a row name is shorter
# The colon of "Source: x" and "https://", but not of 12:30 and GO:0008150.
COLON = re.compile(r":(?:\s|//|$)")
# Different cells per column that a format has to explain.
MOST_EVIDENCE = 200

SKIP = "skip"
NUMBERS = "numbers"
TEXT = "text"

AnyColumn = NumberColumn | LevelColumn | SkippedColumn
OpenRows = Callable[[], Iterator[Row]]


def read_rows(
    open_rows: OpenRows,
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
        Returns an iterator over all rows that are not blank, from the start.
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
    if names is None:
        layout = find_layout(sample, options.header, unit_of_lines)
    else:
        layout = Layout(names, 0, [])
    check_memory(BYTES_PER_COLUMN * len(layout.names), name)
    repair = Repair()
    names, unnamed, renamed = unique_names([repair(text) for text in layout.names])
    declared = roles.resolve(names, name)
    cells = _sample_cells(sample, layout)
    mark = options.decimal or decimal_mark(cells, separator)
    formats = candidates(options.decimal, options.thousands, mark)
    missing = MissingByColumn(options.na, names, name)
    context = Context(name, missing, repair, formats, unit_of_lines)
    plans = [
        _plan(column, context, declared.get(column), evidence)
        for column, evidence in zip(names, cells)
    ]
    values, lines = _read_columns(open_rows, layout, plans, context, separator)
    row_names = names[0] if layout.names[0] == "" else None
    for column in {row_names, *unnamed}:
        if column in values and len(values) > 1 and _is_empty(values[column]):
            del values[column]
    notices = [*layout.notices, *context.row_notices, *renamed, *_units(plans), *context.notices]
    if repair.n_repaired:
        notices.append(
            "The file is not UTF-8 text; it is read as Windows-1252 (Latin-1). If letters look "
            "wrong, give --encoding."
        )
    return RawTable(
        name,
        values,
        len(lines),
        lines=lines,
        notices=notices,
        day_first=True if mark == "," else None,
        unit_of_lines=unit_of_lines,
        row_names=row_names if row_names in values else None,
    )


def _units(plans: Sequence[Plan]) -> list[str]:
    """Return one line about the words after numbers that are left out, such as cm."""
    shown = [f"{plan.name} ({plan.form.unit})" for plan in plans if is_word(plan.form.unit)]
    return [f"Numbers with a unit: {listed(shown)}."] if shown else []


def unique_names(names: Sequence[str]) -> tuple[list[str], set[str], list[str]]:
    """Return names that are all different, those that were empty, and what to tell the user.

    >>> unique_names(["", "a", "", "a"])
    (['rownames', 'a', 'x2', 'a.1'], {'x2'}, ["2 columns are named 'a'; the second is called a.1."])
    """
    taken = set(names)
    numbers: dict[str, int] = {}
    seen = set()
    result: list[str] = []
    copies: dict[str, list[str]] = {}
    for i, name in enumerate(names):
        new = name
        if not name:
            new = _free("rownames" if i == 0 else f"x{i}", taken, numbers)
        elif name in seen:
            new = _free(name, taken, numbers)
            copies.setdefault(name, []).append(new)
        taken.add(new)
        seen.add(new)
        result.append(new)
    unnamed = {new for new, name in zip(result[1:], names[1:]) if not name}
    notices = []
    for name, others in islice(copies.items(), MOST_NAMES):
        which = "second is" if len(others) == 1 else "others are"
        n_columns = len(others) + 1
        notices.append(
            f"{n_columns} columns are named {name!r}; the {which} called {listed(others)}."
        )
    n_more = len(copies) - MOST_NAMES
    if n_more > 0:
        appear = "appears" if n_more == 1 else "appear"
        notices.append(f"{count(n_more, 'other name')} {appear} more than once.")
    return result, unnamed, notices


def _free(name: str, taken: set[str], numbers: dict[str, int]) -> str:
    """Return a name that is not taken, numbered as pandas and R do.

    ``numbers`` are the last numbers that were tried: 100,000 columns may have the same name.
    """
    new = name
    while new in taken:
        numbers[name] = numbers.get(name, 0) + 1
        new = f"{name}.{numbers[name]}"
    return new


def _sample(rows: Iterator[Row]) -> list[Row]:
    first = list(islice(rows, FEWEST_SAMPLE_ROWS))
    if not first:
        return []
    widest = max(len(row.cells) for row in first)
    n_rows = min(CHUNK, SAMPLE_CELLS // widest)
    return [*first, *islice(rows, max(0, n_rows - len(first)))]


def _sample_cells(sample: Sequence[Row], layout: Layout) -> list[list[str]]:
    """Return the different filled cells of every column in the first rows."""
    width = len(layout.names)
    rows = [row.cells for row in sample[layout.first_row :] if len(row.cells) >= width]
    missing = Missing()
    filled: list[list[str]] = [[] for _ in range(width)]
    for kept, cells in zip(filled, zip(*rows)):
        different = dict.fromkeys(cells)
        present = (cell.strip() for cell in different if not missing.in_numbers(cell))
        kept.extend(islice(present, MOST_EVIDENCE))
    return filled


class Plan(NamedTuple):
    """How a column is to be read: not at all, as numbers in a format, or as text."""

    name: str
    way: str
    declared: bool = False
    form: NumberFormat = PLAIN
    evidence: tuple[str, ...] = ()

    def make(self, context: Context) -> AnyColumn:
        """Return an empty column."""
        if self.way == SKIP:
            return SkippedColumn(self.name)
        if self.way == TEXT:
            return LevelColumn(self.name, context, self.declared)
        return NumberColumn(self.name, context, self.form, self.evidence, self.declared)


def _plan(name: str, context: Context, role: Any, cells: list[str]) -> Plan:
    """Decide how to read a column by what was declared, or else by its first cells."""
    if role == IGNORE:
        return Plan(name, SKIP)
    if role is not None and role not in (NUMBER, ORDINAL):
        return Plan(name, TEXT, declared=True)
    missing = context.missing.of(name)
    cells = [context.repair(cell) for cell in cells if not missing(cell)]
    form, n_read = find_format(cells, context.formats)
    is_number = role == NUMBER or (cells and n_read >= NUMERIC_SHARE * len(cells))
    if not is_number:
        return Plan(name, TEXT)
    evidence = tuple(cell for cell in cells if parse_one(cell, form) is not None)
    return Plan(name, NUMBERS, role == NUMBER, form, evidence)


def _read_columns(
    open_rows: OpenRows,
    layout: Layout,
    plans: list[Plan],
    context: Context,
    separator: str,
) -> tuple[dict[str, Any], Array]:
    """Read all columns, again if some have to be read in another way."""
    while True:
        columns = [plan.make(context) for plan in plans]
        context.notices.clear()
        context.row_notices.clear()
        changes: dict[int, ReinterpretError] = {}
        lines = _fill(open_rows(), layout, columns, context, separator, changes)
        if not changes:
            values = _finish(columns, lines, changes)
            if not changes:
                return values, lines
        for i, change in changes.items():
            plans[i] = plans[i]._replace(
                way=TEXT if change.form is None else NUMBERS,
                form=change.form or PLAIN,
                evidence=change.evidence,
            )


def _finish(
    columns: Sequence[AnyColumn],
    lines: Array,
    changes: dict[int, ReinterpretError],
) -> dict[str, Any]:
    """Return the values of all columns, except for those that ``changes`` then contains."""
    values = {}
    for i, column in enumerate(columns):
        try:
            values[column.name] = column.finish(lines)
        except ReinterpretError as change:
            changes[i] = change
    return values


def _fill(
    rows: Iterator[Row],
    layout: Layout,
    columns: Sequence[AnyColumn],
    context: Context,
    separator: str,
    changes: dict[int, ReinterpretError],
) -> Array:
    """Add all rows to the columns; return the line of every row.

    Columns that have to be read in another way are noted in ``changes``. After the first, as many
    rows again are read to find more of them: a file whose columns change one after the other is
    not read once per column.
    """
    data = DataRows(layout, context, separator).of(rows)
    lines: list[Array] = []
    end = math.inf
    while len(lines) < end and (chunk := list(islice(data, CHUNK))):
        chunk_lines = [row.line for row in chunk]
        for i, cells in enumerate(zip(*(row.cells for row in chunk))):
            if i in changes:
                continue
            try:
                columns[i].add(cells, chunk_lines)
            except ReinterpretError as change:
                changes[i] = change
        lines.append(np.array(chunk_lines))
        if changes:
            end = min(end, 2 * len(lines))
        if len(lines) % CHECKED_CHUNKS == 0:
            n_values = CHUNK * len(lines) * len(columns)
            check_memory(BYTES_PER_VALUE * n_values, context.source)
    if not lines:
        raise ValueError(f"{context.source}: has a line of column names, but no rows")
    return np.concatenate(lines)


class DataRows:
    """The rows of a table, and what is left out of them.

    Lines that repeat the column names, as where files were joined, comments, and remarks below the
    table are left out; the first and the last with a notice, once all rows were read.
    """

    def __init__(self, layout: Layout, context: Context, separator: str) -> None:
        self.names = layout.names
        self.width = len(layout.names)
        self.first_row = layout.first_row
        self.context = context
        self.separator = separator
        self.repeated: list[int] = []
        self.remarks: list[Row] = []  # left out if no other row follows

    def of(self, rows: Iterator[Row]) -> Iterator[Row]:
        """Yield the rows of the table; all must have as many cells as there are columns."""
        is_first = True
        for row in islice(rows, self.first_row, None):
            if self._is_skipped(row):
                continue
            is_remark = _is_remark(row.cells, self.width, follows=bool(self.remarks))
            self.remarks.append(row)
            if is_remark and not is_first and len(self.remarks) <= MOST_BELOW:
                continue
            is_first = False
            yield from map(self._with_width, self.remarks)
            self.remarks.clear()
        self._tell()

    def _is_skipped(self, row: Row) -> bool:
        """Return whether a line is blank, a comment, or repeats the column names."""
        if self.width > 1 and row.cells == self.names:
            self.repeated.append(row.line)
            return True
        if len(row.cells) == self.width:
            return self.width > 1 and is_blank(row.cells)
        return is_blank(row.cells) or is_comment(row.cells)

    def _with_width(self, row: Row) -> Row:
        """Return a row without blank cells at its end, if there are too many."""
        n_cells = len(row.cells)
        if n_cells == self.width:
            return row
        if n_cells > self.width and is_blank(row.cells[self.width :]):
            return Row(row.line, row.cells[: self.width])
        unit = self.context.unit_of_lines
        raise ValueError(
            f"{self.context.source}: {unit} {row.line} has {count(n_cells, 'cell')}, but the first "
            f"{unit} has {self.width} (separated by {self.separator!r})"
        )

    def _tell(self) -> None:
        unit = self.context.unit_of_lines
        notices = self.context.row_notices
        if self.remarks:
            notices.append(f"{left_out(self.remarks, unit)} left out: the table ends above.")
        if self.repeated:
            places = listed([f"{line:,}" for line in self.repeated])
            lines_are = plural(len(self.repeated), unit)
            notices.append(f"Left out because of repeated column names: {lines_are} {places}.")


def _is_remark(cells: Sequence[str], width: int, follows: bool) -> bool:
    """Return whether a line may be a remark below the table, such as its source.

    It has no numbers, and text in the first cell only, or fewer or more cells than there are
    columns. It is one cell, or begins with a sentence, or ``follows`` a remark. Other rows with too
    few or too many cells are mistakes.
    """
    if any(map(looks_numeric, cells)):
        return False
    if len(cells) == width and (width < 3 or not is_blank(cells[1:])):
        return False
    is_sentence = len(cells[0]) > LONG_REMARK or COLON.search(cells[0]) is not None
    return follows or is_sentence or len(cells) == 1 < width


def _is_empty(values: Any) -> bool:
    if isinstance(values, Levels):
        return bool((values.codes < 0).all())
    return bool(np.isnan(values).all())
