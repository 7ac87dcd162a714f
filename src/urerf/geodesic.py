"""Geodesic distances: shortest paths over the forest's neighbor graph.

The forest proposes `CANDIDATES` rows per edge: the nearest forest neighbors of each row. Edges lead
to those at the smallest Euclidean distances in the columns that carry structure. A path along
short edges follows the manifold, and its length is in the units of the data. Equal rows are joined
by edges of length zero, which are stored: no step here may drop stored zeros.

With ``similarity="geodesic"``, neighbors are ranked by these lengths (`nearest_rows`). On a
surface, paths that zigzag are straightened: a path counts as long as the straight line between its
ends, unless it is more than `ZIGZAG` times as long, as between two layers of a roll: it is then
divided by `ZIGZAG`. `geodesic_distances` returns lengths as they are. A length L
becomes the distance L / (L + reach), where reach is the length of the diagonal of the table, so
that graphs keep their contract: see `urerf.graph`.
"""

from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components, dijkstra
from scipy.spatial import cKDTree

from ._threads import row_blocks, run_blocks
from ._typing import Array
from .forest import starts_of
from .graph import Neighbors, nearest_first, symmetrize
from .kernels.paths import empty_search, nearest_by_path
from .points import Points

# Forest neighbors per edge. With 1 the forest's own ranking, which is coarser than lengths, picks
# the edges; many candidates make shortcuts between sheets of the manifold possible.
CANDIDATES = 3
# The same for the edges by whose paths neighbors are ranked. Where rows lie on a curve or a
# surface, lengths are the better ranking: of ten turns of a helix, 3 candidates per edge have a
# precision of .92 and 10 have .99.
PATH_CANDIDATES = 10
# Edges per row by which neighbors are ranked. On a surface, fewer disconnect the poles of a sphere;
# along a curve, more connect the turns of a helix: of 300 rows, 8 edges have a precision of .97 and
# 12 edges .76, of 1000 rows both 1.00 (docs/design/ranking.md).
EDGES = 12
CURVE_EDGES = 8
# On a surface, a path from row to row zigzags about its straight line: up to this factor is taken
# for zigzag. 1.1 to 1.2 rank the sphere, torus and Swiss roll alike (docs/design/ranking.md).
ZIGZAG = 1.15
# Rows found by path per row that is asked for. The nearest by straightened length are among those
# with paths up to ZIGZAG times as long, on a surface about ZIGZAG ** 2 = 1.3 times as many.
STRAIGHTENED = 2
# Querying rows per task of a search for the nearest rows.
BLOCK_ROWS = 512
# Path lengths per call of SciPy's dijkstra, which Ctrl-C has to wait for: less than a second.
BLOCK_VALUES = 1 << 20


def edge_lengths(points: Points, fitted: Points, neighbors: Array) -> Array:
    """Return the Euclidean distance from every point to each of its neighbors among ``fitted``.

    Two different levels of a category are ``mismatch`` apart.
    """
    # Measured in a power of two near the largest value, which is exact: squares neither overflow
    # nor vanish.
    largest_of_points = _largest(points)[:, None]
    largest_of_fitted = _largest(fitted).max()
    largest = np.maximum(largest_of_points, largest_of_fitted)
    _, power = np.frexp(largest)
    squared = np.zeros(neighbors.shape)
    for column, mismatch in enumerate(fitted.mismatch):  # no (rows, k, columns) array is made
        own = points.values[:, [column]]
        others = fitted.values[neighbors, column]
        difference = own - others
        if mismatch > 0.0:
            difference = mismatch * (difference != 0.0)
        squared += np.ldexp(difference, -power) ** 2
    return np.ldexp(np.sqrt(squared), power)


def _largest(points: Points) -> Array:
    """Return the largest coordinate of every point; codes of levels are not coordinates."""
    is_number = points.mismatch == 0.0
    coordinates = np.where(is_number, points.values, points.mismatch)
    return np.abs(coordinates).max(axis=1)


def nearest_edges(
    points: Points,
    fitted: Points,
    candidates: Array,
    n_edges: int,
) -> Neighbors:
    """Return lengths and ends of the shortest edges from every point to its candidates.

    An edge from or to a row without any value is infinitely long.
    """
    lengths = edge_lengths(points, fitted, candidates)
    lengths[~points.known] = np.inf
    lengths[~fitted.known[candidates]] = np.inf
    return nearest_first(lengths, candidates, n_edges)


def edge_graph(
    points: Points,
    fitted: Points,
    candidates: Array,
    n_edges: int,
) -> sp.csr_matrix:
    """Return the directed graph of the shortest edges of every point, (points, fitted points)."""
    lengths, ends = nearest_edges(points, fitted, candidates, n_edges)
    exists = np.isfinite(lengths)
    indptr = starts_of(exists.sum(axis=1))
    shape = (len(points.values), len(fitted.values))
    content = (lengths[exists], ends[exists], indptr)
    return sp.csr_matrix(content, shape=shape)


