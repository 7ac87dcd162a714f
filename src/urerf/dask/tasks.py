"""What runs on the workers: plain functions of arrays, and the only place here that knows how forests are made.

Every function gives the bits that the local code gives for the same rows: tree t depends on (seed,
t) and the rows it drew, a row's leaf on the row and the tree, a sum of integer weights on nothing
but what is summed.
"""

from __future__ import annotations

from dataclasses import fields
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import pandas as pd
from dask.sizeof import sizeof

from urerf.columns import Columns
from urerf.forest import Forest, Growth, stream
from urerf.graph import Index, build_index, nearest_rows, node_weights, self_first
from urerf.kernels.neighbors import nearest
from urerf.kernels.part import TreeIndex, cut_tree
from urerf.kernels.rng import sample_rows
from urerf.kernels.table import row_fingerprints
from urerf.kernels.tree import grow_tree

Pair = tuple[np.ndarray, np.ndarray]  # distances and row numbers, (rows, k)


@sizeof.register(Forest)
def forest_bytes(forest: Forest) -> int:
    """Tell Dask how large a forest is; it would take it for a few bytes, and send it about freely."""
    return sum(np.asarray(getattr(forest, field.name)).nbytes for field in fields(forest))


# -- trees
# -----------------------------------------------------------------------------------------------------------


def make_table(columns: Columns, block: np.ndarray, where: str) -> np.ndarray:
    """Return the table of a partition; ``where`` names it in an error."""
    try:
        return columns.table(block, n_jobs=1)
    except ValueError as error:
        raise ValueError(str(error).replace("X:", f"{where}:", 1)) from error


def is_varied(table: np.ndarray, first: np.ndarray) -> bool:
    """Whether any row of the table differs from the first row of all."""
    return bool((table != first[:, None]).any())


def tree_keys(seed: int, trees: np.ndarray) -> np.ndarray:
    """Return the keys of trees."""
    return np.array([stream(seed, int(t)) for t in trees], dtype=np.uint64)


def draw_rows(keys: np.ndarray, n: int, growth: Growth) -> list[np.ndarray]:
    """Return the rows that each tree is grown on, ascending."""
    return [sample_rows(stream(key, 0), n, growth.max_samples, growth.bootstrap) for key in keys]


def take_drawn(table: np.ndarray, first: int, drawn: list[np.ndarray]) -> list[np.ndarray]:
    """Return the drawn rows that lie in a partition whose first row has the number ``first``, one table a tree."""
    stop = first + table.shape[1]
    return [table[:, rows[slice(*np.searchsorted(rows, [first, stop]))] - first] for rows in drawn]


def grow_trees(
    pieces: list[list[np.ndarray]], keys: np.ndarray, n: int, growth: Growth, chance: np.ndarray
) -> Forest:
    """Grow trees on the rows drawn for them; ``pieces`` has, for every partition, a table a tree.

    A tree reads only the rows it drew, so a table of just these, in order, grows the same tree.
    """
    trees = []
    unsorted = np.empty(
        (len(chance), 0), dtype=np.int32
    )  # order of the columns: none is known, which costs only time
    for t, key in enumerate(keys):
        table = np.ascontiguousarray(np.concatenate([part[t] for part in pieces], axis=1))
        rows = np.arange(growth.max_samples, dtype=np.int32)
        tree = grow_tree(table, unsorted, rows, stream(key, 1), chance, growth.settings())
        trees.append(tree)
    return Forest.join(keys, n, growth.max_samples, growth.bootstrap, trees)


def apply_trees(forest: Forest, table: np.ndarray) -> np.ndarray:
    """Return the leaf numbers, (trees, rows)."""
    return forest.apply(table, n_jobs=1)


# -- neighbours against the whole index
# ------------------------------------------------------------------------------


def build_whole(forests: list[Forest], leaves: list[list[np.ndarray]], similarity: str) -> Index:
    """Return the index of all trees; ``leaves`` is partitions x batches of trees."""
    whole = np.concatenate([np.concatenate(part, axis=0) for part in leaves], axis=1)
    return build_index(Forest.merge(forests), whole, similarity, n_jobs=1)


