"""URerF: the forest behind a scikit-learn face. Parameters, validation, `fit`; `urerf.queries` has what it answers."""

from __future__ import annotations

import os
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from . import parameters as check
from .queries import FittedForest
from .schema import Frame

if TYPE_CHECKING:
    from .forest import Growth
    from .relevance import Relevance


SEEN = ("n_features_in_", "feature_names_in_")


class _Setting:
    """An attribute that can be set but not read: reading raises AttributeError."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __set__(self, instance: Any, value: Any) -> None:
        vars(instance)[self.name] = value

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        raise AttributeError(
            f"{self.name} is a setting, not a method; get_params()[{self.name!r}] has it"
        )


class URerF(FittedForest):
    """Unsupervised randomer forest: which rows of a table are near each other on the latent manifold.

    Grows trees on random subsamples; every node draws a few sparse sums of columns and cuts where
    two Gaussians fit better than one. Rows that often share a leaf are near.

    Parameters
    ----------
    n_estimators : int, default=300
        Number of trees (the paper's T).
    n_neighbors : int, default=15
        Neighbours given by `kneighbors`, `kneighbors_graph` and `transform` unless they are told
        otherwise (k).
    criterion : {"fast_bic", "two_means", "mclust_bic"}, default="fast_bic"
        How one column of values is cut in two.
    score : {"gain", "raw"}, default="gain"
        How candidates compete: by BIC of two components minus BIC of one, which is free of the
        column's scale (for two-means the share of the sum of squares that is left), or by the
        criterion itself, as in the paper.
    projection : {"oblique", "axis"}, default="oblique"
        Sums of a few columns with random signs (URerF), or single columns (URF).
    max_features : "sqrt", int or float, default="sqrt"
        Candidates a node looks at (mtry, d): the square root of the number of columns, a number, or
        a share of the columns. With ``projection="axis"`` never more than there are columns.
    density : "auto", float or int, default="auto"
        What an oblique candidate combines. A float is the share of non-zeros, +1 or -1, in the p x
        d projection matrix (lambda); an integer is the average number of columns a candidate
        combines, so ``1`` is the paper's 1 / p. "auto": random directions, about 10 columns with
        Gaussian weights, wide columns in units of their width.
    min_samples_split : int or float, default=10
        Smallest node that is split (minparent); a float is a share of the rows a tree sees.
    min_samples_leaf : int, default=1
        Smallest node that a cut may leave.
    max_depth : int or None, default=None
        Largest depth of a tree.
    max_samples : "auto", int, float or None, default="auto"
        Rows drawn for each tree (m): a number, a share, or as many as there are (None). "auto":
        three tenths of them, but of more than 13,653 rows 4096, and never less than a twentieth.
    bootstrap : bool, default=False
        Draw rows with replacement, or without.
    flat_nodes : {"random", "best"}, default="random"
        What to do in a node where BIC prefers one component to two for every candidate, so that
        there is nothing to optimise: cut one at random, or cut the best all the same, as in the
        paper. Needs ``score="gain"`` and a BIC criterion; otherwise the best is cut.
    feature_weighting : {"relevance", "uniform"}, default="relevance"
        How candidate columns are drawn: by `feature_relevance_`, so that columns found to be noise
        are never looked at, or all alike.
    similarity : {"depth", "leaf"}, default="depth"
        "depth": two rows are the more alike in a tree the more cuts they stay together for; "leaf":
        they are alike when they share a leaf, the paper's 0-1.
    missing : {"handle", "error"}, default="handle"
        Missing values (NaN): fill them from the rows nearest in the other columns (`urerf.columns`
        states the rule), or refuse them.
    warm_start : bool, default=False
        `fit` on the same X adds trees up to ``n_estimators`` to those there are: the forest is, bit
        for bit, the one grown at once.
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
        How much structure each column carries, in [0, 1]; all 1 with
        ``feature_weighting="uniform"``.
    relevance_ : urerf.relevance.Relevance
        The evidence: statistic, p-value and best partner of every column, the pairs that speak for
        it, and on what the weights rest. Only with ``feature_weighting="relevance"``.
    schema_ : urerf.schema.Schema or None
        Names, kinds and categories of the columns, if X was a `urerf.schema.Frame`.
    forest_ : urerf.forest.Forest
        The trees as flat arrays.

    Notes
    -----
    Values are held as float32 after the column's median (of at most 4096 rows) was taken off: see
    `urerf.columns`. Distances are 1 - similarity. Ties are broken by a seeded hash; see
    `urerf.graph` for the format of every graph.

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

    # scikit-learn calls whatever an estimator has by the name of score, so the setting of that name
    # is kept out of sight of getattr; get_params and set_params know it.
    score = _Setting()

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the settings, as every scikit-learn estimator does."""
        return {name: vars(self)[name] for name in self._get_param_names()}

    @classmethod
    def paper(cls, **changes: Any) -> URerF:
        """Return the paper's forest, with ``changes`` to its settings.

        Raw Fast-BIC, oblique projections of density 1 / p, minparent 100, mtry sqrt(p), bootstrap,
        0-1 leaf similarity over all samples, in-bag and out-of-bag; missing values are refused. The
        paper states no number of trees; its authors' scripts use 300.

        The text's density, 1 / 20, is not used: at p = 3 and d = 2 it means no non-zero at all, at
        p = 1000 sums of 50 columns; its authors' code and its statement of complexity both use 1 /
        p.
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

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> sp.csr_matrix:
        """Fit, and return the neighbour graph of the fitted rows."""
        return self.fit(X, y).kneighbors_graph()

    def _learn(self, X: Any) -> dict[str, Any]:
        """Return the fitted attributes."""
        warm = self.warm_start and hasattr(self, "forest_")
        schema = X.schema if isinstance(X, Frame) else None
        X = self._validate(X, reset=not warm)
        from ._progress import compile_kernels

        compile_kernels()
        from .columns import Columns, fingerprints_of
        from .forest import Forest

        n_jobs = check.check_n_jobs(self.n_jobs)
        seed = (
            self._seed
            if warm
            else int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        )
        found = getattr(self, "relevance_", None) if warm else self._find_relevance(X, seed)
        relevance = (
            self.feature_relevance_
            if warm
            else np.ones(X.shape[1])
            if found is None
            else found.relevance
        )
        scaled = self._draws_directions()
        missing = self.missing == "handle"
        columns = (
            self._columns if warm else Columns.learn(X, relevance, scaled=scaled, missing=missing)
        )
        table = columns.table(X, n_jobs)
        fingerprints = fingerprints_of(table)
        if all((column == column[0]).all() for column in table):
            warnings.warn(
                "X: all columns are constant, so every row is equally near to every other",
                stacklevel=3,
            )
        trees = range(self._trees_before(fingerprints) if warm else 0, self.n_estimators)
        growth = self._growth(X.shape[0], len(table))
        show = bool(self.verbose)
        forest = Forest.grow(
            table,
            growth,
            seed=seed,
            trees=trees,
            chance=columns.chance,
            n_jobs=n_jobs,
            show_progress=show,
        )
        leaves = forest.apply(table, n_jobs=n_jobs, show_progress=show)
        if warm:
            forest = Forest.merge([self.forest_, forest])
            leaves = np.concatenate([self._leaves, leaves])
        fitted = {"forest_": forest, "feature_relevance_": relevance, "n_samples_fit_": X.shape[0]}
        fitted |= {
            "_leaves": leaves,
            "_columns": columns,
            "_table": table,
            "_fingerprints": fingerprints,
        }
        fitted |= {"_seed": seed, "_n_features_out": X.shape[0], "_cache": {}}
        fitted["schema_"] = schema
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

    # -- the numbers behind the parameters
    # ---------------------------------------------------------------------------

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
            random_cuts=self.flat_nodes == "random"
            and vars(self)["score"] == "gain"
            and self.criterion != "two_means",
        )

    # -- data
    # --------------------------------------------------------------------------------------------------------

    def _validate(self, X: Any, reset: bool) -> Any:
        if isinstance(X, Frame):
            return self._validate_frame(X, reset)
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
            text = str(error)
            kind = TypeError if isinstance(error, TypeError) else ValueError
            raise kind(text if "X" in text.split()[:2] else f"X: {text}") from error

    def _validate_frame(self, frame: Frame, reset: bool) -> Any:
        """Validate the values of a frame, and compare its columns with the fitted ones."""
        if reset:
            values = self._validate(frame.values, reset=True)
            self.feature_names_in_ = np.array(frame.schema.names, dtype=object)
            return values
        fitted = getattr(self, "schema_", None)
        if fitted is not None and fitted != frame.schema:
            raise ValueError("X: must have the columns and the categories that were fitted")
        with warnings.catch_warnings():
            # The names were compared above; the values alone have none.
            warnings.filterwarnings("ignore", "X does not have valid feature names")
            return self._validate(frame.values, reset=False)

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
