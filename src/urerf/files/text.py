"""Separated text to columns, by the standard library alone.

A column is one of numbers if at least half of its first filled cells are numbers (those of the
first `CHUNK` rows that have any). From then on, anything else in it is an error that names line and
column, so that a slip of the pen is not taken for a category.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterator, Sequence
from itertools import chain, islice
from typing import BinaryIO

import numpy as np

from .raw import Raw, is_missing, stack

CHUNK = 1000
SEPARATORS = ",\t;|"
LONGEST_CELL = 1 << 24


def read_text(
    file: BinaryIO,
    source: str,
    *,
    header: bool | None,
    as_text: Collection[str],
    skip: Collection[str] = (),
) -> Raw:
    """Read separated text.

    Parameters
    ----------
    file : binary file
        UTF-8 text; separated by commas, tabs, semicolons, bars or blanks, whichever the first line
        has most of.
    source : str
        Name for messages.
    header : bool or None
        Whether the first line names the columns; None: judged by the first two lines.
    as_text : collection of str
        Columns that are text, whatever they look like.
    skip : collection of str
        Columns not to look at.
    """
    if file.peek(2)[:2] in (b"\xff\xfe", b"\xfe\xff"):  # type: ignore[attr-defined]
        raise ValueError(f"{source}: is UTF-16 text; save it as UTF-8")
    # A byte that is no UTF-8 becomes a lone surrogate: found later, with its line and column.
    with io.TextIOWrapper(file, encoding="utf-8-sig", errors="surrogateescape", newline="") as text:
        return _read(_rows(text, source), source, header, as_text, skip)


def _read(
    rows: Iterator[tuple[int, list[str]]],
    source: str,
    header: bool | None,
    as_text: Collection[str],
    skip: Collection[str],
) -> Raw:
    start = list(islice(rows, 2))
    if not start:
        raise ValueError(f"{source}: is empty")
    named = looks_named([row for _, row in start]) if header is None else header
    names = _names(start[0][1], source) if named else [f"x{i}" for i in range(len(start[0][1]))]
    columns = [Column(name, source, name in as_text) for name in names]
    wanted = [i for i, name in enumerate(names) if name not in skip]
    lines: list[int] = []
    body = chain(start[1:] if named else start, rows)
    while chunk := list(islice(body, CHUNK)):
        numbers = [line for line, _ in chunk]
        cells = list(zip(*(row for _, row in chunk)))
        for i in wanted:
            columns[i].add(cells[i], numbers)
        lines += numbers
    if not lines:
        raise ValueError(f"{source}: has a line of names and no rows")
    return _finish([columns[i] for i in wanted], names[0] == "", source, lines)


def _finish(columns: list[Column], unnamed: bool, source: str, lines: list[int]) -> Raw:
    """Gather the columns; a first column without a name is how data frames write the names of their rows."""
    texts = {c.name: c.texts() for c in columns if c.kind == "text"}
    ids = None
    if unnamed:
        ids = texts.pop("")
    numbers = [c for c in columns if c.kind != "text"]
    table = stack([c.numbers() for c in numbers], len(lines))
    return Raw(source, [c.name for c in numbers], table, texts, ids, np.array(lines))


class Column:
    """A column as it grows, chunk by chunk."""

    def __init__(self, name: str, source: str, as_text: bool) -> None:
        self.name = name
        self.source = source
        self.kind = "text" if as_text or name == "" else None
        self.parts: list[np.ndarray] = []
        self.cells: list[str] = []

    def add(self, cells: Sequence[str], lines: Sequence[int]) -> None:
        """Take the next cells, with the lines they stand on."""
        if self.kind is None:
            filled = [cell for cell in cells if not is_missing(cell)]
            if filled:
                self.kind = "number" if 2 * sum(map(is_number, filled)) >= len(filled) else "text"
                self.cells = [""] * sum(map(len, self.parts)) if self.kind == "text" else []
        if self.kind == "text":
            self._check_utf8(cells, lines)
            self.cells += cells
        else:
            self.parts.append(self._parse(cells, lines))

    def texts(self) -> list[str]:
        """Return all cells of a column of text, without blanks around them."""
        return [cell.strip() for cell in self.cells]

    def numbers(self) -> np.ndarray:
        """Return all values of a column of numbers."""
        return np.concatenate(self.parts)

    def _parse(self, cells: Sequence[str], lines: Sequence[int]) -> np.ndarray:
        try:
            values = np.array(cells, dtype=np.float64)
        except ValueError:
            values = np.array([self._parse_one(cell, line) for cell, line in zip(cells, lines)])
        if np.isinf(values).any():
            at = int(np.isinf(values).argmax())
            raise ValueError(
                f"{self._place(lines[at])}: {cells[at].strip()!r} is infinite; values must be finite"
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
                f"{self._place(line)}: {shown[:40]!r} is not a number; mend it, empty it, or leave the column "
                f"out with --ignore {self.name!r}"
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
    """Tell whether a cell is a number.

    >>> is_number(" 1e-3 "), is_number("1,5"), is_number("x")
    (True, False, False)
    """
    try:
        float(cell)
    except ValueError:
        return False
    return True


def looks_named(start: Sequence[Sequence[str]]) -> bool:
    """Judge by the first two lines whether the first one has the names of the columns.

    It does if some cell is no number while the one below is, or if none of its cells is a number.

    >>> looks_named([["id", "2001"], ["7", "0.5"]]), looks_named([["5.1", "setosa"], ["4.9",
    "setosa"]])
    (True, False)
    """
    first = [is_number(cell) for cell in start[0]]
    below = [is_number(cell) for cell in start[1]] if len(start) > 1 else []
    return not any(first) or any(
        b and not a and not is_missing(c) for a, b, c in zip(first, below, start[0])
    )


def _rows(text: io.TextIOWrapper, source: str) -> Iterator[tuple[int, list[str]]]:
    """Yield (line number, cells) of every line that is not blank; all must have as many cells as the first."""
    csv.field_size_limit(LONGEST_CELL)
    first = ""
    blank = 0
    while not first.strip():
        if not (first := text.readline()):
            return
        blank += 1
    separator = separator_of(first)
    reader = csv.reader(
        chain([first], text), delimiter=separator, skipinitialspace=separator == " ", strict=True
    )
    width = 0
    try:
        for row in reader:
            if not row or (len(row) == 1 and not row[0].strip() and width > 1):
                continue
            width = width or len(row)
            line = reader.line_num + blank - 1
            if len(row) != width:
                raise ValueError(
                    f"{source}: line {line} has {len(row)} cells, the first line {width}, separated by {separator!r}"
                )
            yield line, row
    except csv.Error as error:
        raise ValueError(f"{source}: line {reader.line_num + blank - 1}: {error}") from None


def separator_of(line: str) -> str:
    """Return the separator that the line has most of; a blank if it has none.

    >>> separator_of("a;b;c,d"), separator_of("1 2 3")
    (';', ' ')
    """
    counts = {separator: line.count(separator) for separator in SEPARATORS}
    best = max(counts, key=lambda separator: counts[separator])
    return best if counts[best] else " " if " " in line.strip() else ","


def _names(cells: Sequence[str], source: str) -> list[str]:
    """Return the names of the columns; the first may be empty (names of rows), other empty ones are numbered."""
    names = [cell.strip() or (f"x{i}" if i else "") for i, cell in enumerate(cells)]
    for i, name in enumerate(names):
        if not _is_utf8(name):
            raise ValueError(
                f"{source}: line 1, column {i + 1}: is not UTF-8 text; save the file as UTF-8"
            )
        if (j := names.index(name)) < i:
            raise ValueError(
                f"{source}: line 1, column {i + 1}: the name {name!r} is column {j + 1}'s already; "
                "give every column a name of its own"
            )
    return names


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
