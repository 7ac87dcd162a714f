"""What the columns of a text file share: missing values, number formats, and messages."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field

from urerf._messages import count
from urerf.kinds.counters import is_id_name

from .encoding import Repair
from .missing import MissingByColumn
from .number_formats import POINT, NumberFormat, point_of_thousands, same_number

# A column is numeric if at least this share of its filled cells are numbers.
NUMERIC_SHARE = 0.8
# Characters and examples of cells in messages.
MOST_CHARACTERS = 40
MOST_EXAMPLES = 3


@dataclass
class Context:
    """What all columns of a file share.

    Attributes
    ----------
    source : str
        Name of the file, for messages.
    missing : MissingByColumn
        Recognizes missing values.
    repair : Repair
        Repairs the letters of files that are not UTF-8.
    formats : sequence of NumberFormat
        Formats in which numbers may be written, the likely ones first.
    unit_of_lines : str
        What lines are called in messages.
    notices : list of str
        What the user should know about single columns.
    """

    source: str
    missing: MissingByColumn
    repair: Repair
    formats: Sequence[NumberFormat]
    unit_of_lines: str = "line"
    notices: list[str] = field(default_factory=list)

    def place(self, line: int, name: str) -> str:
        """Return the position of a cell for an error message."""
        return f"{self.source}: {self.unit_of_lines} {line}, column {name!r}"

    def tell_units(self, name: str, unit: str, n_without: int, n_numbers: int) -> None:
        """Tell that some numbers of a column lack its unit: 0.12 among 12 %."""
        if n_without:
            numbers = count(n_numbers, "number")
            self.notices.append(
                f"{name}: {unit} is missing from {n_without:,} of {numbers}; read as if it were "
                "there."
            )

    def tell_same_number(self, name: str, cells: Sequence[str]) -> None:
        """Tell that different cells of a column of numbers are the same number."""
        same = same_number(cells)
        if same:
            column = shlex.quote(name)
            first, second = map(shown, same)
            self.notices.append(
                f"{name}: {first} and {second} are read as the same number; if they are names, "
                f"such as versions, use --categorical {column}."
            )

    def tell_thousands(self, name: str, cells: Sequence[str]) -> None:
        """Tell that a point was taken for a decimal, although it may separate thousands."""
        example = point_of_thousands(cells)
        is_possible = any(form.thousands == POINT for form in self.formats)
        if example and is_possible:
            self.notices.append(
                f"{name}: the point of {example} is read as a decimal point; if it separates "
                "thousands, use --thousands ."
            )

    def not_a_number(
        self,
        name: str,
        line: int,
        bad: Sequence[str],
        n_bad: int,
    ) -> ValueError:
        """Return the error about the first of some cells that should be numbers."""
        cell = bad[0]
        others = ""
        if n_bad > 1:
            different = [other for other in dict.fromkeys(bad) if other != cell]
            examples = [repr(shown(other)) for other in different[:MOST_EXAMPLES]]
            more_cells = count(n_bad - 1, "more cell")
            others = f" (and {more_cells} of the column"
            if examples:
                others += f", such as {', '.join(examples)}"
            others += ")"
        column = shlex.quote(name)
        missing = shlex.quote(shown(cell))
        return ValueError(
            f"{self.place(line, name)}: {shown(cell)!r} is not a number{others}; fix it, or use "
            f"--na {missing} (missing), --categorical {column} or "
            f"--ignore {column}"
        )


def shown(cell: str) -> str:
    """Return a cell as messages show it."""
    return cell[:MOST_CHARACTERS]


def is_mistake(name: str, n_bad: int, n_filled: int) -> bool:
    """Return whether so few of the filled cells are not numbers that they are mistakes.

    Identifiers may be written as they like: 15, 15A.
    """
    if is_id_name(name):
        return False
    if n_bad == 1 and n_filled > 2:
        return True
    most = (1 - NUMERIC_SHARE) * n_filled
    return n_bad <= most
