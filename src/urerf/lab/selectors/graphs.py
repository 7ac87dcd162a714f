"""Selectors that keep what is smooth on the neighbor graph of all columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from urerf.lab.selectors.common import Rows, Scores, Told, standardized

# The default of both papers' own code.
GRAPH_NEIGHBORS = 5


def laplacian_score(X: Rows, told: Told, **settings: Any) -> Scores:
    """Keep the columns that change least along the edges of the neighbor graph.

    X. He, D. Cai and P. Niyogi, "Laplacian score for feature selection", NeurIPS (2005). Edges have
    the weights of a heat kernel whose width is the mean length of the edges.
    """
    Z = standardized(X)
    weights = heat_graph(Z)
    degree = np.asarray(weights.sum(axis=1)).ravel()
    centered = Z - degree @ Z / degree.sum()
    norm = degree @ centered**2
    smooth = (centered * (weights @ centered)).sum(axis=0)
    # The score is 1 - smooth / norm, and the smallest are kept.
    return np.where(norm > 0, smooth / np.where(norm > 0, norm, 1.0), -np.inf)


def mcfs(X: Rows, told: Told, **settings: Any) -> Scores:
    """Keep the columns that best explain the clusters of the neighbor graph.

    D. Cai, C. Zhang and X. He, "Unsupervised feature selection for multi-cluster data", KDD (2010):
    one sparse regression (LARS) for each of the leading eigenvectors of the graph, and the largest
    absolute coefficient of a column.
    """
    from sklearn.linear_model import lars_path

    Z = standardized(X)
    n_steps = min(told.n_columns, len(Z) - 1)
    largest = np.zeros(Z.shape[1])
    for target in leading_eigenvectors(heat_graph(Z), told.n_clusters).T:
        _, _, path = lars_path(Z, target - target.mean(), max_iter=n_steps)
        largest = np.maximum(largest, np.abs(path[:, -1]))
    return largest


def heat_graph(X: Rows) -> sparse.csr_matrix:
    """Return the symmetric neighbor graph with the weights of a heat kernel."""
    from sklearn.neighbors import kneighbors_graph

    graph = kneighbors_graph(X, min(GRAPH_NEIGHBORS, len(X) - 1), mode="distance")
    graph.data = np.exp(-((graph.data / graph.data.mean()) ** 2))
    return graph.maximum(graph.T).tocsr()


def leading_eigenvectors(weights: sparse.csr_matrix, n_vectors: int) -> NDArray[np.float64]:
    """Return the eigenvectors of the graph that follow the constant one.

    They solve ``L y = lambda D y``; dense, because the smallest eigenvalues of a disconnected graph
    are equal, on which iterations are slow.
    """
    degree = np.asarray(weights.sum(axis=1)).ravel()
    scale = 1 / np.sqrt(degree)
    normalized = scale[:, None] * weights.toarray() * scale
    _, vectors = np.linalg.eigh(normalized)
    n_vectors = min(n_vectors, len(vectors) - 1)
    return scale[:, None] * vectors[:, ::-1][:, 1 : 1 + n_vectors]
