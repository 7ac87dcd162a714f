"""The methods that are timed: ours and the peers, each as ``fit`` and ``neighbours``; and the works done with them.

Everything here runs in the processes of `benchmarks._worker`. Peers are imported when they are
used.
"""

from __future__ import annotations

import importlib.util
import math
import warnings
from dataclasses import dataclass, fields
from functools import cache
from typing import Any

import numpy as np

from benchmarks._worker import Worker

OURS = "URerF"
PYNN = "pynndescent"
UMAP = "UMAP"
HNSW = "hnswlib"
BRUTE = "brute k-NN"
ISOMAP = "Isomap"
ISOLATION = "IsolationForest"
RANDOM_TREES = "RandomTreesEmbedding"
MODULES = {PYNN: "pynndescent", UMAP: "umap", HNSW: "hnswlib"}
CENTRES = 100
THREADS = 2


def missing(method: str) -> bool:
    """Say whether a peer is not installed."""
    return method in MODULES and importlib.util.find_spec(MODULES[method]) is None


def blobs(
    n: int, p: int, noise: int = 0, new: int = 0
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return rows in 100 round clusters, with noise columns of variance 70, and their clusters: fitted, then new."""
    from sklearn.datasets import make_blobs

    from urerf.datasets import add_noise

    X, labels = make_blobs(n + new, p, centers=CENTRES, random_state=0)
    X = add_noise(X, noise, variance=70, random_state=0).astype(np.float32)
    return X[:n], labels[:n], X[n:], labels[n:]


class Ours:
    """URerF, its graph as CSR."""

    def __init__(self, k: int, threads: int, **settings: Any) -> None:
        from urerf import URerF

        self.model = URerF(n_neighbors=k, random_state=0, n_jobs=threads, **settings)
        self.k = k

    def fit(self, X: np.ndarray) -> None:
        """Grow."""
        self.model.fit(X)

    def graph(self) -> np.ndarray:
        """Return the neighbours of the fitted rows."""
        self.csr = self.model.kneighbors_graph()
        return self.csr.indices.reshape(-1, self.k + 1)[:, 1:]

    def query(self, X: np.ndarray) -> np.ndarray:
        """Return the fitted neighbours of new rows."""
        return self.model.kneighbors(X, return_distance=False)

    def model_bytes(self) -> int:
        """Return what the model must hold: the forest, each row's leaf and place in every tree, and the graph."""
        forest = self.model.forest_
        arrays = [getattr(forest, field.name) for field in fields(forest)]
        nodes = sum(a.nbytes for a in arrays if isinstance(a, np.ndarray))
        graph = self.csr.data.nbytes + self.csr.indices.nbytes + self.csr.indptr.nbytes
        return nodes + 8 * forest.n_trees * forest.n_fitted + graph


class Pynndescent:
    """pynndescent with its default search."""

    def __init__(self, k: int, threads: int) -> None:
        self.k = k
        self.threads = threads

    def fit(self, X: np.ndarray) -> None:
        """Build the graph."""
        from pynndescent import NNDescent

        self.index = NNDescent(X, n_neighbors=self.k + 1, n_jobs=self.threads, random_state=0)

    def graph(self) -> np.ndarray:
        """Return the neighbours of the fitted rows."""
        return self.index.neighbor_graph[0][:, 1:]

    def query(self, X: np.ndarray) -> np.ndarray:
        """Return the fitted neighbours of new rows; the first query prepares the search, as a user's would."""
        return self.index.query(X, k=self.k)[0]


class Hnsw:
    """hnswlib with the settings of its example."""

    def __init__(self, k: int, threads: int) -> None:
        self.k = k
        self.threads = threads

    def fit(self, X: np.ndarray) -> None:
        """Insert the rows."""
        import hnswlib

        self.X = X
        self.index = hnswlib.Index(space="l2", dim=X.shape[1])
        self.index.init_index(max_elements=len(X), ef_construction=200, M=16, random_seed=0)
        self.index.set_num_threads(self.threads)
        self.index.add_items(X)
        self.index.set_ef(max(50, 2 * self.k))

    def graph(self) -> np.ndarray:
        """Return the neighbours of the fitted rows."""
        return self.index.knn_query(self.X, k=self.k + 1)[0][:, 1:]

    def query(self, X: np.ndarray) -> np.ndarray:
        """Return the fitted neighbours of new rows."""
        return self.index.knn_query(X, k=self.k)[0]


class Brute:
    """scikit-learn's exact Euclidean search."""

    def __init__(self, k: int, threads: int) -> None:
        from sklearn.neighbors import NearestNeighbors

        self.search = NearestNeighbors(n_neighbors=k, algorithm="brute", n_jobs=threads)

    def fit(self, X: np.ndarray) -> None:
        """Keep the rows."""
        self.search.fit(X)

    def graph(self) -> np.ndarray:
        """Return the neighbours of the fitted rows."""
        return self.search.kneighbors(return_distance=False)

    def query(self, X: np.ndarray) -> np.ndarray:
        """Return the fitted neighbours of new rows."""
        return self.search.kneighbors(X, return_distance=False)


class Embedding:
    """Isomap or UMAP: fitting is the graph and the embedding, neighbours are those in the embedding."""

    def __init__(self, kind: str, k: int, threads: int) -> None:
        self.kind = kind
        self.k = k
        self.threads = threads

    def fit(self, X: np.ndarray) -> None:
        """Embed."""
        if self.kind == ISOMAP:
            from sklearn.manifold import Isomap

            self.model = Isomap(n_neighbors=self.k, n_jobs=self.threads).fit(X)
        else:
            from umap import UMAP as Umap

            self.model = Umap(n_neighbors=self.k, n_jobs=self.threads).fit(X)

    def graph(self) -> np.ndarray:
        """Return the neighbours of the fitted rows."""
        self.search = Brute(self.k, self.threads)
        self.search.fit(self.model.embedding_)
        return self.search.graph()

    def query(self, X: np.ndarray) -> np.ndarray:
        """Return the fitted neighbours of new rows."""
        return self.search.query(self.model.transform(X))


def make(method: str, k: int, threads: int, **settings: Any) -> Any:
    """Return a method by its name."""
    if method in (ISOMAP, UMAP):
        return Embedding(method, k, threads)
    return {OURS: Ours, PYNN: Pynndescent, HNSW: Hnsw, BRUTE: Brute}[method](k, threads, **settings)


def warm(method: str, threads: int) -> None:
    """Do everything once with little data: what compiles, compiles."""
    warnings.filterwarnings("ignore", module="umap|sklearn|pynndescent")
    if method in (ISOLATION, RANDOM_TREES):
        return
    X, _, new, _ = blobs(3000, 20, new=50)
    model = make(method, 5, threads)
    model.fit(X)
    model.graph()
    model.query(new)


@cache
def worker(method: str, label: str = "") -> Worker:
    """Return the process of a method, and of a label where memory is measured; it stays until the run ends.

    Memory that a work frees may stay with its process, and would be counted to the next work.
    """
    return Worker(warm, method=method, threads=THREADS)


@dataclass
class Neighbours:
    """Fit and graph of clustered rows (``new=0``), or, after an untimed fit, the query of ``new`` rows."""

    method: str
    n: int
    p: int
    k: int
    threads: int
    noise: int = 0
    new: int = 0
    settings: dict[str, Any] | None = None

    def load(self) -> None:
        """Make the data; for a query fit them too."""
        self.X, self.labels, self.X_new, self.new_labels = blobs(
            self.n, self.p, self.noise, self.new
        )
        self.model = make(self.method, self.k, self.threads, **(self.settings or {}))
        if self.new:
            self.model.fit(self.X)
            self.model.graph()

    def run(self) -> np.ndarray:
        """Find the neighbours."""
        if self.new:
            return self.model.query(self.X_new)
        self.model.fit(self.X)
        return self.model.graph()

    def score(self, ids: np.ndarray) -> dict[str, Any]:
        """Return the share of neighbours of the same cluster, and what of the memory must be."""
        own = self.new_labels if self.new else self.labels
        held = 3 * 4 * self.X.size + self.model.model_bytes() if self.method == OURS else math.nan
        return {"precision": float((self.labels[ids] == own[:, None]).mean()), "must_hold": held}


@dataclass
class HelixFit:
    """A default fit of a helix among noise columns, 1000 rows: three columns matter."""

    n: int
    p: int
    threads: int

    def load(self) -> None:
        """Make the data."""
        from urerf.datasets import add_noise, make_helix

        self.X = add_noise(make_helix(self.n, random_state=0).X, self.p - 3, random_state=0)

    def run(self) -> Any:
        """Fit."""
        from urerf import URerF

        return URerF(random_state=0, n_jobs=self.threads).fit(self.X)

    def score(self, model: Any) -> dict[str, Any]:
        """Say how many columns were found to matter."""
        return {"relevant": int((model.feature_relevance_ > 0).sum())}


@dataclass
class Relevance:
    """The dependence of all pairs of columns: our relevance, or Spearman's correlation."""

    method: str
    n: int
    p: int
    threads: int

    def load(self) -> None:
        """Make the data."""
        HelixFit.load(self)  # type: ignore[arg-type]

    def run(self) -> Any:
        """Look at all pairs."""
        if self.method == OURS:
            from urerf.relevance import column_relevance

            return column_relevance(self.X, n_jobs=self.threads, random_state=0).strength
        from scipy.stats import spearmanr

        return np.abs(spearmanr(self.X).statistic - np.eye(self.p)).max(axis=1)

    def score(self, found: np.ndarray) -> dict[str, Any]:
        """Return the share of the manifold's three columns among the best three."""
        return {"precision": float((np.argsort(-found)[:3] < 3).mean())}


@dataclass
class Trees:
    """Trees alone on clustered rows: raw BIC, mtry 10, nodes of 100; or ``like`` IsolationForest's: one candidate."""

    method: str
    n: int
    p: int
    trees: int
    like: str = ""

    def load(self) -> None:
        """Make the data."""
        from benchmarks.speed import tall_data

        self.X = tall_data(self.n, self.p)["clustered"].astype(np.float32)
        self.table = np.ascontiguousarray(self.X.T)

    def run(self) -> Any:
        """Grow the trees; return the forest."""
        from benchmarks import speed

        if self.method == ISOLATION:
            return speed.grown_isolation_forest(self.X, self.trees)
        if self.method == RANDOM_TREES:
            return speed.grown_random_trees(self.X, self.trees)
        return self._ours()

    def _ours(self) -> Any:
        from benchmarks.speed import grown_alone
        from urerf.forest import Forest, Growth

        if self.like != ISOLATION:
            return grown_alone(self.table, "raw", self.trees)
        depth = math.ceil(math.log2(self.n))
        growth = Growth(1, 1 / self.p, 2, self.n, False, projection="axis", max_depth=depth)
        return Forest.grow(self.table, growth, seed=0, trees=range(self.trees), n_jobs=1)

    def score(self, forest: Any) -> dict[str, Any]:
        """Return leaves a tree, and how many rows its nodes parted, in thousands: the work a tree is."""
        if self.method == OURS:
            inner = forest.child >= 0
            size = forest.size
        else:
            trees = [estimator.tree_ for estimator in forest.estimators_]
            inner = np.concatenate([tree.children_left >= 0 for tree in trees])
            size = np.concatenate([tree.n_node_samples for tree in trees])
        leaves = (~inner).sum() / self.trees
        parted = size[inner].sum() / self.trees / 1000
        return {"leaves": round(float(leaves)), "parted": round(float(parted))}
