import hostile
import numpy as np
import pytest
from forests import few_rows, indexed, small_forest, without_some
from hypothesis import given
from hypothesis import strategies as st

import oracle
from urerf.kernels.neighbors import Tally, empty_best, keep_best, signature
from urerf.ranking.index import build_index, counted_similarity, nearest_rows, similarity_matrix

SEED = 11


def rising_weights(forest, rng):
    """Random weights that decrease from leaf to root; roots often weigh nothing."""
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


def assert_nearest(forest, weight, leaves, fitted, k, selves):
    """The same neighbors, in the same order, as by brute force; the random ones included."""
    index = indexed(forest, fitted, weight)
    expected = brute_force(forest, index.weight, leaves, fitted)
    assert np.array_equal(similarity_matrix(index, leaves, n_jobs=1), expected)
    distances, ids = nearest_rows(index, leaves, k, selves=selves, seed=SEED, n_jobs=1)
    for i, itself in enumerate(selves):
        best = oracle.top_k(expected[i], leaves[:, i], SEED, k, itself)
        assert ids[i].tolist() == best
        assert distances[i].tolist() == (1.0 - expected[i, best] / index.perfect).tolist()


@given(few_rows, st.integers(0, 100), st.floats(0, 1), st.booleans())
def test_like_brute_force(matrix, seed, share, by_leaf):
    n = matrix.shape[1]
    forest = small_forest(matrix, seed=seed)
    weight = None if by_leaf else rising_weights(forest, np.random.default_rng(seed))
    leaves = without_some(forest.apply(matrix, n_jobs=1), seed)
    k = 1 + int(share * (n - 2))
    assert_nearest(forest, weight, leaves, leaves, k, np.arange(n))
    # New rows: no row is left out, and k may be the number of fitted rows.
    queries = np.ascontiguousarray(np.roll(matrix, 1, axis=1)[:, : n // 2 + 1])
    queried = without_some(forest.apply(queries, n_jobs=1), seed + 1)
    assert_nearest(forest, weight, queried, leaves, n, np.full(queries.shape[1], -1))


def many_rows(n=300, seed=0, n_trees=6):
    matrix = np.random.default_rng(seed).normal(size=(3, n)).astype(np.float32)
    forest = small_forest(matrix, n_trees=n_trees, seed=seed, min_samples_split=8)
    return forest, forest.apply(matrix, n_jobs=1)


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


def test_a_row_alone_has_the_same_neighbors():
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
    """Rows far from all others are completed by rows from everywhere, others for another seed."""
    matrix = np.repeat(np.array([[0.0, 100.0]], np.float32), [3, 197], axis=1)
    forest = small_forest(matrix, n_trees=2, min_samples_split=2)
    leaves = forest.apply(matrix, n_jobs=1)
    index = indexed(forest, leaves)
    distances, ids = nearest_rows(index, leaves, 40, selves=np.arange(200), seed=SEED, n_jobs=1)
    assert set(ids[0, :2]) == {1, 2}
    assert distances[0].tolist() == [0.0, 0.0] + [1.0] * 38
    fill = ids[0, 2:]
    assert len(set(fill)) == 38
    assert fill.min() >= 3
    assert 60 < fill.mean() < 140
    other = nearest_rows(index, leaves, 40, selves=np.arange(200), seed=SEED + 1, n_jobs=1)[1]
    assert set(other[0, 2:]) != set(fill)


def test_ties_do_not_depend_on_the_position_of_a_row():
    """If all rows are equal, neighbors are spread over all of them, not just the first ones."""
    matrix = np.zeros((1, 400), np.float32)
    forest = small_forest(matrix)
    leaves = forest.apply(matrix, n_jobs=1)
    index = indexed(forest, leaves)
    ids = nearest_rows(index, leaves, 20, selves=np.arange(400), seed=SEED, n_jobs=1)[1]
    assert 120 < ids[0].mean() < 280
    other = nearest_rows(index, leaves, 20, selves=np.arange(400), seed=SEED + 1, n_jobs=1)[1]
    assert not np.array_equal(ids, other)


@given(st.lists(st.integers(-1, 2**31 - 1), min_size=1, max_size=8), hostile.keys)
def test_signature(leaves, seed):
    assert signature(np.array(leaves, np.int32), np.uint64(seed)) == oracle.signature(leaves, seed)


@pytest.mark.parametrize("similarity", ["leaf", "depth"])
@given(matrix=few_rows, seed=st.integers(0, 1000))
def test_similarity_where_both_rows_count(similarity, matrix, seed):
    """S_ij = L_ij / T_ij, pair by pair, over the trees in which both count; 0 if there is none."""
    rng = np.random.default_rng(seed)
    forest = small_forest(matrix, seed=seed)
    fitted = without_some(forest.apply(matrix, n_jobs=1), seed)
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


@given(few_rows, st.integers(0, 100))
def test_weights_decrease_from_leaf_to_root(matrix, seed):
    forest = small_forest(matrix, seed=seed)
    index = build_index(forest, forest.apply(matrix, n_jobs=1), "depth", n_jobs=1)
    for t in range(forest.n_trees):
        nodes = slice(forest.node_start[t], forest.node_start[t + 1])
        weight = index.weight[nodes]
        parent = index.parent[nodes]
        assert (weight[1:] >= weight[parent[1:]]).all()


@given(
    st.integers(1, 900),
    st.floats(0, 1),
    st.sampled_from([1, 3, 40, 2**24 - 1]),
    st.sampled_from(["random", "rising", "falling"]),
    st.integers(0, 1000),
)
def test_the_best_are_those_of_a_plain_sort(n, share, largest, order, seed):
    """Also where many more places than are kept come, equal sums, and the best ones last."""
    rng = np.random.default_rng(seed)
    sums = rng.integers(1, largest, n, endpoint=True).astype(np.int32)
    if order != "random":
        sums.sort()
    if order == "falling":
        sums = sums[::-1].copy()
    k = 1 + int(share * (n - 1))
    rows = rng.permutation(n)
    itself = int(rng.integers(-1, n))
    least = int(rng.integers(0, largest, endpoint=True))
    stamp = signature(rng.integers(0, 9, 5).astype(np.int32), SEED)
    tally = Tally(sums, np.arange(n + 1, dtype=np.int32), np.empty((0, 4), np.int32))
    room = empty_best(n, k)
    kept = keep_best(tally, np.uint64(n), least, itself, np.uint64(stamp), rows, room)
    tie = [oracle.mix((int(stamp) + int(row)) & oracle.WORD) & ((1 << 40) - 1) for row in rows]
    others = [place for place in range(n) if place != itself]
    best = sorted(others, key=lambda place: (-sums[place], -tie[place]))
    assert room.places[:kept].tolist() == best[:k]


@given(
    st.lists(st.integers(1, 50), min_size=1, max_size=60),
    st.integers(1, 12),
    st.integers(0, 60),
    st.booleans(),
)
def test_a_guess_of_the_kth_best_does_not_matter(worth, k, least, with_self):
    """Even if the guess is far off, the best are those of a plain sort."""
    n = len(worth)
    sums = np.array(worth, np.int32)
    touched = np.arange(n, dtype=np.int32)
    itself = 0 if with_self else -1

    def best(guess):
        room = empty_best(n, k)
        tally = Tally(sums, touched, np.empty((0, 4), np.int32))
        kept = keep_best(tally, np.uint64(n), guess, itself, np.uint64(SEED), touched, room)
        return room.places[:kept].tolist()

    found = best(least)
    assert found == best(0)
    others = sorted(set(range(n)) - {itself})
    assert sums[found].tolist() == sorted(sums[others].tolist(), reverse=True)[:k]
