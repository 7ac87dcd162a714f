"""Geodesic distances: shortest paths over the forest's neighbour graph.

The forest says who may be joined: of each row's `CANDIDATES` x k best forest neighbours the k
nearest, by straight distance in the columns that carry structure, become its edges, of that length.
A path along short edges then follows the manifold, and its length is in the units of the data.
Equal rows are joined by edges of length zero, which are stored: no step here may drop stored zeros.
"""

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components, dijkstra
from scipy.spatial import cKDTree

from .forest import row_blocks
from .graph import symmetrize

CANDIDATES = 3
BLOCK_VALUES = 1 << 20  # found in one call of SciPy's, which Ctrl-C has to wait for


def edge_lengths(points: np.ndarray, fitted: np.ndarray, neighbors: np.ndarray) -> np.ndarray:
    """Return the straight distance from every point to each of its neighbours among the fitted points."""
    # Measured in a power of two near the largest value, which is exact: squares neither overflow
    # nor vanish.
    largest = np.maximum(np.abs(points).max(axis=1, keepdims=True), np.abs(fitted).max())
    power = np.frexp(largest)[1]
    squared = np.zeros(neighbors.shape)
    for column in range(points.shape[1]):  # column by column: no (rows, k, columns) array
        squared += np.ldexp(points[:, [column]] - fitted[neighbors, column], -power) ** 2
    return np.ldexp(np.sqrt(squared), power)


def nearest_edges(
    points: np.ndarray, fitted: np.ndarray, neighbors: np.ndarray, k: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return (lengths, neighbours) of the k shortest edges among the candidate ``neighbors`` of every point."""
    lengths = edge_lengths(points, fitted, neighbors)
    order = np.argsort(lengths, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(lengths, order, axis=1), np.take_along_axis(neighbors, order, axis=1)


def edge_graph(
    points: np.ndarray, fitted: np.ndarray, neighbors: np.ndarray, k: int
) -> sp.csr_matrix:
    """Return the directed graph of the k shortest edges of every point, (points, fitted points)."""
    lengths, ends = nearest_edges(points, fitted, neighbors, k)
    n, k = ends.shape
    return sp.csr_matrix(
        (lengths.ravel(), ends.ravel(), np.arange(0, n * k + 1, k)), shape=(n, len(fitted))
    )


def bridge_components(graph: sp.csr_matrix, points: np.ndarray) -> sp.csr_matrix:
    """Join the connected parts: each gets an edge to the point nearest to it, until there is one part (Boruvka)."""
    parts, part = connected_components(graph, directed=False)
    unit_points = np.ldexp(points, -np.frexp(np.abs(points).max())[1])
    while parts > 1:
        starts = np.empty(parts, dtype=np.intp)
        ends = np.empty(parts, dtype=np.intp)
        for x in range(parts):
            inside = np.flatnonzero(part == x)
            outside = np.flatnonzero(part != x)
            distance, at = cKDTree(unit_points[outside]).query(unit_points[inside])
            best = int(np.argmin(distance))
            starts[x] = inside[best]
            ends[x] = outside[at[best]]
        old = graph.tocoo()
        length = edge_lengths(points[starts], points, ends[:, None]).ravel()
        graph = sp.csr_matrix(
            (np.append(old.data, length), (np.append(old.row, starts), np.append(old.col, ends))),
            shape=graph.shape,
        )
        parts, part = connected_components(graph, directed=False)
    return graph


def path_lengths(graph: sp.csr_matrix, sources: np.ndarray | None) -> np.ndarray:
    """Return the lengths of the shortest paths from the sources (all, if None) to every point; inf where none leads."""
    n = graph.shape[0]
    sources = np.arange(n) if sources is None else sources
    lengths = np.empty((len(sources), n))
    for block in row_blocks(len(sources), max(1, BLOCK_VALUES // n)):
        lengths[block] = dijkstra(graph, directed=False, indices=sources[block])
    return lengths


def lengths_from_new(
    graph: sp.csr_matrix, points: np.ndarray, fitted: np.ndarray, neighbors: np.ndarray, k: int
) -> np.ndarray:
    """Return distances from new points to all fitted ones: shortest paths that begin with one of a point's k edges.

    New points hang on the graph by one-way edges, so that no path leads through another new point.
    """
    n = len(fitted)
    both = symmetrize(graph)
    lengths = np.empty((len(points), n))
    for block in row_blocks(len(points), max(1, BLOCK_VALUES // n)):
        edges = edge_graph(points[block], fitted, neighbors[block], k)
        m = edges.shape[0]
        whole = sp.bmat([[both, None], [edges, sp.csr_matrix((m, m))]], format="csr")
        lengths[block] = dijkstra(whole, indices=np.arange(n, n + m))[:, :n]
    return lengths
