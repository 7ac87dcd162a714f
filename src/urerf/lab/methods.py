"""All methods that are compared, each as the library that implements it, behind one signature.

``method.neighbors(X, k, random_state=, n_jobs=)`` returns the (n, k) indices of the k nearest rows
of each row, nearest first, without the row itself. Ties are broken by the seed and never by row
order: each method sees the rows in a random order, and its answer is mapped back.
``method.distances(X, random_state=, n_jobs=)`` returns estimated distances between all rows.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial, wraps
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from urerf.lab.palette import (
    BLACK,
    BLUE,
    BROWN,
    CORAL,
    GRAY,
    GREEN,
    OLIVE,
    ORANGE,
    RED,
    ROSE,
    SKY,
)

Rows = NDArray[np.float64]
Indices = NDArray[np.intp]
Neighbors = Callable[..., Indices]
Distances = Callable[..., NDArray[np.float64]]

# Isomap's default of 5 is worse on the sphere and no better on the other simulations.
ISOMAP_NEIGHBORS = 15
# Level of the normality test over all columns, as in our own relevance test.
SCREEN_LEVEL = 0.01
# Smallest node that the paper splits, used for all trees of the comparison.
MIN_SAMPLES_SPLIT = 100


def need(module: str, extra: str = "paper") -> ModuleType:
    """Import an optional library, or say how to install it: with which extra of this package."""
    try:
        with quiet():
            return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(f"{module} is not installed: pip install urerf[{extra}]") from error


@contextmanager
def quiet() -> Iterator[None]:
    """Suppress warnings of other libraries, which are about their defaults, not about the data."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def ties_by_seed(method: Neighbors) -> Neighbors:
    """Pass the rows to `method` in a random order, so that ties are not broken by row order."""

    @wraps(method)
    def shuffled(
        X: Rows,
        k: int,
        *,
        random_state: int = 0,
        n_jobs: int | None = None,
        **params: Any,
    ) -> Indices:
        order = np.random.default_rng(random_state).permutation(len(X))
        rows = np.ascontiguousarray(X[order])
        with quiet():
            found = method(rows, k, random_state=random_state, n_jobs=n_jobs, **params)
        indices = np.empty_like(found)
        indices[order] = order[found]
        return indices

    return shuffled


def nearest(distances: NDArray[Any], k: int, first_row: int = 0) -> Indices:
    """Rank the columns of a block of distances.

    Parameters
    ----------
    distances : ndarray of shape (n_rows, n)
        Rows ``first_row, first_row + 1, ...`` of a distance matrix.
    k : int
        Number of columns to keep.
    first_row : int
        Position of the block in the matrix, which tells the column of the row itself.

    Returns
    -------
    ndarray of shape (n_rows, k)
        Columns, nearest first, without the row itself.
    """
    block = np.array(distances, dtype=np.float64)
    rows = np.arange(len(block))
    block[rows, first_row + rows] = np.nan  # sorts last, even after points that are unreachable
    chosen = np.sort(np.argpartition(block, k - 1, axis=1)[:, :k], axis=1)
    ranks = np.argsort(np.take_along_axis(block, chosen, axis=1), axis=1, kind="stable")
    return np.take_along_axis(chosen, ranks, axis=1)


def nearest_by_leaf(leaves: NDArray[np.integer], k: int, block: int = 1000) -> Indices:
    """Rank rows by the number of trees in which they share a leaf.

    Parameters
    ----------
    leaves : ndarray of shape (n, n_trees)
        Leaf of each row in each tree.
    k : int
        Number of rows to keep.
    block : int
        Rows of the proximity matrix that are in memory at the same time.

    Returns
    -------
    ndarray of shape (n, k)
    """
    n, n_trees = leaves.shape
    size = n * n_trees
    _, codes = np.unique(leaves + (leaves.max() + 1) * np.arange(n_trees), return_inverse=True)
    ones = np.ones(size, dtype=np.float32)
    row_starts = np.arange(0, size + 1, n_trees)
    member = sparse.csr_matrix((ones, codes.ravel(), row_starts))
    blocks = []
    for start in range(0, n, block):
        shared = (member[start : start + block] @ member.T).toarray()
        blocks.append(nearest(-shared, k, start))
    return np.vstack(blocks)


