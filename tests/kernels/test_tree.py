import hostile
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from trees import (
    SETTINGS,
    apply,
    assert_chosen_well,
    assert_leaves_hold_their_rows,
    assert_well_formed,
    bootstrap,
    drawn_settings,
    grow,
    noise,
    projection_of,
    same,
    smaller_sides,
)

import oracle
from urerf.kernels.settings import (
    AXIS,
    DIRECTION,
    FAST_BIC,
    GAIN,
    MCLUST_BIC,
    OBLIQUE,
    RAW,
    TWO_MEANS,
)
from urerf.kernels.tree import PEEL_LEAST, PEEL_SHARE, Tree, _partition

few_values = hostile.matrices(elements=st.integers(-4, 4).map(float))


# -- Against the oracle


@given(
    hostile.matrices(), hostile.keys, drawn_settings, st.integers(1, 4), st.sampled_from([1.0, 0.3])
)
def test_every_node_is_split_as_well_as_its_candidates_allow(matrix, key, settings, d, weight):
    matrix = matrix / np.float32(64)  # sums of a few times 3e38 are finite then
    settings = settings._replace(max_features=min(d, len(matrix)))
    feature_weights = [1.0, weight, weight, 1.0][: len(matrix)]
    tree = grow(matrix, settings, key, feature_weights=feature_weights)
    assert_well_formed(tree, settings)
    rows = np.arange(matrix.shape[1])
    assert_chosen_well(tree, matrix, rows, key, settings, feature_weights)


@pytest.mark.parametrize(
    "projection", [AXIS, OBLIQUE, DIRECTION], ids=["axis", "oblique", "direction"]
)
@pytest.mark.parametrize(
    ("criterion", "score"),
    [(FAST_BIC, GAIN), (FAST_BIC, RAW), (TWO_MEANS, GAIN), (TWO_MEANS, RAW), (MCLUST_BIC, GAIN)],
)
@pytest.mark.parametrize("screen", [0, 30])
def test_node_by_node_like_the_oracle(projection, criterion, score, screen):
    """On values without ties the whole tree is the same, including the rows of every leaf."""
    n = 100 if criterion == MCLUST_BIC else 150
    matrix = noise(6, n)
    matrix[:2] += 5 * (np.arange(n) % 2)
    settings = SETTINGS._replace(
        projection=projection,
        criterion=criterion,
        split_score=score,
        min_samples_split=8,
        min_samples_leaf=2,
        random_flat_nodes=projection == DIRECTION,
        floor=1e-6 if score == RAW else 1e-2,
        screening_rows=screen,
    )
    rows = bootstrap(n, seed=1)
    tree = grow(matrix, settings, 9, rows)
    nodes = oracle.preorder(oracle.grow(matrix, rows, 9, settings))
    assert tree.size.tolist() == [len(node.rows) for node in nodes]
    assert (tree.child >= 0).tolist() == [node.choice is not None for node in nodes]
    inner = [(i, node.choice) for i, node in enumerate(nodes) if node.choice]
    assert len(inner) > 5
    rel = 1e-4 if criterion == MCLUST_BIC else 0
    for i, choice in inner:
        assert projection_of(tree, i)[0] == choice.columns
        assert tree.cut[i] == pytest.approx(choice.cut.value, rel=rel, abs=1e-3)
    leaves = [node.rows for node in nodes if node.choice is None]
    applied = apply(tree, matrix)
    assert all((applied[leaf] == number).all() for number, leaf in enumerate(leaves))


def sizes_of_oracle(matrix, key, settings):
    tree = oracle.grow(matrix, np.arange(matrix.shape[1]), key, settings)
    return [len(node.rows) for node in oracle.preorder(tree)]


CHAINS = [{"peel_chain": chain} for chain in (0, 1, 3, 10)]
BUDGETS = [{"peel_work": cuts * PEEL_LEAST} for cuts in (0, 1, 2, 5, 12)]


@pytest.mark.parametrize("bound", [*CHAINS, *BUDGETS], ids=str)
def test_bounds_on_peeling_like_the_oracle(bound):
    matrix = noise(3, 200)
    settings = SETTINGS._replace(**bound, min_samples_split=40, max_features=1, density=0.4)
    assert grow(matrix, settings, 3).size.tolist() == sizes_of_oracle(matrix, 3, settings)


