"""Distances that the methods estimate between all pairs of rows, for the ``geodesics`` experiment."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from urerf.paper.baselines import need, quiet

Distances = NDArray[np.float64]


def urerf(X: NDArray[np.float64], *, random_state: int, n_jobs: int | None) -> Distances:
    """URerF with the paper's settings: one minus the proximity."""
    from urerf import URerF

    model = URerF.paper(n_estimators=300, random_state=random_state, n_jobs=n_jobs).fit(X)
    return forest_distances(model)


def forest_distances(model: Any) -> Distances:
    """Read the distances off a fitted forest: the one place to change when it learns geodesics."""
    return 1.0 - np.asarray(model.proximity())


def isomap(X: NDArray[np.float64], *, random_state: int, n_jobs: int | None) -> Distances:
    """Shortest paths on Isomap's neighbour graph (scikit-learn)."""
    from sklearn.manifold import Isomap

    with quiet():
        return Isomap(n_neighbors=15, n_jobs=n_jobs).fit(X).dist_matrix_


def umap(X: NDArray[np.float64], *, random_state: int, n_jobs: int | None) -> Distances:
    """Straight distances in UMAP's embedding (umap-learn)."""
    from sklearn.metrics import pairwise_distances

    with quiet():
        return pairwise_distances(need("umap").UMAP(random_state=random_state, n_jobs=1).fit_transform(X))


def euclidean(X: NDArray[np.float64], *, random_state: int, n_jobs: int | None) -> Distances:
    """Straight distances (scikit-learn)."""
    from sklearn.metrics import pairwise_distances

    return pairwise_distances(X)


DISTANCES: dict[str, Callable[..., Distances]] = {
    "urerf_paper": urerf,
    "isomap": isomap,
    "umap": umap,
    "euclidean": euclidean,
}
