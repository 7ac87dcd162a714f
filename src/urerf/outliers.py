"""Outliers: how far each row is from its nearest rows.

As for geodesic distances, the forest finds the nearest rows, and their Euclidean distance in the
columns that carry structure says how far away they are: noise columns affect neither. Only
neighbors are compared, so that no n x n matrix is needed and new rows can be scored as well.

Breiman's measure, n / sum_j S_ij ** 2 over the forest's proximities, is not used: it misses rows
far outside all others (docs/gallery/outliers.md), probably because every tree puts them into the
same corner leaf as the outermost other rows, so that they look well connected.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .geodesic import edge_lengths

if TYPE_CHECKING:
    from .estimator import URerF


def outlier_score(model: URerF, X: Any = None, *, n_neighbors: int | None = None) -> np.ndarray:
    """Return how far each row is from its nearest rows; outliers have the largest scores.

    Parameters
    ----------
    model : URerF
        A fitted model.
    X : array-like of shape (rows, columns), optional
        Rows to score, in the units of the fitted rows; None for the fitted rows themselves.
    n_neighbors : int, optional
        Number of nearest rows that count; None for the model's own ``n_neighbors``. A group of
        outliers is found only if it is smaller than this.

    Returns
    -------
    ndarray of shape (rows,)
        The mean distance to the nearest rows, in the columns that carry structure and in the units
        of the trees, minus its median over the fitted rows and divided by the median absolute
        deviation: 0 for a typical row.

    Examples
    --------
    >>> import numpy as np
    >>> from urerf import URerF, outlier_score
    >>> from urerf.datasets import add_noise, make_helix
    >>> X = make_helix(200).X
    >>> X[0] = 0, 0, X[:, 2].max()  # on the axis of the helix, far from its turns
    >>> model = URerF(random_state=0).fit(add_noise(X, 20, random_state=0))
    >>> int(np.argmax(outlier_score(model)))
    0
    """
    check_is_fitted(model)
    k = model.n_neighbors if n_neighbors is None else n_neighbors
    fitted = _mean_distance(model, None, k)
    center = np.median(fitted)
    spread = np.median(np.abs(fitted - center))
    raw = fitted if X is None else _mean_distance(model, X, k)
    return (raw - center) / (spread if spread > 0 else 1.0)


def _mean_distance(model: URerF, X: Any, k: int) -> np.ndarray:
    """Return the mean Euclidean distance to the k nearest rows found by the forest."""
    columns = model._fitted.columns
    fitted = columns.points(model._fitted.reading, raw_units=False)
    if X is None:
        ids = model.kneighbors(n_neighbors=k, return_distance=False)
        return edge_lengths(fitted, fitted, ids).mean(axis=1)
    distances, ids = model.kneighbors(X, n_neighbors=k + 1)
    # A row at distance 0 from a fitted one is that row, which must not count as its own neighbor.
    ids = np.where(distances[:, :1] == 0, ids[:, 1:], ids[:, :-1])
    points = columns.points(model._query(X), raw_units=False)
    return edge_lengths(points, fitted, ids).mean(axis=1)
