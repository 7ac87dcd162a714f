"""Find the separator of the columns of a text file.

It is the one with which all of the first lines have the same number of cells, or nearly as many as
with any other (there may be a title above the table); of several, the one with which most cells are
numbers.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from .layout import COMMENT
from .number_formats import looks_numeric

# In the order of preference, if nothing else decides.
SEPARATORS = ("\t", ";", "|", ",", " ")
DIRECTIVE = re.compile(r'"?sep=(.)"?\s*', re.IGNORECASE)  # written by spreadsheets
# A line of a file with one column; with the comma as separator it would have two.
DECIMAL_COMMA = re.compile(r"\s*[-+]?\d+(,\d+)?([eE][-+]?\d+)?\s*")
# If lines differ, separators whose share of equally long lines is this close to the best compete.
SIMILAR_SHARE = 0.1
# Characters in a cell. The limit stops a quote that is never closed from reading the whole file
# into one cell; the standard library's own, 131,072, refuses long texts in columns not used.
LONGEST_CELL = 1 << 24


class Score(NamedTuple):
    """Shares of lines that are equally long, and of cells that are numbers."""

    regular: float
    numeric: float


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
    filled = [line for line in lines if line.strip()]
    lines = [line for line in filled if not line.startswith(COMMENT)]
    scores = {}
    for separator in SEPARATORS:
        if separator == decimal and _is_only_decimal(decimal, lines):
            continue
        score = _score(lines, separator)
        if score is not None:
            scores[separator] = score
    if not scores:
        return ";" if decimal == "," else ","
    regular = [score.regular for score in scores.values()]
    enough = max(regular)
    if enough < 1.0:
        enough -= SIMILAR_SHARE
    close = [separator for separator, score in scores.items() if score.regular >= enough]
    best = max(close, key=lambda separator: scores[separator].numeric)
    are_numbers = all(map(DECIMAL_COMMA.fullmatch, lines[1:]))
    is_one_column = are_numbers and "," not in lines[0]
    if best == "," and is_one_column:
        return ";"
    return best


def _score(lines: Sequence[str], separator: str) -> Score | None:
    """Return how well a separator does; None if it separates nothing."""
    if separator == " ":
        lines = [line.strip(" ") for line in lines]
    rows = _split(lines, separator)
    if not rows:
        return None
    widths = Counter(map(len, rows))
    width, n_equal = widths.most_common(1)[0]
    if width == 1:
        return None
    are_numbers = [looks_numeric(cell) for cells in rows for cell in cells]
    share_regular = n_equal / len(rows)
    share_numeric = sum(are_numbers) / len(are_numbers)
    return Score(share_regular, share_numeric)


def _split(lines: Sequence[str], separator: str) -> list[list[str]]:
    """Return the rows of a sample; a row that is not complete or not valid ends it."""
    rows = []
    try:
        for cells in make_reader(lines, separator):
            if cells:
                rows.append(cells)
    except csv.Error:
        pass
    return rows


def _is_only_decimal(decimal: str, lines: Sequence[str]) -> bool:
    """Return whether a decimal mark does not separate the names of columns."""
    if decimal not in lines[0]:
        return True
    return all(map(DECIMAL_COMMA.fullmatch, lines))
