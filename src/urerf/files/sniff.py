"""Find out how a text file is laid out: separator, lines above the table, column names.

Everything is decided by the first lines. The separator is the one with which most of them have the
same number of cells; of equals, the one with which most cells are numbers. Above the table there
may be comments, a title and other lines with fewer cells; between the names and the numbers there
may be a line of units.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from urerf._messages import count

from .missing import MARKERS
from .number_formats import looks_numeric

# Lines that are examined: enough for a title and a typical page of data.
SAMPLE_LINES = 200
# In the order of preference, if nothing else decides.
SEPARATORS = ("\t", ";", "|", ",", " ")
COMMENT = ("#", "%")
DIRECTIVE = re.compile(r'"?sep=(.)"?\s*', re.IGNORECASE)  # written by spreadsheets
YEAR = re.compile("1[89]\\d\\d|20\\d\\d")
# A line of a file with one column; with the comma as separator it would have two.
DECIMAL_COMMA = re.compile(r"\s*[-+]?\d+,\d+\s*")
ROWS_BELOW_UNITS = 20
# Separators whose share of equally long lines is this close compete by their numbers.
SIMILAR_SHARE = 0.1
# Characters in a cell. The limit stops a quote that is never closed from reading the whole file
# into one cell; the standard library's own, 131,072, refuses long texts in columns not used.
LONGEST_CELL = 1 << 24


class Row(NamedTuple):
    """The cells of a row, and the number of its last line, from 1."""

    line: int
    cells: list[str]


class Layout(NamedTuple):
    """How the table lies in the file.

    ``first_row`` is the position of the first row of data among the rows, ``names`` are those of
    the columns, ``width`` is the number of cells in a row (a last one that is empty in all of
    them is not counted), and ``notices`` tell what was left out.
    """

    names: list[str]
    first_row: int
    width: int
    notices: list[str]


def split_rows(lines: Sequence[str], separator: str) -> list[Row]:
    """Return the rows of a sample; a row that is not complete or not valid ends it."""
    reader = make_reader(lines, separator)
    rows = []
    try:
        for cells in reader:
            rows.append(Row(reader.line_num, cells))
    except csv.Error:
        pass
    return rows


def make_reader(lines: Iterable[str], separator: str) -> Any:
    """Return a reader of rows; several spaces in a row separate only once."""
    csv.field_size_limit(LONGEST_CELL)
    return csv.reader(
        lines,
        delimiter=separator,
        skipinitialspace=separator == " ",
        strict=True,
    )


def find_separator(lines: Sequence[str], decimal: str | None = None) -> str:
    """Return the separator of the columns; ``decimal`` is the decimal mark, if the user gives it.

    >>> find_separator(["a;b", "1,5;2,5", "1,5;3"]), find_separator(["a", "1"])
    (';', ',')
    """
    directive = DIRECTIVE.fullmatch(lines[0]) if lines else None
    if directive:
        return directive[1]
    lines = [line for line in lines if line.strip() and not line.startswith(COMMENT)]
    scores = {}
    for separator in SEPARATORS:
        if separator == decimal and _is_only_decimal(decimal, lines):
            continue
        rows = [row.cells for row in split_rows(_without_margins(lines, separator), separator)]
        rows = [cells for cells in rows if cells]
        width, n_equal = Counter(map(len, rows)).most_common(1)[0] if rows else (1, 0)
        if width > 1:
            numbers = [looks_numeric(cell) for cells in rows for cell in cells]
            scores[separator] = (n_equal / len(rows), sum(numbers) / len(numbers))
    if not scores:
        return ";" if decimal == "," else ","
    best_share = max(share for share, _ in scores.values())
    close = [mark for mark, (share, _) in scores.items() if share >= best_share - SIMILAR_SHARE]
    best = max(close, key=lambda mark: scores[mark][1])
    is_one_column = "," not in lines[0] and all(map(DECIMAL_COMMA.fullmatch, lines[1:]))
    return ";" if best == "," and is_one_column else best


def _is_only_decimal(decimal: str, lines: Sequence[str]) -> bool:
    """Return whether a decimal mark does not separate the names of columns."""
    return decimal not in lines[0] or all(map(DECIMAL_COMMA.fullmatch, lines))


def _without_margins(lines: Sequence[str], separator: str) -> Sequence[str]:
    return [line.strip(" ") for line in lines] if separator == " " else lines


def find_layout(rows: Sequence[Row], header: bool | None, unit: str = "line") -> Layout:
    """Find the column names and the first row of data.

    Parameters
    ----------
    rows : sequence of Row
        The first rows of the file.
    header : bool or None
        Whether the table begins with column names; None to find out.
    unit : str
        What lines are called in notices.
    """
    filled = [i for i, row in enumerate(rows) if not is_blank(row.cells)]
    tabular = [i for i in filled if not is_comment(rows[i].cells)]
    width = _usual_width([len(rows[i].cells) for i in tabular])
    start = _first_of_table(rows, tabular, width)
    table = [rows[i] for i in tabular if i >= start]
    first = table[0].cells
    notices = []
    if header is None:
        header = has_header([row.cells for row in table[:2]])
    above = [i for i in tabular if i < start]
    if header:
        names = [cell.strip() for cell in first]
        data = tabular[tabular.index(start) + 1 :]
        if _are_units(rows, data, names):
            notices.append(
                f"{unit.capitalize()} {rows[data[0]].line} is left out: it seems to contain units."
            )
            data = data[1:]
    else:
        data = tabular[tabular.index(start) :]
        names, above = _names_above(rows, filled, above, start, width)
    if above:
        lines = [rows[i].line for i in above]
        notices.insert(0, f"{_lines(lines, unit)} left out: the table begins below.")
    if data:
        width = _usual_width([len(rows[i].cells) for i in data])
    if names and len(names) == width - 1:
        if all(len(rows[i].cells) < width or not rows[i].cells[-1].strip() for i in data):
            width -= 1  # every row ends with a separator
        else:
            names = ["", *names]
    if not names:
        names = [f"x{i}" for i in range(width)]
    first_row = data[0] if data else len(rows)
    return Layout(names, first_row, len(names), notices)


def has_header(start: Sequence[Sequence[str]]) -> bool:
    """Return whether the first of the first two lines seems to contain column names.

    It does if none of its cells is a number, if a number follows below a cell that is not one, or
    if its numbers are years in a row.

    >>> has_header([["id", "2001"], ["7", "0.5"]])
    True
    >>> has_header([["5.1", "setosa"], ["4.9", "setosa"]])
    False
    >>> has_header([["land", "2001", "2002"], ["Chad", "1.5", "1.7"]])
    True
    """
    first = start[0]
    if not any(map(looks_numeric, first)):
        return True
    if len(start) == 1:
        return False
    if _are_years(first) and not _are_years(start[1]):
        return True
    return any(
        looks_numeric(below) and not looks_numeric(cell) and not is_marker(cell)
        for cell, below in zip(first, start[1])
    )


def _are_years(cells: Sequence[str]) -> bool:
    """Return whether the numbers of a row are years that follow each other."""
    numbers = [cell.strip() for cell in cells if looks_numeric(cell)]
    if len(numbers) < 2 or not all(YEAR.fullmatch(number) for number in numbers):
        return False
    steps = {int(after) - int(before) for before, after in pairwise(numbers)}
    return len(steps) == 1 and steps != {0}


def is_blank(cells: Sequence[str]) -> bool:
    """Return whether no cell is filled."""
    return not any(cell.strip() for cell in cells)


def is_comment(cells: Sequence[str]) -> bool:
    """Return whether a line is a comment."""
    return cells[0].lstrip().startswith(COMMENT)


def is_marker(cell: str) -> bool:
    """Return whether a cell stands for a missing value."""
    return cell.strip().lower() in MARKERS


def _usual_width(widths: Sequence[int]) -> int:
    """Return the most frequent width; of equals, the first."""
    return Counter(widths).most_common(1)[0][0]


def _first_of_table(rows: Sequence[Row], tabular: Sequence[int], width: int) -> int:
    """Return the first row that belongs to the table."""
    for position, i in enumerate(tabular):
        cells = rows[i].cells
        following = tabular[position + 1 :]
        is_title = width > 1 and cells[0].strip() and is_blank(cells[1:]) and following
        if DIRECTIVE.fullmatch("".join(cells)) or is_title:
            continue
        if len(cells) == width:
            return i
        # R writes one name less than there are columns, if the rows have names.
        if following and len(cells) == width - 1 and _is_r_header(cells, rows[following[0]].cells):
            return i
        if len(cells) > width or not any(len(rows[j].cells) == width for j in following):
            return i
    return tabular[0]


def _is_r_header(names: Sequence[str], below: Sequence[str]) -> bool:
    """Return whether a line has names for all columns below it but the first."""
    is_data = any(map(looks_numeric, below))
    return len(below) == len(names) + 1 and is_data and has_header([["", *names], below])


def _names_above(
    rows: Sequence[Row], filled: Sequence[int], above: list[int], start: int, width: int
) -> tuple[list[str], list[int]]:
    """Return names from a comment directly above the numbers, as NumPy writes them."""
    comments = [i for i in filled if i < start and is_comment(rows[i].cells)]
    if not comments:
        return [], above
    cells = list(rows[comments[-1]].cells)
    cells[0] = cells[0].lstrip(" #%")
    cells = cells if cells[0] else cells[1:]
    if len(cells) != width or any(map(looks_numeric, cells)):
        return [], above
    return [cell.strip() for cell in cells], above


def _are_units(rows: Sequence[Row], data: Sequence[int], names: Sequence[str]) -> bool:
    """Return whether the first row of data has text in every column that has numbers below."""
    if len(data) < 3:
        return False
    units = rows[data[0]].cells
    following = [rows[i].cells for i in data[1:ROWS_BELOW_UNITS]]
    below = [cells for cells in following if len(cells) == len(units)]
    numeric = []
    for i in range(len(units)):
        cells = [cells[i] for cells in below if not is_marker(cells[i])]
        if cells and all(map(looks_numeric, cells)):
            numeric.append(units[i])
    if len(numeric) < 2 or any(map(looks_numeric, numeric)):
        return False
    n_filled = sum(not is_marker(cell) for cell in numeric)
    return 2 * n_filled > len(numeric)


def _lines(lines: Sequence[int], unit: str) -> str:
    if len(lines) == 1:
        return f"{unit.capitalize()} {lines[0]} is"
    if lines[-1] - lines[0] == len(lines) - 1:
        return f"{unit.capitalize()}s {lines[0]} to {lines[-1]} are"
    return f"{count(len(lines), unit)} above {unit} {lines[-1] + 1} are"
