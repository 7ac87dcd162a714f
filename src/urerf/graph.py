"""From leaves to similarities, distances and the neighbor graph.

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

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from ._memory import release_memory
from ._sparse import checked_sparse
from ._threads import row_blocks, run
from .forest import Forest, starts_of
from .kernels.index import index_tree, node_levels
from .kernels.neighbors import counted_rows, nearest, row_signatures, similarity_rows
from .similarity import NODE_WEIGHTS, get_similarity

# Querying rows per task. Each task allocates one sum per fitted row, so large indices have larger
# tasks: one querying row for FITTED_PER_ROW fitted rows, up to MAX_BLOCK_ROWS.
BLOCK_ROWS = 512
MAX_BLOCK_ROWS = 2048
FITTED_PER_ROW = 256
# Splits count below nodes of DEEP_ENOUGH rows. A row visits about as many others per tree, so with
# many rows it is less, down to DEEP_AT_LEAST, to keep their product at DEEP_WORK. More did not
# improve the precision (`tests/test_similarity.py` has the bounds).
DEEP_ENOUGH = 1024
DEEP_AT_LEAST = 128
DEEP_WORK = 1 << 22
# The largest sum of weights: the bits that a ranking key of `urerf.kernels.neighbors` has for it.
LARGEST_SUM = 2**24 - 1


# From the numbers of querying rows and the distances and numbers of their candidates, (rows,
# candidates), to distances and numbers in the final order.
Rank = Callable[[np.ndarray, np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]


class Index(NamedTuple):
    """The fitted rows of all trees in leaf order; `urerf.kernels.neighbors` explains places."""

    members: np.ndarray
    """Places in leaf order, (trees, fitted rows)."""
    original: np.ndarray
    """The row at each place."""
    place: np.ndarray
    """The place of each row."""
    first_node: np.ndarray
    first_leaf: np.ndarray
    """Where the nodes and the leaves of each tree begin in the arrays below."""
    leaf_node: np.ndarray
    """The node of each leaf, counted from the first node of its tree."""
    begin: np.ndarray
    end: np.ndarray
    """The run of members that each node owns."""
    parent: np.ndarray
    """The parent of each node, counted likewise; -1 for a root."""
    weight: np.ndarray
    """The weight of each node."""
    perfect: int
    """The sum of the weights of a perfect match, over all trees."""


def node_weights(
    child: np.ndarray,
    parent: np.ndarray,
    rows: np.ndarray,
    n_fitted: int,
    n_trees: int,
    similarity: str,
) -> tuple[np.ndarray, int]:
    """Return the weights of nodes that hold ``rows`` fitted rows, and the sum of a perfect match.

    "leaf": leaves weigh 1, other nodes 0. "depth": two rows are closer the more splits they stay
    together for, 0 at the root and 1 in a common leaf; see `urerf.similarity`. (The size of the
    smallest node that holds both rows would be misleading: a group that stays whole while others
    are cut off would look as mixed as before.) Splits count below nodes of a certain size only.
    """
    chosen = NODE_WEIGHTS[get_similarity(similarity).nodes]
    leaf_weight = min(chosen.leaf_weight, LARGEST_SUM // n_trees)
    deep = min(max(DEEP_WORK // n_fitted, DEEP_AT_LEAST), DEEP_ENOUGH)
    share = chosen.share(node_levels(parent, rows, deep))
    is_leaf = child < 0
    weight = np.where(is_leaf, leaf_weight, np.floor(leaf_weight * share))
    return weight.astype(np.int32), leaf_weight * n_trees


def leaf_order(leaves: np.ndarray) -> np.ndarray:
    """Return the row at each place of an index: the rows in leaf order of the first tree."""
    return np.argsort(leaves[0], kind="stable").astype(np.int32)


def build_index(
    forest: Forest,
    leaves: np.ndarray,
    similarity: str,
    n_jobs: int | None = None,
) -> Index:
    """Build the index of the fitted rows from their ``leaves``, (trees, fitted rows)."""
    n_nodes = len(forest.child)
    members = np.empty(leaves.shape, dtype=np.int32)
    begin = np.empty(n_nodes, dtype=np.int32)
    end = np.empty(n_nodes, dtype=np.int32)
    parent = np.empty(n_nodes, dtype=np.int32)
    original = leaf_order(leaves)
    place = np.empty_like(original)
    place[original] = np.arange(len(original), dtype=np.int32)

    def index_one(t: int) -> np.ndarray:
        nodes = slice(forest.node_start[t], forest.node_start[t + 1])
        return index_tree(
            forest.child[nodes],
            leaves[t],
            original,
            members[t],
            begin[nodes],
            end[nodes],
            parent[nodes],
        )

    leaf_nodes = run([partial(index_one, t) for t in range(forest.n_trees)], n_jobs)
    n_leaves = [len(nodes) for nodes in leaf_nodes]
    leaf_node = np.concatenate(leaf_nodes)
    weight, perfect = node_weights(
        forest.child,
        parent,
        end - begin,
        forest.n_fitted,
        forest.n_trees,
        similarity,
    )
    del leaf_nodes
    release_memory()
    return Index(
        members=members,
        original=original,
        place=place,
        first_node=forest.node_start,
        first_leaf=starts_of(n_leaves),
        leaf_node=leaf_node,
        begin=begin,
        end=end,
        parent=parent,
        weight=weight,
        perfect=perfect,
    )


def nearest_rows(
    index: Index,
    leaves: np.ndarray,
    n_neighbors: int,
    *,
    selves: np.ndarray,
    seed: int,
    rank: Rank | None = None,
    n_candidates: int | None = None,
    include_self: bool = False,
    n_jobs: int | None = None,
    block_rows: int | None = None,
    show_progress: bool = False,
) -> tuple[np.ndarray, np.ndarray]:
    """Return (distances, rows), nearest first, of querying rows with the given ``leaves``.

    ``leaves`` is (trees, querying rows); ``selves`` is the fitted row to leave out of each, -1 for
    none. The forest proposes ``n_candidates`` rows, and ``rank`` orders them; by default the forest
    does. With ``include_self``, each row begins with ``selves``, at distance 0. Works in blocks of
    rows, without an n x n matrix. Similar rows are processed one after the other, so that they find
    in the cache what the one before has read; equal rows share their sums.
    """
    n = leaves.shape[1]
    k = n_neighbors
    n_proposed = n_candidates or k
    first = int(include_self)
    ids = np.empty((n, first + k), dtype=np.int32)
    distances = np.zeros((n, first + k))
    if include_self:
        ids[:, 0] = selves
    middle = len(leaves) // 2
    order = np.lexsort((leaves[-1], leaves[middle], leaves[0]))
    if block_rows is None:
        wanted = len(index.original) // FITTED_PER_ROW
        block_rows = min(max(wanted, BLOCK_ROWS), MAX_BLOCK_ROWS)

    def search(rows: np.ndarray) -> None:
        sums, candidates = nearest(leaves, rows, selves[rows], index, np.uint64(seed), n_proposed)
        lengths = 1.0 - sums / index.perfect
        if rank is not None:
            lengths, candidates = rank(rows, lengths, candidates)
        distances[rows, first:] = lengths[:, :k]
        ids[rows, first:] = candidates[:, :k]

    tasks = [partial(search, order[block]) for block in row_blocks(n, block_rows)]
    run(tasks, n_jobs, "finding neighbors", show_progress)
    release_memory()
    return distances, ids


def signatures(leaves: np.ndarray, seed: int) -> np.ndarray:
    """Return a hash of every row's leaves, (trees, rows), by which ties are broken."""
    hashes = np.empty(leaves.shape[1], dtype=np.uint64)
    row_signatures(leaves, np.uint64(seed), hashes)
    return hashes


