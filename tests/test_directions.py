"""What a node looks at and where it cuts: columns drawn by their chance, random directions, random cuts."""

import itertools
from dataclasses import fields

import numpy as np
import pytest
from scipy.stats import kstest

from urerf import URerF
from urerf.datasets import make_helix
from urerf.forest import Forest, Growth
from urerf.kernels.fast_bic import x_log_x
from urerf.kernels.projection import sample_projections
from urerf.kernels.rng import random_below, random_bits, random_unit
from urerf.kernels.settings import AXIS, DIRECTION, FAST_BIC, FLOORS, GAIN, OBLIQUE
from urerf.kernels.split import choose_cut, cut_at_random


def draw(key, kind, d, density, chance):
    """Return the candidates as a list of (columns, weights)."""
    chance = np.asarray(chance, dtype=np.float64)
    deck = np.arange(len(chance), dtype=np.int32)
    begin = np.full(d + 1, -1, np.int64)
    columns = np.empty(4 * d, np.int32)
    weights = np.empty(4 * d, np.float32)
    columns, weights = sample_projections(
        np.uint64(key), kind, d, density, chance, deck, begin, columns, weights
    )
    assert (deck == np.arange(len(chance))).all()
    return [(columns[a:b].tolist(), weights[a:b].tolist()) for a, b in itertools.pairwise(begin)]


def forests_equal(a, b):
    names = [field.name for field in fields(Forest)]
    return all(np.array_equal(getattr(a, name), getattr(b, name)) for name in names)


def depths(forest):
    """Return the depth of every tree."""
    deepest = []
    for t in range(forest.n_trees):
        child = forest.tree(t).child
        depth = np.zeros(len(child), dtype=int)
        for node in np.flatnonzero(child >= 0):  # preorder: parents first
            depth[[node + 1, child[node]]] = depth[node] + 1
        deepest.append(depth.max())
    return np.array(deepest)


# -- columns by chance
# -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [OBLIQUE, DIRECTION])
@pytest.mark.parametrize("density", [0.05, 0.3, 1.0])
def test_columns_are_kept_in_proportion_to_their_chance(kind, density):
    """Each is there with density * chance; an empty candidate gets one column, in proportion to its chance."""
    chance = np.array([1.0, 0.5, 0.25, 0.1, 1.0, 0.02])
    d = 10
    nodes = 1500
    times = np.zeros(6)
    sizes = []
    for key in range(nodes):
        for columns, weights in draw(key, kind, d, density, chance):
            assert columns
            assert columns == sorted(set(columns))
            assert len(weights) == len(columns)
            times[columns] += 1
            sizes.append(len(columns))
    empty = np.prod(1 - density * chance)
    expected = density * chance + empty * chance / chance.sum()
    error = np.sqrt(expected * (1 - expected) / (d * nodes))
    assert (np.abs(times / (d * nodes) - expected) <= 4 * error + 1e-12).all()
    assert np.mean(sizes) == pytest.approx(expected.sum(), rel=0.03)


@pytest.mark.parametrize("kind", [OBLIQUE, DIRECTION])
@pytest.mark.parametrize("chance", [[1e-3] * 4, [1.0, 1e-9, 1e-9], [0.01]])
def test_candidates_are_never_empty(kind, chance):
    for key in range(50):
        for columns, weights in draw(key, kind, 5, 0.5, chance):
            assert len(columns) == len(weights) >= 1
            assert set(columns) <= set(range(len(chance)))


