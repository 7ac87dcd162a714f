import hostile
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle
from urerf.forest import Forest, Growth
from urerf.graph import (
    build_index,
    counted_similarity,
    nearest_rows,
    node_weights,
    similarity_matrix,
)
from urerf.kernels.neighbors import Tally, empty_best, index_tree, keep_best, node_levels, signature

SEED = 11


def small_forest(table, n_trees=4, seed=0, min_samples_split=4):
    n = table.shape[1]
    growth = Growth(
        max_features=1,
        density=0.5,
        min_samples_split=min_samples_split,
        max_samples=max(1, n * 2 // 3),
        bootstrap=False,
    )
    return Forest.grow(table, growth, seed=seed, trees=range(n_trees), n_jobs=1)


def rising_weights(forest, rng):
    """Weights that fall from leaf to root, at random; roots often weigh nothing."""
    weight = np.zeros(len(forest.child), np.int32)
    for t in range(forest.n_trees):
        child = forest.tree(t).child
        ours = weight[forest.node_start[t] :]
        ours[0] = rng.integers(0, 2)
        for node in np.flatnonzero(child >= 0):
            ours[node + 1] = ours[node] + rng.integers(0, 3)
            ours[child[node]] = ours[node] + rng.integers(0, 3)
    return weight


def brute_force(forest, weight, leaves, fitted):
    trees = [forest.tree(t).child for t in range(forest.n_trees)]
    weights = np.split(weight, forest.node_start[1:-1])
    return oracle.similarities(trees, weights, leaves, fitted)


def indexed(forest, leaves, weight=None):
    """Return the index, with the paper's weights unless others are given."""
    index = build_index(forest, leaves, "leaf", n_jobs=1)
    return index if weight is None else index._replace(weight=weight)


def assert_nearest(forest, weight, leaves, fitted, k, selves):
    """The same neighbors, in the same order, as by brute force; the random ones included."""
    index = indexed(forest, fitted, weight)
    expected = brute_force(forest, index.weight, leaves, fitted)
    assert np.array_equal(similarity_matrix(index, leaves, n_jobs=1), expected)
    sums, ids = nearest_rows(index, leaves, k, selves=selves, seed=SEED, n_jobs=1)
    for i, itself in enumerate(selves):
        best = oracle.top_k(expected[i], leaves[:, i], SEED, k, itself)
        assert ids[i].tolist() == best
        assert sums[i].tolist() == expected[i, best].tolist()


few_values = st.one_of(st.integers(-3, 3).map(float), st.floats(-5, 5, width=32))
few_rows = hostile.tables(min_rows=3, max_rows=20, elements=few_values)


@given(few_rows, st.integers(0, 100), st.floats(0, 1), st.booleans())
def test_like_brute_force(table, seed, share, by_leaf):
    n = table.shape[1]
    forest = small_forest(table, seed=seed)
    weight = None if by_leaf else rising_weights(forest, np.random.default_rng(seed))
    leaves = forest.apply(table, n_jobs=1)
    k = 1 + int(share * (n - 2))
    assert_nearest(forest, weight, leaves, leaves, k, np.arange(n))
    # New rows: nobody is left out, and all fitted rows may be asked for.
    queries = np.ascontiguousarray(np.roll(table, 1, axis=1)[:, : n // 2 + 1])
    assert_nearest(
        forest, weight, forest.apply(queries, n_jobs=1), leaves, n, np.full(queries.shape[1], -1)
    )


def many_rows(n=300, seed=0, n_trees=6):
    table = np.random.default_rng(seed).normal(size=(3, n)).astype(np.float32)
    forest = small_forest(table, n_trees=n_trees, seed=seed, min_samples_split=8)
    return forest, forest.apply(table, n_jobs=1)


@pytest.mark.parametrize("k", [1, 7, 64])
def test_many_rows_like_brute_force(k):
    forest, leaves = many_rows(120)
    assert_nearest(forest, None, leaves, leaves, k, np.arange(120))
    assert_nearest(
        forest, rising_weights(forest, np.random.default_rng(3)), leaves, leaves, k, np.arange(120)
    )


@pytest.mark.parametrize("block_rows", [1, 7, 299, 300, 1000])
@pytest.mark.parametrize("k", [5, 120])
def test_blocks_and_threads_do_not_matter(block_rows, k):
    forest, leaves = many_rows()
    index = indexed(forest, leaves)
    one = nearest_rows(index, leaves, k, selves=np.arange(300), seed=SEED, n_jobs=1)
    other = nearest_rows(
        index, leaves, k, selves=np.arange(300), seed=SEED, n_jobs=2, block_rows=block_rows
    )
    assert np.array_equal(one[0], other[0])
    assert np.array_equal(one[1], other[1])


def test_a_row_alone_has_the_same_neighbours():
    forest, leaves = many_rows()
    index = indexed(forest, leaves)
    _, ids = nearest_rows(index, leaves, 50, selves=np.arange(300), seed=SEED, n_jobs=1)
    for i in (0, 17, 299):
        alone = np.ascontiguousarray(leaves[:, i : i + 1])
        assert (
            nearest_rows(index, alone, 50, selves=np.array([i]), seed=SEED, n_jobs=1)[1][0].tolist()
            == ids[i].tolist()
        )


def test_fill_with_random_rows():
    """Rows far from all others: who fills up differs from row to row and is spread over the table."""
    table = np.repeat(np.array([[0.0, 100.0]], np.float32), [3, 197], axis=1)
    forest = small_forest(table, n_trees=2, min_samples_split=2)
    leaves = forest.apply(table, n_jobs=1)
    index = indexed(forest, leaves)
    sums, ids = nearest_rows(index, leaves, 40, selves=np.arange(200), seed=SEED, n_jobs=1)
    assert set(ids[0, :2]) == {1, 2}
    assert sums[0].tolist() == [2, 2] + [0] * 38
    fill = ids[0, 2:]
    assert len(set(fill)) == 38
    assert fill.min() >= 3
    assert 60 < fill.mean() < 140
    other = nearest_rows(index, leaves, 40, selves=np.arange(200), seed=SEED + 1, n_jobs=1)[1]
    assert set(other[0, 2:]) != set(fill)


def test_ties_are_blind_to_the_place_of_a_row():
    """When all rows are alike, neighbours are spread over all of them instead of coming first in the table."""
    table = np.zeros((1, 400), np.float32)
    forest = small_forest(table)
    leaves = forest.apply(table, n_jobs=1)
    index = indexed(forest, leaves)
    ids = nearest_rows(index, leaves, 20, selves=np.arange(400), seed=SEED, n_jobs=1)[1]
    assert 120 < ids[0].mean() < 280
    other = nearest_rows(index, leaves, 20, selves=np.arange(400), seed=SEED + 1, n_jobs=1)[1]
    assert not np.array_equal(ids, other)


@given(few_rows, st.integers(0, 100))
def test_index_lists_the_rows_of_every_node(table, seed):
    forest = small_forest(table, n_trees=1, seed=seed, min_samples_split=2)
    child = forest.tree(0).child
    leaf = forest.apply(table, n_jobs=1)[0]
    members = np.full(leaf.size, -1, np.int32)
    begin, end, parent = (np.full(child.size, -9, np.int32) for _ in range(3))
    original = np.random.default_rng(seed).permutation(leaf.size).astype(np.int32)
    leaf_node = index_tree(child, leaf, original, members, begin, end, parent)
    places = members
    members = original[members]
    paths = oracle.leaf_paths(child)
    assert leaf_node.tolist() == [path[-1] for path in paths]
    for node in range(child.size):
        inside = [row for row, x in enumerate(leaf) if node in paths[x]]
        assert sorted(members[begin[node] : end[node]]) == inside
        above = next(path[path.index(node) - 1] if node else -1 for path in paths if node in path)
        assert parent[node] == above
    for x, node in enumerate(leaf_node):
        assert sorted(members[begin[node] : end[node]]) == np.flatnonzero(leaf == x).tolist()
        assert (np.diff(places[begin[node] : end[node]]) > 0).all()


@given(st.lists(st.integers(0, 2**31 - 1), min_size=1, max_size=8), hostile.keys)
def test_signature(leaves, seed):
    assert signature(np.array(leaves, np.int32), np.uint64(seed)) == oracle.signature(leaves, seed)


@pytest.mark.parametrize("similarity", ["leaf", "depth"])
@given(table=few_rows, seed=st.integers(0, 1000))
def test_similarity_where_both_rows_count(similarity, table, seed):
    """S_ij = L_ij / T_ij, pair by pair, over the trees where both count; 0 where there is none."""
    rng = np.random.default_rng(seed)
    forest = small_forest(table, seed=seed)
    fitted = forest.apply(table, n_jobs=1)
    leaves = np.ascontiguousarray(fitted[:, : fitted.shape[1] // 2 + 1])
    counts = rng.random(leaves.shape) < 0.6
    counts_fitted = rng.random(fitted.shape) < 0.6
    index = build_index(forest, fitted, similarity, n_jobs=1)
    got = counted_similarity(index, leaves, counts, counts_fitted, n_jobs=1)
    children = [forest.tree(t).child for t in range(forest.n_trees)]
    weights = np.split(index.weight / (index.perfect / forest.n_trees), forest.node_start[1:-1])
    trees = zip(children, weights, leaves, fitted, strict=True)
    single = [
        oracle.similarities([child], [weight], [ours], [theirs])
        for child, weight, ours, theirs in trees
    ]
    both = counts[:, :, None] & counts_fitted[:, None, :]
    expected = (np.array(single) * both).sum(axis=0) / np.maximum(both.sum(axis=0), 1)
    assert np.allclose(got, expected, atol=1e-12)


@given(table=few_rows, seed=st.integers(0, 100), deep=st.integers(0, 40))
def test_levels_against_oracle(table, seed, deep):
    forest = small_forest(table, seed=seed)
    index = indexed(forest, forest.apply(table, n_jobs=1))
    rows = index.end - index.begin
    got = np.split(node_levels(index.parent, rows, deep), forest.node_start[1:-1])
    for t, part in enumerate(np.split(rows, forest.node_start[1:-1])):
        assert got[t].tolist() == oracle.levels(forest.tree(t).child, part, deep).tolist()


def test_weights_by_depth():
    """By the cuts since the last node of 1024 rows or more: 1 in a leaf, 0.1 after one, 0.19 after two."""
    child = np.array([2, -1, 4, -2, 8, 7, -3, -4, -5])
    parent = np.array([-1, 0, 0, 2, 2, 4, 5, 5, 4])
    rows = np.array([2000, 976, 1024, 8, 1016, 16, 8, 8, 1000])
    weight, perfect = node_weights(child, parent, rows, 2000, 10, "depth")
    assert perfect == 10 * 4096
    assert weight.tolist() == [0, 4096, 0, 4096, 409, 778, 4096, 4096, 4096]
    many, perfect = node_weights(child, parent, rows, 2000, 10**5, "depth")
    assert perfect == 10**5 * many[1] < 2**24  # what a key of the ranking has room for


@given(few_rows, st.integers(0, 100))
def test_weights_fall_from_leaf_to_root(table, seed):
    forest = small_forest(table, seed=seed)
    index = build_index(forest, forest.apply(table, n_jobs=1), "depth", n_jobs=1)
    for t in range(forest.n_trees):
        nodes = slice(forest.node_start[t], forest.node_start[t + 1])
        weight = index.weight[nodes]
        parent = index.parent[nodes]
        assert (weight[1:] >= weight[parent[1:]]).all()


@given(
    st.lists(st.integers(1, 50), min_size=1, max_size=60),
    st.integers(1, 12),
    st.integers(0, 60),
    st.booleans(),
)
def test_a_guess_of_the_kth_best_does_not_matter(worth, k, least, with_self):
    """A guess may be far too high or too low: the best are the same, and are those of a plain sort."""
    n = len(worth)
    sums = np.array(worth, np.int32)
    touched = np.arange(n, dtype=np.int32)
    itself = 0 if with_self else -1

    def best(guess):
        room = empty_best(n, k)
        tally = Tally(sums, touched)
        kept = keep_best(tally, np.uint64(n), guess, itself, np.uint64(SEED), touched, room)
        return room.places[:kept].tolist()

    found = best(least)
    assert found == best(0)
    others = sorted(set(range(n)) - {itself})
    assert sums[found].tolist() == sorted(sums[others].tolist(), reverse=True)[:k]