def similarity_matrix(index: Index, leaves: np.ndarray, n_jobs: int | None = None) -> np.ndarray:
    """Return the dense sums of weights, (querying rows, fitted rows), int32."""
    shape = leaves.shape[1], index.members.shape[1]
    sums = np.empty(shape, dtype=np.int32)

    def fill(rows: slice) -> None:
        similarity_rows(leaves, rows.start, index, sums[rows])

    run([partial(fill, rows) for rows in row_blocks(len(sums), BLOCK_ROWS)], n_jobs)
    return sums


def counted_similarity(
    index: Index,
    leaves: np.ndarray,
    counts: np.ndarray,
    counts_fitted: np.ndarray,
    n_jobs: int | None = None,
) -> np.ndarray:
    """Return S_ij = L_ij / T_ij over the trees in which both rows count, 0 if there is none.

    ``counts`` and ``counts_fitted``, (trees, rows), say in which trees a row counts.
    """
    shape = leaves.shape[1], index.members.shape[1]
    sums = np.zeros(shape, dtype=np.int32)
    both = np.zeros(shape, dtype=np.int32)

    def fill(rows: slice) -> None:
        counted_rows(leaves, rows.start, index, counts, counts_fitted, sums[rows], both[rows])

    run([partial(fill, rows) for rows in row_blocks(len(sums), BLOCK_ROWS)], n_jobs)
    perfect_in_a_tree = index.perfect / len(leaves)
    return sums / (np.maximum(both, 1) * perfect_in_a_tree)


