"""Selectors that keep what is smooth on the neighbor graph of all columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.preprocessing import scale

from ..._typing import FloatArray
from .common import Told

# The default of both papers' own code.
GRAPH_NEIGHBORS = 5


def laplacian_score(X: FloatArray, told: Told, **settings: Any) -> FloatArray:
    """Keep the columns that change least along the edges of the neighbor graph.

    X. He, D. Cai and P. Niyogi, "Laplacian score for feature selection", NeurIPS (2005). Edges have
    the weights of a heat kernel whose width is the mean length of the edges.
    """
    Z = scale(X)
    weights = heat_graph(Z)
    degree = degrees(weights)
    centered = Z - degree @ Z / degree.sum()
    norm = degree @ centered**2
    smooth = np.sum(centered * (weights @ centered), axis=0)
    # The paper's score is 1 - smooth / norm, and the smallest are kept.
    is_constant = norm == 0
    norm[is_constant] = 1.0
    return np.where(is_constant, -np.inf, smooth / norm)


def mcfs(X: FloatArray, told: Told, **settings: Any) -> FloatArray:
    """Keep the columns that best explain the clusters of the neighbor graph.

    D. Cai, C. Zhang and X. He, "Unsupervised feature selection for multi-cluster data", KDD (2010):
    one sparse regression (LARS) for each of the leading eigenvectors of the graph, and the largest
    absolute coefficient of a column.
    """
    from sklearn.linear_model import lars_path

    Z = scale(X)
    n, n_columns = Z.shape
    n_steps = min(told.n_columns, n - 1)
    largest = np.zeros(n_columns)
    vectors = leading_eigenvectors(heat_graph(Z), told.n_clusters)
    for vector in vectors.T:
        target = vector - vector.mean()
        _, _, path = lars_path(Z, target, max_iter=n_steps)
        coefficients = np.abs(path[:, -1])
        largest = np.maximum(largest, coefficients)
    return largest


def heat_graph(X: FloatArray) -> sparse.csr_matrix:
    """Return the symmetric neighbor graph with the weights of a heat kernel."""
    from sklearn.neighbors import kneighbors_graph

    n_neighbors = min(GRAPH_NEIGHBORS, len(X) - 1)
    graph = kneighbors_graph(X, n_neighbors, mode="distance")
    relative = graph.data / graph.data.mean()
    graph.data = np.exp(-(relative**2))
    return graph.maximum(graph.T).tocsr()


def degrees(weights: sparse.csr_matrix) -> FloatArray:
    """Return the sum of the weights of each row."""
    return np.asarray(weights.sum(axis=1)).ravel()


def leading_eigenvectors(weights: sparse.csr_matrix, n_vectors: int) -> FloatArray:
    """Return the eigenvectors of the graph that follow the constant one.

    They solve ``L y = lambda D y``; dense, because the smallest eigenvalues of a disconnected graph
    are equal, on which iterations are slow.
    """
    scale = 1 / np.sqrt(degrees(weights))
    normalized = scale[:, None] * weights.toarray() * scale
    _, vectors = np.linalg.eigh(normalized)
    vectors = vectors[:, ::-1]  # largest eigenvalue first
    return scale[:, None] * vectors[:, 1 : n_vectors + 1]
