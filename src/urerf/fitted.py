"""What `URerF.fit` learned, as a frozen record, and the questions it answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from . import geodesic
from ._memory import available_memory
from .blend import Blend, n_candidates
from .columns import Columns
from .dimension import (
    MOST_ROWS,
    has_paths,
    have_common_unit,
    is_curve,
    is_surface,
    local_dimension,
)
from .forest import Forest
from .gaps import fingerprints_of
from .graph import (
    Index,
    Rank,
    build_index,
    counted_similarity,
    leaf_order,
    nearest_rows,
    self_first,
    signatures,
    similarity_matrix,
    symmetrize,
    with_self,
)
from .known_rows import KnownRows
from .reading import Reading
from .relevance import Relevance
from .schema import Schema
from .similarity import get_similarity


@dataclass(frozen=True, eq=False)
class Fitted:
    """A fitted forest with all that is needed to ask it about fitted and about new rows.

    Rows are given as a `Reading`, which `read` makes of the user's table. How to ask
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
    matrix: np.ndarray
    leaves: np.ndarray
    fingerprints: np.ndarray
    seed: int
    n_features_in: int
    relevance: Relevance | None
    schema: Schema | None

    @classmethod
    def of(
        cls, columns: Columns, forest: Forest, matrix: np.ndarray, leaves: np.ndarray, **other: Any
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

    @property
    def feature_weights(self) -> np.ndarray:
        """What trees draw the columns of the user's table by; 0 for columns that are not used."""
        return self.columns.weights_of_all(self.n_features_in)

    def with_more_trees(self, forest: Forest, leaves: np.ndarray) -> Fitted:
        """Return the same model with further trees and the leaves of the fitted rows in these."""
        trees = Forest.merge([self.forest, forest])
        return replace(self, forest=trees, leaves=np.concatenate([self.leaves, leaves]))

    @cached_property
    def dimension(self) -> float:
        """Number of dimensions that the rows fill locally; inf with categories."""
        if self.columns.n_levels.any():
            return np.inf
        with np.errstate(over="ignore"):
            points = (self.matrix / self.columns.width[:, None]).T
        return local_dimension(points)

    @property
    def auto_similarity(self) -> str:
        """What ranks neighbors best here, a key of `urerf.similarity.SIMILARITIES`."""
        is_small = self.n_samples <= MOST_ROWS
        return "geodesic" if is_small and self._has_paths else "blend"

    @cached_property
    def _has_paths(self) -> bool:
        """Whether rows lie on a curve or a surface."""
        varying = np.ptp(self.matrix, axis=1) > 0.0
        widths = (self.columns.width * self.columns.unit)[varying]
        # The dimension last: of 1,000 rows, it takes tens of milliseconds.
        return have_common_unit(widths) and has_paths(self.dimension, len(widths))

    @property
    def _path_columns(self) -> Columns:
        """The columns in which paths are measured in the units of the data.

        A column that trees draw less often, such as the height of a Swiss roll, which depends on no
        other, is a full coordinate of a surface.
        """
        if not self._has_paths:
            return self.columns
        return replace(self.columns, feature_weights=np.ones(len(self.columns.chosen)))

    @property
    def _edges_per_row(self) -> int:
        """Edges of the graph by whose paths neighbors are ranked."""
        return geodesic.CURVE_EDGES if is_curve(self.dimension) else geodesic.EDGES

    @property
    def _path_candidates(self) -> int:
        """Forest neighbors of a row among which these edges are chosen."""
        per_edge = geodesic.PATH_CANDIDATES if self._has_paths else geodesic.CANDIDATES
        return per_edge * self._edges_per_row

    @cached_property
    def reading(self) -> Reading:
        """The fitted rows as trees read them."""
        return self.columns.reading(self.matrix)

    def read(self, X: Any, n_jobs: int | None = None) -> Reading:
        """Return rows of a table as trees read them."""
        return self.columns.reading(self.columns.measure(X, n_jobs), n_jobs)

    def apply(self, rows: Reading, n_jobs: int | None) -> np.ndarray:
        """Return the leaf numbers of rows, (trees, rows)."""
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
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return distances to the nearest fitted rows and their positions, nearest first.

        Parameters
        ----------
        rows : Reading or None
            Rows to ask about. A row that was fitted finds itself first. None: the fitted rows,
            each row itself left out.
        n_neighbors : int
            Neighbors per row.
        similarity : str
            A key of `urerf.similarity.SIMILARITIES`.
        n_jobs : int or None
            Threads.
        include_self : bool
            For the fitted rows: put each row itself in front of its neighbors.
        show_progress : bool
            Show a progress bar on stderr.
        """
        ranking = get_similarity(similarity).ranking
        if ranking == "path":
            return self._nearest_by_path(
                rows,
                n_neighbors,
                similarity=similarity,
                include_self=include_self,
                n_jobs=n_jobs,
            )
        leaves = self.leaves if rows is None else self.apply(rows, n_jobs)
        n = leaves.shape[1]
        own = np.arange(n) if rows is None else np.full(n, -1)
        rank = None
        count = n_neighbors
        if ranking == "blend":
            rank = self._rank_blended(rows, similarity, n_jobs)
            count = n_candidates(n_neighbors, self.n_samples, new_rows=rows is not None)
        distances, ids = nearest_rows(
            self._index(similarity, n_jobs),
            leaves,
            n_neighbors,
            selves=own,
            seed=self.seed,
            include_self=include_self and rows is None,
            n_jobs=n_jobs,
            show_progress=show_progress,
            rank=rank,
            n_candidates=count,
        )
        if rows is not None:
            return self_first(distances, ids, self.known_rows(rows))
        return distances, ids

    def _rank_blended(self, rows: Reading | None, similarity: str, n_jobs: int | None) -> Rank:
        """Return what ranks the candidates of rows by the blended distance."""
        blend = self._blend_by_place  # before the index: ordering the rows takes a second copy
        place = self._index(similarity, n_jobs).place
        points = None if rows is None else self._points(rows)

        def rank(
            block: np.ndarray,
            lengths: np.ndarray,
            ids: np.ndarray,
        ) -> tuple[np.ndarray, np.ndarray]:
            own = blend.points[place[block]] if points is None else points[block]
            return blend.rank(lengths, blend.lengths(own, place[ids]), ids)

        return rank

    def proximity(
        self,
        rows: Reading | None,
        *,
        samples: str,
        similarity: str,
        n_jobs: int | None = None,
    ) -> np.ndarray:
        """Return the dense similarity of rows (None: of the fitted rows) with the fitted rows.

        ``samples`` says which trees count for a pair: all, those grown on both rows ("in_bag"), or
        those grown on neither ("out_of_bag").
        """
        n = self.n_samples if rows is None else rows.matrix.shape[1]
        # 8 bytes for the result and 4 or 16 for the sums it is made from
        bytes_per_pair = 12 if samples == "all" else 24
        self._check_memory(
            "X",
            (n, bytes_per_pair),
            "proximity",
            "kneighbors_graph() gives the nearest rows as a sparse graph",
        )
        if get_similarity(similarity).ranking == "path":
            return self._proximity_by_path(rows, similarity, n_jobs)
        index = self._index(similarity, n_jobs)
        leaves = self.leaves if rows is None else self.apply(rows, n_jobs)
        if samples == "all":
            proximity = similarity_matrix(index, leaves, n_jobs) / index.perfect
        else:
            fitted = self.forest.in_bag() == (samples == "in_bag")
            queried = fitted if rows is None else np.ones(leaves.shape, dtype=bool)
            proximity = counted_similarity(index, leaves, queried, fitted, n_jobs)
        if get_similarity(similarity).ranking == "blend":
            points = self._blend.points if rows is None else self._points(rows)
            self._blend.blend_matrix(proximity, points, n_jobs)
        if rows is None:
            np.fill_diagonal(proximity, 1.0)
        return proximity

    def _proximity_by_path(
        self,
        rows: Reading | None,
        similarity: str,
        n_jobs: int | None,
    ) -> np.ndarray:
        n = self.n_samples if rows is None else rows.matrix.shape[1]
        self._check_memory("X", (n, 8), "distance matrix", "ask for fewer rows at a time")
        graph = self._path_graph(similarity, n_jobs)
        columns = self._path_columns
        fitted = columns.points(self.reading, raw_units=True)
        points = fitted
        if rows is None:
            lengths = geodesic.path_lengths(graph, None)
            lengths = np.minimum(lengths, lengths.T)  # sums from the two ends differ by rounding
        else:
            points = columns.points(rows, raw_units=True)
            candidates = self._candidates(rows, self._path_candidates, similarity, n_jobs)
            n_edges = self._edges_per_row
            lengths = geodesic.lengths_from_new(graph, points, fitted, candidates, n_edges)
        if is_surface(self.dimension):
            geodesic.straighten_all(lengths, points, fitted)
        return 1.0 - geodesic.to_distances(lengths, columns.reach(raw_units=True))

    def geodesic_distances(
        self,
        sources: np.ndarray | None,
        rows: Reading | None,
        *,
        n_neighbors: int,
        bridge: bool,
        similarity: str,
        raw_units: bool = True,
        n_jobs: int | None = None,
    ) -> np.ndarray:
        """Return the lengths of the shortest paths to all fitted rows.

        Paths start from the fitted rows ``sources`` (None: from all), or from new ``rows`` if these
        are given.
        """
        if rows is not None:
            n = rows.matrix.shape[1]
        else:
            n = self.n_samples if sources is None else len(sources)
        name = "rows" if rows is None else "X"
        self._check_memory(name, (n, 8), "distance matrix", "ask for fewer rows at a time")
        k = n_neighbors
        columns = self._path_columns if raw_units else self.columns
        points = columns.points(self.reading, raw_units=raw_units)
        candidates = self._candidates(None, geodesic.CANDIDATES * k, similarity, n_jobs)
        graph = geodesic.edge_graph(points, points, candidates, k)
        if bridge:
            graph = geodesic.bridge_components(graph, points)
        if rows is None:
            return geodesic.path_lengths(graph, sources)
        new_points = columns.points(rows, raw_units=raw_units)
        candidates = self._candidates(rows, geodesic.CANDIDATES * k, similarity, n_jobs)
        return geodesic.lengths_from_new(graph, new_points, points, candidates, k)

    def _candidates(
        self,
        rows: Reading | None,
        count: int,
        similarity: str,
        n_jobs: int | None,
    ) -> np.ndarray:
        """Return the fitted rows to which edges may lead: the forest proposes them."""
        count = min(count, self.n_samples - 1)
        nodes = get_similarity(similarity).nodes
        return self.nearest(rows, count, similarity=nodes, n_jobs=n_jobs)[1]

    def _path_graph(self, similarity: str, n_jobs: int | None) -> sp.csr_matrix:
        """Return the symmetric graph by whose paths neighbors are ranked."""
        if "path" not in self._graphs:
            points = self._path_columns.points(self.reading, raw_units=True)
            candidates = self._candidates(None, self._path_candidates, similarity, n_jobs)
            edges = geodesic.edge_graph(points, points, candidates, self._edges_per_row)
            self._graphs["path"] = symmetrize(edges)
        return self._graphs["path"]

    def _nearest_by_path(
        self,
        rows: Reading | None,
        k: int,
        *,
        similarity: str,
        include_self: bool,
        n_jobs: int | None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return what `nearest` returns, ranked by the lengths of paths in the units of data."""
        columns = self._path_columns
        fitted = columns.points(self.reading, raw_units=True)
        points = fitted
        if rows is None:
            leaves = self.leaves
            own = np.arange(self.n_samples)
            starts = own[:, None].astype(np.int32)
            lengths = np.zeros(starts.shape)
        else:
            leaves = self.apply(rows, n_jobs)
            own = np.full(leaves.shape[1], -1)
            candidates = self._candidates(rows, self._path_candidates, similarity, n_jobs)
            points = columns.points(rows, raw_units=True)
            n_edges = self._edges_per_row
            lengths, starts = geodesic.nearest_edges(points, fitted, candidates, n_edges)
        straightens = is_surface(self.dimension)
        n_others = self.n_samples - (rows is None)
        # A fitted row that is passed as new finds itself, besides the rows that it found before.
        n_found = geodesic.STRAIGHTENED * k if rows is None else geodesic.STRAIGHTENED * (k - 1) + 1
        lengths, ids = geodesic.nearest_rows(
            self._path_graph(similarity, n_jobs),
            starts,
            lengths,
            min(n_found, n_others) if straightens else k,
            selves=own,
            stamps=signatures(leaves, self.seed),
            n_jobs=n_jobs,
        )
        if straightens:
            lengths, ids = geodesic.nearest_straightened(lengths, ids, points, fitted, k)
        distances = geodesic.to_distances(lengths, columns.reach(raw_units=True))
        if rows is not None:
            return self_first(distances, ids, self.known_rows(rows))
        return with_self(distances, ids) if include_self else (distances, ids)

    @cached_property
    def _graphs(self) -> dict[str, sp.csr_matrix]:
        """The graph of edges between fitted rows, if it was needed; never saved."""
        return {}

    def known_rows(self, reading: Reading) -> np.ndarray:
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

    def _points(self, rows: Reading) -> np.ndarray:
        """Return rows in the columns and units of the trees, (rows, columns)."""
        return self.columns.points(rows, raw_units=False, dtype=np.float32).values

    @cached_property
    def _blend(self) -> Blend:
        """What the blended distance needs; never saved."""
        return Blend.of(self.columns, self._points(self.reading), self.n_trees)

    @cached_property
    def _blend_by_place(self) -> Blend:
        """The blend with the fitted rows in the order of their places in the index; never saved.

        The candidates of a row have places close to each other. Of 10^6 rows x 50, straight
        distances take half of the time that they take in the order of the table.
        """
        points = self._points(self.reading)[leaf_order(self.leaves)]
        return Blend.of(self.columns, points, self.n_trees)

    def _check_memory(
        self,
        name: str,
        size: Sequence[int],
        what: str,
        advice: str,
    ) -> None:
        """Refuse a dense result of (rows, bytes per pair) that does not fit into memory."""
        rows, bytes_per_pair = size
        need = rows * self.n_samples * bytes_per_pair
        have = available_memory()
        if need > have:
            raise ValueError(
                f"{name}: a dense {rows} x {self.n_samples} {what} needs {need / 2**30:.1f} GiB, "
                f"but only {have / 2**30:.1f} GiB is available; {advice}"
            )

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the fields alone: an index is built again when it is needed."""
        return Fitted, tuple(getattr(self, field.name) for field in fields(self))
