import hostile
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle
from urerf.kernels.bins import BINNED_ROWS
from urerf.kernels.fast_bic import x_log_x
from urerf.kernels.settings import (
    AXIS,
    DIRECTION,
    FAST_BIC,
    GAIN,
    MCLUST_BIC,
    OBLIQUE,
    RAW,
    TWO_MEANS,
    Settings,
)
from urerf.kernels.split import choose_cut
from urerf.kernels.tree import PEEL_LEAST, PEEL_SHARE, POOL, apply_tree, grow_tree

UNLIMITED = 2**62
DEEP = 2**31 - 1
settings = Settings(
    projection=OBLIQUE,
    max_features=3,
    criterion=FAST_BIC,
    split_score=GAIN,
    min_samples_split=5,
    min_samples_leaf=1,
    max_depth=DEEP,
    density=0.5,
    random_flat_nodes=False,
    floor=0.01,
    screening_rows=0,
    peel_work=UNLIMITED,
    peel_chain=UNLIMITED,
)


def grow(table, settings, key=0, screen=0, rows=None, chance=None, presort=False):
    rows = np.arange(table.shape[1], dtype=np.int32) if rows is None else rows
    chance = np.ones(len(table)) if chance is None else np.array(chance)
    order = (
        np.argsort(table, axis=1).astype(np.int32)
        if presort
        else np.empty((len(table), 0), np.int32)
    )
    settings = settings._replace(screening_rows=screen)
    return grow_tree(table, order, rows, np.uint64(key), chance, settings)


def apply(tree, table):
    leaf = np.full(table.shape[1], -1, np.int32)
    apply_tree(table, tree, leaf)
    return leaf


def noise(p, n, seed=0):
    return np.random.default_rng(seed).normal(size=(p, n)).astype(np.float32)


def same(one, other):
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def assert_well_formed(tree, settings):
    """Preorder, leaves numbered from the left, sizes that add up, depth and leaf size respected."""
    child, cut, size, direction, begin, columns, coefficients = tree
    leaves = 0

    def walk(node, depth):
        """Check the subtree; return the first node after it."""
        nonlocal leaves
        assert depth <= settings.max_depth
        if child[node] < 0:
            assert child[node] == -1 - leaves
            assert direction[node] == -1
            assert node == 0 or size[node] >= settings.min_samples_leaf
            leaves += 1
            return node + 1
        assert size[node] >= settings.min_samples_split
        assert begin[direction[node]] < begin[direction[node] + 1]
        assert walk(node + 1, depth + 1) == child[node]
        assert size[node + 1] + size[child[node]] == size[node]
        return walk(child[node], depth + 1)

    assert walk(0, 0) == child.size == cut.size == size.size == direction.size
    assert begin.size - 1 == (POOL if settings.projection == DIRECTION else leaves - 1)
    assert begin[0] == 0
    assert begin[-1] == columns.size == coefficients.size
    assert child.size == 2 * leaves - 1


def assert_chosen_well(tree, table, rows, key, settings, screen=0, chance=None):
    """Walk down: every node's split is among the best its candidates offer, every leaf's reason is real."""
    child, cut, size, direction, begin, columns, coefficients = tree
    settings = settings._replace(screening_rows=screen)
    chance = [1.0] * len(table) if chance is None else chance
    pool = None
    if settings.projection == DIRECTION:
        pool, table = oracle.draw_pool(table, rows, key, settings, chance)
        settings = settings._replace(projection=AXIS)
        chance = [1.0] * len(table)
        rows = np.arange(len(rows))

    def walk(node, rows, key, depth):
        assert size[node] == len(rows)
        grows = len(rows) >= settings.min_samples_split and depth < settings.max_depth
        choices = oracle.node_choices(table, rows, key, settings, chance)[0] if grows else []
        assert (child[node] >= 0) == bool(choices)
        if not choices:
            return
        run = slice(begin[direction[node]], begin[direction[node] + 1])
        chosen = columns[run].tolist(), coefficients[run].tolist()
        if pool:
            assert chosen == (list(pool[direction[node]][0]), list(pool[direction[node]][1]))
            chosen = [direction[node]], [1.0]
        enough = min(choice.cut.score for choice in choices) + 1e-7 * len(rows)
        offered = [
            c.cut
            for c in choices
            if (c.columns, c.coefficients) == chosen and c.cut.score <= enough
        ]
        assert offered
        values = oracle.project(table, rows, *chosen)
        level = oracle.all_cuts(
            np.sort(values),
            settings.criterion,
            settings.split_score,
            settings.min_samples_leaf,
            settings.floor,
        )
        assert cut[node] in [c.value for c in offered + level if c.score <= enough]
        below = values < cut[node]
        walk(node + 1, rows[below], oracle.derive(key, 0), depth + 1)
        walk(child[node], rows[~below], oracle.derive(key, 1), depth + 1)

    walk(0, rows, key, 0)


