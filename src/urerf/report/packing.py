"""Islands of the map moved together, so that the screen is not mostly empty.

The layout pushes rows that are not neighbors apart without end. How far islands are from each other
means little; what matters is which rows are on them.
"""

from __future__ import annotations

import numpy as np
from scipy import ndimage

from urerf.embedding import along_x

from .._typing import Array

# Cells along the longer side of the map; empty space narrower than two cells does not separate.
CELLS = 48
# Islands up to which they are moved; a map with more consists of single rows.
MOST_ISLANDS = 300
# Places tried for an island on the way from the middle of the map to where it was.
STEPS = 60
# Empty cells that are kept around an island.
GAP = 2
# A cell and its eight neighbors.
AROUND = np.ones((3, 3), dtype=bool)


def packed(points: Array) -> Array:
    """Move islands straight towards the middle of the map until they nearly touch another one.

    The longest extent of the result is along x.

    >>> points = np.array([[0.0, 0.0], [1.0, 1.0], [90.0, 0.0], [91.0, 1.0]])
    >>> float(np.ptp(packed(points)[:, 0])) < 60
    True
    """
    low = points.min(axis=0)
    extent = np.ptp(points, axis=0)
    size = max(float(extent.max()), 1e-12) / CELLS
    cells = ((points - low) / size).astype(int)
    island, n_islands = _islands(cells)
    if not 1 < n_islands <= MOST_ISLANDS:
        return points
    middle = points.mean(axis=0)
    members = [np.flatnonzero(island == i) for i in range(n_islands)]
    centers = np.array([points[rows].mean(axis=0) for rows in members])
    offsets = centers - middle
    distance2 = (offsets**2).sum(axis=1)
    grid = _Grid(middle, size)
    result = points.copy()
    for i in np.argsort(distance2):
        rows = members[i]
        result[rows] = grid.take_free_place(points[rows], offsets[i])
    return along_x(result)


def _islands(cells: Array) -> tuple[Array, int]:
    """Return the island of every row: cells that touch, also across one empty cell."""
    is_filled = np.zeros((CELLS + 1, CELLS + 1), dtype=bool)
    place = tuple(cells.T)
    is_filled[place] = True
    wider = ndimage.binary_dilation(is_filled, AROUND)
    label, n_islands = ndimage.label(wider, AROUND)
    return label[place] - 1, n_islands


class _Grid:
    """The cells of the new map, and which of them are taken."""

    def __init__(self, middle: Array, size: float) -> None:
        self.middle = middle
        self.size = size
        side = 2 * CELLS + 2 * GAP
        self.taken = np.zeros((side, side), dtype=bool)

    def cells(self, island: Array) -> tuple[Array, ...]:
        """Return the cells of the rows of an island, as an index of `taken`."""
        from_middle = np.floor((island - self.middle) / self.size)
        cells = from_middle.astype(int) + CELLS + GAP
        inside = np.clip(cells, GAP, 2 * CELLS + GAP - 1)
        return tuple(inside.T)

    def take_free_place(self, island: Array, offset: Array) -> Array:
        """Return an island as close to the middle as it can be without touching what is taken.

        ``offset`` is where its center is, seen from the middle. Its new cells are then taken.
        """
        too_close = ndimage.binary_dilation(self.taken, AROUND, iterations=GAP)
        for step in range(STEPS + 1):
            share = step / STEPS - 1
            moved = island + share * offset
            if not too_close[self.cells(moved)].any():
                break
        self.taken[self.cells(moved)] = True
        return moved
