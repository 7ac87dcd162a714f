"""The methods that are timed, each with `fit`, `graph` and `query`, and the tasks done with them.

Everything here runs in the processes of `benchmarks._worker`.
"""

from __future__ import annotations

import math
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.ensemble import IsolationForest, RandomTreesEmbedding
from sklearn.manifold import Isomap
from sklearn.neighbors import NearestNeighbors

from benchmarks import THREADS
from benchmarks._worker import Job, Task, Worker
from urerf import URerF
from urerf._typing import Array
from urerf.forest import Forest
from urerf.lab.methods import METHODS
from urerf.lab.methods.common import MIN_SAMPLES_SPLIT
from urerf.lab.tables.speed import blobs, surface, tall_data, tall_growth
from urerf.lab.trial import Trial
from urerf.lab.writing import library_version

LABELS = {name: method.label for name, method in METHODS.items()}
OURS = LABELS["urerf"]
PAPER = LABELS["urerf_paper"]
PYNN = LABELS["pynndescent"]
UMAP = LABELS["umap"]
HNSW = LABELS["hnswlib"]
EUCLIDEAN = LABELS["euclidean"]
ISOMAP = LABELS["isomap"]
ISOLATION = LABELS["isolation_forest"]
RANDOM_TREES = LABELS["totally_random_trees"]
# Distributions that methods need.
NEEDS = {method.label: method.needs for method in METHODS.values()}
# Rows on which neighbors on a surface are compared with the true ones: the standard error of the
# precision is then about .0015, small enough to judge a loss of .005.
N_JUDGED = 3000


def is_missing(method: str) -> bool:
    """Return whether a peer is not installed."""
    return any(library_version(name) == "none" for name in NEEDS[method])


class Fitted(NamedTuple):
    """How a fitted method finds the neighbors of its own rows and of new rows."""

    graph: Callable[[], Array]
    query: Callable[[Array], Array]
    model: Any = None


def fit_ours(X: Array, k: int, threads: int, **settings: Any) -> Fitted:
    """Fit URerF, whose graph is CSR."""
    model = URerF(n_neighbors=k, random_state=0, n_jobs=threads, **settings).fit(X)

    def graph() -> Array:
        return model.kneighbors_graph().indices.reshape(-1, k + 1)[:, 1:]

    return Fitted(graph, partial(model.kneighbors, return_distance=False), model)


def model_bytes(model: URerF) -> int:
    """Return what must be held: forest, leaf and position of each row in each tree, and graph."""
    forest = model.forest_
    arrays = [getattr(forest, item.name) for item in fields(forest)]
    nodes = sum(array.nbytes for array in arrays if isinstance(array, np.ndarray))
    leaves_and_positions = 8 * forest.n_trees * forest.n_fitted
    edges = 12 * forest.n_fitted * (model.n_neighbors + 1)
    starts = 4 * (forest.n_fitted + 1)
    return nodes + leaves_and_positions + edges + starts


def fit_pynndescent(X: Array, k: int, threads: int) -> Fitted:
    """Build the graph of pynndescent; the first query prepares its search."""
    from pynndescent import NNDescent  # optional

    index = NNDescent(X, n_neighbors=k + 1, n_jobs=threads, random_state=0)
    return Fitted(
        lambda: index.neighbor_graph[0][:, 1:],
        lambda new: index.query(new, k=k)[0],
    )


def fit_hnswlib(X: Array, k: int, threads: int) -> Fitted:
    """Insert the rows into hnswlib, with the settings of its example."""
    import hnswlib  # optional

    index = hnswlib.Index(space="l2", dim=X.shape[1])
    index.init_index(max_elements=len(X), ef_construction=200, M=16, random_seed=0)
    index.set_num_threads(threads)
    index.add_items(X)
    index.set_ef(max(50, 2 * k))
    return Fitted(
        lambda: index.knn_query(X, k=k + 1)[0][:, 1:],
        lambda new: index.knn_query(new, k=k)[0],
    )


def fit_exact(X: Array, k: int, threads: int) -> Fitted:
    """Prepare the exact Euclidean search of scikit-learn."""
    search = NearestNeighbors(n_neighbors=k, algorithm="brute", n_jobs=threads).fit(X)
    find = partial(search.kneighbors, return_distance=False)
    return Fitted(find, find)


