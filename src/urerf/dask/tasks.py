"""What runs on the workers: plain functions of arrays, which know nothing about the cluster.

Every function gives bit for bit what the local code gives for the same rows: tree t depends on
(seed, t) and the rows it drew, the leaf of a row on the row and the tree, and a sum of integer
weights only on what is summed.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import pandas as pd
from dask.sizeof import sizeof

from urerf.columns import Columns
from urerf.forest import Forest, Growth, drawn_rows, grow_on_drawn, starts_of
from urerf.graph import nearest_first, self_first, with_self
from urerf.kernels.part import TreeIndex, cut_tree
from urerf.kernels.straight import straight_lengths
from urerf.ranking.blend import Blend
from urerf.ranking.index import Index, build_index, nearest_rows
from urerf.ranking.known_rows import KnownRows
from urerf.reading import Reading

from .._typing import Array

Pair = tuple[Array, Array]  # distances and positions of neighbors, (rows, k)
PER_NODE = ("begin", "end", "parent", "weight")  # arrays of an index with one entry per node


@sizeof.register(Forest)
def forest_bytes(forest: Forest) -> int:
    """Tell Dask the size of a forest; otherwise it would assume a few bytes and move it freely."""
    arrays = map(np.asarray, vars(forest).values())
    return sum(array.nbytes for array in arrays)


# -- trees ---------------------------------------------------------------------------------------


def make_reading(block: Array, columns: Columns) -> Reading:
    """Return a partition as trees read it."""
    return columns.read(block, n_jobs=1)


def value_range(matrix: Array) -> Pair:
    """Return the smallest and the largest value of every column; inf and -inf without values."""
    low = np.fmin.reduce(matrix, axis=1, initial=np.inf)
    high = np.fmax.reduce(matrix, axis=1, initial=-np.inf)
    return low, high


def draw_rows(keys: Array, n: int, growth: Growth) -> list[Array]:
    """Return the rows that each tree is grown on, ascending."""
    return [drawn_rows(key, n, growth.max_samples, growth.bootstrap) for key in keys]


def take_drawn(
    reading: Reading,
    start: int,
    drawn: list[Array],
    keys: Array,
) -> list[Array]:
    """Return the drawn rows that lie in a partition, one matrix per tree.

    ``start`` is the position of the partition's first row.
    """
    stop = start + reading.matrix.shape[1]
    taken = []
    for rows, key in zip(drawn, keys):
        begin, end = np.searchsorted(rows, [start, stop])
        in_partition = rows[begin:end] - start
        taken.append(reading.rows(in_partition, key))
    return taken


def grow_trees(
    pieces: list[list[Array]],
    keys: Array,
    n: int,
    growth: Growth,
    feature_weights: Array,
) -> Forest:
    """Grow trees on the rows drawn for them; ``pieces`` has one matrix per partition and tree.

    A tree reads only the rows it drew, so a matrix of just these, in order, grows the same tree.
    """
    trees = []
    for t, key in enumerate(keys):
        of_tree = [matrices[t] for matrices in pieces]
        drawn = np.concatenate(of_tree, axis=1)
        matrix = np.ascontiguousarray(drawn)
        trees.append(grow_on_drawn(matrix, growth, feature_weights, key))
    return Forest.join(keys, n, growth.max_samples, growth.bootstrap, trees)


# -- neighbors in the index of all trees ---------------------------------------------------------


def build_whole(forests: list[Forest], leaves: list[list[Array]], similarity: str) -> Index:
    """Return the index of all trees; ``leaves`` is partitions x batches of trees."""
    by_partition = [np.concatenate(batches) for batches in leaves]
    all_leaves = np.concatenate(by_partition, axis=1)
    return build_index(Forest.merge(forests), all_leaves, similarity, n_jobs=1)


def nearest_in_index(
    index: Index,
    leaves: list[Array],
    k: int,
    start: int | None,
    seed: int,
) -> Pair:
    """Return the k nearest fitted rows of the rows of a partition.

    The partition holds the fitted rows from ``start`` on, or new rows (None).
    """
    queries = np.concatenate(leaves)
    selves = _positions_of(np.arange(queries.shape[1]), start)
    return nearest_rows(index, queries, k, selves=selves, seed=seed, n_jobs=1)


def _positions_of(rows: Array, start: int | None) -> Array:
    """Return the positions among the fitted rows of rows of a partition; -1 for new rows."""
    if start is None:
        return np.full(len(rows), -1)
    return start + rows.astype(np.int64)


# -- neighbors in an index sharded by tree -------------------------------------------------------


class Cut(NamedTuple):
    """What a block of rows needs of a shard: its leaves, and some nodes of every tree."""

    leaves: Array
    trees: list[TreeIndex]
    perfect: int

    @property
    def nbytes(self) -> int:
        """Size of the arrays."""
        total = self.leaves.nbytes
        for tree in self.trees:
            total += sum(np.asarray(array).nbytes for array in tree)
        return total


def build_shard(
    forest: Forest,
    leaves: list[Array],
    n_trees: int,
    similarity: str,
) -> Index:
    """Return the index of a batch of trees over all rows, weighted for a forest of ``n_trees``.

    Members are row positions: places would be different in every shard.
    """
    all_leaves = np.concatenate(leaves, axis=1)
    index = build_index(forest, all_leaves, similarity, n_jobs=1, n_trees=n_trees)
    members = index.original[index.members]
    no_places = np.empty(0, dtype=np.int32)
    return index._replace(members=members, original=no_places, place=no_places)


def cut_shard(shard: Index, leaves: Array, rows: Array) -> Cut:
    """Reduce a shard to the nodes that some rows of a partition can reach, given its leaves."""
    own_leaves = leaves[:, rows]
    trees = []
    for t, tree_leaves in enumerate(own_leaves):
        trees.append(cut_tree(tree_leaves, _tree_index(shard, t)))
    return Cut(own_leaves, trees, shard.perfect)


def _tree_index(index: Index, t: int) -> TreeIndex:
    """Return the index of tree t."""
    nodes = slice(*index.first_node[t : t + 2])
    leaves = slice(*index.first_leaf[t : t + 2])
    return TreeIndex(
        members=index.members[t],
        first_leaf=0,
        leaf_node=index.leaf_node[leaves],
        **{name: getattr(index, name)[nodes] for name in PER_NODE},
    )


def rows_per_block(
    shard: Index,
    leaves: Array,
    order: Array,
    n_trees: int,
    max_bytes: int,
) -> int:
    """Return how many rows a block may have so that its cuts of all trees take ``max_bytes``."""
    share = len(leaves) / n_trees
    n_rows = leaves.shape[1]
    while n_rows > 1:
        cut = cut_shard(shard, leaves, order[:n_rows])
        if cut.nbytes <= max_bytes * share:
            break
        n_rows = math.ceil(n_rows / 2)
    return max(1, n_rows)


def nearest_in_cuts(
    cuts: list[Cut],
    rows: Array,
    k: int,
    start: int | None,
    n: int,
    seed: int,
) -> Pair:
    """Return the k nearest of n fitted rows for some rows of a partition; see `nearest_in_index`.

    ``cuts`` are what these rows need of all shards.
    """
    index = _join_cuts(cuts, n)
    leaves = np.concatenate([cut.leaves for cut in cuts])
    selves = _positions_of(rows, start)
    return nearest_rows(index, leaves, k, selves=selves, seed=seed, n_jobs=1)


@lru_cache(maxsize=1)
def _positions(n: int) -> Array:
    """Return 0 to n - 1; all tasks of a worker share the array."""
    return np.arange(n, dtype=np.int32)


def _join_cuts(cuts: list[Cut], n: int) -> Index:
    """Join the cuts of all trees to one index of n fitted rows, in which places are positions."""
    trees = [tree for cut in cuts for tree in cut.trees]
    longest = max(len(tree.members) for tree in trees)
    members = np.zeros((len(trees), longest), dtype=np.int32)
    for row, tree in zip(members, trees):
        row[: len(tree.members)] = tree.members
    first_leaf = starts_of([len(tree.leaf_node) for tree in trees])
    first_leaf[:-1] -= np.array([tree.first_leaf for tree in trees])
    joined = {}
    for name in ("leaf_node", *PER_NODE):
        of_trees = [getattr(tree, name) for tree in trees]
        joined[name] = np.concatenate(of_trees)
    return Index(
        members=members,
        original=_positions(n),
        place=_positions(n),
        first_node=starts_of([len(tree.begin) for tree in trees]),
        first_leaf=first_leaf,
        perfect=cuts[0].perfect,
        **joined,
    )


def restore_order(blocks: list[Pair], order: Array, k: int) -> Pair:
    """Join the blocks of a partition, in the order of its rows."""
    no_rows = np.empty((0, k)), np.empty((0, k), dtype=np.int32)
    distances, ids = map(np.concatenate, zip(no_rows, *blocks))
    back = np.argsort(order)
    return distances[back], ids[back]


# -- straight distances --------------------------------------------------------------------------


def points_of(columns: Columns, readings: list[Reading]) -> Array:
    """Return rows in the columns and units of the trees."""
    parts = [columns.points(reading, raw_units=False, dtype=np.float32) for reading in readings]
    return np.concatenate([part.values for part in parts])


def measure_candidates(
    pair: Pair,
    queries: Array,
    fitted: Array,
    start: int,
    step: Array,
) -> Array:
    """Return straight distances to the candidates among the fitted rows from ``start`` on.

    They are 0 for other candidates.
    """
    candidates = pair[1]
    lengths = np.zeros(candidates.shape)
    straight_lengths(queries, fitted, step, start, candidates, lengths)
    return lengths


def rank_candidates(
    pair: Pair,
    lengths: list[Array],
    blend: Blend,
    k: int,
) -> Pair:
    """Return the k nearest candidates by the blended distance.

    Each candidate was measured once: the sum over all pieces is its straight distance.
    """
    forest_distances, ids = pair
    straight_distances = np.sum(lengths, axis=0)
    return nearest_first(blend.distances(forest_distances, straight_distances), ids, k)


def edges(
    pair: Pair,
    start: int,
    include_self: bool = False,
    ones: bool = False,
) -> pd.DataFrame:
    """Return the neighbors of the rows from ``start`` on as a data frame with one row per edge."""
    distances, ids = with_self(*pair, start) if include_self else pair
    rows = np.arange(start, start + len(ids))
    columns = {
        "row": np.repeat(rows, ids.shape[1]),
        "neighbor": ids.ravel().astype(np.int64),
        "distance": np.ones(ids.size) if ones else distances.ravel(),
    }
    return pd.DataFrame(columns)


# -- fitted rows that come back ------------------------------------------------------------------


def fitted_row_first(
    pair: Pair,
    reading: Reading,
    fitted: KnownRows,
    start: int,
) -> Pair:
    """Move a row that was fitted to the front of its own neighbors.

    ``start`` is the position of the partition's first row in the query.
    """
    return self_first(*pair, fitted.find(reading, start))
