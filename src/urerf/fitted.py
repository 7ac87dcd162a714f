"""What `URerF.fit` learned, as a frozen record, and the questions it answers."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from . import geodesic
from ._memory import check_memory
from ._typing import Array
from .columns import Columns
from .forest import Forest
from .gaps import fingerprints_of
from .graph import Neighbors, lacks_self, self_first, symmetrize, with_self
from .ranking.blend import Blend, n_candidates
from .ranking.dimension import (
    MOST_ROWS,
    has_paths,
    have_common_unit,
    is_curve,
    is_surface,
    local_dimension,
    near_by_unit,
)
from .ranking.index import (
    Index,
    Rank,
    build_index,
    counted_similarity,
    leaf_order,
    nearest_rows,
    signatures,
    similarity_matrix,
)
from .ranking.known_rows import KnownRows
from .ranking.paths import Paths
from .ranking.similarity import get_similarity
from .reading import Reading
from .relevance import Relevance
from .schema import Schema


@dataclass(frozen=True, eq=False)
class Fitted:
    """A fitted forest with all that is needed to ask it about fitted and about new rows.

    Rows are given as a `Reading`, which `Columns.read` makes of the user's table. How to ask
    (``n_neighbors``, ``similarity``, ``n_jobs``) is part of the question.

    Attributes
    ----------
    columns : Columns
        Which columns trees read, and how these are measured.
    forest : Forest
        The trees.
    matrix : ndarray of float32, (columns, rows)
        The fitted rows as trees read them.
    leaves : ndarray of int32, (trees, rows)
        The leaf of every fitted row in every tree.
    fingerprints : ndarray of uint64, (rows,)
        One hash per row, the same for equal rows.
    seed : int
        Seed of the trees and of the tie-breaks.
    n_features_in : int
        Number of columns of the user's table.
    relevance : Relevance or None
        The evidence for the columns chosen; None with ``feature_weighting="uniform"``.
    schema : Schema or None
        Names and kinds of the user's columns; None for arrays.
    """

    columns: Columns
    forest: Forest
    matrix: Array
    leaves: Array
    fingerprints: Array
    seed: int
    n_features_in: int
    relevance: Relevance | None
    schema: Schema | None

    @classmethod
    def of(
        cls, columns: Columns, forest: Forest, matrix: Array, leaves: Array, **other: Any
    ) -> Fitted:
        """Make the record, fingerprints included."""
        return cls(columns, forest, matrix, leaves, fingerprints_of(matrix), **other)

    @property
    def n_samples(self) -> int:
        """Number of fitted rows."""
        return self.matrix.shape[1]

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        return self.forest.n_trees

    def with_more_trees(self, forest: Forest, leaves: Array) -> Fitted:
        """Return the same model with further trees and the leaves of the fitted rows in these."""
        all_trees = Forest.merge([self.forest, forest])
        all_leaves = np.concatenate([self.leaves, leaves])
        return replace(self, forest=all_trees, leaves=all_leaves)

    @cached_property
    def dimension(self) -> float:
        """Number of dimensions that the rows fill locally; inf with categories."""
        if self.columns.n_levels.any():
            return np.inf
        return local_dimension(self._points_by_width)

    @property
    def _points_by_width(self) -> Array:
        """The fitted rows in units of the widths of the columns, (rows, columns)."""
        with np.errstate(over="ignore"):
            return (self.matrix / self.columns.width[:, None]).T

    @property
    def auto_similarity(self) -> str:
        """What ranks neighbors best here, a key of `urerf.ranking.similarity.SIMILARITIES`."""
        is_small = self.n_samples <= MOST_ROWS
        return "geodesic" if is_small and self._has_paths else "blend"

    @cached_property
    def _has_paths(self) -> bool:
        """Whether rows lie on a curve or a surface."""
        varying = np.ptp(self.matrix, axis=1) > 0.0
        widths = (self.columns.width * self.columns.unit)[varying]
        # What follows the widths takes tens of milliseconds, of 1,000 rows.
        return (
            have_common_unit(widths)
            and has_paths(self.dimension, len(widths))
            and near_by_unit(self._points_by_width[:, varying], widths)
        )

    @property
    def _path_columns(self) -> Columns:
        """The columns in which paths are measured in the units of the data.

        A column that trees draw less often, such as the height of a Swiss roll, which depends on no
        other, is a full coordinate of a surface.
        """
        if not self._has_paths:
            return self.columns
        equal_weights = np.ones(len(self.columns.chosen))
        return replace(self.columns, feature_weights=equal_weights)

    @cached_property
    def reading(self) -> Reading:
        """The fitted rows as trees read them."""
        return self.columns.reading(self.matrix)

    def leaves_of(self, rows: Reading | None, n_jobs: int | None) -> Array:
        """Return the leaf numbers of rows (None: of the fitted rows), (trees, rows)."""
        if rows is None:
            return self.leaves
        return self.forest.apply(rows, n_jobs=n_jobs)

    def nearest(
        self,
        rows: Reading | None,
        n_neighbors: int,
        *,
        similarity: str,
        n_jobs: int | None = None,
        include_self: bool = False,
        show_progress: bool = False,
    ) -> Neighbors:
        """Return distances to the nearest fitted rows and their positions, nearest first.

        Parameters
        ----------
        rows : Reading or None
            Rows to ask about. A row that was fitted finds itself first. None: the fitted rows,
            each row itself left out.
        n_neighbors : int
            Neighbors per row.
        similarity : str
            A key of `urerf.ranking.similarity.SIMILARITIES`.
        n_jobs : int or None
            Threads.
        include_self : bool
            For the fitted rows: put each row itself in front of its neighbors.
        show_progress : bool
            Show a progress bar on stderr.
        """
        ranking = get_similarity(similarity).ranking
        leaves = self.leaves_of(rows, n_jobs)
        known = None if rows is None else self.known_rows(rows)
        if ranking == "path":
            paths = self._ranking_paths(similarity, n_jobs)
            graph = self._path_graph(paths)
            stamps = signatures(leaves, self.seed)
            distances, ids = paths.nearest(graph, rows, n_neighbors, stamps, n_jobs)
            if rows is None and include_self:
                return with_self(distances, ids)
        else:
            n = leaves.shape[1]
            selves = np.arange(n) if rows is None else np.full(n, -1)
            rank = None
            count = n_neighbors
            if ranking == "blend":
                rank = self._rank_blended(rows, known, similarity, n_jobs)
                count = n_candidates(n_neighbors, self.n_samples, new_rows=rows is not None)
            distances, ids = nearest_rows(
                self._index(similarity, n_jobs),
                leaves,
                n_neighbors,
                selves=selves,
                seed=self.seed,
                include_self=include_self and rows is None,
                n_jobs=n_jobs,
                show_progress=show_progress,
                rank=rank,
                n_candidates=count,
            )
        if known is None:
            return distances, ids
        return self_first(distances, ids, known)

    def _rank_blended(
        self,
        rows: Reading | None,
        known: Array | None,
        similarity: str,
        n_jobs: int | None,
    ) -> Rank:
        """Return what ranks the candidates of rows by the blended distance.

        ``known`` are the fitted rows that new rows equal. Where others that no tree has cut apart
        from such a row crowd it out of its own candidates, it takes the place of the last one, so
        that the others are those of the fitted row.
        """
        blend = self._blend_by_place  # before the index: ordering the rows takes a second copy
        place = self._index(similarity, n_jobs).place
        points = None if rows is None else self._points(rows)

        def rank(
            block: Array,
            lengths: Array,
            ids: Array,
        ) -> Neighbors:
            if known is not None:
                crowded = lacks_self(ids, known[block])
                lengths[crowded], ids[crowded] = self_first(
                    lengths[crowded], ids[crowded], known[block][crowded]
                )
            own = blend.points[place[block]] if points is None else points[block]
            straight = blend.lengths(own, place[ids])
            return blend.rank(lengths, straight, ids)

        return rank

    def proximity(
        self,
        rows: Reading | None,
        *,
        samples: str,
        similarity: str,
        n_jobs: int | None = None,
    ) -> Array:
        """Return the dense similarity of rows (None: of the fitted rows) with the fitted rows.

        ``samples`` says which trees count for a pair: all, those grown on both rows ("in_bag"), or
        those grown on neither ("out_of_bag").
        """
        # 8 bytes for the result and 4 or 16 for the sums it is made from
        bytes_per_pair = 12 if samples == "all" else 24
        n = self.n_samples if rows is None else rows.matrix.shape[1]
        check_memory(
            n * self.n_samples * bytes_per_pair,
            f"X: a dense {n} x {self.n_samples} proximity",
            "kneighbors_graph() gives the nearest rows as a sparse graph",
        )
        ranking = get_similarity(similarity).ranking
        if ranking == "path":
            paths = self._ranking_paths(similarity, n_jobs)
            return paths.proximity(self._path_graph(paths), rows)
        index = self._index(similarity, n_jobs)
        leaves = self.leaves_of(rows, n_jobs)
        if samples == "all":
            proximity = similarity_matrix(index, leaves, n_jobs) / index.perfect
        else:
            counts_fitted = self.forest.in_bag() == (samples == "in_bag")
            counts = counts_fitted if rows is None else np.ones(leaves.shape, dtype=bool)
            proximity = counted_similarity(index, leaves, counts, counts_fitted, n_jobs)
        if ranking == "blend":
            fitted_points = self._points(self.reading)
            blend = Blend.of(self.columns, fitted_points, self.n_trees)
            points = fitted_points if rows is None else self._points(rows)
            blend.blend_matrix(proximity, points, n_jobs)
        if rows is None:
            np.fill_diagonal(proximity, 1.0)
        return proximity

    def geodesic_distances(
        self,
        sources: Array | None,
        rows: Reading | None,
        *,
        n_neighbors: int,
        bridge: bool,
        similarity: str,
        raw_units: bool = True,
        n_jobs: int | None = None,
    ) -> Array:
        """Return the lengths of the shortest paths to all fitted rows.

        Paths start from the fitted rows ``sources`` (None: from all), or from new ``rows`` if these
        are given.
        """
        if rows is not None:
            n = rows.matrix.shape[1]
        else:
            n = self.n_samples if sources is None else len(sources)
        name = "rows" if rows is None else "X"
        check_memory(
            n * self.n_samples * 8,
            f"{name}: a dense {n} x {self.n_samples} distance matrix",
            "ask for fewer rows at a time",
        )
        columns = self._path_columns if raw_units else self.columns
        paths = Paths(
            self.reading,
            columns,
            n_neighbors,
            geodesic.CANDIDATES * n_neighbors,
            partial(self._propose, similarity, n_jobs),
            raw_units,
        )
        graph = paths.graph()
        if bridge:
            graph = geodesic.bridge_components(graph, paths.points(None))
        return paths.lengths(graph, rows, sources)

    def _ranking_paths(self, similarity: str, n_jobs: int | None) -> Paths:
        """Return the paths by which neighbors are ranked."""
        n_edges = geodesic.CURVE_EDGES if is_curve(self.dimension) else geodesic.EDGES
        per_edge = geodesic.PATH_CANDIDATES if self._has_paths else geodesic.CANDIDATES
        return Paths(
            self.reading,
            self._path_columns,
            n_edges,
            per_edge * n_edges,
            partial(self._propose, similarity, n_jobs),
            straightens=is_surface(self.dimension),
        )

    def _propose(
        self,
        similarity: str,
        n_jobs: int | None,
        rows: Reading | None,
        count: int,
    ) -> Array:
        """Return the nearest fitted rows of rows by the forest alone."""
        nodes = get_similarity(similarity).nodes
        count = min(count, self.n_samples - 1)
        return self.nearest(rows, count, similarity=nodes, n_jobs=n_jobs)[1]

    def _path_graph(self, paths: Paths) -> sp.csr_matrix:
        """Return the symmetric graph by whose paths neighbors are ranked."""
        if "path" not in self._graphs:
            self._graphs["path"] = symmetrize(paths.graph())
        return self._graphs["path"]

    @cached_property
    def _graphs(self) -> dict[str, sp.csr_matrix]:
        """The graph of edges between fitted rows, if it was needed; never saved."""
        return {}

    def known_rows(self, reading: Reading) -> Array:
        """Return the fitted row that each row equals, -1 where there is none."""
        return KnownRows.of(self.fingerprints).find(reading)

    @cached_property
    def _indexes(self) -> dict[str, Index]:
        """The neighbor index for each kind of node weights asked for so far; never saved."""
        return {}

    def _index(self, similarity: str, n_jobs: int | None) -> Index:
        """Return the neighbor index, built when it is first needed."""
        nodes = get_similarity(similarity).nodes
        if nodes not in self._indexes:
            self._indexes[nodes] = build_index(self.forest, self.leaves, nodes, n_jobs)
        return self._indexes[nodes]

    def _points(self, rows: Reading) -> Array:
        """Return rows in the columns and units of the trees, (rows, columns)."""
        points = self.columns.points(rows, raw_units=False, dtype=np.float32)
        return points.values

    @cached_property
    def _blend_by_place(self) -> Blend:
        """The blend with the fitted rows in the order of their places in the index; never saved.

        The candidates of a row have places close to each other. Of 10^6 rows x 50, straight
        distances take half of the time that they take in the order of the table.
        """
        points = self._points(self.reading)[leaf_order(self.leaves)]
        return Blend.of(self.columns, points, self.n_trees)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the fields alone: an index is built again when it is needed."""
        values = [getattr(self, field.name) for field in fields(self)]
        return Fitted, tuple(values)
