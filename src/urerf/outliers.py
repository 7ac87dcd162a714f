"""Which rows have no company: Breiman's outlier measure, from the nearest rows alone.

Breiman and Cutler call a row an outlier when its proximities to all other rows are small: n / sum_j S_ij ** 2, less the
median over the rows, in units of the median absolute deviation. Only the nearest rows have proximities that count, so
the sum runs over the k nearest: no n x n matrix is made, and rows that were never fitted have a score as well.

The forest adapts to density: a sparse group is as much at home as a dense one. What stands out is a row whose
neighbours change from tree to tree, as those of a row off the manifold do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .estimator import URerF


def outlier_score(model: URerF, X: Any = None, *, n_neighbors: int | None = None) -> np.ndarray:
    """Return how far each row is from having company, the larger the stranger.

    Parameters
    ----------
    model : URerF
        A fitted model.
    X : array-like or None
        Rows to score, in units of the fitted rows' spread; None for the fitted rows themselves.
    n_neighbors : int or None
        How many of the nearest rows are company; None for the model's own ``n_neighbors``. An unusual group is found
        only if it is smaller than this.

    Returns
    -------
    ndarray of shape (rows,)
        0 for the median fitted row; 1 is one median absolute deviation above it. Breiman and Cutler suspect rows above
        10.

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
    fitted = _loneliness(model, None, n_neighbors)
    middle = np.median(fitted)
    spread = np.median(np.abs(fitted - middle))
    raw = fitted if X is None else _loneliness(model, X, n_neighbors)
    return (raw - middle) / (spread if spread > 0 else 1.0)


def _loneliness(model: URerF, X: Any, n_neighbors: int | None) -> np.ndarray:
    """Return k / sum of S ** 2 over the k nearest rows other than the row itself.

    A row that the forest cannot tell from a fitted one (distance 0) is that row: it is no company to itself. A mean
    below that of one tree in all, which would be divided by, counts as that.
    """
    if X is None:
        distances, _ = model.kneighbors(n_neighbors=n_neighbors)
    else:
        k = model.get_params()["n_neighbors"] if n_neighbors is None else n_neighbors
        distances, _ = model.kneighbors(X, n_neighbors=k + 1)
        distances = np.where(distances[:, :1] == 0, distances[:, 1:], distances[:, :-1])
    company = np.mean((1.0 - distances) ** 2, axis=1)
    return 1.0 / np.maximum(company, 1.0 / model.forest_.n_trees**2)