@pytest.mark.parametrize("d", [1, 2, 4])
def test_axis_draws_by_chance(d):
    """Columns come in random order, each is passed over by its chance while enough are left: by enumeration."""
    chance = [1.0, 0.5, 0.2, 0.05]
    p = 4
    nodes = 6000
    expected = np.zeros(p)
    for order in itertools.permutations(range(p)):
        states = {(): 1.0}
        for at, column in enumerate(order):
            after = {}
            for taken, share in states.items():
                needed = d - len(taken)
                if needed == 0:
                    after[taken] = after.get(taken, 0) + share
                    continue
                keep = 1.0 if p - at == needed else chance[column]
                after[(*taken, column)] = after.get((*taken, column), 0) + share * keep
                if keep < 1:
                    after[taken] = after.get(taken, 0) + share * (1 - keep)
            states = after
        for taken, share in states.items():
            assert len(taken) == d
            expected[list(taken)] += share / 24
    times = np.zeros(p)
    for key in range(nodes):
        times[[columns[0] for columns, _ in draw(key, AXIS, d, 1.0, chance)]] += 1
    error = np.sqrt(expected * (1 - expected) / nodes)
    assert (np.abs(times / nodes - expected) <= 4 * error + 1e-9).all()


@pytest.mark.parametrize(("d", "p"), [(1, 1), (5, 5), (4, 5), (3, 50), (50, 50)])
def test_axis_draws_distinct_columns_however_small_the_chance(d, p):
    for key in range(40):
        candidates = draw(key, AXIS, d, 1.0, [1e-7] * p)
        assert len({columns[0] for columns, _ in candidates}) == d
        assert all(len(columns) == 1 and weights == [1.0] for columns, weights in candidates)


def test_axis_prefers_columns_with_a_chance():
    chance = np.full(100, 1e-6)
    chance[[7, 42, 99]] = 1.0
    for key in range(100):
        assert {columns[0] for columns, _ in draw(key, AXIS, 3, 1.0, chance)} == {7, 42, 99}


def without_chances(key, d, density, p):
    """Return the signed candidates of the paper, whose columns are all alike."""
    key = np.uint64(key)
    counter = 0
    candidates = []
    for _ in range(d):
        columns = []
        weights = []
        column = -1
        while True:
            jump = np.log(1.0 - random_unit(key, counter)) / np.log1p(-density)
            counter += 1
            if not jump < p - 1 - column and columns:
                break
            alone = not jump < p - 1 - column
            if alone:
                column = random_below(key, counter, p)
                counter += 1
            else:
                column += 1 + int(jump)
            columns.append(int(column))
            weights.append(1.0 if int(random_bits(key, counter)) & 1 else -1.0)
            counter += 1
            if alone:
                break
        candidates.append((columns, weights))
    return candidates


@pytest.mark.parametrize(
    ("d", "density", "p"), [(1, 0.5, 1), (4, 0.05, 20), (3, 0.3, 7), (10, 0.01, 100)]
)
def test_certain_columns_are_drawn_as_without_chances(d, density, p):
    for key in range(30):
        assert draw(key, OBLIQUE, d, density, np.ones(p)) == without_chances(key, d, density, p)


# -- directions
# --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("chance", [np.ones(4), np.array([1.0, 0.5, 0.1, 0.7])])
def test_weights_of_directions_are_gaussian(chance):
    drawn = [draw(key, DIRECTION, 6, 0.6, chance) for key in range(800)]
    weights = np.array([w for node in drawn for _, weights in node for w in weights])
    n = len(weights)
    assert n > 5000
    assert abs(weights.mean()) < 4 / np.sqrt(n)
    assert abs(weights.var() - 1) < 4 * np.sqrt(2 / n)
    assert kstest(weights, "norm").pvalue > 1e-3
    assert np.isfinite(weights).all()
    assert np.unique(weights).size > 0.99 * n
    # The weights of one candidate are independent of each other.
    pairs = np.array([weights[:2] for node in drawn for _, weights in node if len(weights) > 1])
    assert abs(np.corrcoef(pairs.T)[0, 1]) < 4 / np.sqrt(len(pairs))
    assert abs(np.corrcoef(np.abs(pairs.T))[0, 1]) < 4 / np.sqrt(len(pairs))


def test_directions_point_everywhere():
    """Of two columns that are always there, a direction has a uniform angle."""
    angle = [np.arctan2(*draw(key, DIRECTION, 1, 1.0, [1.0, 1.0])[0][1]) for key in range(2000)]
    assert kstest((np.array(angle) + np.pi) / (2 * np.pi), "uniform").pvalue > 1e-3


