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
        lines_are = left_out(above, unit)
        notices.append(f"{lines_are} left out: the table begins below.")
    if header is None:
        first_two = [row.cells for row in filled[start : start + 2]]
        header = has_header(first_two)
        if count_columns(first_two):
            numbers = [cell.strip() for cell in first.cells if looks_numeric(cell)]
            counted = ", ".join(numbers[:3])
            notices.append(
                f"{unit.capitalize()} {first.line} is read as column names: {counted}, ...; "
                "if it is data, use --no-header."
            )
    if not header:
        width = usual_width(filled[start:])
        first_row = rows.index(first)
        names = _names_in_comment(rows[:first_row], filled[start:], width)
        if not names:
            names = [f"x{i}" for i in range(width)]
        return Layout(names, first_row, notices)
    names = [cell.strip() for cell in first.cells]
    names = _without_quotes(names)
    n_descriptions = _n_descriptions(data)
    descriptions = data[:n_descriptions]
    data = data[n_descriptions:]
    if descriptions and _are_spread(names, descriptions[0].cells):
        below = descriptions.pop(0)
        joined = _joined_names(names, below.cells)
        lines = f"{first.line} and {below.line}"
        if not descriptions and _are_index_names(data, names, below.cells):
            index = data.pop(0)
            joined = [named.strip() or name for named, name in zip(index.cells, joined)]
            lines = f"{first.line} to {index.line}"
        names = joined
        notices.append(f"The column names are in {unit}s {lines}.")
    if descriptions:
        is_one = len(descriptions) == 1
        what = "it seems to contain units" if is_one else "they describe the columns"
        lines_are = left_out(descriptions, unit)
        notices.append(f"{lines_are} left out: {what}.")
    if not data:
        return Layout(names, len(rows), notices)
    if _has_row_names(data, len(names)):
        names = ["", *names]
    first_row = rows.index(data[0])
    return Layout(names, first_row, notices)


def _without_quotes(names: list[str]) -> list[str]:
    """Return names without the single quotes that all of them have.

    >>> _without_quotes(["'a'", "'b'"]), _without_quotes(["'a'", "b"])
    (['a', 'b'], ["'a'", 'b'])
    """
    for name in names:
        is_quoted = len(name) > 2 and name[0] == name[-1] == "'"
        if not is_quoted:
            return names
    return [name[1:-1] for name in names]


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
    pairs = zip(above[1:], below[1:])
    return any(lower.strip() and not upper for upper, lower in pairs)


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


def _are_index_names(data: Sequence[Row], above: Sequence[str], below: Sequence[str]) -> bool:
    """Return whether the first row has nothing but the names of the columns with row names.

    That is how pandas writes them below column names in two lines. These have no names for such
    columns, or one in each line.

    >>> rows = [Row(3, ["land", "", ""]), Row(4, ["Chad", "1", "2"])]
    >>> _are_index_names(rows, ["", "2020", "2020"], ["", "men", "women"])
    True
    >>> _are_index_names(rows, ["region", "2020", "2020"], ["", "men", "women"])  # it has a name
    False
    """
    if not data:
        return False
    first = data[0].cells
    if len(first) != len(above) or any(map(looks_numeric, first)):
        return False
    is_filled = [bool(cell.strip()) for cell in first]
    n_filled = sum(is_filled)
    if n_filled == len(first) or not all(is_filled[:n_filled]):
        return False
    pairs = zip(above[:n_filled], below[:n_filled])
    return all(bool(upper) == bool(lower.strip()) for upper, lower in pairs)


def is_data(cells: Sequence[str]) -> bool:
    """Return whether a row is neither blank nor a comment."""
    return not is_blank(cells) and not is_comment(cells)


def is_blank(cells: Sequence[str]) -> bool:
    """Return whether no cell is filled."""
    return not any(cell.strip() for cell in cells)


def is_comment(cells: Sequence[str]) -> bool:
    """Return whether a line is a comment."""
    if not cells:
        return False
    first = cells[0].lstrip()
    return first.startswith(COMMENT)


def usual_width(rows: Sequence[Row]) -> int:
    """Return the most frequent number of cells; of equals, the first."""
    return mode(len(row.cells) for row in rows)


