"""Sparse k-means: clusters and weights of columns, each from the other in turn."""

from __future__ import annotations

import numpy as np
from sklearn.preprocessing import scale

from ..._typing import Array, FloatArray
from .common import Told

# As in the R package sparcl: at most 6 rounds, and stop when weights hardly change.
MOST_ROUNDS = 6
TOLERANCE = 1e-4
N_STARTS = 10


def sparse_kmeans(X: FloatArray, told: Told, *, random_state: int) -> FloatArray:
    """Keep the columns that differ most between clusters, which are those of the columns kept.

    D. M. Witten and R. Tibshirani, "A framework for feature selection in clustering", Journal of
    the American Statistical Association 105 (2010). The bound on the weights is replaced by the
    number of columns that have one, which is told.
    """
    from sklearn.cluster import KMeans

    Z = scale(X)
    weights = equal_weights(Z.shape[1])
    model = KMeans(told.n_clusters, n_init=N_STARTS, random_state=random_state)
    for _ in range(MOST_ROUNDS):
        is_used = weights > 0
        weighted = Z[:, is_used] * np.sqrt(weights[is_used])
        labels = model.fit_predict(weighted)
        between = between_clusters(Z, labels)
        previous = weights
        weights = soft_threshold(between, told.n_columns)
        change = np.abs(weights - previous).sum()
        if change < TOLERANCE * previous.sum():
            break
    return between


def equal_weights(n_columns: int) -> FloatArray:
    """Return equal weights of length 1."""
    return np.full(n_columns, 1 / np.sqrt(n_columns))


def between_clusters(Z: FloatArray, labels: Array) -> FloatArray:
    """Return the sum of squares between clusters in each centered column."""
    between = np.zeros(Z.shape[1])
    for label in np.unique(labels):
        members = Z[labels == label]
        between += len(members) * members.mean(axis=0) ** 2
    return between


def soft_threshold(between: FloatArray, n_columns: int) -> FloatArray:
    """Return weights of length 1 that are positive in the `n_columns` largest entries.

    Examples
    --------
    >>> soft_threshold(np.array([5.0, 1.0, 6.0]), 2)
    array([0.62469505, 0.        , 0.78086881])
    """
    kept = between
    if n_columns < len(between):
        threshold = np.sort(between)[-n_columns - 1]
        kept = np.maximum(between - threshold, 0.0)
    length = np.linalg.norm(kept)
    if length == 0:
        return equal_weights(len(kept))
    return kept / length
