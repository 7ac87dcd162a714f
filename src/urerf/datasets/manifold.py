"""A manifold: points, their latent coordinates and the geodesic distances between them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from urerf._checks import check_integers

from .._typing import Array, FloatArray


@dataclass(frozen=True, eq=False)
class Manifold:
    """Points on a manifold whose geodesic distances are known.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        The points as observed, without noise columns.
    latent : ndarray of shape (n, d)
        Their coordinates on the manifold; for a discrete manifold, the number of the component.
    name : str
        Name of the manifold.
    geodesic : callable
        ``geodesic(a, b)`` gives the (len(a), len(b)) geodesic distances between rows of latent
        coordinates.
    labels : ndarray of shape (n,) or None
        The component of each point when the manifold is discrete (distance 0 within a component,
        infinite across), otherwise None.

    Examples
    --------
    >>> from urerf.datasets import make_helix
    >>> helix = make_helix(100)
    >>> helix.X.shape, helix.latent.shape, helix.labels
    ((100, 3), (100, 1), None)
    >>> helix.distances().shape, helix.distances(rows=[0, 7]).shape
    ((100, 100), (2, 100))
    """

    X: FloatArray
    latent: FloatArray
    name: str
    geodesic: Callable[[FloatArray, FloatArray], FloatArray] = field(repr=False)
    labels: Array | None = None

    def __len__(self) -> int:
        return len(self.X)

    def distances(self, rows: ArrayLike | None = None) -> FloatArray:
        """Return the true geodesic distances from the points in `rows` to all points.

        Parameters
        ----------
        rows : array-like of int of shape (m,), default=None
            The points to measure from; None means all points.

        Returns
        -------
        ndarray of shape (m, n)
            Only these rows are computed.
        """
        if rows is None:
            return self.geodesic(self.latent, self.latent)
        last_row = len(self) - 1
        sources = check_integers("rows", rows, 0, last_row)
        return self.geodesic(self.latent[sources], self.latent)


def euclidean_distances(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return Euclidean distances, exactly 0 between equal points."""
    from scipy.spatial.distance import cdist  # slower to import than the rest of this package

    return cdist(a, b)


def _component_distances(a: FloatArray, b: FloatArray) -> FloatArray:
    is_same = a == b.T
    return np.where(is_same, 0.0, np.inf)


def discrete_manifold(X: FloatArray, labels: Array, name: str) -> Manifold:
    """Return a manifold on which points are near when their labels are equal."""
    _, codes = np.unique(labels, return_inverse=True)
    component = codes.astype(np.float64)
    return Manifold(
        X=X,
        latent=component[:, None],
        name=name,
        geodesic=_component_distances,
        labels=labels,
    )
