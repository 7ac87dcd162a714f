"""Sparse k-means: clusters and weights of columns, each from the other in turn."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from urerf.lab.selectors.common import Rows, Scores, Told, standardized

# As in the R package sparcl: at most 6 rounds, and stop when weights hardly change.
MOST_ROUNDS = 6
TOLERANCE = 1e-4
N_STARTS = 10


def sparse_kmeans(X: Rows, told: Told, *, random_state: int) -> Scores:
    """Keep the columns that differ most between clusters, which are those of the columns kept.

    D. M. Witten and R. Tibshirani, "A framework for feature selection in clustering", Journal of
    the American Statistical Association 105 (2010). The bound on the weights is replaced by the
    number of columns that have one, which is told.
    """
    from sklearn.cluster import KMeans

    Z = standardized(X)
    weights = np.full(Z.shape[1], 1 / np.sqrt(Z.shape[1]))
    between = np.zeros(Z.shape[1])
    for _ in range(MOST_ROUNDS):
        used = weights > 0
        model = KMeans(told.n_clusters, n_init=N_STARTS, random_state=random_state)
        labels = model.fit(Z[:, used] * np.sqrt(weights[used])).labels_
        between = between_clusters(Z, labels)
        previous = weights
        weights = soft_threshold(between, told.n_columns)
        if np.abs(weights - previous).sum() < TOLERANCE * np.abs(previous).sum():
            break
    return between


def between_clusters(Z: Rows, labels: NDArray[np.integer]) -> Scores:
    """Return the sum of squares between clusters in each centered column."""
    is_member = np.equal.outer(np.unique(labels), labels).astype(float)
    totals = is_member @ Z
    return (totals**2 / is_member.sum(axis=1)[:, None]).sum(axis=0)


def soft_threshold(between: Scores, n_columns: int) -> Scores:
    """Return weights of length 1 that are positive in the `n_columns` largest entries.

    Examples
    --------
    >>> soft_threshold(np.array([5.0, 1.0, 6.0]), 2)
    array([0.62469505, 0.        , 0.78086881])
    """
    if n_columns >= len(between):
        kept = between
    else:
        threshold = np.sort(between)[::-1][n_columns]
        kept = np.maximum(between - threshold, 0.0)
    length = np.linalg.norm(kept)
    return kept / length if length > 0 else np.full(len(kept), 1 / np.sqrt(len(kept)))
