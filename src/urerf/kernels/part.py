"""The part of a leaf index that a block of rows touches: what one worker sends another instead of the whole index.

A block's rows climb from their leaves while nodes weigh anything. The highest such nodes are
disjoint runs of fitted rows; they, and the nodes on the way, are all that the sums of the block
need.
"""

import numpy as np

from ._jit import jit


@jit
def cut_tree(leaf, members, leaf_node, begin, end, parent, weight):
    """Cut the index of one tree down to what rows in the leaves ``leaf`` touch.

    Returns (members, lowest leaf, leaf_node from that leaf on, begin, end, parent, weight), nodes
    and runs numbered anew, in the order they had.
    """
    number = np.full(begin.size, -1, np.int32)  # of a node in the cut; first 0 for "kept"
    low = leaf[0]
    high = leaf[0]
    for x in leaf:
        low = min(low, x)
        high = max(high, x)
        node = leaf_node[x]
        while node >= 0 and weight[node] > 0 and number[node] < 0:
            number[node] = 0
            node = parent[node]
    kept = np.flatnonzero(number == 0)
    new_begin = np.empty(kept.size, np.int32)
    new_end = np.empty(kept.size, np.int32)
    new_parent = np.empty(kept.size, np.int32)
    used = shift = 0
    for i, node in enumerate(kept):
        number[node] = i
        above = parent[node]
        new_parent[i] = -1 if above < 0 else number[above]
        if (
            new_parent[i] < 0
        ):  # a highest node: its run comes next; what follows it in preorder lies inside
            shift = used - begin[node]
            used += end[node] - begin[node]
        new_begin[i] = begin[node] + shift
        new_end[i] = end[node] + shift
    new_members = np.empty(used, np.int32)
    for i, node in enumerate(kept):
        if new_parent[i] < 0:
            new_members[new_begin[i] : new_end[i]] = members[begin[node] : end[node]]
    new_leaf_node = number[leaf_node[low : high + 1]]
    return new_members, low, new_leaf_node, new_begin, new_end, new_parent, weight[kept]
