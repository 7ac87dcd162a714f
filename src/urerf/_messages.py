"""What messages have in common: counts, lists of names, and the error for unknown names."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

# Names shown before "and n more": about as many as fit on one line of a terminal.
MOST_NAMES = 5
# Characters of a line that is printed: a cell or a name in a file may have millions.
LONGEST_LINE = 2000


class UnknownNameError(ValueError):
    """A name that does not exist; the command line exits with the code for wrong usage."""


def hint(name: str, known: Sequence[str]) -> str:
    """Return a question about the closest known name, or else the names that exist.

    >>> hint("colour", ["color", "size"]), hint("x", ["color", "size"])
    ("did you mean 'color'?", 'available: color, size')
    """
    closest = difflib.get_close_matches(name, known, 1)
    if closest:
        return f"did you mean {closest[0]!r}?"
    return f"available: {listed(known)}"


def listed(names: Sequence[str]) -> str:
    """Join names with commas; of many, only the first few.

    >>> listed(["a", "b"]), listed(list("abcdefg"))
    ('a, b', 'a, b, c, d, e and 2 more')
    """
    shown = ", ".join(names[:MOST_NAMES])
    rest = len(names) - MOST_NAMES
    return f"{shown} and {rest:,} more" if rest > 0 else shown


def count(n: int, noun: str) -> str:
    """Return a number and its noun, in the singular or the plural.

    >>> count(1, "row"), count(1000, "column")
    ('1 row', '1,000 columns')
    """
    return f"{n:,} {plural(n, noun)}"


def plural(n: int, noun: str) -> str:
    """Return the noun as it follows the number.

    >>> plural(1, "row"), plural(0, "row")
    ('row', 'rows')
    """
    return noun if n == 1 else f"{noun}s"


def one_line(text: str) -> str:
    r"""Return text as one line that a terminal shows as it is: files may contain anything.

    >>> one_line("two\nlines \x1b[31mred")
    'two lines \\x1b[31mred'
    """
    line = " ".join(text.split())
    if len(line) > LONGEST_LINE:
        line = f"{line[:LONGEST_LINE]} ..."
    return printable(line)


def printable(text: str) -> str:
    r"""Return text with escapes for what could control a terminal or cannot be encoded.

    >>> printable("\x1b]0;title\x07 \udcff")
    '\\x1b]0;title\\x07 \\udcff'
    """
    if text.isprintable():
        return text
    return "".join(map(_escaped, text))


def _escaped(letter: str) -> str:
    if letter.isprintable():
        return letter
    return repr(letter)[1:-1]  # without the quotes