def without_self(found: NDArray[np.integer], k: int, random_state: int) -> Indices:
    """Drop the index of the row itself, and replace missing neighbors (-1) by random rows."""
    n = len(found)
    rng = np.random.default_rng(random_state)
    indices = np.empty((n, k), dtype=np.intp)
    for row, line in enumerate(found):
        kept = line[(line >= 0) & (line != row)][:k]
        if len(kept) < k:
            rest = np.setdiff1d(np.arange(n), np.append(kept, row))
            kept = np.append(kept, rng.choice(rest, k - len(kept), replace=False))
        indices[row] = kept
    return indices


@ties_by_seed
def euclidean(X: Rows, k: int, *, random_state: int, n_jobs: int | None) -> Indices:
    """Return the nearest rows by Euclidean distance (scikit-learn)."""
    from sklearn.neighbors import NearestNeighbors

    model = NearestNeighbors(n_neighbors=k, algorithm="brute", n_jobs=n_jobs).fit(X)
    return model.kneighbors(return_distance=False)


def euclidean_distances(X: Rows, **settings: Any) -> Rows:
    """Return Euclidean distances."""
    from sklearn.metrics import pairwise_distances

    return pairwise_distances(X)


@ties_by_seed
def screen(X: Rows, k: int, **settings: Any) -> Indices:
    """Return the nearest rows by Euclidean distance in the columns that are not Gaussian.

    Columns are kept by the test of D'Agostino and Pearson at the 1 % level over all columns.
    """
    from scipy.stats import normaltest

    is_kept = normaltest(X, axis=0).pvalue < SCREEN_LEVEL / X.shape[1]
    return euclidean(X[:, is_kept] if is_kept.any() else X, k, **settings)


def isomap_distances(X: Rows, *, n_jobs: int | None = None, **settings: Any) -> Rows:
    """Return the shortest paths on Isomap's neighbor graph."""
    from sklearn.manifold import Isomap

    with quiet():
        return Isomap(n_neighbors=ISOMAP_NEIGHBORS, n_jobs=n_jobs).fit(X).dist_matrix_


@ties_by_seed
def isomap(X: Rows, k: int, *, random_state: int, n_jobs: int | None) -> Indices:
    """Return the nearest rows by shortest paths on Isomap's graph (scikit-learn, 15 neighbors)."""
    return nearest(isomap_distances(X, n_jobs=n_jobs), k)


def umap_embedding(X: Rows, random_state: int) -> Rows:
    """Embed the rows with UMAP's default settings; its `random_state` requires one thread."""
    with quiet():
        return need("umap").UMAP(random_state=random_state, n_jobs=1).fit_transform(X)


@ties_by_seed
def umap(X: Rows, k: int, *, random_state: int, n_jobs: int | None) -> Indices:
    """Return the nearest rows in UMAP's embedding (umap-learn, default settings).

    Its fitted graph cannot be ranked: small entries are set to zero, which leaves fewer than 50
    neighbors per row.
    """
    from sklearn.neighbors import NearestNeighbors

    embedding = umap_embedding(X, random_state)
    return NearestNeighbors(n_neighbors=k).fit(embedding).kneighbors(return_distance=False)


def umap_distances(X: Rows, *, random_state: int, **settings: Any) -> Rows:
    """Return Euclidean distances in UMAP's embedding."""
    return euclidean_distances(umap_embedding(X, random_state))


@ties_by_seed
def pynndescent(X: Rows, k: int, *, random_state: int, n_jobs: int | None) -> Indices:
    """Return approximate nearest rows by nearest neighbor descent (pynndescent)."""
    settings = {
        "n_neighbors": k + 1,
        "random_state": random_state,
        "n_jobs": n_jobs,
    }
    index = need("pynndescent").NNDescent(X, **settings)
    return without_self(index.neighbor_graph[0], k, random_state)


@ties_by_seed
def flann(X: Rows, k: int, *, random_state: int, n_jobs: int | None) -> Indices:
    """Return approximate nearest rows by FLANN's k-d trees (OpenCV, 4 trees, 32 checks)."""
    cv2 = need("cv2")
    cv2.setRNGSeed(random_state)
    data = X.astype(np.float32)
    index = cv2.flann_Index(data, {"algorithm": 1, "trees": 4})
    found, _ = index.knnSearch(data, k + 1, params={"checks": 32})
    return without_self(found, k, random_state)