def fit_embedding(embedding: Any, X: Array, k: int, threads: int) -> Fitted:
    """Embed the rows; neighbors are those in the embedding."""
    model = embedding(n_neighbors=k, n_jobs=threads).fit(X)
    search = fit_exact(model.embedding_, k, threads)
    return Fitted(search.graph, lambda new: search.query(model.transform(new)))


def fit_umap(X: Array, k: int, threads: int) -> Fitted:
    """Embed the rows with UMAP."""
    from umap import UMAP  # optional

    return fit_embedding(UMAP, X, k, threads)


FITS: dict[str, Callable[..., Fitted]] = {
    OURS: fit_ours,
    PYNN: fit_pynndescent,
    HNSW: fit_hnswlib,
    EUCLIDEAN: fit_exact,
    ISOMAP: partial(fit_embedding, Isomap),
    UMAP: fit_umap,
}


def warm_up(method: str) -> None:
    """Do everything once with few rows, so that everything is compiled."""
    warnings.filterwarnings("ignore", module="umap|sklearn|pynndescent")
    if method in FITS:
        X, _ = blobs(3000, 20)
        fitted = FITS[method](X, 5, THREADS)
        fitted.graph()
        fitted.query(X[:50])


@cache
def worker(method: str, label: str = "") -> Worker:
    """Return the process of a method, one per label where memory is measured.

    Memory that a task frees may stay with its process, and would be counted for the next task.
    """
    return Worker(warm_up, method=method)


def job(name: str, task: Any, label: str = "") -> Job:
    """Return a job for the process of the method of the task."""
    return Job(name, worker(task.method, label), task)


@dataclass
class FindNeighbors(Task):
    """Fit and graph of clusters or of a surface, or after an untimed fit, a query of `new` rows."""

    method: str
    n: int
    p: int = 50
    k: int = 15
    threads: int = THREADS
    noise: int = 0
    new: int = 0
    settings: dict[str, Any] = field(default_factory=dict)
    data: str = "clusters"
    on_disk: bool = False

    def load(self) -> None:
        """Make the data; for a query also fit them."""
        make = {"clusters": blobs, "surface": surface}[self.data]
        X, self.truth = make(self.n + self.new, self.p, self.noise)
        self.X = on_disk(X) if self.on_disk else X[: self.n]
        self.X_new = X[self.n :]
        if self.new:
            self.fit()
            self.fitted.graph()

    def fit(self) -> None:
        """Fit the method."""
        self.fitted = FITS[self.method](self.X, self.k, self.threads, **self.settings)

    def run(self) -> Array:
        """Find the neighbors."""
        if self.new:
            return self.fitted.query(self.X_new)
        self.fit()
        return self.fitted.graph()

    def score(self, indices: Array) -> dict[str, Any]:
        """Return the share of true neighbors, the memory that must be held, and that of the data.

        True neighbors are those in the same cluster, or the nearest ones on the surface.
        """
        own = self.truth[self.n :] if self.new else self.truth
        if self.data == "clusters":
            is_right = self.truth[indices] == own[:, None]
            precision = float(is_right.mean())
        else:
            clean = self.truth[: self.n]
            precision = surface_precision(indices, own, clean, bool(self.new))
        must_hold = math.nan
        if self.method == OURS:
            model = self.fitted.model
            tables = 4 if model.similarity_ == "blend" else 3  # straight distances need one more
            must_hold = tables * 4 * self.X.size + model_bytes(model)
        return {"precision": precision, "must_hold": must_hold, "data": self.X.nbytes}


def on_disk(X: Array) -> Array:
    """Return a table as a memmap of a file that is removed with the process."""
    with tempfile.TemporaryFile() as file:
        table = np.memmap(file, dtype=np.float32, mode="w+", shape=X.shape)
    table[:] = X
    return table


def surface_precision(indices: Array, queries: Array, clean: Array, are_new: bool) -> float:
    """Return the share of neighbors among the nearest rows of the clean table, for some queries."""
    n = len(queries)
    judged = np.linspace(0, n - 1, min(N_JUDGED, n)).astype(int)
    n_self = 0 if are_new else 1
    search = NearestNeighbors(n_neighbors=indices.shape[1] + n_self).fit(clean)
    nearest = search.kneighbors(queries[judged], return_distance=False)
    pairs = zip(indices[judged], nearest[:, n_self:])
    return float(np.mean([np.isin(found, right) for found, right in pairs]))