def to_csr(distances: np.ndarray, ids: np.ndarray, n_fitted: int) -> sp.csr_matrix:
    """Make a graph of distances and row numbers, both (querying rows, entries per row)."""
    n, k = ids.shape
    pointer_type = np.int32 if n * k < 2**31 else np.int64
    indptr = np.arange(0, n * k + 1, k, dtype=pointer_type)
    indices = ids.astype(np.int32, copy=False)
    return sp.csr_matrix((distances.ravel(), indices.ravel(), indptr), shape=(n, n_fitted))


def with_self(
    distances: np.ndarray,
    ids: np.ndarray,
    start: int = 0,
) -> tuple[np.ndarray, np.ndarray]:
    """Put each row itself in front, at distance 0; the first row has the number ``start``."""
    n = len(ids)
    zeros = np.zeros((n, 1))
    selves = np.arange(start, start + n, dtype=ids.dtype)[:, None]
    return np.hstack([zeros, distances]), np.hstack([selves, ids])


def self_first(
    distances: np.ndarray,
    ids: np.ndarray,
    selves: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Move each row's own number to the front, at distance 0; the last entry makes room for it.

    ``selves`` are the numbers, -1 for rows that have none and stay as they are.
    """
    k = ids.shape[1]
    known = selves >= 0
    is_self = ids == selves[:, None]
    place = np.where(is_self.any(axis=1), is_self.argmax(axis=1), k - 1)
    place[~known] = 0
    # Entry 0 comes from the place of the row itself, and those before that place move back by one.
    entry = np.arange(k)
    order = np.where(entry <= place[:, None], entry - 1, entry)
    order[:, 0] = place
    ids = np.take_along_axis(ids, order, 1)
    distances = np.take_along_axis(distances, order, 1)
    ids[known, 0] = selves[known]
    distances[known, 0] = 0.0
    return distances, ids


def symmetrize(graph: sp.spmatrix) -> sp.csr_matrix:
    """Return the union of a square graph and its transpose, with stored zeros kept.

    Each row is sorted by distance. If both directions are stored, the larger distance is kept.
    scikit-learn's HDBSCAN and graph layouts need this.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> G = sp.csr_matrix(([0.0, 0.0], ([0, 1], [1, 1])), shape=(2, 2))  # two stored zeros
    >>> symmetrize(G).nnz
    3
    """
    if graph.shape[0] != graph.shape[1]:
        raise ValueError(f"graph: must be square, got shape {graph.shape}; pass a training graph")
    one_way = checked_sparse(graph, "graph").tocoo()
    both_ways = _Edges(
        rows=np.concatenate([one_way.row, one_way.col]),
        columns=np.concatenate([one_way.col, one_way.row]),
        distances=np.concatenate([one_way.data, one_way.data]),
    )
    edges = both_ways.longest()
    is_other = edges.columns != edges.rows  # of equal distances, that of a row to itself is first
    nearest_first = np.lexsort((edges.columns, is_other, edges.distances, edges.rows))
    edges = edges.take(nearest_first)
    counts = np.bincount(edges.rows, minlength=graph.shape[0])
    indices = edges.columns.astype(np.int32)
    return sp.csr_matrix((edges.distances, indices, starts_of(counts)), shape=graph.shape)


class _Edges(NamedTuple):
    """The entries of a sparse graph."""

    rows: np.ndarray
    columns: np.ndarray
    distances: np.ndarray

    def take(self, entries: np.ndarray) -> "_Edges":
        """Return some of the edges."""
        return _Edges(self.rows[entries], self.columns[entries], self.distances[entries])

    def longest(self) -> "_Edges":
        """Return the longest of all edges from one row to another, by row and column."""
        edges = self.take(np.lexsort((-self.distances, self.columns, self.rows)))
        is_first = np.ones(len(edges.rows), dtype=bool)
        new_row = np.diff(edges.rows) != 0
        new_column = np.diff(edges.columns) != 0
        is_first[1:] = new_row | new_column
        return edges.take(is_first)
