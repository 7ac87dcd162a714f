"""Cells that stand for missing values."""

from __future__ import annotations

import re

from urerf.convert import is_number

# In lower case, in columns of any kind.
MARKERS = frozenset(
    ["", "na", "n/a", "#n/a", "#n/a n/a", "#na", "<na>", "n.a.", "nan", "-nan", "nat", "null",
     "(null)", "none", "?", "-", "--", "---", ".", "..", "\\n", "#null!", "1.#qnan", "-1.#ind"]
)  # fmt: skip
# In columns of numbers also these, which could be a level of a category; with the errors of
# spreadsheets and the missing values of SAS, .A to .Z.
MARKERS_OF_NUMBERS = re.compile(
    r"missing|unknown|not (available|applicable|known|measured|detected)|n\.?d\.?|n\.?k\.?|tbd"
    r"|#(div/0|value|ref|num|name|error)[!?]?|\.[a-z_]|\*+|—|–",
    re.IGNORECASE,
)


class Missing:
    """Recognizes missing values: the usual markers, and those that the user declares.

    >>> missing = Missing(["-999", "none given"])
    >>> missing(" N/A "), missing("None given"), missing("-999.0"), missing("0")
    (True, True, True, False)
    """

    def __init__(self, declared: tuple[str, ...] | list[str] = ()) -> None:
        texts = [text.strip().lower() for text in declared]
        self.markers = MARKERS.union(texts)
        self.numbers = frozenset(float(text) for text in texts if is_number(text))
        # Cells as they are usually written: a set is faster than changing every cell's case.
        self.usual = {*self.markers, *map(str.upper, self.markers), "NaN", "None", "Null"}

    def __call__(self, cell: str) -> bool:
        """Return whether a cell stands for a missing value."""
        text = cell.strip().lower()
        if text in self.markers:
            return True
        return bool(self.numbers) and is_number(text) and float(text) in self.numbers

    def in_numbers(self, cell: str) -> bool:
        """Return whether a cell stands for a missing value in a column of numbers."""
        return self(cell) or MARKERS_OF_NUMBERS.fullmatch(cell.strip()) is not None