@dataclass
class HelixFit(Task):
    """A default fit of a helix of 1000 rows among noise columns."""

    p: int
    n: int = 1000
    method: str = OURS

    def load(self) -> None:
        """Make the data."""
        _, self.X = Trial("helix", n=self.n, noise=self.p - 3).make()

    def run(self) -> Any:
        """Fit."""
        return URerF(random_state=0, n_jobs=THREADS).fit(self.X)

    def score(self, model: Any) -> dict[str, Any]:
        """Return the number of columns that were found to be relevant."""
        return {"relevant": int((model.feature_relevance_ > 0).sum())}


@dataclass
class Dependence(HelixFit):
    """The dependence of all pairs of columns, by our relevance or by Spearman's correlation."""

    by_rank: bool = False

    def run(self) -> Any:
        """Test all pairs."""
        from scipy.stats import spearmanr

        from urerf.relevance import column_relevance

        if self.by_rank:
            with_others = spearmanr(self.X).statistic - np.eye(self.p)
            return np.abs(with_others).max(axis=1)
        return column_relevance(self.X, n_jobs=THREADS, random_state=0).strength

    def score(self, strength: Array) -> dict[str, Any]:
        """Return the share of the three columns of the helix among the best three."""
        best_three = np.argsort(-strength)[:3]
        return {"precision": float(np.mean(best_three < 3))}


@dataclass
class GrowTrees(Task):
    """Trees alone on one thread: with 10 candidates per node, or one as in IsolationForest."""

    method: str
    n: int
    p: int = 100
    n_trees: int = 10
    like_isolation: bool = False
    split_score: str = "raw"
    data: str = "clustered"

    def load(self) -> None:
        """Make the data."""
        self.X = tall_data(self.n, self.p)[self.data].astype(np.float32)
        self.matrix = np.ascontiguousarray(self.X.T)

    def run(self) -> Any:
        """Grow the trees; return the forest."""
        if self.method == ISOLATION:
            forest = IsolationForest(n_estimators=self.n_trees, max_samples=self.n, random_state=0)
            return forest.fit(self.X)
        if self.method == RANDOM_TREES:
            embedding = RandomTreesEmbedding(
                self.n_trees,
                max_depth=None,
                min_samples_split=MIN_SAMPLES_SPLIT,
                random_state=0,
            )
            return embedding.fit(self.X)
        growth = tall_growth(self.n, self.p)._replace(split_score=self.split_score)
        if self.like_isolation:
            growth = growth._replace(
                max_features=1,
                min_samples_split=2,
                bootstrap=False,
                split_score="gain",
                max_depth=math.ceil(math.log2(self.n)),
            )
        return Forest.grow(self.matrix, growth, seed=0, trees=range(self.n_trees), n_jobs=1)

    def score(self, forest: Any) -> dict[str, Any]:
        """Return leaves per tree, and thousands of rows that its nodes split."""
        if self.method == OURS:
            is_inner = forest.child >= 0
            size = forest.size
        else:
            trees = [estimator.tree_ for estimator in forest.estimators_]
            is_inner = np.concatenate([tree.children_left >= 0 for tree in trees])
            size = np.concatenate([tree.n_node_samples for tree in trees])
        leaves = (~is_inner).sum() / self.n_trees
        split = size[is_inner].sum() / self.n_trees / 1000
        return {"leaves": round(float(leaves)), "split": round(float(split))}


@dataclass
class WideFit(HelixFit):
    """A fit of 100 trees on one thread: a helix of 1000 rows among 1000 noise columns."""

    p: int = 1003
    n_trees: int = 100

    def run(self) -> Any:
        """Fit."""
        if self.method in (OURS, PAPER):
            make = URerF if self.method == OURS else URerF.paper
            return make(n_estimators=self.n_trees, random_state=0, n_jobs=1).fit(self.X)
        peer = GrowTrees(self.method, *self.X.shape, self.n_trees)
        peer.X = self.X
        return peer.run()

    def score(self, model: Any) -> dict[str, Any]:
        """Return nothing: only the time counts."""
        return {}