drawn_settings = st.builds(
    Settings,
    projection=st.sampled_from([AXIS, OBLIQUE, DIRECTION]),
    max_features=st.just(1),
    criterion=st.sampled_from([TWO_MEANS, FAST_BIC]),
    split_score=st.just(GAIN),
    min_samples_split=st.integers(2, 8),
    min_samples_leaf=st.integers(1, 4),
    max_depth=st.sampled_from([0, 1, 2, 4, DEEP]),
    density=st.sampled_from([0.1, 0.5, 1.0]),
    peel_work=st.just(UNLIMITED),
    random_flat_nodes=st.booleans(),
    floor=st.sampled_from([1e-2, 1e-6]),
    screening_rows=st.just(0),
    peel_chain=st.just(UNLIMITED),
)


# Against the oracle
# ---------------------------------------------------------------------------------------------------


@given(
    hostile.tables(), hostile.keys, drawn_settings, st.integers(1, 4), st.sampled_from([1.0, 0.3])
)
def test_every_node_is_split_as_well_as_its_candidates_allow(table, key, settings, d, chance):
    table = table / np.float32(64)  # a few times 3e38 is finite then: sums do not overflow
    settings = settings._replace(max_features=min(d, len(table)))
    chances = [1.0, chance, chance, 1.0][: len(table)]
    tree = grow(table, settings, key, chance=chances)
    assert_well_formed(tree, settings)
    rows = np.arange(table.shape[1])
    assert_chosen_well(tree, table, rows, key, settings, chance=chances)


@pytest.mark.parametrize("kind", [AXIS, OBLIQUE, DIRECTION], ids=["axis", "oblique", "direction"])
@pytest.mark.parametrize(
    ("criterion", "score"),
    [(FAST_BIC, GAIN), (FAST_BIC, RAW), (TWO_MEANS, GAIN), (TWO_MEANS, RAW), (MCLUST_BIC, GAIN)],
)
@pytest.mark.parametrize("screen", [0, 30])
def test_node_by_node_like_the_oracle(kind, criterion, score, screen):
    """On values without ties the whole tree is the same, rows in every leaf included."""
    table = noise(6, 100 if criterion == MCLUST_BIC else 150)
    table[:2] += 5 * (np.arange(table.shape[1]) % 2)
    chosen = settings._replace(
        projection=kind,
        criterion=criterion,
        split_score=score,
        min_samples_split=8,
        min_samples_leaf=2,
    )
    chosen = chosen._replace(
        random_flat_nodes=kind == DIRECTION, floor=1e-6 if score == RAW else 1e-2
    )
    rows = np.sort(np.random.default_rng(1).integers(0, table.shape[1], table.shape[1])).astype(
        np.int32
    )  # a bootstrap
    tree = grow(table, chosen, 9, screen, rows)
    nodes = oracle.preorder(oracle.grow(table, rows, 9, chosen._replace(screening_rows=screen)))
    child, cut, size, direction, begin, columns, _ = tree
    assert size.tolist() == [len(node.rows) for node in nodes]
    assert [c >= 0 for c in child] == [node.choice is not None for node in nodes]
    inner = [(i, node.choice) for i, node in enumerate(nodes) if node.choice]
    assert len(inner) > 5
    for i, choice in inner:
        assert columns[begin[direction[i]] : begin[direction[i] + 1]].tolist() == choice.columns
        assert cut[i] == pytest.approx(
            choice.cut.value, rel=1e-4 if criterion == MCLUST_BIC else 0, abs=1e-3
        )
    leaves = [node.rows for node in nodes if node.choice is None]
    assert (
        apply(tree, table)[np.concatenate(leaves)].tolist()
        == np.repeat(range(len(leaves)), [len(leaf) for leaf in leaves]).tolist()
    )


