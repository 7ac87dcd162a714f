"""From leaves to similarities, distances and the neighbour graph.

The contract of every graph this package returns:

- a ``scipy.sparse.csr_matrix`` of shape (querying rows, fitted rows), float64 data, int32 indices;
- an entry is a *stored* distance, 1 - similarity, in [0, 1]; what is not stored is farther than
  what is;
- the rows of a training graph have k + 1 entries: the row itself first, with a stored zero, then
  its k neighbours;
- entries of a row are sorted by distance, nearest first, and no column comes twice;
- ties in distance are broken by a hash of (random_state, the leaves of the querying row, the fitted
  row): the same for any number of threads, any block size and any other rows in the same query, and
  blind to the order of the rows;
- a fitted row that shares no node of any weight has distance 1; if fewer than k rows are nearer
  than that, the rest are drawn from those at random, by the same hash.

scikit-learn (precomputed neighbours), UMAP, openTSNE and scanpy read this format. Stored zeros
matter: scikit-learn takes the first entry of each row to be the row itself, and a duplicate of a
row is at distance exactly 0. ``G + G.T``, ``G.maximum(G.T)`` and ``eliminate_zeros`` drop them;
`symmetrize` does not.
"""

from functools import partial
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from ._memory import release_memory
from ._threads import row_blocks, run
from .forest import Forest
from .kernels.neighbors import counted_rows, index_tree, nearest, node_levels, similarity_rows
from .similarity import get_similarity

BLOCK_ROWS = 512
DISTANCE_ROWS = 1 << 14
FITTED_A_ROW = (
    256  # a block makes room for all fitted rows: the more they are, the more rows that must serve
)
DEEP_ENOUGH = 1024
DEEP_AT_LEAST = 128
DEEP_WORK = 1 << 22
LARGEST_SUM = 2**24 - 1  # what a key of the ranking has room for


class Index(NamedTuple):
    """The fitted rows of all trees in leaf order, as `urerf.kernels.neighbors` reads them."""

    members: np.ndarray
    original: np.ndarray
    place: np.ndarray
    first_node: np.ndarray
    first_leaf: np.ndarray
    leaf_node: np.ndarray
    begin: np.ndarray
    end: np.ndarray
    parent: np.ndarray
    weight: np.ndarray
    perfect: int


