"""The competing methods, each the real library, all behind one signature.

``method(X, k, *, random_state, n_jobs)`` gives the (n, k) indices of every row's k nearest rows,
nearest first, the row itself left out. Ties are broken by a seeded rule and never by row order:
each method sees the rows in a random order drawn from ``random_state``, and its answer is mapped
back.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial, wraps
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Indices = NDArray[np.intp]
Neighbors = Callable[..., Indices]


def need(module: str) -> ModuleType:
    """Import an optional library, or say how to get it.

    Parameters
    ----------
    module : str
        Name of the module.

    Returns
    -------
    module
    """
    try:
        with quiet():
            return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(
            f"{module} is needed for this method: pip install urerf[paper]"
        ) from error


@contextmanager
def quiet() -> Iterator[None]:
    """Keep other libraries' warnings away from ours: they tell of their defaults, not of the data."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def ties_by_seed(method: Neighbors) -> Neighbors:
    """Show the rows to ``method`` in a seeded random order, so that no tie is broken by the caller's row order."""

    @wraps(method)
    def shuffled(
        X: NDArray[np.float64],
        k: int,
        *,
        random_state: int = 0,
        n_jobs: int | None = None,
        **changes: Any,
    ) -> Indices:
        order = np.random.default_rng(random_state).permutation(len(X))
        with quiet():
            found = method(
                np.ascontiguousarray(X[order]),
                k,
                random_state=random_state,
                n_jobs=n_jobs,
                **changes,
            )
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
        How many columns to keep.
    first_row : int
        Where the block stands in the matrix; says which column is the row itself.

    Returns
    -------
    ndarray of shape (n_rows, k)
        Columns, nearest first, the row itself left out.
    """
    block = np.array(distances, dtype=np.float64)
    rows = np.arange(len(block))
    block[rows, first_row + rows] = np.nan  # sorts last, even after points that cannot be reached
    chosen = np.sort(np.argpartition(block, k - 1, axis=1)[:, :k], axis=1)
    ranks = np.argsort(np.take_along_axis(block, chosen, axis=1), axis=1, kind="stable")
    return np.take_along_axis(chosen, ranks, axis=1)


def nearest_by_leaf(leaves: NDArray[np.integer], k: int, block: int = 1000) -> Indices:
    """Rank rows by the number of trees in which they share a leaf.

    Parameters
    ----------
    leaves : ndarray of shape (n, n_trees)
        Leaf of every row in every tree.
    k : int
        How many rows to keep.
    block : int
        Rows of the proximity matrix held at a time.

    Returns
    -------
    ndarray of shape (n, k)
    """
    n, trees = leaves.shape
    _, codes = np.unique(leaves + (leaves.max() + 1) * np.arange(trees), return_inverse=True)
    columns = codes.reshape(n, trees).ravel()
    member = sparse.csr_matrix(
        (np.ones(n * trees, dtype=np.float32), columns, np.arange(0, n * trees + 1, trees))
    )
    return np.vstack(
        [
            nearest(-(member[start : start + block] @ member.T).toarray(), k, start)
            for start in range(0, n, block)
        ]
    )


@ties_by_seed
def euclidean(X: NDArray[np.float64], k: int, *, random_state: int, n_jobs: int | None) -> Indices:
    """Nearest rows by straight distance (scikit-learn)."""
    from sklearn.neighbors import NearestNeighbors

    model = NearestNeighbors(n_neighbors=k, algorithm="brute", n_jobs=n_jobs).fit(X)
    return model.kneighbors(return_distance=False)


@ties_by_seed
def isomap(X: NDArray[np.float64], k: int, *, random_state: int, n_jobs: int | None) -> Indices:
    """Nearest rows by the shortest paths on Isomap's neighbour graph (scikit-learn, 15 neighbours a point).

    Its default of 5 does worse on the sphere and no better elsewhere.
    """
    from sklearn.manifold import Isomap

    return nearest(Isomap(n_neighbors=15, n_jobs=n_jobs).fit(X).dist_matrix_, k)


@ties_by_seed
def umap(X: NDArray[np.float64], k: int, *, random_state: int, n_jobs: int | None) -> Indices:
    """Nearest rows in the embedding UMAP draws (umap-learn, default settings).

    Its fitted graph cannot be ranked: small entries are set to zero, and 50 neighbours a row are
    not left.
    """
    model = need("umap").UMAP(
        random_state=random_state, n_jobs=1
    )  # one thread is what its random_state requires
    from sklearn.neighbors import NearestNeighbors

    embedding = NearestNeighbors(n_neighbors=k).fit(model.fit_transform(X))
    return embedding.kneighbors(return_distance=False)


@ties_by_seed
def pynndescent(
    X: NDArray[np.float64], k: int, *, random_state: int, n_jobs: int | None
) -> Indices:
    """Approximate nearest rows by neighbour descent, the k-NN search of today (pynndescent)."""
    index = need("pynndescent").NNDescent(
        X, n_neighbors=k + 1, random_state=random_state, n_jobs=n_jobs
    )
    return without_self(index.neighbor_graph[0], k, random_state)


@ties_by_seed
def flann(X: NDArray[np.float64], k: int, *, random_state: int, n_jobs: int | None) -> Indices:
    """Approximate nearest rows by FLANN's randomised kd-trees (OpenCV, its default 4 trees and 32 checks)."""
    cv2 = need("cv2")
    cv2.setRNGSeed(random_state)
    data = X.astype(np.float32)
    index = cv2.flann_Index(data, {"algorithm": 1, "trees": 4})
    found, _ = index.knnSearch(data, k + 1, params={"checks": 32})
    return without_self(found, k, random_state)


