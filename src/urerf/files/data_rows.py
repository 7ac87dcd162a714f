"""The rows of a table in a file, without the lines among and below them that are not data."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from urerf._messages import count, listed, plural

from .layout import Row, is_blank, is_comment, left_out
from .number_formats import looks_numeric

# Lines below the table: sources and remarks.
MOST_BELOW = 100
LONG_REMARK = 40  # characters; a row name is shorter
# The colon of "Source: x" and "https://", but not of 12:30 and GO:0008150.
COLON = re.compile(r":(?:\s|//|$)")


class DataRows:
    """The rows of a table, and what is left out of them.

    Comments, blank lines, lines that repeat the column names, as where files were joined, and
    remarks below the table are left out; notices tell of the last three.

    Parameters
    ----------
    rows : iterable of Row
        All rows below the column names.
    names : sequence of str
        The column names. Each row must have as many cells.
    source : str
        Name of the file, for messages.
    unit, separator : str
        What lines of the file are called, and what separates their cells, for messages.
    """

    def __init__(
        self,
        rows: Iterable[Row],
        names: Sequence[str],
        source: str,
        unit: str,
        separator: str,
    ) -> None:
        self.rows = rows
        self.names = names
        self.width = len(names)
        self.source = source
        self.unit = unit
        self.separator = separator
        self.repeated: list[int] = []
        self.blank: list[Row] = []
        self.n_blank = 0  # those above the last row: files often end with blank lines
        self.remarks: list[Row] = []  # they are rows if another row follows

    def __iter__(self) -> Iterator[Row]:
        """Yield the rows of the table."""
        is_first = True
        for row in self.rows:
            if self._is_skipped(row):
                continue
            may_be_remark = not is_first and self._is_remark(row.cells)
            self.remarks.append(row)
            if may_be_remark and len(self.remarks) <= MOST_BELOW:
                continue
            is_first = False
            self.n_blank = len(self.blank)
            yield from map(self._with_width, self.remarks)
            self.remarks.clear()

    def _is_skipped(self, row: Row) -> bool:
        """Return whether a line is blank, a comment, or repeats the column names."""
        if self.width > 1 and row.cells == self.names:
            self.repeated.append(row.line)
            return True
        n_cells = len(row.cells)
        if n_cells == self.width == 1:
            return False  # an empty cell is a missing value
        if is_blank(row.cells):
            self.blank.append(row)
            return True
        return n_cells != self.width and is_comment(row.cells)

    def _is_remark(self, cells: Sequence[str]) -> bool:
        """Return whether a line may be a remark below the table, such as its source.

        It has no numbers, and text in the first cell only, or fewer or more cells than there are
        columns. It is one cell, or begins with a sentence, or follows a remark. Other rows with too
        few or too many cells are mistakes.
        """
        if len(cells) == self.width:  # nearly all rows: this comes first because it is quick
            is_narrow = self.width < 3
            if is_narrow or not is_blank(cells[1:]):
                return False
        if any(map(looks_numeric, cells)):
            return False
        if self.remarks:
            return True
        text = cells[0]
        is_sentence = len(text) > LONG_REMARK or COLON.search(text) is not None
        is_alone = len(cells) == 1 < self.width
        return is_sentence or is_alone

    def _with_width(self, row: Row) -> Row:
        """Return a row without blank cells at its end, if there are too many."""
        n_cells = len(row.cells)
        if n_cells == self.width:
            return row
        surplus = row.cells[self.width :]
        if surplus and is_blank(surplus):
            kept = row.cells[: self.width]
            return Row(row.line, kept)
        cells = count(n_cells, "cell")
        columns = count(self.width, "column")
        raise ValueError(
            f"{self.source}: {self.unit} {row.line} has {cells}, but the table has {columns} "
            f"(separated by {self.separator!r})"
        )

    def notices(self) -> list[str]:
        """Return what was left out, once all rows were read."""
        notices = []
        if blank := self.blank[: self.n_blank]:
            verb = "it is" if len(blank) == 1 else "they are"
            lines_are = left_out(blank, self.unit)
            notices.append(f"{lines_are} left out: {verb} blank.")
        if self.remarks:
            lines_are = left_out(self.remarks, self.unit)
            notices.append(f"{lines_are} left out: the table ends above.")
        if self.repeated:
            numbers = [f"{line:,}" for line in self.repeated]
            places = listed(numbers)
            lines = plural(len(numbers), self.unit)
            notices.append(f"Left out because of repeated column names: {lines} {places}.")
        return notices
