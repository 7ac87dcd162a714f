"""What a test finds about single columns."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._typing import Array, IntArray

# False discovery rate among the columns of a crowd and among columns with groups, once the table
# has one: a few false ones do little harm among many.
FALSE_DISCOVERIES = 0.05


class ColumnEvidence(NamedTuple):
    """What a test found for p columns."""

    p_value: Array  # (p,), adjusted for all columns; 1 for columns that were not tested
    strength: Array  # (p,), from 0 to 1
    partner: IntArray  # (p,), the column on which it depends most, or -1

    @classmethod
    def nothing(cls, p: int) -> ColumnEvidence:
        """Return what is found if there is nothing to test."""
        return cls(
            p_value=np.ones(p),
            strength=np.zeros(p),
            partner=np.full(p, -1),
        )


def named_below(alpha: float, adjusted: Array) -> Array:
    """Return p-values below ``alpha`` for the columns that are named at `FALSE_DISCOVERIES`.

    >>> print(named_below(0.01, np.array([0.001, 0.04, 0.06])))
    [0.0002 0.008  0.06  ]
    """
    is_named = adjusted < FALSE_DISCOVERIES
    below_alpha = adjusted * alpha / FALSE_DISCOVERIES
    return np.where(is_named, below_alpha, adjusted)