def long_tails(p, n, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_t(2, size=(p, n)).astype(np.float32)


@pytest.mark.parametrize("limit", [{"peel_chain": 2}, {"peel_work": 2 * PEEL_LEAST}])
@pytest.mark.parametrize("screen", [0, 40])
def test_nodes_are_cut_at_random_instead_of_peeled_like_in_the_oracle(limit, screen):
    matrix = long_tails(3, 300)
    settings = SETTINGS._replace(
        random_flat_nodes=True,
        min_samples_split=20,
        max_features=1,
        density=0.4,
        screening_rows=screen,
        **limit,
    )
    for key in range(4):
        assert grow(matrix, settings, key).size.tolist() == sizes_of_oracle(matrix, key, settings)


def test_long_tails_do_not_leave_large_leaves():
    """The best cut of long tails peels; when it may not, nodes are still cut down to the end."""
    matrix = long_tails(4, 5000)
    settings = SETTINGS._replace(
        projection=AXIS, peel_work=10 * PEEL_LEAST, peel_chain=64, min_samples_split=10
    )
    whole = grow(matrix, settings)
    assert whole.size[whole.child < 0].max() > 1000
    cut = grow(matrix, settings._replace(random_flat_nodes=True))
    assert cut.size[cut.child < 0].max() < 10


@given(hostile.arrays(min_size=1), hostile.numbers())
def test_partition_keeps_both_sides_in_order(values, cut):
    rows = np.arange(100, 100 + values.size, dtype=np.int32)
    below = values < np.float32(cut)
    expected = [*rows[below], *rows[~below]]
    spare = np.full(values.size, -1, np.int32)
    assert _partition(rows, values, np.float32(cut), spare) == below.sum()
    assert rows.tolist() == expected


# -- Properties


@given(few_values, hostile.keys, drawn_settings, st.integers(0, 5))
def test_leaves_hold_the_rows_they_were_grown_on(matrix, key, settings, screen):
    tree = grow(matrix, settings._replace(screening_rows=screen), key)
    assert_well_formed(tree, settings)
    assert_leaves_hold_their_rows(tree, matrix)


@pytest.mark.parametrize("seed", range(5))
def test_order_of_rows_does_not_matter(seed):
    matrix = noise(4, 200, seed)
    order = np.random.default_rng(seed).permutation(200)
    assert same(grow(matrix), grow(np.ascontiguousarray(matrix[:, order])))


@pytest.mark.parametrize("seed", range(5))
def test_only_the_drawn_rows_are_read(seed):
    """A tree on some rows of a matrix is the tree on the matrix of these rows."""
    matrix = noise(4, 200, seed)
    rows = bootstrap(200, seed)[:150]
    before = rows.copy()
    tree = grow(matrix, key=seed, rows=rows)
    assert np.array_equal(rows, before)
    assert same(tree, grow(np.ascontiguousarray(matrix[:, rows]), key=seed))
    assert not same(tree, grow(matrix, key=seed))


@pytest.mark.parametrize("screen", [0, 2048])
def test_peeling_is_bounded_on_noise(screen):
    """Pure noise is only peeled; the budget bounds the values that peeling cuts look at."""
    matrix = noise(10, 20_000)
    budget = 1 << 22
    settings = SETTINGS._replace(
        projection=AXIS, min_samples_split=100, peel_work=budget, screening_rows=screen
    )
    tree = grow(matrix, settings)
    assert_well_formed(tree, settings)
    sizes, smaller = smaller_sides(tree)
    assert sizes[smaller < PEEL_SHARE * sizes].sum() <= budget
    assert tree.child.size < 400
    half = grow(matrix, settings._replace(peel_work=budget // 2))
    assert half.child.size < tree.child.size
    none = grow(matrix, settings._replace(peel_work=0))
    assert none.child.size <= half.child.size


def test_clusters_are_cut_before_peeling_ends():
    """Without any budget a tree still makes all cuts that do not peel: four clusters."""
    matrix = np.random.default_rng(0).normal(0, 0.5, size=(2, 400)).astype(np.float32)
    centers = np.array([[0, 0, 20, 20], [0, 20, 0, 20]], np.float32)
    matrix += centers[:, np.arange(400) % 4]
    settings = SETTINGS._replace(
        projection=AXIS, max_features=2, peel_work=0, min_samples_split=150
    )
    tree = grow(matrix, settings)
    assert tree.size[tree.child < 0].tolist() == [100, 100, 100, 100]


@pytest.mark.parametrize("p", [1, 3])
@pytest.mark.parametrize("n", [1, 2, 50])
def test_equal_rows_are_one_leaf(p, n):
    matrix = np.full((p, n), 3e38, np.float32)
    tree = grow(matrix, SETTINGS._replace(max_features=1, min_samples_split=2))
    assert tree.child.tolist() == [-1]
    assert tree.size.tolist() == [n]
    assert tree.direction.tolist() == [-1]
    assert tree.begin.tolist() == [0]


def test_duplicates_stay_together():
    matrix = np.repeat(noise(3, 20), 10, axis=1)
    tree = grow(matrix, SETTINGS._replace(min_samples_split=2))
    leaf = apply(tree, matrix).reshape(20, 10)
    assert (leaf == leaf[:, :1]).all()
    assert len(set(leaf[:, 0])) == 20


@given(hostile.keys, st.floats(0.05, 1))
def test_sums_that_overflow_do_no_harm(key, density):
    """3e38 + 3e38 is infinite in float32: such a candidate is skipped, the tree is well formed."""
    matrix = np.random.default_rng(0).choice(np.array([3e38, -3e38, 0, 1], np.float32), (4, 40))
    settings = SETTINGS._replace(density=density, min_samples_split=2)
    tree = grow(matrix, settings, key)
    assert_well_formed(tree, settings)
    assert np.isfinite(tree.cut).all()
    assert_leaves_hold_their_rows(tree, matrix)


def test_many_nonzeros_per_node():
    """More non-zeros than the first arrays have room for."""
    matrix = noise(300, 60)
    settings = SETTINGS._replace(density=1.0, max_features=2)
    tree = grow(matrix, settings)
    assert_well_formed(tree, settings)
    assert tree.columns.size == 300 * (tree.child >= 0).sum()
    assert_chosen_well(tree, matrix, np.arange(60), 0, settings)


def test_an_empty_tree_has_the_types_of_a_grown_one():
    empty = Tree.empty()
    assert [a.dtype for a in empty] == [a.dtype for a in grow(noise(2, 20))]
    assert all(a.size == 0 for a in empty)
