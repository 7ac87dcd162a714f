"""Build the index of one tree: which fitted rows each of its nodes holds.

`urerf.kernels.neighbors` explains runs and places.
"""

import numpy as np

from ._jit import leaf


@leaf
def _fill_index(child, leaf, original, members, begin, end, parent, leaf_node, start):
    """Do the work of `index_tree`; ``start`` is zero, two entries longer than ``leaf_node``."""
    nodes = child.size
    parent[0] = -1
    for node in range(nodes):
        if child[node] >= 0:
            parent[node + 1] = node
            parent[child[node]] = node
        else:
            leaf_node[-1 - child[node]] = node
    # Rows without any value are in no leaf (-1): they come first, and no node owns them.
    for i in range(leaf.size):
        start[leaf[i] + 2] += 1
    for x in range(1, start.size):
        start[x] += start[x - 1]
    for x in range(leaf_node.size):
        begin[leaf_node[x]] = start[x + 1]
        end[leaf_node[x]] = start[x + 2]
    # Invariant: start[x + 1] is where the next row of leaf x goes.
    for place in range(leaf.size):
        x = leaf[original[place]] + 1
        members[start[x]] = place
        start[x] += 1
    # Children come after their parent, so going backwards they are ready first.
    for node in range(nodes - 1, -1, -1):
        if child[node] >= 0:
            begin[node] = begin[node + 1]
            end[node] = end[child[node]]


def index_tree(child, leaf, original, members, begin, end, parent):
    """Build the index of one tree from the leaf number of every fitted row (-1 for no leaf).

    Fills members (places in leaf order, ascending within a leaf), and for each node its run and its
    parent (-1 for the root); returns the node of every leaf.
    """
    leaves = (child.size + 1) // 2
    leaf_node = np.empty(leaves, np.int32)
    start = np.zeros(leaves + 2, np.int32)
    _fill_index(child, leaf, original, members, begin, end, parent, leaf_node, start)
    return leaf_node


@leaf
def _fill_levels(parent, rows, deep, level):
    """Do the work of `node_levels`; ``level`` is zero."""
    first = 0
    for node in range(parent.size):
        if parent[node] < 0:
            first = node
        elif rows[node] < deep:
            level[node] = level[first + parent[node]] + 1


def node_levels(parent, rows, deep):
    """Return how many splits are above each node, counted below the last node of ``deep`` rows.

    That is, of ``deep`` rows or more. Nodes are given tree after tree, parents before children;
    ``parent`` counts from the first node of the tree.
    """
    level = np.zeros(parent.size, np.int32)
    _fill_levels(parent, rows, deep, level)
    return level
