"""Numbers such as -999 that stand for missing values."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from .._typing import Array
from .convert import number_text

# Numbers that stand for a missing value in many files.
SENTINEL = re.compile(r"-?9{2,}|-?9{2,}\.(0|9+|25)|-[1-9]|-?(7{2,}|8{2,})|9[78]|99[678]|-99[678]")
# -1 may be a difference; -9 where all others are 0 or more is rarely one.
LARGEST_NEGATIVE = -9
# A column with fewer other values has no range to be far from.
FEWEST_VALUES = 3


class Sentinel(NamedTuple):
    """A number that probably stands for missing values."""

    value: float
    n_cells: int


def sentinels(numbers: Array) -> list[Sentinel]:
    """Return the numbers such as -999 that are repeated and far from the rest of a column.

    Far means farther than the range of the rest. If the rest is not negative, for -9 and less it
    means farther than the range of the middle half of the rest.

    >>> sentinels(np.array([23.0, 35.0, -999.0, 51.0, -999.0, 44.0]))
    [Sentinel(value=-999.0, n_cells=2)]
    """
    found = []
    rest = numbers[np.isfinite(numbers)]
    while (sentinel := _farthest(rest)) is not None:
        found.append(sentinel)
        rest = rest[rest != sentinel.value]
    return found


def _farthest(numbers: Array) -> Sentinel | None:
    """Return a sentinel at one of the ends of the numbers, the lower end first."""
    for value in _ends(numbers):
        others = numbers[numbers != value]
        n_cells = len(numbers) - len(others)
        if n_cells > 1 and _looks_missing(value) and _is_far(value, others):
            return Sentinel(value, n_cells)
    return None


def _ends(numbers: Array) -> list[float]:
    if len(numbers) == 0:
        return []
    low = numbers.min()
    high = numbers.max()
    return [float(low), float(high)]


def _looks_missing(value: float) -> bool:
    text = number_text(value)
    return SENTINEL.fullmatch(text) is not None


def _is_far(value: float, others: Array) -> bool:
    """Return whether a value is farther from the others than their range, or that of their middle.

    Another sentinel may be among the others: 97, 98 and 99 stand for missing values together.
    """
    while len(others):
        low, high = _ends(others)
        distance = max(low - value, value - high)
        value_range = high - low
        if value <= LARGEST_NEGATIVE and low >= 0:
            first, third = np.quantile(others, [0.25, 0.75])
            value_range = third - first
        if distance > value_range:
            different = np.unique(others[:10_000])
            return len(different) >= FEWEST_VALUES
        is_low_nearer = abs(low - value) < abs(high - value)
        nearest = low if is_low_nearer else high
        if not _looks_missing(nearest):
            return False
        others = others[others != nearest]
    return False