def bridge_components(graph: sp.csr_matrix, points: Points) -> sp.csr_matrix:
    """Connect all components by the shortest edges between them (Boruvka's algorithm).

    Levels of categories do not count in the search for these edges, only in their lengths.
    """
    is_number = points.mismatch == 0.0
    numbers = np.where(is_number, points.values, 0.0)
    _, power = np.frexp(np.abs(numbers).max())
    scaled = np.ldexp(numbers, -power)  # exact, and no square of it overflows
    while True:
        n_components, component = connected_components(graph, directed=False)
        if n_components <= 1:
            return graph
        bridges = [_shortest_bridge(scaled, component == c) for c in range(n_components)]
        starts, ends = np.transpose(bridges)
        graph = _with_edges(graph, points, starts, ends)


def _shortest_bridge(points: Array, is_inside: Array) -> tuple[int, int]:
    """Return the two nearest points, one inside of a component and one outside."""
    inside = np.flatnonzero(is_inside)
    outside = np.flatnonzero(~is_inside)
    tree = cKDTree(points[outside])
    distance, nearest = tree.query(points[inside])
    best = int(np.argmin(distance))
    return inside[best], outside[nearest[best]]


def _with_edges(
    graph: sp.csr_matrix,
    points: Points,
    starts: Array,
    ends: Array,
) -> sp.csr_matrix:
    old = graph.tocoo()
    first_points = points.take(starts)
    length = edge_lengths(first_points, points, ends[:, None]).ravel()
    rows = np.append(old.row, starts)
    columns = np.append(old.col, ends)
    lengths = np.append(old.data, length)
    return sp.csr_matrix((lengths, (rows, columns)), shape=graph.shape)


def _blocks(n_rows: int, n_fitted: int) -> Iterator[slice]:
    """Return blocks of rows with at most `BLOCK_VALUES` path lengths to all fitted rows."""
    return row_blocks(n_rows, max(1, BLOCK_VALUES // n_fitted))


def path_lengths(graph: sp.csr_matrix, sources: Array | None) -> Array:
    """Return the lengths of the shortest paths from the sources (None: all points) to all points.

    Points that no path reaches are at distance inf.
    """
    n = graph.shape[0]
    if sources is None:
        sources = np.arange(n)
    lengths = np.empty((len(sources), n))
    for block in _blocks(len(sources), n):
        lengths[block] = dijkstra(graph, directed=False, indices=sources[block])
    return lengths


def lengths_from_new(
    graph: sp.csr_matrix,
    points: Points,
    fitted: Points,
    candidates: Array,
    n_edges: int,
) -> Array:
    """Return the lengths of the shortest paths from new points to all fitted ones.

    A path begins with one of the edges of its point. New points are attached by one-way edges, so
    that no path leads through another new point.
    """
    n = len(fitted.values)
    both_ways = symmetrize(graph)
    lengths = np.empty((len(points.values), n))
    for block in _blocks(len(points.values), n):
        edges = edge_graph(points.take(block), fitted, candidates[block], n_edges)
        joined = sp.vstack([both_ways, edges], format="csr")
        n_all = joined.shape[0]
        joined.resize(n_all, n_all)  # no edges to new points
        new_points = np.arange(n, n_all)
        lengths_to_all = dijkstra(joined, indices=new_points)
        lengths[block] = lengths_to_all[:, :n]
    return lengths


def nearest_rows(
    graph: sp.csr_matrix,
    starts: Array,
    lengths: Array,
    k: int,
    *,
    selves: Array,
    stamps: Array,
    n_jobs: int | None = None,
) -> Neighbors:
    """Return path lengths to the k nearest rows of a symmetric graph, and these rows.

    Paths of query q begin with one of the edges of the given ``lengths`` to the rows
    ``starts[q]``. For ``selves`` and ``stamps`` see `urerf.kernels.paths.nearest_by_path`. Every
    search ends after k rows, so that no n x n array is made.
    """
    n = len(starts)
    ids = np.empty((n, k), dtype=np.int32)
    distances = np.empty((n, k))
    indptr = graph.indptr.astype(np.int64)
    indices = graph.indices.astype(np.int32)

    def search(rows: slice) -> None:
        nearest_by_path(
            starts[rows],
            lengths[rows],
            indptr,
            indices,
            graph.data,
            selves[rows],
            stamps[rows],
            empty_search(graph.shape[0]),
            ids[rows],
            distances[rows],
        )

    run_blocks(search, n, BLOCK_ROWS, n_jobs)
    return distances, ids


def straighten_all(lengths: Array, points: Points, fitted: Points) -> None:
    """Straighten the lengths of paths from points to all fitted points, in place."""
    n = len(fitted.values)
    for block in _blocks(len(lengths), n):
        ids = np.broadcast_to(np.arange(n), lengths[block].shape)
        some_points = points.take(block)
        lengths[block] = straightened(lengths[block], ids, some_points, fitted)


def straightened(
    lengths: Array,
    ids: Array,
    points: Points,
    fitted: Points,
) -> Array:
    """Return the straightened lengths of paths from every point to the fitted points ``ids``."""
    return np.maximum(edge_lengths(points, fitted, ids), lengths / ZIGZAG)


def to_distances(lengths: Array, reach: float) -> Array:
    """Map lengths to [0, 1]: 0 stays 0, half at ``reach``, and 1 if no path leads there."""
    with np.errstate(invalid="ignore", divide="ignore"):
        distances = lengths / (lengths + reach)
    distances[np.isinf(lengths)] = 1.0
    return np.where(lengths > 0.0, distances, 0.0)
