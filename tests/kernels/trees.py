"""What the tests of trees share: how to grow one, and how to judge it by the oracle."""

import numpy as np
from hypothesis import strategies as st

import oracle
from urerf.kernels.apply import apply_tree
from urerf.kernels.settings import AXIS, DIRECTION, FAST_BIC, GAIN, OBLIQUE, TWO_MEANS, Settings
from urerf.kernels.tree import POOL, grow_tree

UNLIMITED = 2**62
DEEP = 2**31 - 1
SETTINGS = Settings(
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
    random_flat_nodes=st.booleans(),
    floor=st.sampled_from([1e-2, 1e-6]),
    screening_rows=st.just(0),
    peel_work=st.just(UNLIMITED),
    peel_chain=st.just(UNLIMITED),
)


def grow(matrix, settings=SETTINGS, key=0, rows=None, feature_weights=None):
    p, n = matrix.shape
    if rows is None:
        rows = np.arange(n, dtype=np.int32)
    if feature_weights is None:
        feature_weights = np.ones(p)
    return grow_tree(matrix, rows, np.uint64(key), np.array(feature_weights), settings)


def apply(tree, matrix):
    leaf = np.full(matrix.shape[1], -1, np.int32)
    apply_tree(matrix, tree, leaf)
    return leaf


def noise(p, n, seed=0):
    return np.random.default_rng(seed).normal(size=(p, n)).astype(np.float32)


def bootstrap(n, seed):
    """Rows drawn with replacement, ascending."""
    return np.sort(np.random.default_rng(seed).integers(0, n, n)).astype(np.int32)


def same(one, other):
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def projection_of(tree, node):
    """Return (columns, coefficients) of an inner node."""
    direction = tree.direction[node]
    run = slice(tree.begin[direction], tree.begin[direction + 1])
    return tree.columns[run].tolist(), tree.coefficients[run].tolist()


def smaller_sides(tree):
    """Return the sizes of all inner nodes, and of the smaller child of each."""
    inner = np.flatnonzero(tree.child >= 0)
    smaller = np.minimum(tree.size[inner + 1], tree.size[tree.child[inner]])
    return tree.size[inner], smaller


def assert_leaves_hold_their_rows(tree, matrix):
    """Rows that go down the tree come to leaves of the sizes that were grown."""
    leaf = tree.child < 0
    counts = np.bincount(apply(tree, matrix), minlength=leaf.sum())
    assert np.array_equal(counts, tree.size[leaf])


def assert_well_formed(tree, settings):
    """Preorder, leaves numbered from the left, sizes that add up, depth and leaf size respected."""
    child = tree.child
    size = tree.size
    leaves = 0

    def walk(node, depth):
        """Check the subtree; return the first node after it."""
        nonlocal leaves
        assert depth <= settings.max_depth
        if child[node] < 0:
            assert child[node] == -1 - leaves
            assert tree.direction[node] == -1
            assert node == 0 or size[node] >= settings.min_samples_leaf
            leaves += 1
            return node + 1
        assert size[node] >= settings.min_samples_split
        assert projection_of(tree, node)[0]
        assert walk(node + 1, depth + 1) == child[node]
        assert size[node + 1] + size[child[node]] == size[node]
        return walk(child[node], depth + 1)

    assert walk(0, 0) == child.size == tree.cut.size == size.size == tree.direction.size
    directions = POOL if settings.projection == DIRECTION else leaves - 1
    assert tree.begin.size == directions + 1
    assert tree.begin[0] == 0
    assert tree.begin[-1] == tree.columns.size == tree.coefficients.size
    assert child.size == 2 * leaves - 1


def assert_chosen_well(tree, matrix, rows, key, settings, feature_weights=None):
    """Walk down: every split is among the best that its node offers, every leaf has a reason."""
    if feature_weights is None:
        feature_weights = [1.0] * len(matrix)
    pool = None
    if settings.projection == DIRECTION:
        pool, matrix = oracle.draw_pool(matrix, rows, key, settings, feature_weights)
        settings = settings._replace(projection=AXIS)
        feature_weights = [1.0] * len(matrix)
        rows = np.arange(len(rows))

    def walk(node, rows, key, depth):
        assert tree.size[node] == len(rows)
        choices = []
        if len(rows) >= settings.min_samples_split and depth < settings.max_depth:
            choices, _ = oracle.node_choices(matrix, rows, key, settings, feature_weights)
        assert (tree.child[node] >= 0) == bool(choices)
        if not choices:
            return
        chosen = projection_of(tree, node)
        if pool:
            direction = tree.direction[node]
            assert chosen == tuple(pool[direction])
            chosen = [direction], [1.0]
        enough = min(choice.cut.score for choice in choices) + 1e-7 * len(rows)
        offered = [c.cut for c in choices if (c.columns, c.coefficients) == chosen]
        assert any(c.score <= enough for c in offered)
        values = oracle.project(matrix, rows, *chosen)
        rule = settings.criterion, settings.split_score, settings.min_samples_leaf, settings.floor
        level = oracle.all_cuts(np.sort(values), *rule)
        assert tree.cut[node] in [c.value for c in offered + level if c.score <= enough]
        below = values < tree.cut[node]
        walk(node + 1, rows[below], oracle.derive(key, 0), depth + 1)
        walk(tree.child[node], rows[~below], oracle.derive(key, 1), depth + 1)

    walk(0, rows, key, 0)
