"""Distances that the methods estimate between all pairs of rows, for the ``geodesics`` experiment."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from urerf.paper.baselines import need, quiet

Distances = NDArray[np.float64]


def urerf_paper(X: NDArray[np.float64], *, random_state: int, n_jobs: int | None) -> Distances:
    """URerF with the paper's settings: one minus the proximity, which is all that the paper has."""
    from urerf import URerF

    model = URerF.paper(n_estimators=300, random_state=random_state, n_jobs=n_jobs).fit(X)
    return 1.0 - np.asarray(model.proximity())


def urerf(X: NDArray[np.float64], *, random_state: int, n_jobs: int | None) -> Distances:
    """URerF with this package's defaults: shortest paths over the forest's neighbours."""
    from urerf import URerF

    model = URerF(random_state=random_state, n_jobs=n_jobs).fit(X)
    return model.geodesic_distances(bridge=True)  # Isomap joins parts that nothing connects as well


def isomap(X: NDArray[np.float64], *, random_state: int, n_jobs: int | None) -> Distances:
    """Shortest paths on Isomap's neighbour graph (scikit-learn)."""
    from sklearn.manifold import Isomap

    with quiet():
        return Isomap(n_neighbors=15, n_jobs=n_jobs).fit(X).dist_matrix_


def umap(X: NDArray[np.float64], *, random_state: int, n_jobs: int | None) -> Distances:
    """Straight distances in UMAP's embedding (umap-learn)."""
    from sklearn.metrics import pairwise_distances

    with quiet():
        return pairwise_distances(
            need("umap").UMAP(random_state=random_state, n_jobs=1).fit_transform(X)
        )


def euclidean(X: NDArray[np.float64], *, random_state: int, n_jobs: int | None) -> Distances:
    """Straight distances (scikit-learn)."""
    from sklearn.metrics import pairwise_distances

    return pairwise_distances(X)


DISTANCES: dict[str, Callable[..., Distances]] = {
    "urerf_paper": urerf_paper,
    "urerf": urerf,
    "isomap": isomap,
    "umap": umap,
    "euclidean": euclidean,
}
