"""Clusters: the dense regions of the neighbor graph, found by scikit-learn's HDBSCAN."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from sklearn.cluster import HDBSCAN

from ._checks import check_int
from ._typing import Array
from .graph import undirected
from .parameters import check_model
from .relevance.record import STRUCTURE

if TYPE_CHECKING:
    from .estimator import URerF

# Neighbors that must be close for a row to lie in a dense region. Of 4, 9 and 14, this one left
# the fewest rows of wine, digits and breast cancer without a cluster (20, 20 and 28 %).
MIN_SAMPLES = 4
# The smallest cluster by default, however small the table is: scikit-learn's default.
SMALLEST = 5
# Distances below this are set to it: scikit-learn's tree drops edges of length 0, and a few equal
# rows would be infinitely dense. One tree in a hundred then separates the two rows.
FLOOR = 0.01
# Lengths of the edges that connect components of the graph; all others are at most 1. Components
# that are too small for a cluster are the farthest, so that they leave the tree first, one by one.
BRIDGE = 2.0
BRIDGE_TO_SMALL = 3.0


def cluster(
    model: URerF,
    *,
    min_cluster_size: int | None = None,
    n_neighbors: int | None = None,
) -> Array:
    """Assign every fitted row to a cluster, a dense region of the neighbor graph, or to none.

    Parameters
    ----------
    model : URerF
        A fitted model.
    min_cluster_size : int, optional
        Size of the smallest cluster; None for the square root of the number of rows, at least 5.
    n_neighbors : int, optional
        Neighbors of every row in the graph; None for the model's own ``n_neighbors``.

    Returns
    -------
    ndarray of int of shape (rows,)
        The cluster of every row, numbered from the largest cluster; -1 for rows in none. If the
        model found no structure in the table (``relevance_.verdict``), no row is in a cluster:
        even among independent columns, some regions are denser than others by chance.

    Notes
    -----
    HDBSCAN finds regions that are denser than what lies between them. Rows that vary continuously,
    as along a curve, have no natural clusters and may be divided at any thin spot.

    Examples
    --------
    >>> from urerf import URerF, cluster
    >>> from urerf.datasets import add_noise, make_gaussian_mixture
    >>> X = add_noise(make_gaussian_mixture(300, random_state=0).X, 20, random_state=0)
    >>> int(cluster(URerF(random_state=0).fit(X)).max()) + 1
    3
    """
    check_model(model)
    n_rows = model.n_samples_fit_
    if min_cluster_size is not None:
        check_int("min_cluster_size", min_cluster_size, 2)
        if min_cluster_size > n_rows:
            raise ValueError(
                f"min_cluster_size: must be at most {n_rows}, the number of rows, "
                f"got {min_cluster_size}"
            )
    if not may_have_clusters(model):
        return np.full(n_rows, -1)
    k = n_neighbors
    if k is None:
        k = min(model.n_neighbors, n_rows - 1)
    distances, neighbors = model.kneighbors(n_neighbors=k)
    return cluster_graph(distances, neighbors, min_cluster_size)


def may_have_clusters(model: URerF) -> bool:
    """Return False for a model whose relevance tests found no structure, or only a hint of it."""
    evidence = getattr(model, "relevance_", None)  # absent with feature_weighting="uniform"
    return evidence is None or evidence.verdict == STRUCTURE


def cluster_graph(
    distances: Array,
    neighbors: Array,
    min_cluster_size: int | None = None,
) -> Array:
    """Return the clusters of a neighbor graph as `URerF.kneighbors` returns it."""
    n_rows, k = neighbors.shape
    if min_cluster_size is None:
        min_cluster_size = max(SMALLEST, math.isqrt(n_rows))
    if n_rows < 2 * SMALLEST:
        return np.full(n_rows, -1)
    graph = undirected(distances, neighbors, FLOOR)
    search = HDBSCAN(
        min_cluster_size=min_cluster_size,
        min_samples=min(MIN_SAMPLES, k),
        metric="precomputed",
        copy=False,
    )
    return numbered_by_size(search.fit_predict(_connected(graph, min_cluster_size)))


def _connected(graph: sp.csr_matrix, min_cluster_size: int) -> sp.csr_matrix:
    """Join the largest component of a symmetric graph to all others.

    No other two are joined: in a chain, components too small for a cluster would make one together.
    """
    n_components, component = connected_components(graph, directed=False)
    if n_components == 1:
        return graph
    _, first, sizes = np.unique(component, return_index=True, return_counts=True)
    largest = sizes.argmax()
    hub = np.full(n_components - 1, first[largest])
    others = np.delete(first, largest)
    length_to = np.where(sizes >= min_cluster_size, BRIDGE, BRIDGE_TO_SMALL)
    lengths = np.delete(length_to, largest)
    bridges = sp.csr_matrix((lengths, (hub, others)), shape=graph.shape)
    return graph + bridges + bridges.T


def numbered_by_size(labels: Array) -> Array:
    """Return clusters numbered from the largest to the smallest; -1 stays.

    >>> numbered_by_size(np.array([0, -1, 1, 1]))
    array([ 1, -1,  0,  0])
    """
    sizes = np.bincount(labels[labels >= 0])
    largest_first = np.argsort(-sizes, kind="stable")
    rank = np.argsort(largest_first)
    return np.append(rank, -1)[labels]  # the label -1 is the last one