@given(hostile.tables(), hostile.keys, drawn_settings, st.sampled_from([GAIN, RAW]))
def test_sorting_all_columns_beforehand_changes_nothing(table, key, settings, score):
    table = table / np.float32(64)
    settings = settings._replace(split_score=score, max_features=min(2, len(table)))
    rows = np.sort(
        np.random.default_rng(key % 1000).integers(0, table.shape[1], table.shape[1])
    ).astype(np.int32)
    assert same(
        grow(table, settings, key, rows=rows), grow(table, settings, key, rows=rows, presort=True)
    )


def test_sorting_beforehand_on_long_chains():
    """Both signs, rows drawn up to five times, nodes that hold from all to a tenth of the rows."""
    table = noise(40, 500)
    rows = np.sort(np.random.default_rng(1).integers(0, 500, 500)).astype(np.int32)
    assert np.bincount(rows).max() >= 4
    for kind in (AXIS, OBLIQUE):
        chosen = settings._replace(
            projection=kind, split_score=RAW, max_features=6, density=1 / 40, min_samples_split=30
        )
        tree = grow(table, chosen, 2, rows=rows, presort=True)
        assert tree[0].size > 40
        assert same(tree, grow(table, chosen, 2, rows=rows))


def test_peeling_chain_like_the_oracle():
    table = noise(3, 200)
    for chain in (0, 1, 3, 10):
        chosen = settings._replace(
            peel_chain=chain, min_samples_split=40, max_features=1, density=0.4
        )
        sizes = [
            len(node.rows)
            for node in oracle.preorder(oracle.grow(table, np.arange(200), 3, chosen))
        ]
        assert grow(table, chosen, 3)[2].tolist() == sizes


def test_peeling_budget_like_the_oracle():
    table = noise(3, 200)
    for budget in np.array([0, 1, 2, 5, 12]) * PEEL_LEAST:
        chosen = settings._replace(
            peel_work=budget, min_samples_split=40, max_features=1, density=0.4
        )
        sizes = [
            len(node.rows)
            for node in oracle.preorder(oracle.grow(table, np.arange(200), 3, chosen))
        ]
        assert grow(table, chosen, 3)[2].tolist() == sizes


@given(
    hostile.tables(elements=st.integers(-4, 4).map(float)),
    hostile.tables(max_columns=1),
    hostile.keys,
)
def test_apply_walks_every_row(table, other, key):
    tree = grow(table, settings._replace(min_samples_split=2), key)
    assert apply(tree, table).tolist() == oracle.apply(tree, table)
    queries = np.ascontiguousarray(
        np.broadcast_to(other / np.float32(8), (len(table), other.shape[1]))
    )
    assert apply(tree, queries).tolist() == oracle.apply(tree, queries)


def test_random_cuts_like_the_oracle():
    """Pure noise has no two components: nodes are cut at random, and not one point after the other."""
    table = noise(3, 300)
    for screen in (0, 40):
        chosen = settings._replace(random_flat_nodes=True, min_samples_split=20)
        tree = grow(table, chosen, 5, screen)
        assert_chosen_well(tree, table, np.arange(300), 5, chosen, screen)
        child, _, size, *_ = tree
        inner = np.flatnonzero(child >= 0)
        smaller = np.minimum(size[inner + 1], size[child[inner]])
        assert np.median(smaller / size[inner]) > 0.1
        peeled = grow(table, chosen._replace(random_flat_nodes=False), 5, screen)
        assert peeled[0].size > tree[0].size


