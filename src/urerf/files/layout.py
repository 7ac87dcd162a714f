"""Find the table in the rows of a text file or a sheet: column names, and the first row of data.

Above the table there may be comments, a title and other lines with fewer cells; between the names
and the numbers there may be a line of units. Everything is decided by the first rows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from statistics import mode
from typing import NamedTuple

from urerf._messages import listed

from .missing import USUAL
from .number_formats import looks_numeric

COMMENT = ("#", "%")
YEAR = re.compile("1[89]\\d\\d|20\\d\\d")
LIMIT = re.compile(r"\s*[<>≤≥~]")  # <0.5 is a measurement below a limit of detection
ROWS_BELOW_UNITS = 19  # rows that must have numbers where the line of units has none
MOST_DESCRIPTIONS = 2  # lines: survey programs write the questions and their codes


class Row(NamedTuple):
    """The cells of a row, and the number of its last line, from 1."""

    line: int
    cells: list[str]


class Layout(NamedTuple):
    """How the table lies in the file.

    ``first_row`` is the position of the first row of data among the rows, ``names`` are those of
    the columns (the first one is empty if it contains row names), and ``notices`` tell what was
    left out.
    """

    names: list[str]
    first_row: int
    notices: list[str]


def find_layout(rows: Sequence[Row], header: bool | None, unit: str = "line") -> Layout:
    """Find the column names and the first row of data.

    Parameters
    ----------
    rows : sequence of Row
        The first rows of the file, of which at least one is neither blank nor a comment. Blank
        lines have no cells.
    header : bool or None
        Whether the table begins with column names; None to find out.
    unit : str
        What lines are called in notices.
    """
    filled = _filled(rows)
    start = _start(filled)
    above = filled[:start]
    first, *data = filled[start:]
    notices = []
    if above:
        notices.append(f"{left_out(above, unit)} left out: the table begins below.")
    if header is None:
        first_two = [row.cells for row in filled[start : start + 2]]
        header = has_header(first_two)
        if count_columns(first_two):
            notices.append(
                f"{unit.capitalize()} {first.line} is read as column names: 0, 1, 2, ...; "
                "if it is data, use --no-header."
            )
    if not header:
        width = usual_width(filled[start:])
        first_row = rows.index(first)
        names = _names_in_comment(rows[:first_row], width) or [f"x{i}" for i in range(width)]
        return Layout(names, first_row, notices)
    names = _without_quotes([cell.strip() for cell in first.cells])
    n_descriptions = _n_descriptions(data)
    descriptions = data[:n_descriptions]
    data = data[n_descriptions:]
    if descriptions and _are_spread(names, descriptions[0].cells):
        below = descriptions.pop(0)
        names = _joined_names(names, below.cells)
        notices.append(f"The column names are in {unit}s {first.line} and {below.line}.")
    if descriptions:
        is_one = len(descriptions) == 1
        what = "it seems to contain units" if is_one else "they describe the columns"
        notices.append(f"{left_out(descriptions, unit)} left out: {what}.")
    if not data:
        return Layout(names, len(rows), notices)
    if _has_row_names(data, len(names)):
        names = ["", *names]
    return Layout(names, rows.index(data[0]), notices)


def _without_quotes(names: list[str]) -> list[str]:
    """Return names without the single quotes that all of them have.

    >>> _without_quotes(["'a'", "'b'"]), _without_quotes(["'a'", "b"])
    (['a', 'b'], ["'a'", 'b'])
    """
    if all(len(name) > 2 and name[0] == name[-1] == "'" for name in names):
        return [name[1:-1] for name in names]
    return names


def _are_spread(above: Sequence[str], below: Sequence[str]) -> bool:
    """Return whether upper names stand for several lower ones: repeated, or followed by blanks.

    >>> _are_spread(["", "2020", ""], ["land", "men", "women"])
    True
    >>> _are_spread(["time", "speed", "", ""], ["s", "m/s", "", ""])
    False
    """
    filled = [name for name in above[1:] if name]
    if len(set(filled)) < len(filled):
        return True
    return any(lower.strip() and not upper for upper, lower in zip(above[1:], below[1:]))


def _joined_names(above: Sequence[str], below: Sequence[str]) -> list[str]:
    """Return the names of two lines, of which the upper ones may be written once for several.

    >>> _joined_names(["", "2020", "", "2021", ""], ["land", "men", "women", "men", "women"])
    ['land', '2020 men', '2020 women', '2021 men', '2021 women']
    >>> _joined_names(["land", "2020", "", ""], ["land", "men", "women", ""])
    ['land', '2020 men', '2020 women', '']
    """
    names = []
    last = ""
    for upper, lower in zip(above, below):
        last = upper or last
        lower = lower.strip()
        if not upper and not lower:
            names.append("")
        elif lower == last:  # a cell that was merged over both lines
            names.append(last)
        else:
            names.append(f"{last} {lower}".strip())
    return names


def is_data(cells: Sequence[str]) -> bool:
    """Return whether a row is neither blank nor a comment."""
    return not is_blank(cells) and not is_comment(cells)


def is_blank(cells: Sequence[str]) -> bool:
    """Return whether no cell is filled."""
    return not any(cell.strip() for cell in cells)


def is_comment(cells: Sequence[str]) -> bool:
    """Return whether a line is a comment."""
    return len(cells) > 0 and cells[0].lstrip().startswith(COMMENT)


def usual_width(rows: Sequence[Row]) -> int:
    """Return the most frequent number of cells; of equals, the first."""
    return mode(len(row.cells) for row in rows)


def has_header(start: Sequence[Sequence[str]]) -> bool:
    """Return whether the first of the first two lines seems to contain column names.

    It does if none of its cells is a number, if a number follows below a cell that is not one, or
    if its numbers are years in a row or count the columns.

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
    below = start[1]
    if count_columns(start) or (_are_years(first) and not _are_years(below)):
        return True
    return any(
        looks_numeric(number) and not looks_numeric(name) and not USUAL(name)
        for name, number in zip(first, below)
    )


