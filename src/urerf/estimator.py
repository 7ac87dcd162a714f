"""URerF: the forest as a scikit-learn estimator."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from . import parameters as check
from ._checks import check_bool, check_choice, check_int, check_integers, check_n_jobs
from ._typing import Array
from .frames import dataframe, tables
from .graph import Neighbors, to_csr
from .kernels._garbage import without_garbage_collection

if TYPE_CHECKING:
    from .fitted import Fitted
    from .forest import Forest
    from .reading import Reading
    from .relevance import Relevance
    from .schema import Schema
    from .stability import Stability


class URerF(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Unsupervised randomer forest: find the rows that are truly similar among noise columns.

    First, columns that do not depend on any other column are set aside as noise. Then trees are
    grown on random subsamples of the rows: every node draws a few random combinations of the
    remaining columns and cuts the values of the best one in two, where two Gaussians fit better
    than one. Two rows are closer the longer they stay together as the trees split.

    Parameters
    ----------
    n_estimators : "auto" or int, default="auto"
        Number of trees (the paper's T). "auto": 150 trees up to 1666 rows, then fewer, down to 60
        from 4166 rows on; 300 with ``similarity="depth"`` or ``"leaf"``, where the forest alone
        ranks neighbors. For hundreds of neighbors, use 300.
    n_neighbors : int, default=15
        Number of neighbors that `kneighbors`, `kneighbors_graph` and `transform` return when the
        call does not specify it (k).
    criterion : {"fast_bic", "two_means", "mclust_bic"}, default="fast_bic"
        How one column of values is cut in two.
    split_score : {"gain", "raw"}, default="gain"
        How candidates compete: by the BIC of two components minus the BIC of one, which does not
        depend on the column's scale (for two-means, by the share of the sum of squares that is
        left), or by the criterion itself, as in the paper.
    projection : {"oblique", "axis"}, default="oblique"
        Combinations of several columns (URerF) or single columns (URF).
    max_features : "sqrt", int or float, default="sqrt"
        Number of candidates per node (mtry, d): the square root of the number of columns, a number,
        or a share of the columns. With ``projection="axis"`` at most the number of columns.
    density : "auto", float or int, default="auto"
        Columns combined by an oblique candidate. A float is the share of non-zeros, +1 or -1, in
        the p x d projection matrix (lambda); an integer is the average number of columns per
        candidate, so ``1`` is the paper's 1 / p. "auto" draws random directions: about 10 columns
        with Gaussian coefficients, every column in units of its width (8 or more columns of like
        widths in one unit).
    min_samples_split : "auto", int or float, default="auto"
        Size of the smallest node that is split (minparent), in rows drawn for a tree; a float is a
        share of them. "auto" is 10, and down to 4 if a tree sees less than 10 % of the rows.
    min_samples_leaf : int, default=1
        Smallest number of rows on either side of a cut.
    max_depth : int or None, default=None
        Largest depth of a tree.
    max_samples : "auto", int, float or None, default="auto"
        Number of rows drawn for each tree (m): a number, a share, or all of them (None). "auto" is
        30 % of the rows, at most 4096, but never fewer than 2.5 %.
    bootstrap : bool, default=False
        Whether rows are drawn with replacement.
    flat_nodes : {"random", "best"}, default="random"
        What to do in a node where BIC prefers one component to two for every candidate, so that
        there is nothing to optimize: cut a candidate at random, or cut the best one anyway, as in
        the paper. Needs ``split_score="gain"`` and a BIC criterion; otherwise the best one is cut.
    feature_weighting : {"relevance", "all_groups", "uniform"}, default="relevance"
        How candidate columns are drawn. "relevance": only columns with structure, if there are any,
        and a few that may be coordinates of their own, with a lower weight; see
        `urerf.relevance.column_relevance`. "all_groups": the same, but groups of columns that are
        independent of the main structure, and set aside otherwise, are used as well. "uniform": all
        with the same probability; no test is run.
    similarity : {"auto", "blend", "depth", "leaf", "geodesic"}, default="auto"
        What ranks neighbors. "auto": "geodesic" if the rows, at most 16,384 of them, lie on a curve
        or a surface in columns with a common unit (see `urerf.ranking.dimension`), otherwise
        "blend". "depth": two rows are more similar the more cuts they stay together for. "leaf":
        two rows are similar in a tree if they share a leaf, the paper's 0-1 similarity. "blend":
        the forest proposes rows by depth, which are then ranked by depth and straight-line distance
        together (see `urerf.ranking.blend`). "geodesic": rows are ranked by the length of the path
        along the manifold, in the units of the data (see `urerf.geodesic`).
    column_kinds : "auto" or dict, default="auto"
        Kinds of columns, from names or positions to "number", "ordinal", "category", "datetime",
        "boolean", "id" or "ignore"; a list of levels makes an ordinal in that order. Columns of a
        data frame that are not declared are recognized by their data types and values (see
        `urerf.kinds.recognize`); columns of an array are numbers, and dates in it count in days.
    missing : {"handle", "error"}, default="handle"
        Missing values (NaN): fill them from the rows nearest in the other columns, anew for every
        tree (see `urerf.reading`), or raise an error. A row without any value is at distance 1 from
        all others.
    warm_start : bool, default=False
        Whether `fit` on the same X adds trees, up to ``n_estimators``, to the existing ones. The
        forest is identical to one that is grown at once; settings that contradict the existing
        trees raise an error.
    n_jobs : int or None, default=None
        Number of threads. The result does not depend on it.
    random_state : int, RandomState or None, default=None
        Seed of the forest and of the tie-breaks.
    verbose : int, default=0
        1 shows progress and the remaining time on stderr (a bar; in a file, a line every ten
        seconds), and prints which columns of a data frame are not used, and why, and signs that
        the rows are not independent.

    Attributes
    ----------
    n_features_in_, feature_names_in_ :
        Columns seen in `fit`, including those that are not used.
    n_estimators_ : int
        Number of trees that were grown.
    n_samples_fit_ : int
        Number of rows seen in `fit`.
    similarity_ : str
        What ranks neighbors: "geodesic" or "blend" with ``similarity="auto"``.
    row_names_ : ndarray of shape (n_samples_fit_,)
        Index labels of a pandas frame, or row names of a file; only if there are any. Used by
        `neighbors_frame`; all other results have positions.
    feature_relevance_ : ndarray of shape (n_features_in_,)
        How much structure each column carries, in [0, 1]; 0 for columns without any, so that it is
        all 0 if no structure was found. Not available with ``feature_weighting="uniform"``.
    feature_weights_ : ndarray of shape (n_features_in_,)
        What trees draw columns by, in [0, 1]; 0 for columns that are not used.
    relevance_ : urerf.relevance.Relevance
        The evidence for every column: strength, p-value, partner and reason. Not available with
        ``feature_weighting="uniform"``.
    schema_ : urerf.schema.Schema or None
        Names, kinds and levels of the columns of a data frame or a file, and why columns are not
        used; None for arrays, unless ``column_kinds`` declares some of their columns.
    forest_ : urerf.forest.Forest
        The trees as flat arrays.

    Notes
    -----
    Values are stored as float32 after subtracting the column's median: see `urerf.columns`.
    Columns of new rows in a data frame are found by name, in any order, and other columns of it are
    not read; this differs from other estimators of scikit-learn, which raise an error. Levels that
    were not fitted count as missing. Columns of an array are found by position.

    Distances are 1 - similarity. Ties are broken by a seeded hash; `urerf.graph` describes the
    format of every graph.

    Examples
    --------
    >>> from urerf import URerF
    >>> from urerf.datasets import add_noise, make_helix
    >>> X = add_noise(make_helix(200).X, 20, random_state=0)
    >>> model = URerF(n_estimators=20, random_state=0).fit(X)
    >>> distances, indices = model.kneighbors(n_neighbors=5)
    >>> indices.shape
    (200, 5)
    """

    _fitted: Fitted

    def __init__(
        self,
        n_estimators: int | str = "auto",
        *,
        n_neighbors: int = 15,
        criterion: str = "fast_bic",
        split_score: str = "gain",
        projection: str = "oblique",
        max_features: Any = "sqrt",
        density: Any = "auto",
        min_samples_split: Any = "auto",
        min_samples_leaf: int = 1,
        max_depth: int | None = None,
        max_samples: Any = "auto",
        bootstrap: bool = False,
        flat_nodes: str = "random",
        feature_weighting: str = "relevance",
        similarity: str = "auto",
        column_kinds: Any = "auto",
        missing: str = "handle",
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_estimators = n_estimators
        self.n_neighbors = n_neighbors
        self.criterion = criterion
        self.split_score = split_score
        self.projection = projection
        self.max_features = max_features
        self.density = density
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.max_depth = max_depth
        self.max_samples = max_samples
        self.bootstrap = bootstrap
        self.flat_nodes = flat_nodes
        self.feature_weighting = feature_weighting
        self.similarity = similarity
        self.column_kinds = column_kinds
        self.missing = missing
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @classmethod
    def paper(cls, **changes: Any) -> URerF:
        """Return the paper's forest, with ``changes`` to its settings.

        Raw Fast-BIC, oblique projections of density 1 / p, minparent 100, mtry sqrt(p), bootstrap,
        0-1 leaf similarity over all samples, in-bag and out-of-bag; missing values raise an error.
        The paper does not state the number of trees; its authors' scripts use 300.

        The text's density of 1 / 20 is not used: at p = 3 and d = 2 it means no non-zero at all,
        and at p = 1000 sums of 50 columns; the authors' code and the paper's statement of
        complexity both use 1 / p.

        Parameters
        ----------
        **changes : dict
            Parameters of `URerF` that differ from the paper's.

        Returns
        -------
        URerF
            Not yet fitted.

        Examples
        --------
        >>> from urerf import URerF
        >>> URerF.paper(min_samples_split=15).get_params()["similarity"]
        'leaf'
        """
        settings: dict[str, Any] = {
            "n_estimators": 300,
            "criterion": "fast_bic",
            "split_score": "raw",
            "projection": "oblique",
            "max_features": "sqrt",
            "density": 1,
            "min_samples_split": 100,
            "min_samples_leaf": 1,
            "max_depth": None,
            "max_samples": None,
            "bootstrap": True,
            "flat_nodes": "best",
            "feature_weighting": "uniform",
            "similarity": "leaf",
            "missing": "error",
        }
        return cls(**(settings | changes))

    # -- what was fitted -------------------------------------------------------------------------

    @property
    def forest_(self) -> Forest:
        """The trees as flat arrays."""
        return self._require_fitted().forest

    @property
    def n_estimators_(self) -> int:
        """Number of trees."""
        return self._require_fitted().n_trees

    @property
    def similarity_(self) -> str:
        """What ranks neighbors: "auto" is "geodesic" or "blend", by the shape of the rows."""
        fitted = self._require_fitted()
        similarity = check_choice("similarity", self.similarity, check.CHOICES["similarity"])
        return fitted.auto_similarity if similarity == "auto" else similarity

    @property
    def n_samples_fit_(self) -> int:
        """Number of rows seen in `fit`."""
        return self._require_fitted().n_samples

    @property
    def feature_relevance_(self) -> Array:
        """How much structure each column carries, in [0, 1]; 0 for columns without any."""
        return self._evidence("feature_relevance_").strength

    @property
    def feature_weights_(self) -> Array:
        """What trees draw columns by, in [0, 1]; 0 for columns that are not used."""
        return self._require_fitted().columns.weights_of_all(self.n_features_in_)

    @property
    def relevance_(self) -> Relevance:
        """The evidence for the relevance of every column."""
        return self._evidence("relevance_")

    def _evidence(self, name: str) -> Relevance:
        evidence = self._require_fitted().relevance
        if evidence is None:
            raise AttributeError(
                f"{name}: no test was run with feature_weighting='uniform'; "
                "fit with feature_weighting='relevance'"
            )
        return evidence

    @property
    def schema_(self) -> Schema | None:
        """Names, kinds and levels of the columns of a data frame or a file; None for arrays."""
        return self._require_fitted().schema

    @property
    def _n_features_out(self) -> int:
        """Number of columns of the graph that `transform` returns."""
        return self.n_samples_fit_

    # -- fitting ---------------------------------------------------------------------------------

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        groups: Any = None,
        ordered: bool = False,
    ) -> URerF:
        """Grow the forest on the rows of X.

        If this fails or is interrupted, the estimator stays as it was.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The table.
        y : None
            Not used, present for API consistency by convention.
        groups : array-like of shape (n_samples,) or None, default=None
            The group of each row, such as a patient or a batch, if rows of one group are alike.
            The tests of relevance, which assume independent rows, then examine one row per group.
            With fewer than 20 groups nothing can be tested, and all columns that vary are used;
            `relevance_` says so, and ``verbose=1`` prints it.
        ordered : bool, default=False
            Whether rows are in order, such as time, so that rows that follow each other are alike.
            The tests then compare how columns change within blocks of rows.

        Returns
        -------
        URerF
            The estimator itself.
        """
        check.check_parameters(self)
        if self.warm_start and self.__sklearn_is_fitted__():
            self._fitted = self._add_trees(X)
            return self
        seen = URerF()  # a failed fit must not change what this estimator has seen
        self._fitted = self._learn(X, seen, groups, ordered)
        tables.copy_seen(seen, self)
        return self

    def _learn(self, X: Any, seen: BaseEstimator, groups: Any, ordered: bool) -> Fitted:
        """Return what was learned; ``seen`` remembers the columns of X."""
        fitting = _fitting()
        table = tables.read_table(X, self.column_kinds)
        if table is None:
            values = tables.validate_array(X, seen, self.missing, fitting=True)
            return fitting.learn(self, values, None, groups, ordered)
        fitting.tell(self, table.notices)
        values = tables.validate_frame(table.frame, seen, self.missing, fitting=True)
        tables.note_names(seen, table)
        return fitting.learn(self, values, table.frame.schema, groups, ordered)

    def _add_trees(self, X: Any) -> Fitted:
        """Return the model with trees added up to ``n_estimators``."""
        return _fitting().add_trees(self, self._fitted, self._query(X))

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> sp.csr_matrix:
        """Fit, and return the neighbor graph of the fitted rows.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            The table.
        y : None
            Not used, present for API consistency by convention.
        **fit_params : dict
            ``groups`` and ``ordered`` of `fit`.

        Returns
        -------
        scipy.sparse.csr_matrix of shape (n_samples, n_samples)
            What `kneighbors_graph` returns, which is also what `transform` returns for the same
            rows.
        """
        self._refuse_frames()
        return self.fit(X, y, **fit_params).kneighbors_graph()

    # -- questions -------------------------------------------------------------------------------

    def apply(self, X: Any) -> Array:
        """Return the leaf of every row in every tree.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_queries, n_features)
            Fitted or new rows.

        Returns
        -------
        ndarray of int32 of shape (n_queries, n_estimators_)
            Leaves are numbered from 0 in each tree. A row without any value is in no leaf: -1.
        """
        rows = self._query(X)
        return self._fitted.leaves_of(rows, self._n_jobs).T

    def kneighbors(
        self,
        X: Any = None,
        n_neighbors: int | None = None,
        return_distance: bool = True,
    ) -> Any:
        """Return the nearest fitted rows, nearest first.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or None, default=None
            Rows whose neighbors are wanted; a row that was fitted finds itself first. None: the
            fitted rows, each row itself left out.
        n_neighbors : int or None, default=None
            Number of neighbors per row; None for the model's own ``n_neighbors``.
        return_distance : bool, default=True
            Whether to return the distances as well.

        Returns
        -------
        distances : ndarray of shape (n_queries, n_neighbors)
            1 - similarity, ascending. Only if ``return_distance`` is true.
        indices : ndarray of int32 of shape (n_queries, n_neighbors)
            Positions in the fitted table.

        Examples
        --------
        >>> from urerf import URerF
        >>> from urerf.datasets import make_helix
        >>> X = make_helix(100).X
        >>> model = URerF(random_state=0).fit(X)
        >>> distances, indices = model.kneighbors(X[:2], n_neighbors=3)
        >>> indices[:, 0], distances[:, 0]
        (array([0, 1], dtype=int32), array([0., 0.]))
        """
        rows = None if X is None else self._query(X)
        k = self._check_n_neighbors(n_neighbors, spare=1 if X is None else 0)
        distances, ids = self._nearest(rows, k)
        return (distances, ids) if return_distance else ids

    def neighbors_frame(self, n_neighbors: int | None = None, *, X: Any = None) -> Any:
        """Return neighbors as a pandas frame with the columns row, neighbor and distance.

        Rows and neighbors are identified by the index labels of a pandas frame, otherwise by their
        positions; nearest neighbors come first. `kneighbors` always returns positions.

        Parameters
        ----------
        n_neighbors : int or None, default=None
            Number of neighbors per row; None for the model's own ``n_neighbors``.
        X : data frame, array-like or None, default=None
            New rows; None for the fitted rows.

        Returns
        -------
        pandas.DataFrame
            One line per row and neighbor.

        Examples
        --------
        >>> import pandas
        >>> from urerf import URerF
        >>> from urerf.datasets import make_helix
        >>> X = pandas.DataFrame(make_helix(30).X, index=[f"point {i}" for i in range(30)])
        >>> table = URerF(random_state=0).fit(X).neighbors_frame(5)
        >>> list(table), table["row"][0], len(table)
        (['row', 'neighbor', 'distance'], 'point 0', 150)
        """
        try:
            import pandas as pd  # optional
        except ImportError:
            raise ImportError(
                "neighbors_frame: needs pandas; install it with 'pip install pandas', or use "
                "kneighbors, which returns positions"
            ) from None
        distances, ids = self.kneighbors(X, n_neighbors)
        n, k = ids.shape
        fitted = getattr(self, "row_names_", np.arange(self.n_samples_fit_))
        rows = fitted if X is None else dataframe.index_labels(X)
        if rows is None:
            rows = np.arange(n)
        return pd.DataFrame(
            {
                "row": rows.repeat(k),
                "neighbor": fitted[ids.ravel()],
                "distance": distances.ravel(),
            }
        )

    def kneighbors_graph(
        self,
        X: Any = None,
        n_neighbors: int | None = None,
        mode: str = "distance",
    ) -> sp.csr_matrix:
        """Return the neighbor graph as a CSR matrix (rows, fitted rows); see `urerf.graph`.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or None, default=None
            Rows whose neighbors are wanted; None for the fitted rows.
        n_neighbors : int or None, default=None
            Number of neighbors per row, k; None for the model's own ``n_neighbors``.
        mode : {"distance", "connectivity"}, default="distance"
            Whether to store distances, 1 - similarity, or ones.

        Returns
        -------
        scipy.sparse.csr_matrix of shape (n_queries, n_samples_fit_)
            Without X, k + 1 stored entries per row: the row itself first, with a stored zero (or
            one), then its neighbors. With X, k entries per row.

        Examples
        --------
        >>> from urerf import URerF
        >>> from urerf.datasets import make_helix
        >>> graph = URerF(random_state=0).fit(make_helix(100).X).kneighbors_graph(n_neighbors=5)
        >>> graph.shape, graph.nnz
        ((100, 100), 600)
        """
        check_choice("mode", mode, ("distance", "connectivity"))
        if X is None:
            k = self._check_n_neighbors(n_neighbors, spare=1)
            distances, ids = self._nearest(None, k, include_self=True)
        else:
            distances, ids = self.kneighbors(X, n_neighbors)
        if mode == "connectivity":
            distances[:] = 1.0
        return to_csr(distances, ids, self.n_samples_fit_)

    def transform(self, X: Any) -> sp.csr_matrix:
        """Return the distances to the ``n_neighbors + 1`` nearest fitted rows as a sparse graph.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_queries, n_features)
            Fitted or new rows.

        Returns
        -------
        scipy.sparse.csr_matrix of shape (n_queries, n_samples_fit_)
            The format is that of scikit-learn's KNeighborsTransformer: a row that was fitted is its
            own first neighbor, at distance 0.
        """
        self._refuse_frames()
        rows = self._query(X)
        k = self._check_n_neighbors(None, spare=1)
        distances, ids = self._nearest(rows, k + 1)
        return to_csr(distances, ids, self.n_samples_fit_)

    def proximity(self, X: Any = None, samples: str = "all") -> Array:
        """Return the dense similarity of rows with the fitted rows, in [0, 1]: 1 - distance.

        With ``similarity="depth"`` or ``"leaf"`` it is S_ij = L_ij / T_ij: T_ij is the number of
        trees that count for the pair, L_ij the sum of their similarities. "blend" combines this
        with the straight distance of the pair, and "geodesic" is a function of the length of the
        path between the two.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or None, default=None
            Rows to compare with the fitted rows; None for the fitted rows themselves (symmetric,
            unit diagonal).
        samples : {"all", "in_bag", "out_of_bag"}, default="all"
            Which trees count for a pair: all of them; those grown on both rows; those grown on
            neither (new rows are always out of bag). A pair without any such tree has similarity 0.

        Returns
        -------
        ndarray of shape (n_queries, n_samples_fit_)
            It has to fit into memory; `kneighbors_graph` is the sparse alternative.
        """
        check_choice("samples", samples, ("all", "in_bag", "out_of_bag"))
        if X is not None and samples == "in_bag":
            raise ValueError(
                "samples: 'in_bag' compares fitted rows, and new rows are in no bag; leave X out"
            )
        similarity = self.similarity_
        if self.similarity == "auto" and samples != "all":
            similarity = "blend"  # paths lead through all rows
        elif similarity == "geodesic" and samples != "all":
            raise ValueError(f"samples: must be 'all' with similarity='geodesic', got {samples!r}")
        return self._fitted.proximity(
            None if X is None else self._query(X),
            samples=samples,
            similarity=similarity,
            n_jobs=self._n_jobs,
        )

    def geodesic_distances(
        self,
        rows: Any = None,
        *,
        X: Any = None,
        n_neighbors: int = 12,
        bridge: bool = False,
        units: str = "data",
    ) -> Array:
        """Return distances along the manifold: shortest paths over the forest's neighbor graph.

        Parameters
        ----------
        rows : array-like of int or None, default=None
            Fitted rows to start from; None for all of them, which gives an n x n result.
        X : array-like, sparse matrix, data frame or None, default=None
            New rows to start from, instead of fitted ones.
        n_neighbors : int, default=12
            Number of edges per row; see `urerf.geodesic`.
        bridge : bool, default=False
            Whether to connect the components of the graph by the shortest edges between them.
            Otherwise the distance between components is inf.
        units : {"data", "trees"}, default="data"
            Whether lengths are measured in the units of the columns, or in those of the trees:
            every column in units of its width, or 8 or more columns of like widths in one unit. Use
            "trees" for columns that have nothing in common, such as age and income.

        Returns
        -------
        ndarray of shape (sources, n_samples_fit_)
            Over the columns that carry structure.
        """
        k = check_int("n_neighbors", n_neighbors, 1)
        check_bool("bridge", bridge)
        check_choice("units", units, ("data", "trees"))
        if rows is not None and X is not None:
            raise ValueError("rows: pass either rows (fitted rows to start from) or X (new rows)")
        return self._require_fitted().geodesic_distances(
            self._check_rows(rows),
            None if X is None else self._query(X),
            n_neighbors=k,
            bridge=bridge,
            similarity=self.similarity_,
            raw_units=units == "data",
            n_jobs=self._n_jobs,
        )

    def neighbor_stability(self, n_neighbors: int | None = None, *, rows: Any = None) -> Stability:
        """Return how repeatable the neighbors are, without labels.

        Two forests with half of the trees each are grown on two disjoint halves of the fitted rows,
        and the neighbors that both find are counted. This takes about as long as `fit`. With
        ``similarity="auto"``, neighbors are ranked by "blend": along paths, the two forests would
        agree even where both are wrong.

        Parameters
        ----------
        n_neighbors : int or None, default=None
            Number of neighbors to compare; None for the model's own ``n_neighbors``.
        rows : array-like of int or None, default=None
            Fitted rows whose neighbors are compared; None for all of them.

        Returns
        -------
        urerf.stability.Stability
            ``overall``, the agreement beyond chance in [0, 1], and ``per_row``. High values say
            that the neighbors do not depend on chance; they do not say that the columns used carry
            structure, which is what `relevance_` is for.

        Examples
        --------
        >>> from urerf import URerF
        >>> from urerf.datasets import make_helix
        >>> model = URerF(random_state=0).fit(make_helix(300).X)
        >>> model.neighbor_stability()
        neighbors are stable: two forests, each grown on half of the rows, have 9...
        """
        from .stability import compare_halves  # imports Numba

        k = self._check_n_neighbors(n_neighbors, spare=1)
        fitted = self._fitted
        similarity = "blend" if self.similarity == "auto" else self.similarity_
        return compare_halves(
            fitted,
            check.growth_of(self, fitted.n_samples, len(fitted.matrix)),
            k,
            similarity=similarity,
            rows=self._check_rows(rows),
            n_jobs=self._n_jobs,
        )

    # -- files -----------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike) -> None:
        """Write the fitted model to one file, atomically: a JSON header and arrays, no pickle.

        Parameters
        ----------
        path : str or path-like
            The file; an existing one is replaced. It contains the relevant columns of the fitted
            rows.
        """
        from .model_file import save_model  # imports Numba

        check_is_fitted(self)
        save_model(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike) -> URerF:
        """Read a model written by `save`; anything else is refused. Runs no code from the file.

        Parameters
        ----------
        path : str or path-like
            The file.

        Returns
        -------
        URerF
            The fitted model.
        """
        from .model_file import load_model  # imports Numba

        return load_model(cls, path)

    # -- helpers ---------------------------------------------------------------------------------

    def _require_fitted(self) -> Fitted:
        """Return what was fitted; raise NotFittedError, an AttributeError, if nothing was."""
        check_is_fitted(self)
        return self._fitted

    def _check_n_neighbors(self, n_neighbors: Any, spare: int) -> int:
        """Return k, the parameter if the call does not specify it."""
        k = self.n_neighbors if n_neighbors is None else n_neighbors
        return check.check_n_neighbors(k, self.n_samples_fit_, spare)

    def _check_rows(self, rows: Any) -> Array | None:
        """Return positions of fitted rows; None stands for all of them."""
        if rows is None:
            return None
        return check_integers("rows", np.atleast_1d(rows), 0, self.n_samples_fit_ - 1)

    @property
    def _n_jobs(self) -> int | None:
        return check_n_jobs(self.n_jobs)

    def _nearest(
        self,
        rows: Reading | None,
        k: int,
        include_self: bool = False,
    ) -> Neighbors:
        return self._fitted.nearest(
            rows,
            k,
            similarity=self.similarity_,
            n_jobs=self._n_jobs,
            include_self=include_self,
            show_progress=bool(self.verbose),
        )

    def _query(self, X: Any) -> Reading:
        """Return rows to ask about, as trees read them."""
        fitted = self._require_fitted()
        return fitted.columns.read(self._values(X), self._n_jobs)

    def _values(self, X: Any) -> Any:
        """Return new rows as numbers, in the columns of the fitted table."""
        return tables.match_table(X, self.schema_, self, self.missing)

    def _refuse_frames(self) -> None:
        """Say why `set_output` cannot make data frames of graphs, before any work is done."""
        own = getattr(self, "_sklearn_output_config", {})
        output = own.get("transform", get_config()["transform_output"])
        if output != "default":
            raise ValueError(
                f"set_output: must be 'default', got {output!r}. The transformer outputs a scipy "
                "sparse matrix. Use neighbors_frame() for a data frame; in a pipeline, call "
                "set_output on the later steps"
            )

    def __sklearn_is_fitted__(self) -> bool:
        """Tell scikit-learn whether `fit` was successful."""
        return "_fitted" in vars(self)

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn what the estimator can handle."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.missing == "handle"
        tags.transformer_tags.preserves_dtype = []
        return tags


def _fitting() -> Any:
    """Return `urerf.fitting`, imported here so that importing URerF does not wait for Numba."""
    with without_garbage_collection():
        from . import fitting
    return fitting
