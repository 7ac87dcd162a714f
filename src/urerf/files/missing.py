"""Cells that stand for missing values."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from urerf.kinds.convert import is_number, keep_levels, plain
from urerf.schema import NUMBER

from .._typing import Array
from .options import split_option
from .table import RawTable

# In lower case, in columns of any kind; but see `NONE`.
MARKERS = frozenset(
    ["", "na", "n/a", "#n/a", "#n/a n/a", "#na", "<na>", "n.a.", "nan", "-nan", "nat", "null",
     "(null)", "none", "?", "-", "--", "---", ".", "..", "\\n", "#null!", "1.#qnan", "-1.#ind",
     "k. a.", "k.a.", ":"]
)  # fmt: skip
# In a column of words, this is a level like any other: the hair color of a bald person.
NONE = "none"
# Where results are + or -, the minus is a level, too.
PLUS = "+"
MINUS = "-"
# In columns of numbers also these, which could be a level of a category; with the errors of
# spreadsheets in any language (#DIV/0!, #NV, #¡VALOR!) and the missing values of SAS, .A to .Z.
MARKERS_OF_NUMBERS = re.compile(
    r"missing|unknown|not (available|applicable|known|measured|detected)"
    r"|n\.?d\.?|n\.?k\.?|tbd"
    r"|#¡?[^\W\d_]+(/[^\W_]+)?[!?]?|\.[a-z_]|\*+|—|–|…|\.\.\.",
    re.IGNORECASE,
)


class Missing:
    """Recognizes missing values: the usual markers, and those that the user declares.

    >>> missing = Missing(["-999", "none given"])
    >>> missing(" N/A "), missing("None given"), missing("-999.0"), missing("0")
    (True, True, True, False)
    """

    def __init__(self, declared: Sequence[str] = ()) -> None:
        texts = [text.strip().lower() for text in declared]
        self.declared = frozenset(texts)
        self.markers = MARKERS.union(texts)
        self.numbers = frozenset(float(text) for text in texts if is_number(text))
        # Cells as they are usually written: a set is faster than changing every cell's case.
        in_capitals = map(str.upper, self.markers)
        self.usual = {*self.markers, *in_capitals, "NaN", "None", "Null"}

    def __call__(self, cell: str) -> bool:
        """Return whether a cell stands for a missing value."""
        text = cell.strip().lower()
        if text in self.markers:
            return True
        if not self.numbers or not is_number(text):
            return False
        return float(text) in self.numbers

    def in_words(self, cell: str, among: Collection[str] = ()) -> bool:
        """Return whether a cell stands for a missing value in a column with these words."""
        text = cell.strip().lower()
        is_minus = text == MINUS and PLUS in among
        is_level = text == NONE or is_minus
        if is_level and text not in self.declared:
            return False
        return self(cell)

    def in_numbers(self, cell: str) -> bool:
        """Return whether a cell stands for a missing value in a column of numbers."""
        if self(cell):
            return True
        return MARKERS_OF_NUMBERS.fullmatch(cell.strip()) is not None

    def remove_from(self, values: Any) -> Any:
        """Return a column of any type without the values that the user declared as missing."""
        if not self.declared:
            return values
        column = plain(values)
        if column.is_text:
            text = column.values
            is_kept = [level.lower() not in self.declared for level in text.levels]
            return keep_levels(text, is_kept)
        if column.kind == NUMBER:
            return self.remove_numbers(column.values)
        return column

    def remove_numbers(self, numbers: Array) -> Array:
        """Return an array without the numbers that the user declared as missing."""
        is_declared = np.isin(numbers, list(self.numbers))
        return np.where(is_declared, np.nan, numbers)


USUAL = Missing()


class MissingByColumn:
    """What the user declares as missing: VALUE everywhere, or COLUMN=VALUE in one column.

    A column with ``*`` is a pattern of names.

    >>> missing = MissingByColumn(["-999", "age=99"], ["age", "size"], "x.csv")
    >>> missing.of("age")("99"), missing.of("size")("99"), missing.of("size")("-999")
    (True, False, True)
    """

    def __init__(self, declared: Sequence[str], names: Sequence[str], source: str) -> None:
        everywhere = []
        by_column: dict[str, list[str]] = {}
        for text in declared:
            if "=" in text:
                columns, value = split_option("--na", text, names, source)
                for name in columns:
                    by_column.setdefault(name, []).append(value)
            else:
                everywhere.append(text)
        self.everywhere = Missing(everywhere)
        self.by_column = {
            name: Missing([*everywhere, *values]) for name, values in by_column.items()
        }

    def of(self, name: str) -> Missing:
        """Return what recognizes the missing values of a column."""
        return self.by_column.get(name, self.everywhere)


def remove_declared(raw: RawTable, declared: Sequence[str]) -> None:
    """Remove the values that the user declared as missing from a table that was not text."""
    if not declared:
        return
    missing = MissingByColumn(declared, raw.all_names, raw.source)
    for name, values in raw.columns.items():
        of_column = missing.of(name)
        raw.columns[name] = of_column.remove_from(values)
    if sp.issparse(raw.matrix):
        raw.matrix.data = missing.everywhere.remove_numbers(raw.matrix.data)
    elif raw.matrix is not None:
        raw.matrix = missing.everywhere.remove_numbers(raw.matrix)
        for i, name in enumerate(raw.names):
            if name in missing.by_column:
                column = raw.matrix[:, i]
                of_column = missing.of(name)
                raw.matrix[:, i] = of_column.remove_numbers(column)