def count_columns(start: Sequence[Sequence[str]]) -> bool:
    """Return whether the first of two lines counts the columns from 0, as pandas names them.

    Lines that count on are data, and so may be one or two numbers, unless a column of row names
    stands before them, whose name is empty.

    >>> count_columns([["0", "1", "2"], ["5", "1", "0"]]), count_columns([["", "0"], ["0", "1.5"]])
    (True, True)
    >>> count_columns([["0", "1"], ["0.5", "1"]]), count_columns([["0", "1", "2"], ["3", "4", "5"]])
    (False, False)
    """
    if len(start) < 2:
        return False
    first, below = ([cell.strip() for cell in line] for line in start[:2])
    if first[0] == "":
        names = first[1:]
        return len(names) > 0 and names == _counted(0, len(names)) and below[0] != ""
    n = len(first)
    return n > 2 and first == _counted(0, n) and below != _counted(n, 2 * n)


def _counted(start: int, end: int) -> list[str]:
    return [str(i) for i in range(start, end)]


def _are_years(cells: Sequence[str]) -> bool:
    """Return whether the numbers of a row are years that follow each other."""
    numbers = [cell.strip() for cell in cells if looks_numeric(cell)]
    if len(numbers) < 2 or not all(map(YEAR.fullmatch, numbers)):
        return False
    steps = {int(after) - int(before) for before, after in pairwise(numbers)}
    return len(steps) == 1 and steps != {0}


def _start(rows: Sequence[Row]) -> int:
    """Return the position of the first row that is as wide as most rows, and not a title."""
    width = usual_width(rows)
    for i, (row, below) in enumerate(pairwise(rows)):
        cells = row.cells
        is_title = width > 1 and bool(cells[0].strip()) and is_blank(cells[1:])
        if len(cells) == width and not is_title:
            return i
        if len(cells) > width or _names_all_but_first(cells, below.cells, width):
            return i
    return len(rows) - 1


def _names_all_but_first(names: Sequence[str], below: Sequence[str], width: int) -> bool:
    """Return whether a line names all columns but the first, as R does for row names."""
    if len(names) != width - 1 or len(below) != width:
        return False
    return any(map(looks_numeric, below)) and has_header([["", *names], below])


def _has_row_names(data: Sequence[Row], n_names: int) -> bool:
    """Return whether the rows have one cell more than there are names, which is not blank."""
    if usual_width(data) != n_names + 1:
        return False
    last_cells = [row.cells[-1] for row in data if len(row.cells) > n_names]
    return not is_blank(last_cells)


def _names_in_comment(rows: Sequence[Row], width: int) -> list[str]:
    """Return names from the last comment above the numbers, as NumPy writes them, or none."""
    comments = [row.cells for row in rows if not is_blank(row.cells) and is_comment(row.cells)]
    if not comments:
        return []
    first, *rest = comments[-1]
    first = first.lstrip(" #%")
    names = [first, *rest] if first else rest
    if len(names) != width or any(map(looks_numeric, names)):
        return []
    return [name.strip() for name in names]


def _filled(rows: Sequence[Row]) -> list[Row]:
    """Return the rows that are neither blank nor comments.

    If most rows below the first one begin like comments, that is how rows are called: #1001.
    """
    filled = [row for row in rows if not is_blank(row.cells)]
    data = [row for row in filled if not is_comment(row.cells)]
    table = filled[filled.index(data[0]) :]
    n_comments = len(table) - len(data)
    if 2 * n_comments >= len(table) and usual_width(table[1:]) > 1:
        return table
    return data


def _n_descriptions(data: Sequence[Row]) -> int:
    """Return how many lines below the names describe the columns, as units or questions do."""
    for n_lines in range(1, MOST_DESCRIPTIONS + 1):
        if all(_is_description(row.cells, data[n_lines:]) for row in data[:n_lines]):
            return n_lines
    return 0


def _is_description(units: Sequence[str], data: Sequence[Row]) -> bool:
    """Return whether a line has text in every column that has numbers in the rows of data."""
    if len(data) < 2:
        return False
    below = [row.cells for row in data[:ROWS_BELOW_UNITS] if len(row.cells) == len(units)]
    columns = zip(units, *below)
    of_numbers = []
    for unit, *cells in columns:
        present = [cell for cell in cells if not USUAL(cell)]
        if present and all(map(looks_numeric, present)):
            of_numbers.append(unit)
    if len(of_numbers) < 2 or any(map(looks_numeric, of_numbers)):
        return False
    n_filled = sum(not USUAL.in_numbers(unit) for unit in of_numbers)
    return 2 * n_filled > len(of_numbers) and not any(map(LIMIT.match, of_numbers))


def left_out(rows: Sequence[Row], unit: str) -> str:
    """Return which lines are left out, as the subject of a sentence with its verb.

    >>> left_out([Row(6, []), Row(7, [])], "line"), left_out([Row(6, []), Row(8, [])], "line")
    ('Lines 6 to 7 are', 'Lines 6, 8 are')
    """
    lines = [row.line for row in rows]
    unit = unit.capitalize()
    if len(lines) == 1:
        return f"{unit} {lines[0]} is"
    places = listed([f"{line:,}" for line in lines])
    if lines[-1] - lines[0] == len(lines) - 1:
        places = f"{lines[0]} to {lines[-1]}"
    return f"{unit}s {places} are"