def has_header(start: Sequence[Sequence[str]]) -> bool:
    """Return whether the first of the first two lines seems to contain column names.

    It does if none of its cells is a number, if a number follows below a cell that is not one, if
    its numbers are years in a row or stand for several words below, or if they count the columns.

    >>> has_header([["id", "2001"], ["7", "0.5"]])
    True
    >>> has_header([["5.1", "setosa"], ["4.9", "setosa"]])
    False
    >>> has_header([["land", "2001", "2002"], ["Chad", "1.5", "1.7"]])
    True
    >>> has_header([["land", "2001", "2001"], ["", "men", "women"]])
    True
    """
    first = start[0]
    if not any(map(looks_numeric, first)):
        return True
    if len(start) == 1:
        return False
    below = start[1]
    if count_columns(start):
        return True
    if _are_years(first) and not _are_years(below):
        return True
    if _are_years_above_words(first, below) and _are_spread(first, below):
        return True
    for name, number in zip(first, below):
        if not looks_numeric(number):
            continue
        if not looks_numeric(name) and not USUAL(name):
            return True
    return False


def count_columns(start: Sequence[Sequence[str]]) -> bool:
    """Return whether the first of two lines counts the columns from 0, as pandas names them.

    Lines that count on are data, and so may be one or two numbers, unless a column of row names
    stands before them, whose name is empty. After row names, columns may also be counted from 1, as
    on plates of a laboratory.

    >>> count_columns([["0", "1", "2"], ["5", "1", "0"]]), count_columns([["", "0"], ["0", "1.5"]])
    (True, True)
    >>> count_columns([["0", "1"], ["0.5", "1"]]), count_columns([["0", "1", "2"], ["3", "4", "5"]])
    (False, False)
    >>> count_columns([["<>", "1", "2", "3"], ["A", "0.5", "0.7", "0.1"]])
    True
    """
    if len(start) < 2:
        return False
    first = [cell.strip() for cell in start[0]]
    below = [cell.strip() for cell in start[1]]
    goes_on_below = _counts(below, len(first))
    if looks_numeric(first[0]):
        return len(first) > 2 and _counts(first, 0) and not goes_on_below
    names = first[1:]
    if below[0] == "" or not names:
        return False
    if first[0] == "":
        return _counts(names, 0) or _counts(names, 1)
    goes_on_below = _counts(below[1:], len(first))
    return len(names) > 2 and _counts(names, 1) and not goes_on_below


def _counts(cells: Sequence[str], start: int) -> bool:
    """Return whether cells count up by one from a number."""
    return all(cell == str(i) for i, cell in enumerate(cells, start))


def _are_years(cells: Sequence[str]) -> bool:
    """Return whether the numbers of a row are years that follow each other."""
    numbers = [cell.strip() for cell in cells if looks_numeric(cell)]
    if len(numbers) < 2 or not all(map(YEAR.fullmatch, numbers)):
        return False
    steps = {int(after) - int(before) for before, after in pairwise(numbers)}
    return len(steps) == 1 and steps != {0}


def _are_years_above_words(cells: Sequence[str], below: Sequence[str]) -> bool:
    """Return whether the numbers of a row are years, each above a word.

    >>> _are_years_above_words(["land", "2020", ""], ["", "men", "women"])
    True
    >>> _are_years_above_words(["Chad", "2020"], ["Mali", "NA"])
    False
    """
    pairs = [(cell.strip(), word) for cell, word in zip(cells, below) if looks_numeric(cell)]
    for cell, word in pairs:
        is_word = not looks_numeric(word) and not USUAL.in_numbers(word)
        if not YEAR.fullmatch(cell) or not is_word:
            return False
    return bool(pairs)


def _start(rows: Sequence[Row]) -> int:
    """Return the position of the first row that is as wide as most rows, and not a title."""
    width = usual_width(rows)
    for i, (row, below) in enumerate(pairwise(rows)):
        cells = row.cells
        n_cells = len(cells)
        begins_with_text = bool(cells[0].strip())
        is_title = width > 1 and begins_with_text and is_blank(cells[1:])
        if n_cells == width and not is_title:
            return i
        is_wider = n_cells > width and not _begins_with_names(rows[i + 1 :], width)
        if is_wider or _names_all_but_first(cells, below.cells, width):
            return i
    return len(rows) - 1


