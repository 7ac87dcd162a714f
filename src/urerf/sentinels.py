"""Numbers such as -999 that stand for missing values."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from .convert import number_text

# Numbers that stand for a missing value in many files.
SENTINEL = re.compile(r"-?9{2,}|-?9{2,}\.(0|9+|25)|-[1-9]|-?(7{2,}|8{2,})|9[78]|99[678]|-99[678]")
# A column with fewer other values has no range to be far from.
FEWEST_VALUES = 3


class Sentinel(NamedTuple):
    """A number that probably stands for missing values."""

    value: float
    n_cells: int


def sentinels(numbers: np.ndarray) -> list[Sentinel]:
    """Return the numbers such as -999 that are repeated and far from the rest of a column.

    Far means: further than the rest is wide.

    >>> sentinels(np.array([23.0, 35.0, -999.0, 51.0, -999.0, 44.0]))
    [Sentinel(value=-999.0, n_cells=2)]
    """
    found = []
    rest = numbers[np.isfinite(numbers)]
    while len(rest):
        low = float(rest.min())
        high = float(rest.max())
        candidates = [end for end in {low, high} if SENTINEL.fullmatch(number_text(end))]
        for value in sorted(candidates):
            others = rest[rest != value]
            n_cells = len(rest) - len(others)
            if n_cells > 1 and _is_far(value, others):
                found.append(Sentinel(value, n_cells))
                rest = others
                break
        else:
            break
    return found


def _is_far(value: float, others: np.ndarray) -> bool:
    if not len(others):
        return False
    low = float(others.min())
    high = float(others.max())
    gap = max(low - value, value - high)
    # Another sentinel may be among the others: 97, 98 and 99 stand for missing values together.
    inside = others
    while gap <= high - low and len(inside):
        end = low if abs(low - value) < abs(high - value) else high
        if not SENTINEL.fullmatch(number_text(end)):
            return False
        inside = inside[inside != end]
        if not len(inside):
            return False
        low = float(inside.min())
        high = float(inside.max())
        gap = max(low - value, value - high)
    return len(np.unique(inside[:10_000])) >= FEWEST_VALUES