def without_self(found: NDArray[np.integer], k: int, random_state: int) -> Indices:
    """Drop each row's own index; fill up with rows drawn at random where a search found too few (marked -1)."""
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
def shi_cutler(
    X: NDArray[np.float64],
    k: int,
    *,
    random_state: int,
    n_jobs: int | None,
    n_estimators: int = 500,
) -> Indices:
    """Shi and Cutler's unsupervised forest: told apart from column-permuted copies, rows that share leaves are near.

    scikit-learn's forest; proximity over all trees for every pair of real rows.
    """
    from sklearn.ensemble import RandomForestClassifier

    copy = np.random.default_rng(random_state).permuted(X, axis=0)
    forest = RandomForestClassifier(n_estimators, random_state=random_state, n_jobs=n_jobs)
    forest.fit(np.vstack([X, copy]), np.repeat([1, 0], len(X)))
    return nearest_by_leaf(forest.apply(X), k)


@ties_by_seed
def totally_random_trees(
    X: NDArray[np.float64],
    k: int,
    *,
    random_state: int,
    n_jobs: int | None,
    n_estimators: int = 500,
) -> Indices:
    """Trees that cut a random column at a random place (scikit-learn): what a forest does without any criterion.

    The control the paper lacks: whatever URerF scores above this line is due to its criterion.
    """
    from sklearn.ensemble import RandomTreesEmbedding

    forest = RandomTreesEmbedding(
        n_estimators,
        max_depth=None,
        min_samples_split=100,
        random_state=random_state,
        n_jobs=n_jobs,
    )
    return nearest_by_leaf(forest.fit(X).apply(X), k)


def random_directions(
    X: NDArray[np.float64], rng: np.random.Generator
) -> Iterator[NDArray[np.float64]]:
    """Project the rows on one random direction after another; 32 at a time, which is 20 times quicker."""
    while True:
        yield from (X @ rng.normal(size=(X.shape[1], 32))).T


def random_projection_leaves(
    X: NDArray[np.float64], leaf_size: int, rng: np.random.Generator
) -> NDArray[np.intp]:
    """Leaf of every row in one random projection tree (Dasgupta and Freund).

    Every node is cut along a random direction at a random fractile between 1/4 and 3/4 of its
    points.
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
    X: NDArray[np.float64],
    k: int,
    *,
    random_state: int,
    n_jobs: int | None,
    n_estimators: int = 100,
) -> Indices:
    """Random projection trees with random splits, many of them: rows that share leaves are near."""
    rng = np.random.default_rng(random_state)
    return nearest_by_leaf(
        np.column_stack([random_projection_leaves(X, 100, rng) for _ in range(n_estimators)]), k
    )


def random_projection_tree(
    X: NDArray[np.float64], k: int, *, random_state: int = 0, n_jobs: int | None = None
) -> Indices:
    """One random projection tree with random splits (Dasgupta and Freund)."""
    return random_projection_forest(X, k, random_state=random_state, n_jobs=n_jobs, n_estimators=1)


def urerf(
    X: NDArray[np.float64],
    k: int,
    *,
    random_state: int = 0,
    n_jobs: int | None = None,
    **changes: Any,
) -> Indices:
    """URerF with this package's defaults."""
    from urerf import URerF

    model = URerF(random_state=random_state, n_jobs=n_jobs, **changes)
    return model.fit(X).kneighbors(n_neighbors=k)[1]