@ties_by_seed
def shi_cutler(X: Rows, k: int, *, n_estimators: int = 500, **settings: Any) -> Indices:
    """Rank rows by shared leaves of Shi and Cutler's unsupervised forest (scikit-learn).

    The forest learns to tell the rows from copies with permuted columns. Proximity is over all
    trees, for all pairs of real rows.
    """
    from sklearn.ensemble import RandomForestClassifier

    copy = np.random.default_rng(settings["random_state"]).permuted(X, axis=0)
    is_real = np.repeat([1, 0], len(X))
    forest = RandomForestClassifier(n_estimators, **settings).fit(np.vstack([X, copy]), is_real)
    return nearest_by_leaf(forest.apply(X), k)


@ties_by_seed
def totally_random_trees(X: Rows, k: int, *, n_estimators: int = 500, **settings: Any) -> Indices:
    """Rank rows by shared leaves of trees that cut random columns at random (scikit-learn).

    The control that the paper lacks: a score above this one is due to the splitting criterion.
    """
    from sklearn.ensemble import RandomTreesEmbedding

    settings |= {"max_depth": None, "min_samples_split": MIN_SAMPLES_SPLIT}
    forest = RandomTreesEmbedding(n_estimators, **settings).fit(X)
    return nearest_by_leaf(forest.apply(X), k)


def random_directions(X: Rows, rng: np.random.Generator) -> Iterator[Rows]:
    """Yield projections on random directions; drawing 32 at a time is 20 times faster."""
    while True:
        yield from (X @ rng.normal(size=(X.shape[1], 32))).T


def random_projection_leaves(X: Rows, leaf_size: int, rng: np.random.Generator) -> Indices:
    """Return the leaf of each row in one random projection tree (Dasgupta and Freund).

    Each node is cut along a random direction at a random quantile between 1/4 and 3/4.
    """
    leaves = np.empty(len(X), dtype=np.intp)
    nodes = [np.arange(len(X))]
    n_leaves = 0
    directions = random_directions(X, rng)
    while nodes:
        rows = nodes.pop()
        if len(rows) <= leaf_size:
            leaves[rows] = n_leaves
            n_leaves += 1
            continue
        order = rows[np.argsort(next(directions)[rows], kind="stable")]
        cut = int(len(rows) * rng.uniform(0.25, 0.75))
        nodes += [order[:cut], order[cut:]]
    return leaves


@ties_by_seed
def random_projection_forest(
    X: Rows,
    k: int,
    *,
    random_state: int,
    n_jobs: int | None,
    n_estimators: int = 100,
) -> Indices:
    """Rank rows by shared leaves of many random projection trees with random splits."""
    rng = np.random.default_rng(random_state)
    trees = [random_projection_leaves(X, MIN_SAMPLES_SPLIT, rng) for _ in range(n_estimators)]
    return nearest_by_leaf(np.column_stack(trees), k)


def random_projection_tree(X: Rows, k: int, **settings: Any) -> Indices:
    """Rank rows by one random projection tree with random splits (Dasgupta and Freund)."""
    return random_projection_forest(X, k, n_estimators=1, **settings)


def fit_urerf(X: Rows, *, paper: bool, **params: Any) -> Any:
    """Fit our forest with its defaults, or with the paper's settings and 300 trees."""
    from urerf import URerF

    if paper:
        return URerF.paper(**{"n_estimators": 300, **params}).fit(X)
    return URerF(**params).fit(X)


def urerf(X: Rows, k: int, **params: Any) -> Indices:
    """URerF with the defaults of this package."""
    return fit_urerf(X, paper=False, **params).kneighbors(n_neighbors=k)[1]


def urerf_distances(X: Rows, *, bridge: bool = True, **params: Any) -> Rows:
    """Return shortest paths over the neighbors of the forest.

    `bridge` joins components that are not connected, as Isomap does.
    """
    return fit_urerf(X, paper=False, **params).geodesic_distances(bridge=bridge)


def urerf_paper(X: Rows, k: int, **params: Any) -> Indices:
    """URerF as described in the text of the paper, with 300 trees as in its authors' scripts."""
    return fit_urerf(X, paper=True, **params).kneighbors(n_neighbors=k)[1]


def urerf_paper_distances(X: Rows, *, bridge: bool = True, **params: Any) -> Rows:
    """Return one minus the proximity, the only distance that the paper has."""
    return 1.0 - np.asarray(fit_urerf(X, paper=True, **params).proximity())


