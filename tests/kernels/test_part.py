"""The part of an index that a block needs gives the neighbors that the whole one gives."""

import numpy as np
import pytest

import oracle
from urerf.forest import Forest, Growth
from urerf.ranking.index import build_index, leaf_order, nearest_rows

pytest.importorskip("dask")
from urerf.dask import tasks

N = 400
EMPTY = [0, 17, 18, 160, 399]  # rows without any value: they are in no leaf


@pytest.fixture(scope="module")
def grown():
    matrix = np.random.default_rng(0).normal(size=(3, N)).astype(np.float32)
    growth = Growth(
        max_features=2,
        density=0.5,
        min_samples_split=6,
        max_samples=N // 2,
        bootstrap=False,
        screening_rows=32,
    )
    forest = Forest.grow(matrix, growth, seed=1, trees=range(7), n_jobs=1)
    leaves = forest.apply(matrix, n_jobs=1)
    leaves[:, EMPTY] = -1
    return forest, leaves


def shards_of(forest, leaves, sizes, similarity):
    """Yield shards of the given numbers of trees, with the leaves of all rows in them."""
    ends = np.cumsum(sizes)
    for first, last in zip(ends - sizes, ends):
        trees = [forest.tree(t) for t in range(first, last)]
        part = Forest.join(
            forest.tree_key[first:last], N, forest.max_samples, forest.bootstrap, trees
        )
        halves = [leaves[first:last, :150], leaves[first:last, 150:]]
        yield tasks.build_shard(part, halves, forest.n_trees, similarity), leaves[first:last]


@pytest.mark.parametrize("similarity", ["depth", "leaf"])
@pytest.mark.parametrize("sizes", [[7], [3, 4], [1] * 7])
@pytest.mark.parametrize("rows", [1, 37, N])
def test_parts_of_an_index_give_the_same_neighbors(grown, similarity, sizes, rows):
    forest, leaves = grown
    k = 25  # more than share a leaf: some are drawn at random
    index = build_index(forest, leaves, similarity, n_jobs=1)
    expected, ids = nearest_rows(index, leaves, k, selves=np.arange(N), seed=9, n_jobs=1)
    order = leaf_order(leaves)
    shards = list(shards_of(forest, leaves, np.array(sizes), similarity))
    pairs = []
    for start in range(0, N, rows):
        block = order[start : start + rows]
        cuts = [tasks.cut_shard(shard, mine, block) for shard, mine in shards]
        pairs.append(tasks.nearest_in_cuts(cuts, block, k, 0, N, 9))
    distances, found = tasks.restore_order(pairs, order, k)
    np.testing.assert_array_equal(found, ids)
    assert distances.tobytes() == expected.tobytes()


def test_a_part_holds_only_what_the_block_needs(grown):
    forest, leaves = grown
    ((shard, mine),) = shards_of(forest, leaves, np.array([7]), "leaf")
    one = tasks.cut_shard(shard, mine, np.array([5]))
    for t, part in enumerate(one.trees):
        in_leaf = np.flatnonzero(leaves[t] == leaves[t, 5])
        np.testing.assert_array_equal(np.sort(part.members), in_leaf)


@pytest.mark.parametrize("similarity", ["depth", "leaf"])
@pytest.mark.parametrize("rows", [1, 3, 40, N])
def test_part_like_the_oracle(grown, similarity, rows):
    """It holds the nodes and rows that the block needs, in their order, and nothing else."""
    forest, leaves = grown
    ((shard, mine),) = shards_of(forest, leaves, np.array([7]), similarity)
    order = np.random.default_rng(rows).permutation(N)
    cut = tasks.cut_shard(shard, mine, order[:rows])
    for t, part in enumerate(cut.trees):
        nodes = slice(forest.node_start[t], forest.node_start[t + 1])
        child = forest.child[nodes]
        weight = shard.weight[nodes]
        members = [np.flatnonzero(leaves[t] == x) for x in range((child < 0).sum())]
        kept, held = oracle.needed_part(cut.leaves[t], child, weight, members)
        assert part.weight.tolist() == weight[kept].tolist()
        assert sorted(part.members.tolist()) == sorted(held)
        begin = shard.begin[nodes][kept]
        sizes = shard.end[nodes][kept] - begin
        assert (part.end - part.begin).tolist() == sizes.tolist()
        for i, start in enumerate(begin):
            run = shard.members[t, start : start + sizes[i]]
            assert part.members[part.begin[i] : part.end[i]].tolist() == run.tolist()
        above = shard.parent[nodes][kept]
        expected = [kept.index(node) if node in kept else -1 for node in above]
        assert part.parent.tolist() == expected
        for x in cut.leaves[t][cut.leaves[t] >= 0]:
            leaf_node = shard.leaf_node[shard.first_leaf[t] + x]
            assert kept[part.leaf_node[x - part.first_leaf]] == leaf_node


def test_rows_in_no_leaf_need_nothing(grown):
    forest, leaves = grown
    ((shard, mine),) = shards_of(forest, leaves, np.array([7]), "depth")
    cut = tasks.cut_shard(shard, mine, np.array(EMPTY))
    for part in cut.trees:
        assert part.members.size == 0
        assert part.begin.size == 0
    distances, ids = tasks.nearest_in_cuts([cut], np.array(EMPTY), 30, 0, N, 9)
    assert (distances == 1.0).all()
    assert all(len(set(row)) == 30 for row in ids)
    assert not (ids == np.array(EMPTY)[:, None]).any()


def test_blocks_fit_the_room(grown):
    forest, leaves = grown
    ((shard, mine),) = shards_of(forest, leaves, np.array([7]), "depth")
    order = leaf_order(mine)
    whole = tasks.cut_shard(shard, mine, order).nbytes
    assert tasks.rows_per_block(shard, mine, order, 7, whole) == N
    rows = tasks.rows_per_block(shard, mine, order, 7, whole // 3)
    assert 1 < rows < N
    assert tasks.cut_shard(shard, mine, order[:rows]).nbytes <= whole // 3
    assert tasks.rows_per_block(shard, mine, order, 7, 1) == 1


def test_weights_are_those_of_all_trees(grown):
    """With very many trees each one weighs less, in a shard as well."""
    forest, leaves = grown
    assert (
        tasks.build_shard(forest, [leaves], 20_000, "depth").weight.max() == (2**24 - 1) // 20_000
    )
