"""The part of an index that a block of rows needs: sent to another worker instead of all of it.

The rows of a block climb from their leaves while nodes weigh anything. The highest such nodes are
disjoint runs of fitted rows; these runs, and the nodes on the way, are all that the sums of the
block need.
"""

from typing import NamedTuple

import numpy as np

from .._typing import Array
from ._jit import jit


class TreeIndex(NamedTuple):
    """The index of one tree, or a part of it; see `urerf.ranking.index.Index`."""

    members: Array
    first_leaf: int
    """The number of the leaf that leaf_node begins with."""
    leaf_node: Array
    begin: Array
    end: Array
    parent: Array
    weight: Array


@jit
def cut_tree(leaf, tree):
    """Return the part of the index of a tree that rows in the leaves ``leaf`` need.

    Nodes and runs are renumbered and keep their order. ``tree`` must be a whole index.
    """
    begin = tree.begin
    end = tree.end
    parent = tree.parent
    number = np.full(begin.size, -1, np.int32)  # of a node in the part; at first 0 for "kept"
    low = tree.leaf_node.size - 1
    high = 0
    for x in leaf:
        if x < 0:  # a row without any value is in no leaf
            continue
        low = min(low, x)
        high = max(high, x)
        node = tree.leaf_node[x]
        while node >= 0 and tree.weight[node] > 0 and number[node] < 0:
            number[node] = 0
            node = parent[node]
    kept = np.flatnonzero(number == 0)
    new_begin = np.empty(kept.size, np.int32)
    new_end = np.empty(kept.size, np.int32)
    new_parent = np.empty(kept.size, np.int32)
    used = 0
    shift = 0
    # Invariant: used rows are in the part, and shift moves the run of the last highest node there.
    for i, node in enumerate(kept):
        number[node] = i
        above = parent[node]
        new_parent[i] = -1 if above < 0 else number[above]
        if new_parent[i] < 0:  # a highest node; those that follow in preorder lie inside
            shift = used - begin[node]
            used += end[node] - begin[node]
        new_begin[i] = begin[node] + shift
        new_end[i] = end[node] + shift
    new_members = np.empty(used, np.int32)
    for i, node in enumerate(kept):
        if new_parent[i] < 0:
            new_members[new_begin[i] : new_end[i]] = tree.members[begin[node] : end[node]]
    leaf_node = number[tree.leaf_node[low : high + 1]]
    weight = tree.weight[kept]
    return TreeIndex(new_members, low, leaf_node, new_begin, new_end, new_parent, weight)