def urerf_scripts(X: Rows, k: int, **params: Any) -> Indices:
    """URerF as in its authors' scripts for the noise figures: axis-aligned, nodes of 32."""
    return urerf_paper(X, k, projection="axis", min_samples_split=32, **params)


def urerf_depth(X: Rows, k: int, **params: Any) -> Indices:
    """URerF with the paper's criterion and our depth similarity.

    Nodes of 15 rows are split, with 12 candidates per node of two or three columns each.
    """
    changes = {
        "similarity": "depth",
        "min_samples_split": 15,
        "max_features": 12,
        "density": 0.4,
    }
    return urerf_paper(X, k, **changes, **params)


def urerf_300(X: Rows, k: int, **params: Any) -> Indices:
    """URerF with trees that rank neighbors alone, by depth: 300 of them by default."""
    return urerf(X, k, similarity="depth", **params)


def urf(X: Rows, k: int, **params: Any) -> Indices:
    """URF: the paper's forest with axis-aligned splits."""
    return urerf_paper(X, k, projection="axis", **params)


def gower(X: Any, k: int, **settings: Any) -> Indices:
    """Return the nearest rows by Gower's distance; X may be a `urerf.schema.Frame`."""
    from urerf.lab import gower  # builds on this module

    return gower.gower(X, k, **settings)


def one_hot(X: Any, k: int, **settings: Any) -> Indices:
    """Return the nearest rows by Euclidean distance, with one column of 0 and 1 per level."""
    from urerf.lab import gower  # builds on this module

    return gower.one_hot(X, k, **settings)


@dataclass(frozen=True)
class Method:
    """A method, how it is drawn, and what its results depend on.

    Parameters
    ----------
    label, color, marker : str
        How it is named and drawn.
    neighbors, distances : callable or None
        See the module docstring; None for methods that are only timed.
    is_ours : bool
        Whether the results depend on the code of this package.
    needs : tuple of str
        Optional distributions that must be installed.
    linestyle : str
        Dashed lines are reserved for published results.
    """

    label: str
    color: str
    marker: str
    neighbors: Neighbors | None = None
    distances: Distances | None = None
    is_ours: bool = False
    needs: tuple[str, ...] = ()
    linestyle: str = "-"


ours = partial(Method, is_ours=True)
METHODS: dict[str, Method] = {
    "urerf_paper": ours(
        "URerF, paper's settings",
        ORANGE,
        "o",
        urerf_paper,
        urerf_paper_distances,
    ),
    "urerf_scripts": ours("URerF, authors' scripts", ORANGE, "o", urerf_scripts),
    "urerf": ours("URerF", RED, "*", urerf, urerf_distances),
    "urerf_depth": ours("URerF, paper's criterion by depth", CORAL, "h", urerf_depth),
    "urerf_300": ours("URerF, 300 trees by depth", CORAL, "p", urerf_300),
    "urf": ours("URF, axis-aligned", BROWN, "s", urf),
    "totally_random_trees": Method("Totally random trees", BLUE, "^", totally_random_trees),
    "shi_cutler": Method("Shi-Cutler forest", ROSE, "v", shi_cutler),
    "random_projection_forest": Method(
        "Random projection forest", GRAY, "D", random_projection_forest
    ),
    "random_projection_tree": Method(
        "Random projection tree",
        GRAY,
        "d",
        random_projection_tree,
        linestyle=":",
    ),
    "isomap": Method("Isomap", GREEN, "P", isomap, isomap_distances),
    "umap": Method(
        "UMAP",
        SKY,
        "X",
        umap,
        umap_distances,
        needs=("umap-learn", "pynndescent"),
    ),
    "flann": Method("FLANN", OLIVE, "<", flann, needs=("opencv-python-headless",)),
    "euclidean": Method("Euclidean", BLACK, ".", euclidean, euclidean_distances),
    "screen": Method("Euclidean after normality test", ROSE, ">", screen),
    "pynndescent": Method(
        "pynndescent",
        BLACK,
        "x",
        pynndescent,
        needs=("pynndescent",),
        linestyle=":",
    ),
    "gower": Method("Gower", BROWN, "p", gower),
    "one_hot": Method("One-hot, Euclidean", OLIVE, "p", one_hot),
    # Only timed.
    "hnswlib": Method("hnswlib", SKY, "1", needs=("hnswlib",)),
    "isolation_forest": Method("IsolationForest", GREEN, "v"),
}
OURS = tuple(name for name, method in METHODS.items() if method.is_ours)
