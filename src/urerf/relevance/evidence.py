"""What a test finds about single columns."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .basis import Array, Index


class ColumnEvidence(NamedTuple):
    """What a test found for p columns."""

    p_value: Array  # (p,), adjusted for all columns; 1 for columns that were not tested
    strength: Array  # (p,), from 0 to 1
    partner: Index  # (p,), the column on which it depends most, or -1

    @classmethod
    def nothing(cls, p: int) -> ColumnEvidence:
        """Return what is found if there is nothing to test."""
        return cls(
            p_value=np.ones(p),
            strength=np.zeros(p),
            partner=np.full(p, -1),
        )