def urerf_paper(
    X: NDArray[np.float64],
    k: int,
    *,
    random_state: int = 0,
    n_jobs: int | None = None,
    **changes: Any,
) -> Indices:
    """URerF as the paper's text describes it; 300 trees, as in its authors' scripts, unless said otherwise."""
    from urerf import URerF

    model = URerF.paper(
        **{"n_estimators": 300, "random_state": random_state, "n_jobs": n_jobs, **changes}
    )
    return model.fit(X).kneighbors(n_neighbors=k)[1]


def urerf_scripts(
    X: NDArray[np.float64],
    k: int,
    *,
    random_state: int = 0,
    n_jobs: int | None = None,
    **changes: Any,
) -> Indices:
    """URerF as its authors' scripts ran it for the noise figures: axis-aligned, nodes of 32 and more are split."""
    settings = {"projection": "axis", "min_samples_split": 32, **changes}
    return urerf_paper(X, k, random_state=random_state, n_jobs=n_jobs, **settings)


def urf(
    X: NDArray[np.float64],
    k: int,
    *,
    random_state: int = 0,
    n_jobs: int | None = None,
    **changes: Any,
) -> Indices:
    """URF: the paper's forest with axis-aligned splits."""
    return urerf_paper(
        X, k, random_state=random_state, n_jobs=n_jobs, **{"projection": "axis", **changes}
    )


urerf_depth = partial(
    urerf_paper, similarity="depth", min_samples_split=15, max_features=12, density=0.4
)
urerf_depth.__doc__ = """The paper's criterion with our depth similarity: nodes of 15 and more are split, 12 candidates
a node, of two or three columns each."""


class Method(NamedTuple):
    """A method and how it is drawn."""

    neighbors: Neighbors
    label: str
    color: str
    linestyle: str
    marker: str


# Okabe and Ito's colours, which stay apart for colour-blind readers; red is URerF's alone. Dashes
# mean "published".
METHODS: dict[str, Method] = {
    "urerf_paper": Method(urerf_paper, "URerF (paper's text)", "#d00000", "-", "o"),
    "urerf_scripts": Method(urerf_scripts, "URerF (authors' scripts)", "#d00000", "-", "o"),
    "urerf": Method(urerf, "URerF (our defaults)", "#7a0000", "-", "*"),
    "urerf_depth": Method(urerf_depth, "URerF (paper's criterion, by depth)", "#ff7f6b", "-", "h"),
    "urf": Method(urf, "URF (axis-aligned)", "#e69f00", "-", "s"),
    "totally_random_trees": Method(
        totally_random_trees, "Totally random trees", "#0072b2", "-", "^"
    ),
    "shi_cutler": Method(shi_cutler, "Shi-Cutler forest", "#cc79a7", "-", "v"),
    "random_projection_forest": Method(
        random_projection_forest, "Random projection forest", "#888888", "-", "D"
    ),
    "random_projection_tree": Method(
        random_projection_tree, "Random projection tree", "#888888", ":", "d"
    ),
    "isomap": Method(isomap, "Isomap", "#009e73", "-", "P"),
    "umap": Method(umap, "UMAP", "#56b4e9", "-", "X"),
    "flann": Method(flann, "FLANN", "#b8a800", "-", "<"),
    "euclidean": Method(euclidean, "Euclidean", "#000000", "-", "."),
    "pynndescent": Method(pynndescent, "PyNNDescent", "#000000", ":", "x"),
}
OURS = ("urerf_paper", "urerf_scripts", "urerf", "urerf_depth", "urf")
COMPILED = (
    "umap",
    "pynndescent",
)  # they compile for most of a minute in every process: keep them in one
