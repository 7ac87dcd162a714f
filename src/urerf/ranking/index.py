"""From leaves to similarities: the index of the fitted rows, and their nearest rows by it."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from .._memory import release_memory
from .._threads import row_blocks, run, run_blocks
from .._typing import Array
from ..forest import Forest, starts_of
from ..graph import Neighbors
from ..kernels.index import index_tree, node_levels
from ..kernels.neighbors import counted_rows, nearest, row_signatures, similarity_rows
from .similarity import NODE_WEIGHTS, get_similarity

# Querying rows per task. Each task allocates one sum per fitted row, so large indices have larger
# tasks: one querying row for FITTED_PER_ROW fitted rows, up to MAX_BLOCK_ROWS.
BLOCK_ROWS = 512
MAX_BLOCK_ROWS = 2048
FITTED_PER_ROW = 256
# Splits count below nodes of DEEP_ENOUGH rows. A row visits about as many others per tree, so with
# many rows it is less, down to DEEP_AT_LEAST, to keep their product at DEEP_WORK. More did not
# improve the precision (`tests/ranking/test_similarity.py` has the bounds).
DEEP_ENOUGH = 1024
DEEP_AT_LEAST = 64
DEEP_WORK = 1 << 22
# The largest sum of weights: the bits that a ranking key of `urerf.kernels.neighbors` has for it.
LARGEST_SUM = 2**24 - 1


# From the numbers of querying rows and the distances and numbers of their candidates, (rows,
# candidates), to distances and numbers in the final order.
Rank = Callable[[Array, Array, Array], Neighbors]


class Index(NamedTuple):
    """The fitted rows of all trees in leaf order; `urerf.kernels.neighbors` explains places."""

    members: Array
    """Places in leaf order, (trees, fitted rows)."""
    original: Array
    """The row at each place."""
    place: Array
    """The place of each row."""
    first_node: Array
    first_leaf: Array
    """Where the nodes and the leaves of each tree begin in the arrays below."""
    leaf_node: Array
    """The node of each leaf, counted from the first node of its tree."""
    begin: Array
    end: Array
    """The run of members that each node owns."""
    parent: Array
    """The parent of each node, counted likewise; -1 for a root."""
    weight: Array
    """The weight of each node."""
    perfect: int
    """The sum of the weights of a perfect match, over all trees."""


def node_weights(
    child: Array,
    parent: Array,
    rows: Array,
    n_fitted: int,
    n_trees: int,
    similarity: str,
) -> tuple[Array, int]:
    """Return the weights of nodes that hold ``rows`` fitted rows, and the sum of a perfect match.

    "leaf": leaves weigh 1, other nodes 0. "depth": two rows are closer the more splits they stay
    together for, 0 at the root and 1 in a common leaf; see `urerf.ranking.similarity`. (The size
    of the smallest node that holds both rows would be misleading: a group that stays whole while
    others are cut off would look as mixed as before.) Splits count below nodes of a certain size
    only.
    """
    chosen = NODE_WEIGHTS[get_similarity(similarity).nodes]
    leaf_weight = min(chosen.leaf_weight, LARGEST_SUM // n_trees)
    deep = min(max(DEEP_WORK // n_fitted, DEEP_AT_LEAST), DEEP_ENOUGH)
    share = chosen.share(node_levels(parent, rows, deep))
    is_leaf = child < 0
    weight = np.where(is_leaf, leaf_weight, np.floor(leaf_weight * share))
    return weight.astype(np.int32), leaf_weight * n_trees


def leaf_order(leaves: Array) -> Array:
    """Return the row at each place of an index: the rows in leaf order of the first tree."""
    return np.argsort(leaves[0], kind="stable").astype(np.int32)


def build_index(
    forest: Forest,
    leaves: Array,
    similarity: str,
    n_jobs: int | None = None,
    n_trees: int | None = None,
) -> Index:
    """Build the index of the fitted rows from their ``leaves``, (trees, fitted rows).

    ``n_trees`` is the number of trees of the whole forest, if these are some of them.
    """
    n_nodes = len(forest.child)
    members = np.empty(leaves.shape, dtype=np.int32)
    begin = np.empty(n_nodes, dtype=np.int32)
    end = np.empty(n_nodes, dtype=np.int32)
    parent = np.empty(n_nodes, dtype=np.int32)
    original = leaf_order(leaves)
    place = np.empty_like(original)
    place[original] = np.arange(len(original), dtype=np.int32)

    def index_one(t: int) -> Array:
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

    tasks = [partial(index_one, t) for t in range(forest.n_trees)]
    leaf_nodes = run(tasks, n_jobs)
    n_leaves = [len(nodes) for nodes in leaf_nodes]
    leaf_node = np.concatenate(leaf_nodes)
    weight, perfect = node_weights(
        forest.child,
        parent,
        end - begin,
        forest.n_fitted,
        n_trees or forest.n_trees,
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
    leaves: Array,
    n_neighbors: int,
    *,
    selves: Array,
    seed: int,
    rank: Rank | None = None,
    n_candidates: int | None = None,
    include_self: bool = False,
    n_jobs: int | None = None,
    block_rows: int | None = None,
    show_progress: bool = False,
) -> Neighbors:
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

    def search(rows: Array) -> None:
        own = selves[rows]
        sums, candidates = nearest(leaves, rows, own, index, np.uint64(seed), n_proposed)
        lengths = 1.0 - sums / index.perfect
        if rank is not None:
            lengths, candidates = rank(rows, lengths, candidates)
        distances[rows, first:] = lengths[:, :k]
        ids[rows, first:] = candidates[:, :k]

    blocks = row_blocks(n, block_rows)
    tasks = [partial(search, order[block]) for block in blocks]
    run(tasks, n_jobs, "finding neighbors", show_progress)
    release_memory()
    return distances, ids


def signatures(leaves: Array, seed: int) -> Array:
    """Return a hash of every row's leaves, (trees, rows), by which ties are broken."""
    hashes = np.empty(leaves.shape[1], dtype=np.uint64)
    row_signatures(leaves, np.uint64(seed), hashes)
    return hashes


def similarity_matrix(index: Index, leaves: Array, n_jobs: int | None = None) -> Array:
    """Return the dense sums of weights, (querying rows, fitted rows), int32."""
    shape = leaves.shape[1], index.members.shape[1]
    sums = np.empty(shape, dtype=np.int32)

    def fill(rows: slice) -> None:
        similarity_rows(leaves, rows.start, index, sums[rows])

    run_blocks(fill, len(sums), BLOCK_ROWS, n_jobs)
    return sums


def counted_similarity(
    index: Index,
    leaves: Array,
    counts: Array,
    counts_fitted: Array,
    n_jobs: int | None = None,
) -> Array:
    """Return S_ij = L_ij / T_ij over the trees in which both rows count, 0 if there is none.

    ``counts`` and ``counts_fitted``, (trees, rows), say in which trees a row counts.
    """
    shape = leaves.shape[1], index.members.shape[1]
    sums = np.zeros(shape, dtype=np.int32)
    both = np.zeros(shape, dtype=np.int32)

    def fill(rows: slice) -> None:
        counted_rows(leaves, rows.start, index, counts, counts_fitted, sums[rows], both[rows])

    run_blocks(fill, len(sums), BLOCK_ROWS, n_jobs)
    perfect_in_a_tree = index.perfect / len(leaves)
    return sums / (np.maximum(both, 1) * perfect_in_a_tree)