def nearest_of_whole(
    index: Index, leaves: list[np.ndarray], k: int, first: int | None, seed: int
) -> Pair:
    """Return the k nearest of a partition's rows; they are the fitted rows from ``first`` on, or new (None)."""
    queries = np.concatenate(leaves, axis=0)
    selves = own_numbers(first, queries.shape[1])
    sums, ids = nearest_rows(index, queries, k, selves=selves, seed=seed, n_jobs=1)
    return 1.0 - sums / index.perfect, ids


def own_numbers(first: int | None, n: int) -> np.ndarray:
    """Return the fitted rows to leave out, -1 for none."""
    return np.full(n, -1) if first is None else np.arange(first, first + n)


# -- neighbours against an index sharded by tree
# ---------------------------------------------------------------------


class Cut(NamedTuple):
    """What a block of rows needs of a shard: its leaves, and the part of every tree's index that it touches."""

    leaves: np.ndarray
    trees: list[TreeIndex]

    @property
    def nbytes(self) -> int:
        """Return the bytes of the arrays."""
        return self.leaves.nbytes + sum(np.asarray(a).nbytes for tree in self.trees for a in tree)


def build_shard(forest: Forest, leaves: list[np.ndarray], n_trees: int, similarity: str) -> Index:
    """Return the index of a batch of trees over all rows, weighed as one of ``n_trees``.

    Every shard would have places of its own, so members are row numbers instead.
    """
    index = build_index(forest, np.concatenate(leaves, axis=1), similarity, n_jobs=1)
    rows = index.end - index.begin
    weight, perfect = node_weights(
        forest.child, index.parent, rows, forest.n_fitted, n_trees, similarity
    )
    members = index.original[index.members]
    none = np.empty(0, dtype=np.int32)
    places = {"members": members, "original": none, "place": none}
    return index._replace(**places, weight=weight, perfect=perfect)


def coherent_order(leaves: np.ndarray) -> np.ndarray:
    """Return an order of the rows of a partition in which rows that are near stand together: that of a tree."""
    return np.argsort(leaves[0], kind="stable")


def cut_shard(shard: Index, leaves: np.ndarray, order: np.ndarray, block: slice) -> Cut:
    """Cut a shard down to what a block of a partition's rows, in the given order, touches."""
    some = leaves[:, order[block]]
    return Cut(some, [cut_tree(leaf, _tree_index(shard, t)) for t, leaf in enumerate(some)])


def _tree_index(index: Index, t: int) -> TreeIndex:
    """Return the index of tree t."""
    nodes = slice(index.first_node[t], index.first_node[t + 1])
    return TreeIndex(
        members=index.members[t],
        first_leaf=0,
        leaf_node=index.leaf_node[index.first_leaf[t] : index.first_leaf[t + 1]],
        begin=index.begin[nodes],
        end=index.end[nodes],
        parent=index.parent[nodes],
        weight=index.weight[nodes],
    )


