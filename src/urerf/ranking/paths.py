"""Paths among the rows of a model: distances along them, and neighbors ranked by these.

The forest proposes the rows to which edges lead; `urerf.geodesic` measures edges and finds paths.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from .. import geodesic
from .._typing import Array
from ..columns import Columns
from ..graph import Neighbors, nearest_first
from ..points import Points
from ..reading import Reading


class Paths(NamedTuple):
    """How the edges of paths are chosen and measured, for the fitted rows and for new ones.

    Wherever rows are asked for, None stands for the fitted rows.
    """

    reading: Reading
    """The fitted rows as trees read them."""
    columns: Columns
    """The columns in which edges are measured."""
    n_edges: int
    """Edges per row."""
    n_candidates: int
    """Rows among which the edges of a row are chosen."""
    propose: Callable[[Reading | None, int], Array]
    """From rows and a number to as many of the nearest fitted rows of each, by the forest."""
    raw_units: bool = True
    """Whether lengths are in the units of the data or in those of the trees."""
    straightens: bool = False
    """Whether paths that zigzag over a surface are straightened."""

    def points(self, rows: Reading | None) -> Points:
        """Return rows as points, in the columns and units in which edges are measured."""
        reading = self.reading if rows is None else rows
        return self.columns.points(reading, raw_units=self.raw_units)

    def graph(self) -> sp.csr_matrix:
        """Return the edges of the fitted rows, one way."""
        points = self.points(None)
        candidates = self.propose(None, self.n_candidates)
        return geodesic.edge_graph(points, points, candidates, self.n_edges)

    def lengths(
        self,
        graph: sp.csr_matrix,
        rows: Reading | None,
        sources: Array | None = None,
    ) -> Array:
        """Return the lengths of the shortest paths to all fitted rows.

        They start from the fitted rows ``sources`` (None: from all), or from new ``rows``.
        """
        if rows is None:
            return geodesic.path_lengths(graph, sources)
        candidates = self.propose(rows, self.n_candidates)
        points = self.points(rows)
        fitted = self.points(None)
        return geodesic.lengths_from_new(graph, points, fitted, candidates, self.n_edges)

    def distances(self, lengths: Array) -> Array:
        """Map the lengths of paths to [0, 1]."""
        reach = self.columns.reach(raw_units=self.raw_units)
        return geodesic.to_distances(lengths, reach)

    def proximity(self, graph: sp.csr_matrix, rows: Reading | None) -> Array:
        """Return the dense similarity of rows with the fitted rows."""
        lengths = self.lengths(graph, rows)
        if rows is None:
            lengths = np.minimum(lengths, lengths.T)  # sums from the two ends differ by rounding
        if self.straightens:
            geodesic.straighten_all(lengths, self.points(rows), self.points(None))
        return 1.0 - self.distances(lengths)

    def nearest(
        self,
        graph: sp.csr_matrix,
        rows: Reading | None,
        k: int,
        stamps: Array,
        n_jobs: int | None,
    ) -> Neighbors:
        """Return the k nearest fitted rows over a symmetric graph, a fitted row itself left out.

        ``stamps`` break ties; see `urerf.kernels.paths.nearest_by_path`.
        """
        n_fitted = graph.shape[0]
        fitted = self.points(None)
        points = self.points(rows)
        if rows is None:
            selves = np.arange(n_fitted)
            starts = selves[:, None].astype(np.int32)
            lengths = np.zeros(starts.shape)
            n_found = min(geodesic.STRAIGHTENED * k, n_fitted - 1)
        else:
            selves = np.full(len(stamps), -1)
            candidates = self.propose(rows, self.n_candidates)
            lengths, starts = geodesic.nearest_edges(points, fitted, candidates, self.n_edges)
            # A fitted row that is passed as new finds itself, besides the rows found before.
            n_found = min(geodesic.STRAIGHTENED * (k - 1) + 1, n_fitted)
        lengths, ids = geodesic.nearest_rows(
            graph,
            starts,
            lengths,
            n_found if self.straightens else k,
            selves=selves,
            stamps=stamps,
            n_jobs=n_jobs,
        )
        if self.straightens:
            lengths = geodesic.straightened(lengths, ids, points, fitted)
            lengths, ids = nearest_first(lengths, ids, k)
        return self.distances(lengths), ids
