"""Islands of the map moved together, so that the screen is not mostly empty.

The layout pushes rows that are not neighbors apart without end. How far islands are from each other
means little; what matters is which rows are on them.
"""

from __future__ import annotations

import numpy as np
from scipy import ndimage

# Cells along the longer side of the map; empty space narrower than two cells does not separate.
CELLS = 48
# Islands up to which they are moved; a map with more consists of single rows.
MOST_ISLANDS = 300
# Places tried for an island on the way from the middle of the map to where it was.
STEPS = 60
# Empty cells that are kept around an island.
GAP = 2


def packed(points: np.ndarray) -> np.ndarray:
    """Move islands straight towards the middle of the map until they nearly touch another one.

    The longest extent of the result is along x.

    >>> points = np.array([[0.0, 0.0], [1.0, 1.0], [90.0, 0.0], [91.0, 1.0]])
    >>> float(np.ptp(packed(points)[:, 0])) < 60
    True
    """
    low = points.min(axis=0)
    size = max(float(np.ptp(points, axis=0).max()), 1e-12) / CELLS
    island, n_islands = _islands(((points - low) / size).astype(int))
    if not 1 < n_islands <= MOST_ISLANDS:
        return points
    middle = points.mean(axis=0)
    members = [np.flatnonzero(island == i) for i in range(n_islands)]
    centers = np.array([points[rows].mean(axis=0) for rows in members])
    order = np.argsort(((centers - middle) ** 2).sum(axis=1))
    taken = np.zeros((2 * CELLS + 2 * GAP, 2 * CELLS + 2 * GAP), dtype=bool)
    result = points.copy()
    for i in order:
        place = _free_place(points[members[i]], centers[i] - middle, middle, size, taken)
        result[members[i]] = place
        cells = _cells(place, middle, size)
        taken[cells[:, 0], cells[:, 1]] = True
    result -= result.mean(axis=0)
    _, axes = np.linalg.eigh(result.T @ result)
    return result @ axes[:, ::-1]


def _islands(cells: np.ndarray) -> tuple[np.ndarray, int]:
    """Return the island of every row: cells that touch, also across one empty cell."""
    grid = np.zeros((CELLS + 1, CELLS + 1), dtype=bool)
    grid[cells[:, 0], cells[:, 1]] = True
    everywhere = np.ones((3, 3), dtype=bool)
    label, n_islands = ndimage.label(ndimage.binary_dilation(grid, everywhere), everywhere)
    return label[cells[:, 0], cells[:, 1]] - 1, n_islands


def _cells(place: np.ndarray, middle: np.ndarray, size: float) -> np.ndarray:
    cells = np.floor((place - middle) / size).astype(int) + CELLS + GAP
    return np.unique(np.clip(cells, GAP, 2 * CELLS + GAP - 1), axis=0)


def _free_place(
    rows: np.ndarray, offset: np.ndarray, middle: np.ndarray, size: float, taken: np.ndarray
) -> np.ndarray:
    """Return an island as close to the middle as it can be without touching what is taken."""
    around = ndimage.binary_dilation(taken, np.ones((3, 3), dtype=bool), iterations=GAP)
    for step in range(STEPS):
        place = rows + (step / STEPS - 1) * offset
        cells = _cells(place, middle, size)
        if not around[cells[:, 0], cells[:, 1]].any():
            return place
    return rows
