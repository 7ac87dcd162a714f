"""The blended distance: the forest and the straight distance together.

The forest alone ranks close rows coarsely: whatever the trees have not cut apart is at distance 0,
and each further digit takes a hundred times as many trees. The straight distance is sharp, but only
means something at short range, where the manifold is flat. The blend is the geometric mean of both,

    d = sqrt((f + r) / (1 + r) * g),    g = e / (e + flat),

with f the distance of the forest and e the straight distance in the columns and units of the trees.
Beyond ``flat``, g hardly changes and the forest decides; well below it, rows are ranked by f times
e, whatever the scale of either. The resolution r of the forest, half a tree, keeps f = 0 from
hiding e.

In a table with categories, g is Gower's distance: the mean over the columns of the difference of
two numbers relative to the width of the column, and of 1 for two different levels. Levels differ or
do not, so there is no short range, and rows that agree in most columns are close.

The distance is symmetric, between 0 and 1, and depends on nothing but the two rows and the model.
Equal rows are at distance 0. Rows that share no node are at distance 1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._threads import run_blocks
from .._typing import Array
from ..columns import Columns
from ..graph import Neighbors, nearest_first
from ..kernels.straight import straight_lengths

# Candidates that the forest proposes for k neighbors: PER_NEIGHBOR * k + SPARE. Four or eight per
# neighbor change no precision by more than .001 (docs/design/ranking.md): the product hardly ever
# prefers a row that the forest ranks so low.
PER_NEIGHBOR = 2
SPARE = 16
# Range within which straight distances count, relative to the diagonal of the table's widths. Twice
# as much gains .003 on manifolds and loses .01 on a helix whose turns are close to each other; half
# as much loses .005 on manifolds (docs/design/ranking.md).
FLAT_SHARE = 0.04
# Pairs of rows per task when all pairs are blended: a few megabytes.
BLOCK_VALUES = 1 << 17


def n_candidates(k: int, n_fitted: int, *, new_rows: bool) -> int:
    """Return how many of ``n_fitted`` rows the forest proposes, of which k are chosen.

    A new row may equal a fitted one, which is then its own first neighbor. The candidates for the
    others are those of the fitted row.
    """
    if new_rows:
        wanted = PER_NEIGHBOR * (k - 1) + SPARE + 1
        return min(wanted, n_fitted)
    wanted = PER_NEIGHBOR * k + SPARE
    return min(wanted, n_fitted - 1)


class Blend(NamedTuple):
    """What the blended distance needs to know of a model."""

    points: Array
    """The fitted rows in the columns and units of the trees, float32."""
    step: Array
    """Length of a step between two levels of a category; 0 for columns of numbers."""
    flat: float
    reach: float
    """The sum of the widths of all columns, by which Gower's distance is divided."""
    resolution: float

    @classmethod
    def of(cls, columns: Columns, points: Array, n_trees: int) -> Blend:
        """Return the blend of a model with ``n_trees`` trees and these fitted rows."""
        weights = columns.feature_weights
        return cls(
            points=points,
            step=np.where(columns.n_levels > 0, weights, 0.0),
            flat=FLAT_SHARE * columns.reach(raw_units=False),
            reach=float((weights * columns.width).sum()),
            resolution=0.5 / n_trees,
        )

    def lengths(self, points: Array, ids: Array) -> Array:
        """Return straight distances of points to the fitted rows ``ids``, row by row.

        They are those of `urerf.kernels.straight`: squared among numbers, Gower's with categories.
        """
        out = np.zeros(ids.shape)
        straight_lengths(points, self.points, self.step, 0, ids, out)
        return out

    def distances(self, forest: Array, lengths: Array) -> Array:
        """Return blended distances, given those of the forest and straight ``lengths``."""
        if self.step.any():
            near = np.minimum(lengths / self.reach, 1.0)
        else:
            straight = np.sqrt(lengths)
            # A table without spread has flat = 0 or straight = 0 only; neither may divide 0 by 0.
            tiny = np.finfo(float).tiny
            near = straight / np.maximum(straight + self.flat, tiny)
        coarse = (forest + self.resolution) / (1.0 + self.resolution)
        blended = np.sqrt(coarse * near)
        return np.where(forest < 1.0, blended, 1.0)

    def rank(
        self,
        forest: Array,
        lengths: Array,
        ids: Array,
    ) -> Neighbors:
        """Return blended distances of candidates, ascending, and the candidates in that order.

        Equal distances stay in the order of the forest.
        """
        blended = self.distances(forest, lengths)
        n_candidates = ids.shape[1]
        return nearest_first(blended, ids, n_candidates)

    def blend_matrix(
        self,
        proximity: Array,
        points: Array,
        n_jobs: int | None = None,
    ) -> None:
        """Turn the forest's similarities of points with all fitted rows into blended ones."""
        everyone = np.arange(len(self.points), dtype=np.int32)

        def fill(rows: slice) -> None:
            forest = 1.0 - proximity[rows]
            ids = np.tile(everyone, (len(forest), 1))
            lengths = self.lengths(points[rows], ids)
            proximity[rows] = 1.0 - self.distances(forest, lengths)

        block_rows = max(1, BLOCK_VALUES // len(everyone))
        run_blocks(fill, len(proximity), block_rows, n_jobs)