def rows_a_block(
    shard: Index, leaves: np.ndarray, order: np.ndarray, n_trees: int, room: int
) -> int:
    """Return how many rows a block may have so that what it touches in all trees takes about ``room`` bytes."""
    rows = leaves.shape[1]
    while rows > 1 and cut_shard(
        shard, leaves, order, slice(0, rows)
    ).nbytes * n_trees > room * len(leaves):
        rows = -(-rows // 2)
    return max(1, rows)


def nearest_of_cuts(
    cuts: list[Cut],
    order: np.ndarray,
    block: slice,
    k: int,
    n: int,
    first: int | None,
    seed: int,
    perfect: int,
) -> Pair:
    """Return the k nearest of a block's rows, in the block's order."""
    leaves = np.concatenate([cut.leaves for cut in cuts], axis=0)
    selves = own_numbers(first, len(order))[order[block]]
    ids, sums = (np.empty((leaves.shape[1], k), dtype=np.int32) for _ in range(2))
    index = _join_cuts([tree for cut in cuts for tree in cut.trees], n, perfect)
    nearest(leaves, np.arange(leaves.shape[1]), selves, index, np.uint64(seed), ids, sums)
    return 1.0 - sums / perfect, ids


@lru_cache(maxsize=1)
def _numbers(n: int) -> np.ndarray:
    """Return 0 to n - 1; all tasks of a worker share it."""
    return np.arange(n, dtype=np.int32)


def _join_cuts(trees: list[TreeIndex], n: int, perfect: int) -> Index:
    """Put the cut indices of all trees together as one index of n fitted rows, each at the place of its number."""
    longest = max(len(tree.members) for tree in trees)
    members = np.zeros((len(trees), longest), dtype=np.int32)
    for row, tree in zip(members, trees):
        row[: len(tree.members)] = tree.members

    def starts(sizes: list[int]) -> np.ndarray:
        return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)

    first_leaf = starts([len(tree.leaf_node) for tree in trees])
    first_leaf[:-1] -= np.array([tree.first_leaf for tree in trees])
    return Index(
        members=members,
        original=_numbers(n),
        place=_numbers(n),
        first_node=starts([len(tree.begin) for tree in trees]),
        first_leaf=first_leaf,
        leaf_node=np.concatenate([tree.leaf_node for tree in trees]),
        begin=np.concatenate([tree.begin for tree in trees]),
        end=np.concatenate([tree.end for tree in trees]),
        parent=np.concatenate([tree.parent for tree in trees]),
        weight=np.concatenate([tree.weight for tree in trees]),
        perfect=perfect,
    )


def restore_order(blocks: list[Pair], order: np.ndarray, k: int) -> Pair:
    """Put the blocks of a partition together, in the order of its rows."""
    if not blocks:
        return np.empty((0, k)), np.empty((0, k), dtype=np.int32)
    back = np.empty_like(order)
    back[order] = np.arange(len(order))
    distances, ids = zip(*blocks)
    return np.concatenate(distances)[back], np.concatenate(ids)[back]


def edges(pair: Pair, first: int, with_self: bool = False, ones: bool = False) -> pd.DataFrame:
    """Return the neighbours of rows numbered from ``first`` on as a table of edges."""
    distances, ids = pair
    own = np.arange(first, first + len(ids))
    if with_self:
        distances = np.hstack([np.zeros((len(ids), 1)), distances])
        ids = np.hstack([own[:, None], ids])
    distance = np.ones(ids.size) if ones else distances.ravel()
    neighbor = ids.ravel().astype(np.int64)
    return pd.DataFrame(
        {"row": np.repeat(own, ids.shape[1]), "neighbor": neighbor, "distance": distance}
    )


# -- rows that come back
# ---------------------------------------------------------------------------------------------


def fingerprints(table: np.ndarray) -> np.ndarray:
    """Return a hash of every row."""
    return row_fingerprints(table)


def sort_prints(prints: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the fingerprints of all fitted rows, those that differ, sorted, and where each stands first."""
    whole = np.concatenate(prints)
    return whole, *np.unique(whole, return_index=True)


def same_rows(prints: list[np.ndarray], fitted: tuple[np.ndarray, np.ndarray, np.ndarray]) -> bool:
    """Whether rows are the fitted ones, in their order."""
    return np.array_equal(np.concatenate(prints), fitted[0])


def itself_first(
    pair: Pair, prints: np.ndarray, fitted: tuple[np.ndarray, np.ndarray, np.ndarray], first: int
) -> Pair:
    """Move a row that was fitted to the front of its own neighbours.

    ``first`` is the number of the partition's first row in the query. Of several fitted rows that
    are equal: the one at the same place, else the first.
    """
    whole, values, place = fitted
    at = np.minimum(np.searchsorted(values, prints), len(values) - 1)
    selves = np.where(values[at] == prints, place[at], -1)
    here = np.arange(first, min(first + len(prints), len(whole)))
    same = here[prints[: len(here)] == whole[here]]
    selves[same - first] = same
    return self_first(*pair, selves)
