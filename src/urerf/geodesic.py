"""Geodesic distances: shortest paths over the forest's neighbour graph.

The forest says who may be joined: of each row's `CANDIDATES` x k best forest neighbours the k nearest, by straight
distance in the columns that carry structure, become its edges, of that length. A path along short edges then follows
the manifold, and its length is in the units of the data.
"""

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components, dijkstra
from scipy.spatial import cKDTree

CANDIDATES = 3


def edge_lengths(points: np.ndarray, fitted: np.ndarray, neighbors: np.ndarray) -> np.ndarray:
    """Return the straight distance from every point to each of its neighbours among the fitted points."""
    squared = np.zeros(neighbors.shape)
    for column in range(points.shape[1]):  # column by column: no (rows, k, columns) array
        squared += (points[:, [column]] - fitted[neighbors, column]) ** 2
    return np.sqrt(squared)


def nearest_edges(
    points: np.ndarray, fitted: np.ndarray, neighbors: np.ndarray, k: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return (lengths, neighbours) of the k shortest edges among the candidate ``neighbors`` of every point."""
    lengths = edge_lengths(points, fitted, neighbors)
    order = np.argsort(lengths, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(lengths, order, axis=1), np.take_along_axis(neighbors, order, axis=1)


def edge_graph(points: np.ndarray, neighbors: np.ndarray, k: int) -> sp.csr_matrix:
    """Return the directed graph of edges between the fitted points; a zero length is stored as the smallest float."""
    n = len(points)
    lengths, ends = nearest_edges(points, points, neighbors, k)
    k = lengths.shape[1]
    return sp.csr_matrix((_positive(lengths).ravel(), ends.ravel(), np.arange(0, n * k + 1, k)), shape=(n, n))


def bridge_components(graph: sp.csr_matrix, points: np.ndarray) -> sp.csr_matrix:
    """Join the connected parts: each gets an edge to the point nearest to it, until there is one part (Boruvka)."""
    parts, part = connected_components(graph, directed=False)
    while parts > 1:
        starts, ends = [], []
        for x in range(parts):
            inside, outside = np.flatnonzero(part == x), np.flatnonzero(part != x)
            distance, at = cKDTree(points[outside]).query(points[inside])
            best = int(np.argmin(distance))
            starts.append(inside[best])
            ends.append(outside[at[best]])
        length = np.sqrt(((points[starts] - points[ends]) ** 2).sum(axis=1))
        graph = (graph + sp.csr_matrix((_positive(length), (starts, ends)), shape=graph.shape)).tocsr()
        parts, part = connected_components(graph, directed=False)
    return graph


def path_lengths(graph: sp.csr_matrix, sources: np.ndarray | None) -> np.ndarray:
    """Return the lengths of the shortest paths from the sources (all, if None) to every point; inf where none leads."""
    return dijkstra(graph, directed=False, indices=sources)


def lengths_from_new(
    graph: sp.csr_matrix, points: np.ndarray, fitted: np.ndarray, neighbors: np.ndarray, k: int
) -> np.ndarray:
    """Return distances from new points to all fitted ones: the best way over one of a point's own k edges."""
    lengths, ends = nearest_edges(points, fitted, neighbors, k)
    sources, at = np.unique(ends, return_inverse=True)
    onward = path_lengths(graph, sources)
    at = at.reshape(ends.shape)
    return np.stack([(lengths[i][:, None] + onward[at[i]]).min(axis=0) for i in range(len(points))])


def _positive(lengths: np.ndarray) -> np.ndarray:
    """Return lengths without zeros: a sparse graph would take a zero for no edge."""
    return np.maximum(lengths, np.finfo(float).tiny)
