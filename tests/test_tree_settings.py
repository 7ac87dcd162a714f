"""Depths and ends of subtrees, against trees that are walked node by node."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from urerf.tree_settings import node_depths, subtree_ends

# A tree is "leaf", or a pair of trees.
TREES = st.recursive(st.just("leaf"), lambda tree: st.tuples(tree, tree), max_leaves=12)


def walk(tree, depth, is_leaf, depths, ends):
    """Append what is known about the nodes of a tree, in preorder."""
    node = len(is_leaf)
    is_leaf.append(tree == "leaf")
    depths.append(depth)
    ends.append(None)
    if tree != "leaf":
        for part in tree:
            walk(part, depth + 1, is_leaf, depths, ends)
    ends[node] = len(is_leaf)


@given(forest=st.lists(TREES, min_size=1, max_size=4))
def test_depths_and_ends_are_those_of_a_walk_down_the_trees(forest):
    is_leaf = []
    depths = []
    ends = []
    for tree in forest:
        walk(tree, 0, is_leaf, depths, ends)
    assert node_depths(np.array(is_leaf)).tolist() == depths
    assert subtree_ends(np.array(is_leaf), np.arange(len(is_leaf))).tolist() == ends


def test_a_subtree_that_never_ends_is_told_by_its_end():
    assert subtree_ends(np.array([False, False]), np.array([0, 1])).min() > 2