@pytest.mark.parametrize(("p", "mean"), [(3, 3.0), (20, 10.0), (200, 10.0)])
def test_directions_combine_about_ten_columns(p, mean):
    X = np.random.default_rng(0).normal(size=(150, p))
    forest = URerF(30, feature_weighting="uniform", random_state=0).fit(X).forest_
    counts = np.concatenate([np.diff(forest.tree(t).begin) for t in range(30)])
    counts = counts[counts > 0]
    assert counts.mean() == pytest.approx(mean, rel=0.1)
    assert set(np.abs(forest.coefficients)) != {1.0}


def test_settings_choose_the_kind_of_candidates():
    X = np.random.default_rng(0).normal(size=(100, 9))
    for settings in ({"density": 1}, {"density": 0.3}):
        assert set(URerF(5, random_state=0, **settings).fit(X).forest_.coefficients.tolist()) == {
            -1.0,
            1.0,
        }
    axis = URerF(5, projection="axis", random_state=0).fit(X).forest_
    assert set(axis.coefficients.tolist()) == {1.0}
    assert set(np.diff(axis.tree(0).begin).tolist()) == {1}


def test_work_does_not_grow_with_noise_columns():
    """The forest never sees noise columns: its table, candidates and trees are those of the few that matter."""
    helix = make_helix(300)
    X = np.hstack([np.random.default_rng(0).normal(size=(300, 2000)), helix.X])
    model = URerF(10, random_state=0).fit(X)
    assert model._fitted.matrix.shape == (3, 300)
    assert model._fitted.columns.chosen.tolist() == [2000, 2001, 2002]
    assert forests_equal(model.forest_, URerF(10, random_state=0).fit(helix.X).forest_)


def test_chance_of_a_column_in_trees():
    """A column in doubt is cut by as much less often as its chance says."""
    table = np.random.default_rng(0).normal(size=(4, 400)).astype(np.float32)
    growth = Growth(
        max_features=1,
        density=0.25,
        min_samples_split=20,
        max_samples=400,
        bootstrap=False,
        random_flat_nodes=True,
    )
    chance = np.array([1.0, 1.0, 0.2, 1.0])
    forest = Forest.grow(table, growth, seed=0, trees=range(60), feature_weights=chance)
    times = np.bincount(forest.columns, minlength=4)
    assert times[2] / times[[0, 1, 3]].mean() == pytest.approx(0.2, abs=0.04)
    same = Forest.grow(table, growth, seed=0, trees=range(60), feature_weights=np.ones(4))
    assert forests_equal(same, Forest.grow(table, growth, seed=0, trees=range(60)))
    assert not forests_equal(same, forest)


# -- random cuts
# -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [2, 5, 19, 20, 21, 100, 401])
@pytest.mark.parametrize("unit", [0.0, 0.3, 0.999999])
def test_random_cuts_lie_between_the_quantiles(n, unit):
    z = np.sort(np.random.default_rng(n).normal(size=n).astype(np.float32))
    cut, found = cut_at_random(z, 1, unit)
    assert found
    low = n // 20
    high = n - 1 - n // 20
    assert z[max(low - 1, 0)] < cut <= z[high]
    wanted = z[low] + unit * (float(z[high]) - z[low])
    # one gap: the wanted place is in it or at the first value
    below = z[z < cut].max()
    above = z[z >= cut].min()
    assert below <= max(wanted, z[1] if n > 1 else wanted) + 1e-6
    assert above >= wanted - 1e-6
    assert 1 <= (z < cut).sum() <= n - 1


@pytest.mark.parametrize("min_leaf", [1, 5, 20, 50])
def test_random_cuts_keep_min_leaf_and_equal_values_together(min_leaf):
    rng = np.random.default_rng(0)
    for _ in range(50):
        z = np.sort(rng.integers(0, 6, size=100)).astype(np.float32)
        allowed = [s for s in range(min_leaf, 101 - min_leaf) if z[s - 1] < z[s]]
        cut, found = cut_at_random(z, min_leaf, rng.random())
        assert found == bool(allowed)
        assert not found or (z < cut).sum() in allowed


