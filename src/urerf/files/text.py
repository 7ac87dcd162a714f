"""Reader for separated text, which needs only the standard library and NumPy.

A column is numeric if at least half of its filled cells are numbers, in the first chunk of rows in
which it has any. From then on, anything else in it is an error that states line and column, so that
a typing error does not turn a numeric column into a category.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterator, Sequence
from itertools import chain, islice
from typing import BinaryIO

import numpy as np

from .raw import RawColumns, is_missing, stack

# Rows that are parsed together: enough for NumPy to parse a column at once, few enough that the
# cells of a large file are not all in memory as text.
CHUNK = 1000
SEPARATORS = ",\t;|"
# Characters in a cell. The limit stops a quote that is never closed from reading the whole file
# into one cell; the standard library's own, 131,072, refuses long texts in columns not used.
LONGEST_CELL = 1 << 24


def read_text(
    file: BinaryIO,
    source: str,
    *,
    header: bool | None,
    as_text: Collection[str],
    skip: Collection[str] = (),
) -> RawColumns:
    """Read separated text.

    Parameters
    ----------
    file : binary file
        UTF-8 text, separated by commas, tabs, semicolons, vertical bars or spaces: the one that
        occurs most often in the first line.
    source : str
        Name of the file, for messages.
    header : bool or None
        Whether the first line contains column names; None to detect it from the first two lines.
    as_text : collection of str
        Columns to read as text, even if their cells are numbers.
    skip : collection of str
        Columns to skip.
    """
    if file.peek(2)[:2] in (b"\xff\xfe", b"\xfe\xff"):  # type: ignore[attr-defined]
        raise ValueError(f"{source}: is UTF-16 text; save it as UTF-8")
    # A byte that is not UTF-8 becomes a lone surrogate, to be reported with its line and column.
    with io.TextIOWrapper(file, encoding="utf-8-sig", errors="surrogateescape", newline="") as text:
        return _read(_rows(text, source), source, header, as_text, skip)


def _read(
    rows: Iterator[tuple[int, list[str]]],
    source: str,
    header: bool | None,
    as_text: Collection[str],
    skip: Collection[str],
) -> RawColumns:
    start = list(islice(rows, 2))
    if not start:
        raise ValueError(f"{source}: is empty")
    first_cells = start[0][1]
    if header is None:
        header = has_header([cells for _, cells in start])
    if header:
        names = _names(first_cells, source)
        rows = chain(start[1:], rows)
    else:
        names = [f"x{i}" for i in range(len(first_cells))]
        rows = chain(start, rows)
    columns = [TextColumn(name, source, name in as_text) for name in names]
    used = [i for i, name in enumerate(names) if name not in skip]
    lines: list[int] = []
    while chunk := list(islice(rows, CHUNK)):
        chunk_lines = [line for line, _ in chunk]
        cells = list(zip(*(row for _, row in chunk)))
        for i in used:
            columns[i].add(cells[i], chunk_lines)
        lines += chunk_lines
    if not lines:
        raise ValueError(f"{source}: has a line of column names, but no rows")
    return _finish([columns[i] for i in used], source, lines)


def _finish(columns: list[TextColumn], source: str, lines: list[int]) -> RawColumns:
    """Gather the columns; a first column without a name holds row names, as in data frames."""
    texts = {column.name: column.texts() for column in columns if column.kind == "text"}
    ids = texts.pop("", None)
    numeric = [column for column in columns if column.kind != "text"]
    names = [column.name for column in numeric]
    numbers = stack([column.numbers() for column in numeric], len(lines))
    return RawColumns(source, names, numbers, texts, ids, np.array(lines))


class TextColumn:
    """A column of a text file, filled chunk by chunk."""

    def __init__(self, name: str, source: str, as_text: bool) -> None:
        self.name = name
        self.source = source
        self.kind = "text" if as_text or name == "" else None
        self.parts: list[np.ndarray] = []
        self.cells: list[str] = []

    def add(self, cells: Sequence[str], lines: Sequence[int]) -> None:
        """Add the next cells, which are on the given lines."""
        if self.kind is None:
            self._detect_kind(cells)
        if self.kind == "text":
            self._check_utf8(cells, lines)
            self.cells += cells
        else:
            self.parts.append(self._parse(cells, lines))

    def _detect_kind(self, cells: Sequence[str]) -> None:
        """Set the kind, unless all cells are empty."""
        filled = [cell for cell in cells if not is_missing(cell)]
        if not filled:
            return
        n_numbers = sum(map(is_number, filled))
        if 2 * n_numbers >= len(filled):
            self.kind = "number"
        else:
            self.kind = "text"
            n_before = sum(map(len, self.parts))
            self.cells = [""] * n_before

    def texts(self) -> list[str]:
        """Return all cells of a text column, without surrounding spaces."""
        return [cell.strip() for cell in self.cells]

    def numbers(self) -> np.ndarray:
        """Return all values of a numeric column."""
        return np.concatenate(self.parts)

    def _parse(self, cells: Sequence[str], lines: Sequence[int]) -> np.ndarray:
        try:
            values = np.array(cells, dtype=np.float64)
        except ValueError:
            values = np.array([self._parse_one(cell, line) for cell, line in zip(cells, lines)])
        if np.isinf(values).any():
            i = int(np.isinf(values).argmax())
            cell = cells[i].strip()
            raise ValueError(
                f"{self._place(lines[i])}: {cell!r} is infinite; values must be finite"
            )
        return values

    def _parse_one(self, cell: str, line: int) -> float:
        if is_missing(cell):
            return np.nan
        try:
            return float(cell)
        except ValueError:
            shown = cell.strip().encode("utf-8", "replace").decode()
            raise ValueError(
                f"{self._place(line)}: {shown[:40]!r} is not a number; fix it, clear the cell, "
                f"or skip the column with --ignore {self.name!r}"
            ) from None

    def _check_utf8(self, cells: Sequence[str], lines: Sequence[int]) -> None:
        try:
            "".join(cells).encode()
        except UnicodeEncodeError:
            bad = next(line for cell, line in zip(cells, lines) if not _is_utf8(cell))
            raise ValueError(
                f"{self._place(bad)}: is not UTF-8 text; save the file as UTF-8"
            ) from None

    def _place(self, line: int) -> str:
        return f"{self.source}: line {line}, column {self.name!r}"


def is_number(cell: str) -> bool:
    """Return whether a cell is a number.

    >>> is_number(" 1e-3 "), is_number("1,5"), is_number("x")
    (True, False, False)
    """
    try:
        float(cell)
    except ValueError:
        return False
    return True


def has_header(start: Sequence[Sequence[str]]) -> bool:
    """Return whether the first of the first two lines seems to contain column names.

    It does if none of its cells is a number, or if a number follows below a cell that is not one.

    >>> has_header([["id", "2001"], ["7", "0.5"]])
    True
    >>> has_header([["5.1", "setosa"], ["4.9", "setosa"]])
    False
    """
    first = start[0]
    if not any(map(is_number, first)):
        return True
    if len(start) == 1:
        return False
    return any(
        is_number(below) and not is_number(cell) and not is_missing(cell)
        for cell, below in zip(first, start[1])
    )


def _rows(text: io.TextIOWrapper, source: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the line number and the cells of every line that is not blank.

    All lines must have as many cells as the first.
    """
    csv.field_size_limit(LONGEST_CELL)
    first = ""
    n_before = -1
    while not first.strip():
        first = text.readline()
        if not first:
            return
        n_before += 1
    separator = separator_of(first)
    lines = chain([first], text)
    by_spaces = separator == " "
    reader = csv.reader(lines, delimiter=separator, skipinitialspace=by_spaces, strict=True)
    width = 0
    try:
        for cells in reader:
            if not cells or (len(cells) == 1 and not cells[0].strip() and width > 1):
                continue
            width = width or len(cells)
            line = reader.line_num + n_before
            if len(cells) != width:
                raise ValueError(
                    f"{source}: line {line} has {len(cells)} cells, but the first line has "
                    f"{width} (separated by {separator!r})"
                )
            yield line, cells
    except csv.Error as error:
        raise ValueError(f"{source}: line {reader.line_num + n_before}: {error}") from None


def separator_of(line: str) -> str:
    """Return the separator that occurs most often in a line.

    >>> separator_of("a;b;c,d"), separator_of("1 2 3"), separator_of("a")
    (';', ' ', ',')
    """
    best = max(SEPARATORS, key=line.count)
    if best in line:
        return best
    return " " if " " in line.strip() else ","


def _names(cells: Sequence[str], source: str) -> list[str]:
    """Return the column names; an empty first one is kept (row names), others are numbered."""
    names = [cell.strip() or (f"x{i}" if i else "") for i, cell in enumerate(cells)]
    first_with: dict[str, int] = {}
    for i, name in enumerate(names):
        place = f"{source}: line 1, column {i + 1}"
        if not _is_utf8(name):
            raise ValueError(f"{place}: is not UTF-8 text; save the file as UTF-8")
        first = first_with.setdefault(name, i)
        if first < i:
            raise ValueError(
                f"{place}: has the same name as column {first + 1}, {name!r}; "
                "column names must be unique"
            )
    return names


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
