"""Fitted rows that come back are recognized by their fingerprints, a hash of every row."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._typing import Array
from ..gaps import fingerprints_of
from ..reading import Reading


class KnownRows(NamedTuple):
    """The fingerprints of all fitted rows, ready to be searched."""

    fingerprints: Array
    different: Array
    """The different fingerprints, ascending."""
    first: Array
    """The first fitted row that has each of these."""

    @classmethod
    def of(cls, fingerprints: Array) -> KnownRows:
        """Sort the fingerprints of all fitted rows."""
        different, first = np.unique(fingerprints, return_index=True)
        return cls(fingerprints, different, first)

    def find(self, reading: Reading, start: int = 0) -> Array:
        """Return the fitted row that each row equals, -1 where there is none.

        Of several equal fitted rows: the one at the same position, else the first. A row without
        any value equals only itself. ``start`` is the position of the first row of the reading.
        """
        prints = fingerprints_of(reading.matrix)
        place = np.searchsorted(self.different, prints)
        place = np.minimum(place, len(self.different) - 1)
        is_known = self.different[place] == prints
        rows = np.where(is_known, self.first[place], -1)
        rows[reading.empty_rows] = -1
        at_same_position = self.fingerprints[start : start + len(prints)]
        is_same = prints[: len(at_same_position)] == at_same_position
        same = np.flatnonzero(is_same)
        rows[same] = start + same
        return rows