# Properties
# -----------------------------------------------------------------------------------------------------------


@given(
    hostile.tables(elements=st.integers(-4, 4).map(float)),
    hostile.keys,
    drawn_settings,
    st.integers(0, 5),
)
def test_leaves_hold_the_rows_they_were_grown_on(table, key, settings, screen):
    tree = grow(table, settings, key, screen)
    assert_well_formed(tree, settings)
    child, _, size, *_ = tree
    assert np.array_equal(
        np.bincount(apply(tree, table), minlength=(child < 0).sum()), size[child < 0]
    )


@pytest.mark.parametrize("seed", range(5))
def test_order_of_rows_does_not_matter(seed):
    table = noise(4, 200, seed)
    order = np.random.default_rng(seed).permutation(200)
    assert same(grow(table, settings), grow(np.ascontiguousarray(table[:, order]), settings))


@pytest.mark.parametrize("seed", range(5))
def test_rows_drawn_are_the_only_ones_seen(seed):
    """A tree on some rows of a table is the tree on the table of these rows; what the caller passed is untouched."""
    table = noise(4, 200, seed)
    rows = np.sort(np.random.default_rng(seed).integers(0, 200, 150)).astype(np.int32)
    before = rows.copy()
    tree = grow(table, settings, seed, rows=rows)
    assert np.array_equal(rows, before)
    assert same(tree, grow(np.ascontiguousarray(table[:, rows]), settings, seed))
    assert not same(tree, grow(table, settings, seed))


@pytest.mark.parametrize("screen", [100, 101, 150, 10_000])
def test_screening_leaves_small_nodes_alone(screen):
    """Up to twice as many rows as are screened, nothing is estimated."""
    table = noise(5, 200)
    assert same(grow(table, settings, 1, screen), grow(table, settings, 1, 0))


def test_screening_estimates_the_column_but_not_the_cut():
    table = noise(5, 1000)
    table[3] += 6 * (np.arange(1000) % 2)
    axis = settings._replace(projection=AXIS, max_features=5, max_depth=1)
    _, cut, size, _, _, columns, _ = grow(table, axis, 1, 50)
    exact = grow(table, axis, 1, 0)
    assert columns.tolist() == exact[5].tolist() == [3]
    assert cut[0] == exact[1][0]
    assert size.tolist() == [1000, 500, 500]
    # With fewer rows, screening draws others with another key, so a noisy choice differs now and
    # then.
    blind = [grow(noise(5, 1000, 7), axis, key, 20)[5].tolist() for key in range(20)]
    assert len({tuple(columns) for columns in blind}) > 1


def test_a_screened_winner_that_cannot_be_cut_gives_way():
    table = noise(2, 1000)
    table[1] = 0.0
    table[1, :40] = 9.0  # two clear groups, but the smaller is below min_leaf
    chosen = settings._replace(
        projection=AXIS, max_features=2, min_samples_split=800, min_samples_leaf=50
    )
    for key in range(
        30
    ):  # in some of them the screened rows hold five of the forty, enough for them to win
        assert grow(table, chosen, key=key, screen=100)[0].size > 1


