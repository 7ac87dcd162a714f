"""Names of columns that are all different."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from urerf._messages import MOST_NAMES, count, listed


def unique_names(names: Sequence[str]) -> tuple[list[str], set[str], list[str]]:
    """Return names that are all different, those that were empty, and what to tell the user.

    >>> unique_names(["a", "", "a"])
    (['a', 'x1', 'a.1'], {'x1'}, ["2 columns are named 'a'; the second is called a.1."])
    """
    taken = set(names)
    numbers: dict[str, int] = {}
    result = []
    copies: defaultdict[str, list[str]] = defaultdict(list)
    for i, name in enumerate(names):
        new = name
        if not name:
            usual = "rownames" if i == 0 else f"x{i}"
            new = _free(usual, taken, numbers)
        elif name in copies:
            new = _free(name, taken, numbers)
        taken.add(new)
        copies[name].append(new)
        result.append(new)
    unnamed = set(copies.pop("", []))
    repeated = []
    for name, (_, *others) in copies.items():
        if others:
            repeated.append((name, others))
    notices = []
    for name, others in repeated[:MOST_NAMES]:
        which = "second is" if len(others) == 1 else "others are"
        n_columns = len(others) + 1
        new_names = listed(others)
        notices.append(f"{n_columns} columns are named {name!r}; the {which} called {new_names}.")
    n_more = len(repeated) - MOST_NAMES
    if n_more > 0:
        appear = "appears" if n_more == 1 else "appear"
        other_names = count(n_more, "other name")
        notices.append(f"{other_names} {appear} more than once.")
    return result, unnamed, notices


def _free(name: str, taken: set[str], numbers: dict[str, int]) -> str:
    """Return a name that is not taken, numbered as pandas and R do.

    ``numbers`` are the last numbers that were tried: 100,000 columns may have the same name.
    """
    new = name
    while new in taken:
        last = numbers.get(name, 0)
        number = last + 1
        numbers[name] = number
        new = f"{name}.{number}"
    return new