def node_weights(
    child: np.ndarray,
    parent: np.ndarray,
    rows: np.ndarray,
    n_fitted: int,
    n_trees: int,
    similarity: str,
) -> tuple[np.ndarray, int]:
    """Return what a node that holds ``rows`` fitted rows weighs, and the sum of a perfect match over all trees.

    "leaf": leaves weigh 1, other nodes 0. "depth": two rows are the more alike the more cuts they
    stay together for, by 1 - 0.9 ** cuts: 0 at the root, 1 in a common leaf. (By the size of the
    smallest node that holds both, a group left whole while others are cut off would look as mixed
    as before.) Cuts count below nodes of `DEEP_ENOUGH` rows; of more than 4096 rows, below smaller
    ones, down to `DEEP_AT_LEAST`: what a row adds up in a tree is as many numbers. Weights are
    integers: sums are exact in any order.
    """
    chosen = get_similarity(similarity)
    unit = min(chosen.leaf_weight, LARGEST_SUM // n_trees)
    deep = min(max(DEEP_WORK // n_fitted, DEEP_AT_LEAST), DEEP_ENOUGH)
    share = chosen.share(node_levels(parent, rows, deep))
    weight = np.where(child < 0, unit, np.floor(unit * share)).astype(np.int32)
    return weight, unit * n_trees


def build_index(
    forest: Forest, leaves: np.ndarray, similarity: str, n_jobs: int | None = None
) -> Index:
    """List the fitted rows (``leaves`` is trees x rows) leaf by leaf, find the run of every node, and weigh it."""
    members = np.empty(leaves.shape, dtype=np.int32)
    original = np.argsort(leaves[0], kind="stable").astype(np.int32)
    place = np.empty_like(original)
    place[original] = np.arange(len(original), dtype=np.int32)
    begin, end, parent = (np.empty(len(forest.child), dtype=np.int32) for _ in range(3))

    def one(t: int) -> np.ndarray:
        nodes = slice(forest.node_start[t], forest.node_start[t + 1])
        runs = begin[nodes], end[nodes], parent[nodes]
        return index_tree(forest.child[nodes], leaves[t], original, members[t], *runs)

    leaf_nodes = run([partial(one, t) for t in range(forest.n_trees)], n_jobs)
    first_leaf = np.concatenate([[0], np.cumsum([len(x) for x in leaf_nodes])]).astype(np.int64)
    weight, perfect = node_weights(
        forest.child, parent, end - begin, forest.n_fitted, forest.n_trees, similarity
    )
    leaf_node = np.concatenate(leaf_nodes)
    runs = forest.node_start, first_leaf, leaf_node, begin, end, parent
    del leaf_nodes
    release_memory()
    return Index(members, original, place, *runs, weight, perfect)


def nearest_rows(
    index: Index,
    leaves: np.ndarray,
    n_neighbors: int,
    *,
    selves: np.ndarray,
    seed: int,
    n_jobs: int | None = None,
    block_rows: int | None = None,
    show_progress: bool = False,
) -> tuple[np.ndarray, np.ndarray]:
    """Return (sums of weights, rows), best first, for every column of ``leaves`` (trees x querying rows).

    ``selves`` says which fitted row to leave out, -1 for none. Works in row blocks; no n x n matrix
    is made. Rows that are alike come one after the other, so that they find in the cache what the
    one before has read; equal rows next to each other, because they share what is added up.
    """
    n = leaves.shape[1]
    ids = np.empty((n, n_neighbors), dtype=np.int32)
    sums = np.empty((n, n_neighbors), dtype=np.int32)
    turn = np.lexsort((leaves[-1], leaves[len(leaves) // 2], leaves[0]))
    fixed = selves, index, np.uint64(seed), ids, sums
    blocks = row_blocks(
        n, block_rows or min(max(len(index.original) // FITTED_A_ROW, BLOCK_ROWS), 4 * BLOCK_ROWS)
    )
    tasks = [partial(nearest, leaves, turn[b], *fixed) for b in blocks]
    run(tasks, n_jobs, "finding neighbours", show_progress)
    release_memory()
    return sums, ids


def similarity_matrix(index: Index, leaves: np.ndarray, n_jobs: int | None = None) -> np.ndarray:
    """Return the dense sums of weights, (querying rows, fitted rows), int32."""
    sums = np.empty((leaves.shape[1], index.members.shape[1]), dtype=np.int32)
    blocks = row_blocks(len(sums), BLOCK_ROWS)
    run([partial(similarity_rows, leaves, b.start, index, sums[b]) for b in blocks], n_jobs)
    return sums


def counted_similarity(
    index: Index,
    leaves: np.ndarray,
    counts: np.ndarray,
    counts_fitted: np.ndarray,
    n_jobs: int | None = None,
) -> np.ndarray:
    """Return S_ij = L_ij / T_ij over the trees where both rows count; 0 where there is no such tree.

    ``counts`` and ``counts_fitted`` (trees x rows) say in which trees a row counts.
    """
    shape = leaves.shape[1], index.members.shape[1]
    sums = np.zeros(shape, dtype=np.int32)
    both = np.zeros(shape, dtype=np.int32)
    fixed = index, counts, counts_fitted
    blocks = row_blocks(len(sums), BLOCK_ROWS)
    run([partial(counted_rows, leaves, b.start, *fixed, sums[b], both[b]) for b in blocks], n_jobs)
    return sums / (np.maximum(both, 1) * (index.perfect / len(leaves)))


def to_distances(
    sums: np.ndarray, perfect: int, itself: bool = False, n_jobs: int | None = None
) -> np.ndarray:
    """Return 1 - sums / perfect; with ``itself`` each row begins with a 0."""
    distances = np.zeros((sums.shape[0], sums.shape[1] + itself))

    def fill(rows: slice) -> None:
        others = distances[rows, int(itself) :]
        np.divide(sums[rows], perfect, out=others)
        np.subtract(1.0, others, out=others)

    run([partial(fill, rows) for rows in row_blocks(len(sums), DISTANCE_ROWS)], n_jobs)
    return distances


def to_csr(distances: np.ndarray, ids: np.ndarray, n_fitted: int) -> sp.csr_matrix:
    """Make the graph of the contract from (distances, row numbers), each (querying rows, entries a row)."""
    n, k = ids.shape
    indptr = np.arange(0, n * k + 1, k, dtype=np.int32 if n * k < 2**31 else np.int64)
    return sp.csr_matrix(
        (distances.ravel(), ids.astype(np.int32, copy=False).ravel(), indptr), shape=(n, n_fitted)
    )


def with_self(distances: np.ndarray, ids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Put each row itself in front, at distance 0."""
    n = len(ids)
    selves = np.arange(n, dtype=ids.dtype)[:, None]
    return np.hstack([np.zeros((n, 1)), distances]), np.hstack([selves, ids])


def self_first(
    distances: np.ndarray, ids: np.ndarray, selves: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Move each row's own number, ``selves`` (-1 for none), to the front, at distance 0; the last entry makes room."""
    k = ids.shape[1]
    own = ids == selves[:, None]
    place = np.where(own.any(axis=1), own.argmax(axis=1), k - 1)[:, None]
    place[selves < 0] = 0
    at = np.arange(k)
    order = np.where(at == 0, place, np.where(at <= place, at - 1, at))
    ids = np.take_along_axis(ids, order, 1)
    distances = np.take_along_axis(distances, order, 1)
    known = selves >= 0
    ids[known, 0] = selves[known]
    distances[known, 0] = 0.0
    return distances, ids


def symmetrize(graph: sp.spmatrix) -> sp.csr_matrix:
    """Return the union of a square graph and its transpose, stored zeros kept, each row sorted by distance.

    Where both directions are stored, the larger distance stands. scikit-learn's HDBSCAN and graph
    layouts want this.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> G = sp.csr_matrix(([0.0, 0.0], ([0, 1], [1, 1])), shape=(2, 2))  # two stored zeros
    >>> symmetrize(G).nnz
    3
    """
    if graph.shape[0] != graph.shape[1]:
        raise ValueError(
            f"graph: must be square to be symmetrised, its shape is {graph.shape}; pass a training graph"
        )
    G = graph.tocoo()
    rows = np.concatenate([G.row, G.col])
    columns = np.concatenate([G.col, G.row])
    data = np.concatenate([G.data, G.data])
    order = np.lexsort((-data, columns, rows))
    rows = rows[order]
    columns = columns[order]
    data = data[order]
    first = np.ones(len(rows), dtype=bool)
    first[1:] = (rows[1:] != rows[:-1]) | (columns[1:] != columns[:-1])
    rows = rows[first]
    columns = columns[first]
    data = data[first]
    order = np.lexsort((columns, columns != rows, data, rows))
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=graph.shape[0]))])
    return sp.csr_matrix((data[order], columns[order].astype(np.int32), indptr), shape=graph.shape)
