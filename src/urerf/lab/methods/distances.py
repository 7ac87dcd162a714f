"""Neighbors by a distance: Euclidean, along a graph, or in an embedding."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._typing import FloatArray, IntArray
from .common import nearest, need, quiet, ties_by_seed, without_self

# Isomap's default of 5 is worse on the sphere and no better on the other simulations.
ISOMAP_NEIGHBORS = 15
# Level of the normality test over all columns, as in our own relevance test.
SCREEN_LEVEL = 0.01


@ties_by_seed
def euclidean(
    X: FloatArray,
    k: int,
    *,
    random_state: int,
    n_jobs: int | None,
) -> IntArray:
    """Return the nearest rows by Euclidean distance (scikit-learn)."""
    from sklearn.neighbors import NearestNeighbors

    search = NearestNeighbors(n_neighbors=k, algorithm="brute", n_jobs=n_jobs).fit(X)
    return search.kneighbors(return_distance=False)


def euclidean_distances(X: FloatArray, **settings: Any) -> FloatArray:
    """Return Euclidean distances."""
    from sklearn.metrics import pairwise_distances

    return pairwise_distances(X)


@ties_by_seed
def screen(X: FloatArray, k: int, **settings: Any) -> IntArray:
    """Return the nearest rows by Euclidean distance in the columns that are not Gaussian.

    Columns are kept by the test of D'Agostino and Pearson at the 1 % level over all columns.
    """
    from scipy.stats import normaltest

    level = SCREEN_LEVEL / X.shape[1]
    is_kept = normaltest(X, axis=0).pvalue < level
    if is_kept.any():
        X = X[:, is_kept]
    return euclidean(X, k, **settings)


def isomap_distances(
    X: FloatArray,
    *,
    n_neighbors: int = ISOMAP_NEIGHBORS,
    n_jobs: int | None = None,
    **settings: Any,
) -> FloatArray:
    """Return the shortest paths on Isomap's neighbor graph."""
    from sklearn.manifold import Isomap

    with quiet():
        return Isomap(n_neighbors=n_neighbors, n_jobs=n_jobs).fit(X).dist_matrix_


@ties_by_seed
def isomap(X: FloatArray, k: int, **settings: Any) -> IntArray:
    """Return the nearest rows by shortest paths on Isomap's graph (scikit-learn, 15 neighbors)."""
    return nearest(isomap_distances(X, **settings), k)


@ties_by_seed
def pca(X: FloatArray, k: int, *, n_components: int = 10, **settings: Any) -> IntArray:
    """Return the nearest rows in the space of the leading principal components (scikit-learn)."""
    from sklearn.decomposition import PCA

    n_components = min(n_components, *X.shape)
    solver = PCA(n_components, random_state=settings["random_state"])
    return euclidean(solver.fit_transform(X), k, **settings)


def umap_embedding(X: FloatArray, random_state: int) -> FloatArray:
    """Embed the rows with UMAP's default settings; its `random_state` requires one thread."""
    umap_learn = need("umap")
    with quiet():
        return umap_learn.UMAP(random_state=random_state, n_jobs=1).fit_transform(X)


@ties_by_seed
def umap(X: FloatArray, k: int, *, random_state: int, n_jobs: int | None) -> IntArray:
    """Return the nearest rows in UMAP's embedding (umap-learn, default settings).

    Its fitted graph cannot be ranked: small entries are set to zero, which leaves fewer than 50
    neighbors per row.
    """
    from sklearn.neighbors import NearestNeighbors

    points = umap_embedding(X, random_state)
    search = NearestNeighbors(n_neighbors=k).fit(points)
    return search.kneighbors(return_distance=False)


def umap_distances(X: FloatArray, *, random_state: int, **settings: Any) -> FloatArray:
    """Return Euclidean distances in UMAP's embedding."""
    return euclidean_distances(umap_embedding(X, random_state))


@ties_by_seed
def pynndescent(
    X: FloatArray,
    k: int,
    *,
    random_state: int,
    n_jobs: int | None,
) -> IntArray:
    """Return approximate nearest rows by nearest neighbor descent (pynndescent)."""
    search = need("pynndescent").NNDescent
    index = search(X, n_neighbors=k + 1, random_state=random_state, n_jobs=n_jobs)
    found, _ = index.neighbor_graph
    return without_self(found, k, random_state)


@ties_by_seed
def flann(X: FloatArray, k: int, *, random_state: int, n_jobs: int | None) -> IntArray:
    """Return approximate nearest rows by FLANN's k-d trees (OpenCV, 4 trees, 32 checks)."""
    cv2 = need("cv2")
    cv2.setRNGSeed(random_state)
    data = X.astype(np.float32)
    index = cv2.flann_Index(data, {"algorithm": 1, "trees": 4})
    found, _ = index.knnSearch(data, k + 1, params={"checks": 32})
    return without_self(found, k, random_state)