def roots(X, **settings):
    """Return for every tree (gain, cut by BIC, cut of the tree, sorted values) of a forest of stumps on one column."""
    model = URerF(
        200, projection="axis", feature_weighting="uniform", max_depth=1, random_state=0, **settings
    ).fit(X)
    found = []
    for t in range(200):
        z = np.sort(model._fitted.matrix[0, model.forest_.rows(t)])
        scratch = np.empty(z.size + 2), np.empty(z.size + 2)
        gain, cut = choose_cut(
            z, FAST_BIC, GAIN, 1, *scratch, x_log_x(z.size), FLOORS["gain"], np.inf
        )
        assert model.forest_.tree(t).child[0] > 0
        found.append((gain, cut, model.forest_.tree(t).cut[0], z))
    return found


def test_a_gaussian_node_is_cut_at_random():
    place = []
    for gain, best, cut, z in roots(np.random.default_rng(0).normal(size=(600, 1))):
        if gain < 0:  # two components by chance
            assert cut == best
            continue
        n = z.size
        assert z[n // 20 - 1] < cut <= z[n - 1 - n // 20]
        place.append((cut - z[n // 20]) / (z[n - 1 - n // 20] - z[n // 20]))
    assert len(place) > 150
    assert kstest(place, "uniform").pvalue > 1e-3


def test_two_clusters_are_cut_where_bic_says():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 1)) + 12.0 * (rng.random((600, 1)) < 0.4)
    for gain, best, cut, z in roots(X):
        assert gain < 0
        assert cut == best
        assert np.diff(z)[(z < cut).sum() - 1] == np.diff(z).max()  # in the gap


def test_best_cuts_a_gaussian_node_where_bic_says():
    for _, best, cut, _ in roots(np.random.default_rng(0).normal(size=(600, 1)), flat_nodes="best"):
        assert cut == best


@pytest.mark.parametrize(
    "settings",
    [
        {"split_score": "raw"},
        {"criterion": "two_means"},
        {"criterion": "two_means", "split_score": "raw"},
        {"criterion": "mclust_bic", "split_score": "raw", "n_estimators": 3},
    ],
    ids=str,
)
def test_random_is_best_where_the_score_knows_no_flat_nodes(settings):
    X = np.random.default_rng(0).normal(size=(120, 4))
    a, b = (
        URerF(**{"n_estimators": 10, "random_state": 0, "flat_nodes": x, **settings}).fit(X)
        for x in ("random", "best")
    )
    assert forests_equal(a.forest_, b.forest_)
    np.testing.assert_array_equal(a.kneighbors()[0], b.kneighbors()[0])


@pytest.mark.parametrize("criterion", ["fast_bic", "mclust_bic"])
def test_random_is_not_best_where_it_does(criterion):
    X = np.random.default_rng(0).normal(size=(100, 4))
    a, b = (
        URerF(3, criterion=criterion, flat_nodes=x, random_state=0).fit(X)
        for x in ("random", "best")
    )
    assert not forests_equal(a.forest_, b.forest_)


def test_random_cuts_do_not_peel():
    """On a Gaussian the best cut takes a few extreme points off, again and again; random cuts halve."""
    X = np.random.default_rng(0).normal(size=(1000, 3))
    random, best = (
        URerF(20, flat_nodes=x, random_state=0).fit(X).forest_ for x in ("random", "best")
    )
    assert depths(random).max() <= 20
    assert depths(best).mean() > depths(random).mean()


@pytest.mark.parametrize("min_samples_leaf", [1, 7])
def test_random_cuts_of_counts(min_samples_leaf):
    """Ties and a smallest leaf: every leaf of the rows a tree was grown on is large enough."""
    X = np.random.default_rng(0).poisson(2.0, size=(400, 3)).astype(float)
    forest = URerF(20, min_samples_leaf=min_samples_leaf, random_state=0).fit(X).forest_
    leaf = forest.child < 0
    assert forest.size[leaf].min() >= min_samples_leaf
    assert leaf.sum() > 40
