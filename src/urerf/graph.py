"""The neighbor graph: its format, and the steps from distances and row numbers to it.

The contract of every graph that this package returns:

- It is a ``scipy.sparse.csr_matrix`` of shape (querying rows, fitted rows), with float64 data and
  int32 indices.
- An entry is a *stored* distance, 1 - similarity, in [0, 1]. Rows that are not stored are at least
  as far away as those that are; with the similarities "blend" and "geodesic", this holds for the
  rows that the forest proposes, a few times k.
- A row of a training graph has k + 1 entries: the row itself first, with a stored zero, then its k
  neighbors.
- The entries of a row are sorted by distance, nearest first, and no column occurs twice.
- Ties in distance are broken by a hash of (random_state, the leaves of the querying row, the fitted
  row). The result is the same for any number of threads, any block size and any other rows in the
  same query, and does not depend on the order of the rows.
- A fitted row that shares no node of positive weight is at distance 1. If fewer than k rows are
  closer than that, the rest are drawn from these at random, by the same hash.

scikit-learn (precomputed neighbors) and scanpy read this format; UMAP needs a symmetric graph, as
`symmetrize` returns it. Stored zeros matter: scikit-learn takes the first entry of each row to be
the row itself, and a duplicate of a row is at distance exactly 0. ``G + G.T``, ``G.maximum(G.T)``
and ``eliminate_zeros`` drop them; `symmetrize` does not.
"""

import numpy as np
import scipy.sparse as sp

from ._sparse import checked_sparse
from ._typing import Array

# Distances and numbers of rows, both (querying rows, neighbors), nearest first.
Neighbors = tuple[Array, Array]


def to_csr(distances: Array, ids: Array, n_fitted: int) -> sp.csr_matrix:
    """Make a graph of distances and row numbers, both (querying rows, entries per row)."""
    n, k = ids.shape
    pointer_type = np.int32 if n * k < 2**31 else np.int64
    indptr = np.arange(0, n * k + 1, k, dtype=pointer_type)
    indices = ids.astype(np.int32, copy=False)
    content = (distances.ravel(), indices.ravel(), indptr)
    return sp.csr_matrix(content, shape=(n, n_fitted))


def undirected(distances: Array, ids: Array, shortest: float) -> sp.csr_matrix:
    """Make a symmetric graph whose edges are at least ``shortest`` long, so that none is lost.

    If both directions are given, the longer one is kept.
    """
    lengths = np.maximum(distances, shortest)
    directed = to_csr(lengths, ids, len(ids))
    return directed.maximum(directed.T)


def with_self(
    distances: Array,
    ids: Array,
    start: int = 0,
) -> Neighbors:
    """Put each row itself in front of its neighbors, at distance 0.

    Parameters
    ----------
    distances, ids : ndarray of shape (rows, k)
        What `URerF.kneighbors` returns without X.
    start : int, default=0
        The number of the first row.

    Returns
    -------
    distances, ids : ndarray of shape (rows, k + 1)

    Examples
    --------
    >>> import numpy as np
    >>> distances, ids = with_self(np.array([[0.2], [0.2]]), np.array([[1], [0]]))
    >>> distances.tolist(), ids.tolist()
    ([[0.0, 0.2], [0.0, 0.2]], [[0, 1], [1, 0]])
    """
    n = len(ids)
    zeros = np.zeros((n, 1))
    selves = np.arange(start, start + n, dtype=ids.dtype)
    all_distances = np.hstack([zeros, distances])
    return all_distances, np.hstack([selves[:, None], ids])


def self_first(
    distances: Array,
    ids: Array,
    selves: Array,
) -> Neighbors:
    """Move each row's own number to the front, at distance 0; the last entry makes room for it.

    ``selves`` are the numbers, -1 for rows that have none and stay as they are.
    """
    known = selves >= 0
    is_self = ids == selves[:, None]
    is_self[lacks_self(ids, selves), -1] = True
    order = np.argsort(~is_self, axis=1, kind="stable")
    ids = np.take_along_axis(ids, order, 1)
    distances = np.take_along_axis(distances, order, 1)
    ids[known, 0] = selves[known]
    distances[known, 0] = 0.0
    return distances, ids


def lacks_self(ids: Array, selves: Array) -> Array:
    """Return which rows have a number of their own, but do not find it among ``ids``."""
    has_number = selves >= 0
    is_absent = (ids != selves[:, None]).all(axis=1)
    return has_number & is_absent


def without_self(ids: Array, selves: Array) -> Array:
    """Leave each row itself out; where equal rows crowded it out, leave the last neighbor out."""
    is_self = ids == selves[:, None]
    is_self[~is_self.any(axis=1), -1] = True
    return ids[~is_self].reshape(len(ids), -1)


def nearest_first(distances: Array, ids: Array, k: int) -> Neighbors:
    """Return the k smallest distances of every row, ascending, and their ids; ties keep order."""
    order = np.argsort(distances, axis=1, kind="stable")
    first = order[:, :k]
    smallest = np.take_along_axis(distances, first, axis=1)
    return smallest, np.take_along_axis(ids, first, axis=1)


def symmetrize(graph: sp.spmatrix) -> sp.csr_matrix:
    """Return the union of a square graph and its transpose, with stored zeros kept.

    Each row is sorted by distance. If both directions are stored, the larger distance is kept.
    scikit-learn's HDBSCAN and graph layouts need this.

    Parameters
    ----------
    graph : sparse matrix of shape (n, n)
        What `URerF.kneighbors_graph` returns without X.

    Returns
    -------
    scipy.sparse.csr_matrix of shape (n, n)
        Symmetric, with int32 indices.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> G = sp.csr_matrix(([0.0, 0.0], ([0, 1], [1, 1])), shape=(2, 2))  # two stored zeros
    >>> symmetrize(G).nnz
    3
    """
    if graph.shape[0] != graph.shape[1]:
        raise ValueError(f"graph: must be square, got shape {graph.shape}; pass a training graph")
    one_way = checked_sparse(graph, "graph").tocsr(copy=True)
    one_way.sum_duplicates()
    # A union drops zeros, so it is made of ranks that begin at 1 instead of distances.
    distances, rank = np.unique(one_way.data, return_inverse=True)
    ranks = sp.csr_matrix((rank + 1, one_way.indices, one_way.indptr), shape=graph.shape)
    union = ranks.maximum(ranks.T)
    edges = union.tocoo()
    is_other = edges.col != edges.row  # of equal distances, that of a row to itself is first
    order = np.lexsort((edges.col, is_other, edges.data, edges.row))
    sorted_ranks = edges.data[order]
    indices = edges.col[order].astype(np.int32)
    content = (distances[sorted_ranks - 1], indices, union.indptr)
    return sp.csr_matrix(content, shape=graph.shape)