@pytest.mark.parametrize("screen", [0, 2048])
def test_peeling_is_bounded_on_noise(screen):
    """Pure noise is only peeled; the budget ends that: at most budget / (values a node) cuts that peel."""
    table = noise(10, 20_000)
    budget = 1 << 22
    chosen = settings._replace(projection=AXIS, min_samples_split=100, peel_work=budget)
    child, _, size, *_ = tree = grow(table, chosen, 0, screen)
    assert_well_formed(tree, chosen)
    inner = np.flatnonzero(child >= 0)
    smaller = np.minimum(size[inner + 1], size[child[inner]])
    peeled = size[inner][smaller < PEEL_SHARE * size[inner]]
    assert peeled.sum() <= budget
    assert child.size < 400
    half = grow(table, chosen._replace(peel_work=budget // 2), 0, screen)
    assert half[0].size < child.size
    assert grow(table, chosen._replace(peel_work=0), 0, screen)[0].size <= half[0].size


def test_clusters_are_cut_before_peeling_ends():
    """Without any budget a tree still cuts what is not peeling: four clusters."""
    table = np.random.default_rng(0).normal(0, 0.5, size=(2, 400)).astype(np.float32)
    table += np.array([[0, 0, 20, 20], [0, 20, 0, 20]], np.float32)[:, np.arange(400) % 4]
    tree = grow(
        table,
        settings._replace(projection=AXIS, max_features=2, peel_work=0, min_samples_split=150),
    )
    assert tree[2][tree[0] < 0].tolist() == [100, 100, 100, 100]


@pytest.mark.parametrize("p", [1, 3])
def test_equal_rows_are_one_leaf(p):
    for n in (1, 2, 50):
        child, _, size, direction, begin, *_ = grow(
            np.full((p, n), 3e38, np.float32),
            settings._replace(max_features=1, min_samples_split=2),
        )
        assert (child.tolist(), size.tolist(), direction.tolist(), begin.tolist()) == (
            [-1],
            [n],
            [-1],
            [0],
        )


def test_duplicates_stay_together():
    table = np.repeat(noise(3, 20), 10, axis=1)
    leaf = apply(grow(table, settings._replace(min_samples_split=2)), table).reshape(20, 10)
    assert (leaf == leaf[:, :1]).all()
    assert len(set(leaf[:, 0])) == 20


@given(hostile.keys, st.floats(0.05, 1))
def test_sums_that_overflow_do_no_harm(key, density):
    """3e38 + 3e38 is infinite in float32: such a candidate is passed over, the tree stays well formed."""
    table = np.random.default_rng(0).choice(np.array([3e38, -3e38, 0, 1], np.float32), (4, 40))
    chosen = settings._replace(density=density, min_samples_split=2)
    tree = grow(table, chosen, key)
    assert_well_formed(tree, chosen)
    assert np.isfinite(tree[1]).all()
    child, _, size, *_ = tree
    assert np.array_equal(
        np.bincount(apply(tree, table), minlength=(child < 0).sum()), size[child < 0]
    )


def test_many_nonzeros_a_node():
    """More non-zeros than the first arrays have room for."""
    table = noise(300, 60)
    tree = grow(table, settings._replace(density=1.0, max_features=2))
    assert_well_formed(tree, settings)
    assert tree[5].size == 300 * (tree[0] >= 0).sum()
    assert_chosen_well(
        tree, table, np.arange(60), 0, settings._replace(density=1.0, max_features=2)
    )


@pytest.mark.parametrize("score", [GAIN, RAW])
def test_a_large_node_is_cut_where_its_sorted_values_are(score):
    """More rows than are sorted: the root's cut is the exact one, and rows are parted by it."""
    n = 2 * BINNED_ROWS
    table = np.concatenate([noise(1, n), noise(1, n) + 9 * (np.arange(n) % 3 == 0)]).astype(
        np.float32
    )
    chosen = settings._replace(projection=AXIS, max_features=2, split_score=score, max_depth=1)
    _, cut, size, direction, _, columns, _ = tree = grow(table, chosen, screen=0)
    values = table[columns[direction[0]]]
    z = np.sort(values)
    room = (np.empty(n + 2), np.empty(n + 2), x_log_x(n))
    assert cut[0] == choose_cut(z, FAST_BIC, score, 1, *room, chosen.floor, np.inf)[1]
    assert size[1] == (values < cut[0]).sum()
    assert np.bincount(apply(tree, table)).tolist() == [size[1], size[2]]
