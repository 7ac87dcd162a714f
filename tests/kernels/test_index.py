import numpy as np
from forests import few_rows, indexed, small_forest, without_some
from hypothesis import given
from hypothesis import strategies as st

import oracle
from urerf.kernels.index import index_tree, node_levels


@given(few_rows, st.integers(0, 100))
def test_index_lists_the_rows_of_every_node(matrix, seed):
    forest = small_forest(matrix, n_trees=1, seed=seed, min_samples_split=2)
    child = forest.tree(0).child
    leaf = without_some(forest.apply(matrix, n_jobs=1), seed)[0]
    members = np.full(leaf.size, -1, np.int32)
    begin, end, parent = (np.full(child.size, -9, np.int32) for _ in range(3))
    original = np.random.default_rng(seed).permutation(leaf.size).astype(np.int32)
    leaf_node = index_tree(child, leaf, original, members, begin, end, parent)
    places = members
    members = original[members]
    assert sorted(members) == list(range(leaf.size))
    paths = oracle.leaf_paths(child)
    assert leaf_node.tolist() == [path[-1] for path in paths]
    for node in range(child.size):
        inside = [row for row, x in enumerate(leaf) if x >= 0 and node in paths[x]]
        assert sorted(members[begin[node] : end[node]]) == inside
        above = next(path[path.index(node) - 1] if node else -1 for path in paths if node in path)
        assert parent[node] == above
    for x, node in enumerate(leaf_node):
        assert sorted(members[begin[node] : end[node]]) == np.flatnonzero(leaf == x).tolist()
        assert (np.diff(places[begin[node] : end[node]]) > 0).all()


@given(matrix=few_rows, seed=st.integers(0, 100), deep=st.integers(0, 40))
def test_levels_against_oracle(matrix, seed, deep):
    forest = small_forest(matrix, seed=seed)
    index = indexed(forest, forest.apply(matrix, n_jobs=1))
    rows = index.end - index.begin
    got = np.split(node_levels(index.parent, rows, deep), forest.node_start[1:-1])
    for t, part in enumerate(np.split(rows, forest.node_start[1:-1])):
        assert got[t].tolist() == oracle.levels(forest.tree(t).child, part, deep).tolist()