def _begins_with_names(rows: Sequence[Row], width: int) -> bool:
    """Return whether the first row of this width has no numbers, but a later one has."""
    table = [row.cells for row in rows if len(row.cells) == width]
    if not table or any(map(looks_numeric, table[0])):
        return False
    return any(looks_numeric(cell) for cells in table for cell in cells)


def _names_all_but_first(names: Sequence[str], below: Sequence[str], width: int) -> bool:
    """Return whether a line names all columns but the first, as R does for row names."""
    if len(names) != width - 1 or len(below) != width:
        return False
    if not any(map(looks_numeric, below)):
        return False
    all_names = ["", *names]
    return has_header([all_names, below])


def _has_row_names(data: Sequence[Row], n_names: int) -> bool:
    """Return whether the rows have one cell more than there are names, and begin differently.

    A last cell that is blank is not one more. If the first cells repeat, the last name is missing.
    """
    if usual_width(data) != n_names + 1:
        return False
    wide = [row.cells for row in data if len(row.cells) > n_names]
    last_cells = [cells[-1] for cells in wide]
    first_cells = {cells[0] for cells in wide}
    return not is_blank(last_cells) and len(first_cells) == len(wide)


def _names_in_comment(rows: Sequence[Row], data: Sequence[Row], width: int) -> list[str]:
    """Return names from the last comment above the numbers, as NumPy writes them, or none.

    A comment sign is the name of a column that counts the rows.
    """
    filled = [row.cells for row in rows if not is_blank(row.cells)]
    comments = [cells for cells in filled if is_comment(cells)]
    if not comments:
        return []
    sign, *names = comments[-1]
    first = sign.lstrip(" #%")
    if first:
        names = [first, *names]
    elif len(names) == width - 1:
        is_counted = all(row.cells[0].strip().isdigit() for row in data)
        if is_counted:
            names = [sign, *names]
    if len(names) != width or any(map(looks_numeric, names)):
        return []
    return [name.strip() for name in names]


def _filled(rows: Sequence[Row]) -> list[Row]:
    """Return the rows that are neither blank nor comments.

    If most rows below the first one begin like comments, that is how rows are called: #1001.
    """
    filled = [row for row in rows if not is_blank(row.cells)]
    data = [row for row in filled if not is_comment(row.cells)]
    first_row = filled.index(data[0])
    table = filled[first_row:]
    n_comments = len(table) - len(data)
    are_row_names = 2 * n_comments >= len(table)
    if are_row_names and usual_width(table[1:]) > 1:
        return table
    return data


def _n_descriptions(data: Sequence[Row]) -> int:
    """Return how many lines below the names describe the columns, as units or questions do."""
    for n_lines in range(1, MOST_DESCRIPTIONS + 1):
        lines = data[:n_lines]
        rest = data[n_lines:]
        if all(_is_description(line.cells, rest) for line in lines):
            return n_lines
    return 0


def _is_description(units: Sequence[str], data: Sequence[Row]) -> bool:
    """Return whether a line has text in every column that has numbers in the rows of data."""
    if len(data) < 2:
        return False
    width = len(units)
    sample = data[:ROWS_BELOW_UNITS]
    below = [row.cells for row in sample if len(row.cells) == width]
    columns = zip(units, *below)
    of_numbers = []
    for unit, *cells in columns:
        present = [cell for cell in cells if not USUAL(cell)]
        if present and all(map(looks_numeric, present)):
            of_numbers.append(unit)
    if len(of_numbers) < 2 or any(map(looks_numeric, of_numbers)):
        return False
    n_filled = sum(not USUAL.in_numbers(unit) for unit in of_numbers)
    if 2 * n_filled <= len(of_numbers):
        return False
    return not any(map(LIMIT.match, of_numbers))


def left_out(rows: Sequence[Row], unit: str) -> str:
    """Return which lines are left out, as the subject of a sentence with its verb.

    >>> left_out([Row(6, []), Row(7, [])], "line"), left_out([Row(6, []), Row(8, [])], "line")
    ('Lines 6 to 7 are', 'Lines 6, 8 are')
    """
    lines = [row.line for row in rows]
    unit = unit.capitalize()
    if len(lines) == 1:
        return f"{unit} {lines[0]} is"
    first = lines[0]
    last = lines[-1]
    numbers = [f"{line:,}" for line in lines]
    places = listed(numbers)
    if last - first == len(lines) - 1:
        places = f"{first} to {last}"
    return f"{unit}s {places} are"
