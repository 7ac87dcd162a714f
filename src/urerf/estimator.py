"""URerF: the forest behind a scikit-learn face. Validation, parameters, fitted attributes; the work is done below."""

from __future__ import annotations

import os
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from . import parameters as check

if TYPE_CHECKING:
    from .forest import Growth
    from .graph import Index
    from .relevance import Relevance


SEEN = ("n_features_in_", "feature_names_in_")


class _Setting:
    """An attribute that can be set but not read: reading raises AttributeError."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __set__(self, instance: Any, value: Any) -> None:
        vars(instance)[self.name] = value

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        raise AttributeError(f"{self.name} is a setting, not a method; get_params()[{self.name!r}] has it")


class URerF(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Unsupervised randomer forest: which rows of a table are near each other on the latent manifold.

    Grows trees on random subsamples; every node draws a few sparse sums of columns and cuts where two Gaussians fit
    better than one. Rows that often share a leaf are near.

    Parameters
    ----------
    n_estimators : int, default=300
        Number of trees (the paper's T).
    n_neighbors : int, default=15
        Neighbours given by `kneighbors`, `kneighbors_graph` and `transform` unless they are told otherwise (k).
    criterion : {"fast_bic", "two_means", "mclust_bic"}, default="fast_bic"
        How one column of values is cut in two.
    score : {"gain", "raw"}, default="gain"
        How candidates compete: by BIC of two components minus BIC of one, which is free of the column's scale (for
        two-means the share of the sum of squares that is left), or by the criterion itself, as in the paper.
    projection : {"oblique", "axis"}, default="oblique"
        Sums of a few columns with random signs (URerF), or single columns (URF).
    max_features : "sqrt", int or float, default="sqrt"
        Candidates a node looks at (mtry, d): the square root of the number of columns, a number, or a share of the
        columns. With ``projection="axis"`` never more than there are columns.
    density : "auto", float or int, default="auto"
        What an oblique candidate combines. A float is the share of non-zeros, +1 or -1, in the p x d projection matrix
        (lambda); an integer is the average number of columns a candidate combines, so ``1`` is the paper's 1 / p.
        "auto": random directions, about 10 columns with Gaussian weights, wide columns in units of their width.
    min_samples_split : int or float, default=10
        Smallest node that is split (minparent); a float is a share of the rows a tree sees.
    min_samples_leaf : int, default=1
        Smallest node that a cut may leave.
    max_depth : int or None, default=None
        Largest depth of a tree.
    max_samples : "auto", int, float or None, default="auto"
        Rows drawn for each tree (m): a number, a share, or as many as there are (None). "auto": three tenths of them,
        but of more than 13,653 rows 4096, and never less than a twentieth.
    bootstrap : bool, default=False
        Draw rows with replacement, or without.
    flat_nodes : {"random", "best"}, default="random"
        What to do in a node where BIC prefers one component to two for every candidate, so that there is nothing to
        optimise: cut one at random, or cut the best all the same, as in the paper. Needs ``score="gain"`` and a BIC
        criterion; otherwise the best is cut.
    feature_weighting : {"relevance", "uniform"}, default="relevance"
        How candidate columns are drawn: by `feature_relevance_`, so that columns found to be noise are never looked at,
        or all alike.
    similarity : {"depth", "leaf"}, default="depth"
        "depth": two rows are the more alike in a tree the smaller the node down to which they stay together; "leaf":
        they are alike when they share a leaf, the paper's 0-1.
    missing : {"handle", "error"}, default="handle"
        Missing values (NaN): fill them from the rows nearest in the other columns (`urerf.columns` states the rule), or
        refuse them.
    warm_start : bool, default=False
        `fit` on the same X adds trees up to ``n_estimators`` to those there are: the forest is, bit for bit, the one
        grown at once.
    n_jobs : int or None, default=None
        Threads; the result has the same bits for any number.
    random_state : int, RandomState or None, default=None
        Seed of the forest and of the tie-breaks.
    verbose : int, default=0
        1 shows progress on stderr when that is a terminal.

    Attributes
    ----------
    n_features_in_, feature_names_in_ :
        Columns seen in `fit`.
    n_samples_fit_ : int
        Rows seen in `fit`.
    feature_relevance_ : ndarray of shape (n_features_in_,)
        How much structure each column carries, in [0, 1]; all 1 with ``feature_weighting="uniform"``.
    relevance_ : urerf.relevance.Relevance
        The evidence: statistic, p-value and best partner of every column, the pairs that speak for it, and on what the
        weights rest. Only with ``feature_weighting="relevance"``.
    forest_ : urerf.forest.Forest
        The trees as flat arrays.

    Notes
    -----
    Values are held as float32 after the column's median (of at most 4096 rows) was taken off: see `urerf.columns`.
    Distances are 1 - similarity. Ties are broken by a seeded hash; see `urerf.graph` for the format of every graph.

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

    def __init__(
        self,
        n_estimators: int = 300,
        *,
        n_neighbors: int = 15,
        criterion: str = "fast_bic",
        score: str = "gain",
        projection: str = "oblique",
        max_features: Any = "sqrt",
        density: Any = "auto",
        min_samples_split: Any = 10,
        min_samples_leaf: int = 1,
        max_depth: int | None = None,
        max_samples: Any = "auto",
        bootstrap: bool = False,
        flat_nodes: str = "random",
        feature_weighting: str = "relevance",
        similarity: str = "depth",
        missing: str = "handle",
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_estimators = n_estimators
        self.n_neighbors = n_neighbors
        self.criterion = criterion
        self.score = score
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
        self.missing = missing
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    # scikit-learn calls whatever an estimator has by the name of score, so the setting of that name is kept out of
    # sight of getattr; get_params and set_params know it.
    score = _Setting()

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the settings, as every scikit-learn estimator does."""
        return {name: vars(self)[name] for name in self._get_param_names()}

    @classmethod
    def paper(cls, **changes: Any) -> URerF:
        """Return the paper's forest, with ``changes`` to its settings.

        Raw Fast-BIC, oblique projections of density 1 / p, minparent 100, mtry sqrt(p), bootstrap, 0-1 leaf similarity
        over all samples, in-bag and out-of-bag; missing values are refused. The paper states no number of trees; its
        authors' scripts use 300.

        The text's density, 1 / 20, is not used: at p = 3 and d = 2 it means no non-zero at all, at p = 1000 sums of 50
        columns; its authors' code and its statement of complexity both use 1 / p.
        """
        settings: dict[str, Any] = {
            "n_estimators": 300,
            "criterion": "fast_bic",
            "score": "raw",
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
        return cls(**{**settings, **changes})

    def fit(self, X: Any, y: Any = None) -> URerF:
        """Grow the forest on the rows of X; y is ignored.

        All or nothing: interrupted or refused, it leaves the estimator as it was.
        """
        self._check_parameters()
        before = {name: vars(self)[name] for name in SEEN if name in vars(self)}
        try:
            fitted = self._learn(X)
        except BaseException:
            for name in SEEN:
                self.__dict__.pop(name, None)
            self.__dict__.update(before)
            raise
        self.__dict__.pop("relevance_", None)
        self.__dict__.update(fitted)
        return self

    def _learn(self, X: Any) -> dict[str, Any]:
        """Return the fitted attributes."""
        warm = self.warm_start and hasattr(self, "forest_")
        X = self._validate(X, reset=not warm)
        from ._progress import compile_kernels

        compile_kernels()
        from .columns import Columns, fingerprints_of
        from .forest import Forest

        n_jobs = check.check_n_jobs(self.n_jobs)
        seed = self._seed if warm else int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        found = getattr(self, "relevance_", None) if warm else self._find_relevance(X, seed)
        relevance = self.feature_relevance_ if warm else np.ones(X.shape[1]) if found is None else found.relevance
        scaled, missing = self._draws_directions(), self.missing == "handle"
        columns = self._columns if warm else Columns.learn(X, relevance, scaled=scaled, missing=missing)
        table = columns.table(X, n_jobs)
        fingerprints = fingerprints_of(table)
        if all((column == column[0]).all() for column in table):
            warnings.warn("X: all columns are constant, so every row is equally near to every other", stacklevel=3)
        trees = range(self._trees_before(fingerprints) if warm else 0, self.n_estimators)
        growth, show = self._growth(X.shape[0], len(table)), bool(self.verbose)
        forest = Forest.grow(
            table, growth, seed=seed, trees=trees, chance=columns.chance, n_jobs=n_jobs, show_progress=show
        )
        leaves = forest.apply(table, n_jobs=n_jobs, show_progress=show)
        if warm:
            forest, leaves = Forest.merge([self.forest_, forest]), np.concatenate([self._leaves, leaves])
        fitted = {"forest_": forest, "feature_relevance_": relevance, "n_samples_fit_": X.shape[0]}
        fitted |= {"_leaves": leaves, "_columns": columns, "_table": table, "_fingerprints": fingerprints}
        fitted |= {"_seed": seed, "_n_features_out": X.shape[0], "_cache": {}}
        return fitted if found is None else {**fitted, "relevance_": found}

    def _trees_before(self, fingerprints: np.ndarray) -> int:
        """Return how many trees there are to add to; the rows must be those they were grown on."""
        if not np.array_equal(fingerprints, self._fingerprints):
            raise ValueError(
                "X: with warm_start=True trees are added to the fitted rows; pass the same X, or a new model"
            )
        if self.n_estimators < self.forest_.n_trees:
            raise ValueError(
                f"n_estimators: with warm_start=True it cannot be less than the {self.forest_.n_trees} trees "
                f"there are, got {self.n_estimators}"
            )
        return self.forest_.n_trees

    def apply(self, X: Any) -> np.ndarray:
        """Return the leaf number of every row in every tree, (rows, n_estimators)."""
        return self._query_leaves(self._query_table(X)).T

    def kneighbors(self, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True) -> Any:
        """Return (distances, indices) of the nearest fitted rows, nearest first.

        Without X, the neighbours of the fitted rows, each row itself left out; with X, those of its rows, and a row
        that was fitted finds itself first. Distances are 1 - similarity.
        """
        check_is_fitted(self)
        table = None if X is None else self._query_table(X)
        k = self._check_n_neighbors(n_neighbors, spare=1 if X is None else 0)
        distances, ids = self._nearest(table, k)
        return (distances, ids) if return_distance else ids

    def kneighbors_graph(self, X: Any = None, n_neighbors: int | None = None, mode: str = "distance") -> sp.csr_matrix:
        """Return the neighbour graph as a CSR matrix (rows, fitted rows); `urerf.graph` states its format.

        Without X, the graph of the fitted rows: k + 1 stored entries a row, itself first with a stored zero. With X,
        k entries a row. ``mode="connectivity"`` stores ones instead of distances.
        """
        from .graph import to_csr

        check_is_fitted(self)
        check.check_choice("mode", mode, ("distance", "connectivity"))
        if X is None:
            distances, ids = self._nearest(None, self._check_n_neighbors(n_neighbors, spare=1), itself=True)
        else:
            distances, ids = self.kneighbors(X, n_neighbors)
        if mode == "connectivity":
            distances[:] = 1.0
        return to_csr(distances, ids, self.n_samples_fit_)

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> sp.csr_matrix:
        """Fit, and return the neighbour graph of the fitted rows."""
        return self.fit(X, y).kneighbors_graph()

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

        T_ij is the number of trees that count for the pair, L_ij the sum over them of how alike the two rows are.

        Parameters
        ----------
        X : array-like or None
            Rows to compare with the fitted rows; None for the fitted rows themselves (symmetric, unit diagonal).
        samples : {"all", "in_bag", "out_of_bag"}
            Which trees count for a pair: all; those grown on both rows; those grown on neither (a new row is out of
            every bag). A pair without any such tree has similarity 0.
        """
        from .graph import counted_similarity, similarity_matrix

        check_is_fitted(self)
        check.check_choice("samples", samples, ("all", "in_bag", "out_of_bag"))
        if X is not None and samples == "in_bag":
            raise ValueError("samples: 'in_bag' compares fitted rows; new rows are in no bag, so leave X out")
        table = None if X is None else self._query_table(X)
        n = self.n_samples_fit_ if table is None else table.shape[1]
        _refuse_if_too_large(n, self.n_samples_fit_, 12 if samples == "all" else 24)
        leaves = self._leaves if table is None else self._query_leaves(table)
        n_jobs = check.check_n_jobs(self.n_jobs)
        index, perfect = self._index()
        if samples == "all":
            S = similarity_matrix(index, leaves, n_jobs) / perfect
        else:
            fitted = self.forest_.in_bag() == (samples == "in_bag")
            new = fitted if table is None else np.ones(leaves.shape, dtype=bool)
            S = counted_similarity(index, perfect, leaves, new, fitted, n_jobs)
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
            Join the parts of the graph that no edge connects by the shortest edges between them. Else distances between
            parts are inf.

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
            raise ValueError("rows: give rows (fitted rows to start from) or X (new rows), not both")
        sources = None if rows is None else check.check_rows("rows", rows, self.n_samples_fit_)
        new = None if X is None else self._query_table(X)
        n = self.n_samples_fit_
        starts = len(sources) if sources is not None else n if new is None else new.shape[1]
        _refuse_if_too_large(
            starts, n, 8, "rows" if X is None else "X", "distance matrix", "ask for fewer rows at a time"
        )
        candidates = min(geo.CANDIDATES * k, n - 1)
        points = self._columns.lengths(self._table)
        graph = geo.edge_graph(points, points, self._nearest(None, candidates)[1], k)
        graph = geo.bridge_components(graph, points) if bridge else graph
        if new is None:
            return geo.path_lengths(graph, sources)
        neighbors = self._nearest(new, candidates)[1]
        return geo.lengths_from_new(graph, self._columns.lengths(new), points, neighbors, k)

    def save(self, path: str | os.PathLike) -> None:
        """Write the fitted model to one file: a JSON header and raw arrays, no pickle; atomically."""
        from .persistence import save_model

        check_is_fitted(self)
        save_model(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike) -> URerF:
        """Read a model that `save` wrote; refuses anything else, and runs nothing that the file contains."""
        from .persistence import load_model

        return load_model(cls, path)

    # -- the numbers behind the parameters ---------------------------------------------------------------------------

    def _check_parameters(self) -> None:
        check.check_int("n_estimators", self.n_estimators, 1)
        check.check_int("n_neighbors", self.n_neighbors, 1)
        check.check_int("min_samples_leaf", self.min_samples_leaf, 1)
        check.check_bool("bootstrap", self.bootstrap)
        check.check_bool("warm_start", self.warm_start)
        check.check_n_jobs(self.n_jobs)
        if self.max_depth is not None:
            check.check_int("max_depth", self.max_depth, 1)
        if not isinstance(self.verbose, (bool, np.bool_)):
            check.check_int("verbose", self.verbose, 0)
        for name, choices in check.CHOICES.items():
            check.check_choice(name, vars(self)[name], choices)
        try:
            check_random_state(self.random_state)
        except ValueError as error:
            raise ValueError(
                f"random_state: must be None, an int or a RandomState, got {self.random_state!r}"
            ) from error

    def _draws_directions(self) -> bool:
        return self.projection == "oblique" and isinstance(self.density, str)

    def _find_relevance(self, X: Any, seed: int) -> Relevance | None:
        if self.feature_weighting == "uniform":
            return None
        from .columns import dense
        from .relevance import MAX_ROWS, column_relevance

        if sp.issparse(X) and X.shape[0] > MAX_ROWS:
            X = X[np.sort(np.random.default_rng(seed).choice(X.shape[0], MAX_ROWS, replace=False))]
        return column_relevance(dense(X), n_jobs=check.check_n_jobs(self.n_jobs), random_state=seed)

    def _growth(self, n: int, p: int) -> Growth:
        from .forest import Growth

        m = check.rows_drawn(self.max_samples, n)
        d = check.candidates(self.max_features, p)
        return Growth(
            n_candidates=min(d, p) if self.projection == "axis" else d,
            density=check.nonzero_share(self.density, p),
            min_split=check.smallest_parent(self.min_samples_split, m),
            n_drawn=m,
            replace=bool(self.bootstrap),
            projection="direction" if self._draws_directions() else self.projection,
            criterion=self.criterion,
            score=vars(self)["score"],
            min_leaf=int(self.min_samples_leaf),
            max_depth=2**31 - 1 if self.max_depth is None else int(self.max_depth),
            random_cuts=self.flat_nodes == "random" and vars(self)["score"] == "gain" and self.criterion != "two_means",
        )

    def _check_n_neighbors(self, n_neighbors: Any, spare: int) -> int:
        """Return k; there must be ``spare`` fitted rows more than that."""
        k = check.check_int("n_neighbors", self.n_neighbors if n_neighbors is None else n_neighbors, 1)
        if k + spare > self.n_samples_fit_:
            raise ValueError(
                f"n_neighbors: {k} neighbours need at least {k + spare} fitted rows, but n_samples_fit_ = "
                f"{self.n_samples_fit_}; ask for at most {self.n_samples_fit_ - spare}"
            )
        return k

    # -- data --------------------------------------------------------------------------------------------------------

    def _validate(self, X: Any, reset: bool) -> Any:
        try:
            with np.errstate(over="ignore", invalid="ignore"):  # its sum of all values may overflow
                return validate_data(
                    self,
                    X,
                    reset=reset,
                    accept_sparse="csr",
                    dtype=[np.float64, np.float32],
                    ensure_all_finite="allow-nan" if self.missing == "handle" else True,
                    ensure_min_samples=2 if reset else 1,
                )
        except (ValueError, TypeError) as error:
            text, kind = str(error), TypeError if isinstance(error, TypeError) else ValueError
            raise kind(text if "X" in text.split()[:2] else f"X: {text}") from error

    def _query_table(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        return self._columns.table(self._validate(X, reset=False), check.check_n_jobs(self.n_jobs))

    def _query_leaves(self, table: np.ndarray) -> np.ndarray:
        return self.forest_.apply(table, n_jobs=check.check_n_jobs(self.n_jobs))

    def _index(self) -> tuple[Index, int]:
        """Return the index and the sum of a perfect match; made when first asked for, not saved."""
        from .graph import build_index

        kind = check.check_choice("similarity", self.similarity, check.CHOICES["similarity"])
        if kind not in self._cache:
            self._cache[kind] = build_index(self.forest_, self._leaves, kind, check.check_n_jobs(self.n_jobs))
        return self._cache[kind]

    def _nearest(self, table: np.ndarray | None, k: int, itself: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """Return distances and row numbers of the k nearest; without a table, of the fitted rows, themselves left out.

        A row of the table that was fitted finds itself first. With ``itself``, which is for the fitted rows, each row
        comes before its k neighbours.
        """
        from .graph import nearest_rows, self_first, to_distances

        n_jobs, (index, perfect) = check.check_n_jobs(self.n_jobs), self._index()
        leaves = self._leaves if table is None else self._query_leaves(table)
        leave_out = np.arange(leaves.shape[1]) if table is None else np.full(leaves.shape[1], -1)
        show = bool(self.verbose)
        sums, ids = nearest_rows(index, leaves, k, selves=leave_out, seed=self._seed, n_jobs=n_jobs, show_progress=show)
        distances = to_distances(sums, perfect, itself)
        if table is not None:
            return self_first(distances, ids, self._known_rows(table))
        del sums  # a graph takes much of the memory that is used: no more of it at a time than must be
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

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        return {**state, "_cache": {}} if "_cache" in state else state

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "forest_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.missing == "handle"
        tags.transformer_tags.preserves_dtype = []
        return tags


def _refuse_if_too_large(
    rows: int,
    columns: int,
    bytes_a_pair: int,
    name: str = "X",
    what: str = "proximity",
    advice: str = "kneighbors_graph() gives the nearest rows as a sparse graph",
) -> None:
    from .columns import available_memory

    need, have = rows * columns * bytes_a_pair, available_memory()
    if need > have:
        raise ValueError(
            f"{name}: a dense {rows} x {columns} {what} needs {need / 2**30:.1f} GiB while it is made and "
            f"{have / 2**30:.1f} GiB are free; {advice}"
        )
