"""What a fitted forest answers: leaves, neighbours, graphs, proximities and geodesic distances.

The questions need no setting but ``n_neighbors``, ``similarity``, ``n_jobs`` and ``verbose``, and
nothing of how the forest was grown: `urerf.estimator` has that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from . import parameters as check

if TYPE_CHECKING:
    from .columns import Columns
    from .graph import Index


class FittedForest(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """The methods of `urerf.URerF` that ask a fitted forest."""

    n_samples_fit_: int
    _columns: Columns
    _table: np.ndarray  # the fitted rows as trees read them, columns x rows
    _leaves: np.ndarray  # their leaves, trees x rows
    _fingerprints: np.ndarray  # a number a row, the same for equal rows
    _seed: int
    _cache: dict[str, Index]  # by similarity

    def apply(self, X: Any) -> np.ndarray:
        """Return the leaf number of every row in every tree, (rows, n_estimators)."""
        return self._query_leaves(self._query_table(X)).T

    def kneighbors(
        self, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True
    ) -> Any:
        """Return (distances, indices) of the nearest fitted rows, nearest first.

        Without X, the neighbours of the fitted rows, each row itself left out; with X, those of its
        rows, and a row that was fitted finds itself first. Distances are 1 - similarity.
        """
        check_is_fitted(self)
        table = None if X is None else self._query_table(X)
        k = self._check_n_neighbors(n_neighbors, spare=1 if X is None else 0)
        distances, ids = self._nearest(table, k)
        return (distances, ids) if return_distance else ids

    def kneighbors_graph(
        self, X: Any = None, n_neighbors: int | None = None, mode: str = "distance"
    ) -> sp.csr_matrix:
        """Return the neighbour graph as a CSR matrix (rows, fitted rows); `urerf.graph` states its format.

        Without X, the graph of the fitted rows: k + 1 stored entries a row, itself first with a
        stored zero. With X, k entries a row. ``mode="connectivity"`` stores ones instead of
        distances.
        """
        from .graph import to_csr

        check_is_fitted(self)
        check.check_choice("mode", mode, ("distance", "connectivity"))
        if X is None:
            distances, ids = self._nearest(
                None, self._check_n_neighbors(n_neighbors, spare=1), itself=True
            )
        else:
            distances, ids = self.kneighbors(X, n_neighbors)
        if mode == "connectivity":
            distances[:] = 1.0
        return to_csr(distances, ids, self.n_samples_fit_)

    def transform(self, X: Any) -> sp.csr_matrix:
        """Return the graph of distances to the ``n_neighbors + 1`` nearest fitted rows, as KNeighborsTransformer does.

        A row that was fitted is its own first neighbour, at distance 0.
        """
        from .graph import to_csr

        table = self._query_table(X)
        k = self._check_n_neighbors(None, spare=1)
        distances, ids = self._nearest(table, k + 1)
        return to_csr(distances, ids, self.n_samples_fit_)

    def proximity(self, X: Any = None, samples: str = "all") -> np.ndarray:
        """Return the dense similarity of rows with the fitted rows, S_ij = L_ij / T_ij, in [0, 1].

        T_ij is the number of trees that count for the pair, L_ij the sum over them of how alike the
        two rows are.

        Parameters
        ----------
        X : array-like or None
            Rows to compare with the fitted rows; None for the fitted rows themselves (symmetric,
            unit diagonal).
        samples : {"all", "in_bag", "out_of_bag"}
            Which trees count for a pair: all; those grown on both rows; those grown on neither (a
            new row is out of every bag). A pair without any such tree has similarity 0.
        """
        from .graph import counted_similarity, similarity_matrix

        check_is_fitted(self)
        check.check_choice("samples", samples, ("all", "in_bag", "out_of_bag"))
        if X is not None and samples == "in_bag":
            raise ValueError(
                "samples: 'in_bag' compares fitted rows; new rows are in no bag, so leave X out"
            )
        table = None if X is None else self._query_table(X)
        n = self.n_samples_fit_ if table is None else table.shape[1]
        _refuse_if_too_large(n, self.n_samples_fit_, 12 if samples == "all" else 24)
        leaves = self._leaves if table is None else self._query_leaves(table)
        n_jobs = check.check_n_jobs(self.n_jobs)
        index = self._index()
        if samples == "all":
            S = similarity_matrix(index, leaves, n_jobs) / index.perfect
        else:
            fitted = self.forest_.in_bag() == (samples == "in_bag")
            new = fitted if table is None else np.ones(leaves.shape, dtype=bool)
            S = counted_similarity(index, leaves, new, fitted, n_jobs)
        if X is None:
            np.fill_diagonal(S, 1.0)
        return S

    def geodesic_distances(
        self, rows: Any = None, *, X: Any = None, n_neighbors: int = 12, bridge: bool = False
    ) -> np.ndarray:
        """Return distances along the manifold: shortest paths over the forest's neighbour graph.

        Parameters
        ----------
        rows : array-like of int or None
            Fitted rows to start from; None for all of them, an n x n result.
        X : array-like or None
            New rows to start from, instead of fitted ones.
        n_neighbors : int, default=12
            Edges of every row; see `urerf.geodesic`.
        bridge : bool, default=False
            Join the parts of the graph that no edge connects by the shortest edges between them.
            Else distances between parts are inf.

        Returns
        -------
        ndarray of shape (sources, n_samples_fit_)
            In the units of the columns that carry structure.
        """
        from . import geodesic as geo

        check_is_fitted(self)
        k = check.check_int("n_neighbors", n_neighbors, 1)
        check.check_bool("bridge", bridge)
        if rows is not None and X is not None:
            raise ValueError(
                "rows: give rows (fitted rows to start from) or X (new rows), not both"
            )
        sources = None if rows is None else check.check_rows("rows", rows, self.n_samples_fit_)
        new = None if X is None else self._query_table(X)
        n = self.n_samples_fit_
        starts = len(sources) if sources is not None else n if new is None else new.shape[1]
        _refuse_if_too_large(
            starts,
            n,
            8,
            "rows" if X is None else "X",
            "distance matrix",
            "ask for fewer rows at a time",
        )
        candidates = min(geo.CANDIDATES * k, n - 1)
        points = self._columns.lengths(self._table)
        graph = geo.edge_graph(points, points, self._nearest(None, candidates)[1], k)
        graph = geo.bridge_components(graph, points) if bridge else graph
        if new is None:
            return geo.path_lengths(graph, sources)
        neighbors = self._nearest(new, candidates)[1]
        return geo.lengths_from_new(graph, self._columns.lengths(new), points, neighbors, k)

    # -- what the answers rest on
    # --------------------------------------------------------------------------------------

    def _check_n_neighbors(self, n_neighbors: Any, spare: int) -> int:
        """Return k; there must be ``spare`` fitted rows more than that."""
        k = check.check_int(
            "n_neighbors", self.n_neighbors if n_neighbors is None else n_neighbors, 1
        )
        if k + spare > self.n_samples_fit_:
            raise ValueError(
                f"n_neighbors: {k} neighbours need at least {k + spare} fitted rows, but n_samples_fit_ = "
                f"{self.n_samples_fit_}; ask for at most {self.n_samples_fit_ - spare}"
            )
        return k

    def _query_table(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        return self._columns.table(self._validate(X, reset=False), check.check_n_jobs(self.n_jobs))

    def _query_leaves(self, table: np.ndarray) -> np.ndarray:
        return self.forest_.apply(table, n_jobs=check.check_n_jobs(self.n_jobs))

    def _index(self) -> Index:
        """Return the index; made when first asked for, not saved."""
        from .graph import build_index

        kind = check.check_choice("similarity", self.similarity, check.CHOICES["similarity"])
        if kind not in self._cache:
            self._cache[kind] = build_index(
                self.forest_, self._leaves, kind, check.check_n_jobs(self.n_jobs)
            )
        return self._cache[kind]

    def _nearest(
        self, table: np.ndarray | None, k: int, itself: bool = False
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return distances and row numbers of the k nearest; without a table, of the fitted rows, themselves left out.

        A row of the table that was fitted finds itself first. With ``itself``, which is for the
        fitted rows, each row comes before its k neighbours.
        """
        from .graph import nearest_rows, self_first, to_distances

        n_jobs = check.check_n_jobs(self.n_jobs)
        index = self._index()
        leaves = self._leaves if table is None else self._query_leaves(table)
        leave_out = np.arange(leaves.shape[1]) if table is None else np.full(leaves.shape[1], -1)
        show = bool(self.verbose)
        sums, ids = nearest_rows(
            index, leaves, k, selves=leave_out, seed=self._seed, n_jobs=n_jobs, show_progress=show
        )
        distances = to_distances(sums, index.perfect, itself, n_jobs)
        if table is not None:
            return self_first(distances, ids, self._known_rows(table))
        del (
            sums
        )  # a graph takes much of the memory that is used: no more of it at a time than must be
        return distances, np.hstack([leave_out[:, None].astype(ids.dtype), ids]) if itself else ids

    def _known_rows(self, table: np.ndarray) -> np.ndarray:
        """Return for each row of the table the fitted row that it is, -1 where it is none.

        Of several fitted rows that are equal: the one at the same place, else the first.
        """
        from .columns import fingerprints_of

        prints = fingerprints_of(table)
        fitted, first = np.unique(self._fingerprints, return_index=True)
        at = np.minimum(np.searchsorted(fitted, prints), len(fitted) - 1)
        rows = np.where(fitted[at] == prints, first[at], -1)
        common = min(len(prints), len(self._fingerprints))
        same_place = np.flatnonzero(prints[:common] == self._fingerprints[:common])
        rows[same_place] = same_place
        return rows


def _refuse_if_too_large(
    rows: int,
    columns: int,
    bytes_a_pair: int,
    name: str = "X",
    what: str = "proximity",
    advice: str = "kneighbors_graph() gives the nearest rows as a sparse graph",
) -> None:
    from .columns import available_memory

    need = rows * columns * bytes_a_pair
    have = available_memory()
    if need > have:
        raise ValueError(
            f"{name}: a dense {rows} x {columns} {what} needs {need / 2**30:.1f} GiB while it is made and "
            f"{have / 2**30:.1f} GiB are free; {advice}"
        )
