"""Which rows have no company: how far the nearest rows of each row are.

As for geodesics, the forest says who the nearest rows are, and their straight distance in the
columns that carry structure says how far: noise columns count for neither. Only neighbours are
looked at, no n x n matrix is made; rows that were never fitted have a score as well.

Breiman's measure, n / sum_j S_ij ** 2 over the proximities of the forest itself, is not used: it
misses rows far outside all others (docs/gallery/outliers.md), probably since every tree puts them
into the same corner leaf as the outermost of those, so that they look sociable.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .geodesic import edge_lengths

if TYPE_CHECKING:
    from .estimator import URerF


def outlier_score(model: URerF, X: Any = None, *, n_neighbors: int | None = None) -> np.ndarray:
    """Return how far each row is from its nearest rows, the larger the stranger.

    Parameters
    ----------
    model : URerF
        A fitted model.
    X : array-like of shape (rows, columns), optional
        Rows to score, on the scale of the fitted rows; None for the fitted rows themselves.
    n_neighbors : int, optional
        How many nearest rows are looked at; None for the model's own ``n_neighbors``. A group of
        strange rows is found only if it is smaller than this.

    Returns
    -------
    ndarray of shape (rows,)
        The mean distance to the nearest rows, in the columns that carry structure and in the units
        that trees measure them in; less its median over the fitted rows, over its median absolute
        deviation from that: 0 for a usual row.

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
    fitted = _mean_distance(model, None, n_neighbors)
    middle = np.median(fitted)
    spread = np.median(np.abs(fitted - middle))
    raw = fitted if X is None else _mean_distance(model, X, n_neighbors)
    return (raw - middle) / (spread if spread > 0 else 1.0)


def _mean_distance(model: URerF, X: Any, n_neighbors: int | None) -> np.ndarray:
    """Return the mean straight distance to the k nearest rows, as the forest finds them."""
    k = model.get_params()["n_neighbors"] if n_neighbors is None else n_neighbors
    fitted = model._table.T * model._columns.chance
    if X is None:
        return edge_lengths(
            fitted, fitted, model.kneighbors(n_neighbors=k, return_distance=False)
        ).mean(axis=1)
    distances, ids = model.kneighbors(X, n_neighbors=k + 1)
    # A row that the forest cannot tell from a fitted one (distance 0) is that row, and no company
    # to itself.
    ids = np.where(distances[:, :1] == 0, ids[:, 1:], ids[:, :-1])
    return edge_lengths(model._query_table(X).T * model._columns.chance, fitted, ids).mean(axis=1)
