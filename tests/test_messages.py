"""Counts, lists of names and hints in messages."""

import pytest

from urerf._messages import (
    LONGEST_LINE,
    MOST_NAMES,
    count,
    hint,
    listed,
    one_line,
    plural,
)


def test_the_hint_is_the_closest_name_or_what_is_available():
    assert hint("hieght", ["age", "height"]) == "did you mean 'height'?"
    assert hint("x", ["age", "height"]) == "available: age, height"


@pytest.mark.parametrize("n", [0, 1, MOST_NAMES, MOST_NAMES + 1, 1000 + MOST_NAMES])
def test_long_lists_of_names_are_shortened(n):
    names = [f"c{i}" for i in range(n)]
    text = listed(names)
    shown, _, rest = text.partition(" and ")
    assert shown == ", ".join(names[:MOST_NAMES])
    hidden = max(0, n - MOST_NAMES)
    assert rest == (f"{hidden:,} more" if hidden else "")


@pytest.mark.parametrize(
    ("n", "text"), [(0, "0 rows"), (1, "1 row"), (2, "2 rows"), (12345, "12,345 rows")]
)
def test_counts_agree_with_their_nouns(n, text):
    assert count(n, "row") == text
    assert text.endswith(" " + plural(n, "row"))


def test_a_line_that_is_printed_has_an_end():
    """A column of a file may have a name of a million characters."""
    line = one_line("x" * 1_000_000)
    assert line == "x" * LONGEST_LINE + " ..."
    assert one_line("x" * LONGEST_LINE) == "x" * LONGEST_LINE
