from dataclasses import fields
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import kstest

import oracle
from urerf import URerF
from urerf._threads import row_blocks
from urerf.datasets import make_helix
from urerf.forest import Forest, Growth, stream
from urerf.kernels.scratch import make_scratch
from urerf.kernels.settings import AXIS, DIRECTION, FAST_BIC, FLOORS, GAIN, RAW, TWO_MEANS, Rule
from urerf.kernels.split import choose_cut
from urerf.ranking.index import build_index, similarity_matrix

GROWTH = Growth(max_features=3, density=0.3, min_samples_split=10, max_samples=120, bootstrap=False)
TABLE = np.random.default_rng(0).normal(size=(6, 200)).astype(np.float32)
TABLE[:2] += 6 * (np.arange(200) % 2)


def grow(trees=range(10), growth=GROWTH, seed=3, n_jobs=1, table=TABLE):
    return Forest.grow(table, growth, seed=seed, trees=trees, n_jobs=n_jobs)


def same(one, other):
    """Every field, bit for bit."""
    pairs = [(getattr(one, f.name), getattr(other, f.name)) for f in fields(Forest)]
    return all(np.asarray(a).tobytes() == np.asarray(b).tobytes() for a, b in pairs)


def similarity_sums(forest):
    leaves = forest.apply(TABLE, n_jobs=1)
    return similarity_matrix(build_index(forest, leaves, "leaf", n_jobs=1), leaves, n_jobs=1)


# -- The same bits


@pytest.mark.parametrize("projection", ["axis", "oblique", "direction"])
@pytest.mark.parametrize("bootstrap", [False, True])
def test_threads_do_not_matter(projection, bootstrap):
    growth = GROWTH._replace(
        projection=projection, bootstrap=bootstrap, random_flat_nodes=bootstrap
    )
    one = grow(growth=growth)
    leaves = one.apply(TABLE, n_jobs=1)
    for n_jobs in (2, 4):
        other = grow(growth=growth, n_jobs=n_jobs)
        assert same(one, other)
        assert np.array_equal(other.apply(TABLE, n_jobs=n_jobs), leaves)


def test_a_tree_does_not_depend_on_the_others():
    forest = grow(range(10))
    assert same(grow([5]), Forest.merge([grow([5])]))
    for t in (0, 5, 9):
        alone = grow([t])
        assert alone.tree_key[0] == forest.tree_key[t]
        assert all(np.array_equal(a, b) for a, b in zip(alone.tree(0), forest.tree(t), strict=True))
        assert np.array_equal(alone.rows(0), forest.rows(t))
    backwards = grow(range(9, -1, -1))
    assert np.array_equal(backwards.apply(TABLE), forest.apply(TABLE)[::-1])


def test_seeds_and_trees_differ():
    forest = grow(range(4))
    assert not same(forest, grow(range(4), seed=4))
    assert len({forest.tree(t).cut.tobytes() for t in range(4)}) == 4
    assert len({forest.rows(t).tobytes() for t in range(4)}) == 4


def test_keys_and_rows_are_the_stated_streams():
    forest = grow(range(3), seed=2**63 + 5)
    for t in range(3):
        key = oracle.derive(2**63 + 5, t)
        assert forest.tree_key[t] == key
        assert stream(key, 1) == oracle.derive(key, 1)
        assert forest.rows(t).tolist() == oracle.sample_rows(oracle.derive(key, 0), 200, 120, False)


def test_a_tree_like_the_oracle():
    """The whole way, from the seed to the leaves."""
    growth = GROWTH._replace(min_samples_split=30, max_samples=80, peel_work=2**62)
    forest = grow([1], growth)
    key = oracle.derive(3, 1)
    rows = np.array(oracle.sample_rows(oracle.derive(key, 0), 200, 80, False))
    tree = oracle.grow(
        TABLE,
        rows,
        oracle.derive(key, 1),
        growth.settings(),
    )
    nodes = oracle.preorder(tree)
    assert forest.size.tolist() == [len(node.rows) for node in nodes]
    assert forest.cut.tolist() == [
        0.0 if node.choice is None else node.choice.cut.value for node in nodes
    ]
    leaves = [node.rows for node in nodes if node.choice is None]
    applied = forest.apply(TABLE)[0]
    assert all((applied[leaf] == number).all() for number, leaf in enumerate(leaves))


# -- Apply


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_apply_tree_by_tree(n_jobs):
    forest = grow(range(5))
    queries = np.random.default_rng(1).normal(0, 3, size=(6, 37)).astype(np.float32)
    leaves = forest.apply(queries, n_jobs=n_jobs)
    assert leaves.shape == (5, 37)
    assert leaves.dtype == np.int32
    for t in range(5):
        assert leaves[t].tolist() == oracle.apply(forest.tree(t), queries)


def test_leaves_hold_what_was_drawn():
    growth = GROWTH._replace(bootstrap=True)
    forest = grow(range(5), growth)
    leaves = forest.apply(TABLE)
    for t in range(5):
        tree = forest.tree(t)
        assert np.array_equal(np.bincount(leaves[t, forest.rows(t)]), tree.size[tree.child < 0])


def test_rows_with_gaps_go_where_they_were_when_trees_grew():
    X = make_helix(100).X.copy()
    X[np.random.default_rng(0).random(X.shape) < 0.2] = np.nan
    fitted = URerF(5, random_state=0, feature_weighting="uniform").fit(X)._fitted
    leaves = fitted.forest.apply(fitted.reading)
    for t in range(5):
        tree = fitted.forest.tree(t)
        drawn = leaves[t, fitted.forest.rows(t)]
        assert np.array_equal(np.bincount(drawn[drawn >= 0]), tree.size[tree.child < 0])


# -- Merge


def test_merged_is_as_grown_at_once():
    assert same(Forest.merge([grow(range(4)), grow(range(4, 9)), grow([9])]), grow(range(10)))


def test_f_forests_of_t_trees_are_t_forests_of_f_trees():
    """3 forests of 4 and 4 forests of 3 of the same 12 trees have exactly the same average."""
    few = [grow(range(4 * f, 4 * f + 4)) for f in range(3)]
    many = [grow(range(t, 12, 4)) for t in range(4)]
    assert sorted(Forest.merge(few).tree_key) == sorted(Forest.merge(many).tree_key)
    average = similarity_sums(Forest.merge(few))
    assert np.array_equal(average, similarity_sums(Forest.merge(many)))
    for forests in (few, many):
        sums = [similarity_sums(forest) for forest in forests]
        assert np.array_equal(sum(sums), average)
        shares = sum(
            Fraction(int(s[3, 8]), forest.n_trees) for s, forest in zip(sums, forests, strict=True)
        )
        assert shares / len(forests) == Fraction(int(average[3, 8]), 12)


@pytest.mark.parametrize(
    "other",
    [
        lambda: grow([1], GROWTH._replace(max_samples=119)),
        lambda: grow([1], GROWTH._replace(bootstrap=True)),
        lambda: grow([1], table=np.ascontiguousarray(TABLE[:, :150])),
    ],
    ids=["drawn", "bootstrap", "rows"],
)
def test_mismatched_forests_are_refused(other):
    with pytest.raises(ValueError, match="forests: must be fitted on the same rows"):
        Forest.merge([grow([0]), other()])
    with pytest.raises(ValueError, match="forests: must be fitted on the same rows"):
        Forest.merge([grow([0]), grow([2]), other()])


# -- Rows drawn


@pytest.mark.parametrize("bootstrap", [False, True])
def test_in_bag(bootstrap):
    forest = grow(range(6), GROWTH._replace(bootstrap=bootstrap))
    bag = forest.in_bag()
    assert bag.shape == (6, 200)
    assert bag.dtype == bool
    for t in range(6):
        rows = forest.rows(t)
        assert len(rows) == 120
        assert np.flatnonzero(bag[t]).tolist() == sorted(set(rows.tolist()))
        assert (len(set(rows.tolist())) == 120) == (not bootstrap)
    merged = Forest.merge([forest, forest]).in_bag()
    assert np.array_equal(merged, np.vstack([bag, bag]))


def test_all_rows_without_replacement():
    forest = grow([0], GROWTH._replace(max_samples=200))
    assert forest.in_bag().all()
    assert forest.rows(0).tolist() == list(range(200))


def test_share_of_rows_in_a_bootstrap():
    bag = grow(range(50), GROWTH._replace(max_samples=200, bootstrap=True, max_depth=0)).in_bag()
    assert bag.mean() == pytest.approx(1 - np.exp(-1), abs=0.01)


def test_row_blocks():
    assert list(row_blocks(5, 2)) == [slice(0, 2), slice(2, 4), slice(4, 5)]
    assert list(row_blocks(4, 4)) == [slice(0, 4)]
    assert list(row_blocks(0, 4)) == []


def test_settings_of_the_kernel():
    """Names become the codes of the kernels; everything else is passed on."""
    growth = GROWTH._replace(criterion="two_means", split_score="raw", projection="axis")
    settings = growth.settings()
    assert settings.criterion == TWO_MEANS
    assert settings.split_score == RAW
    assert settings.projection == AXIS
    assert settings.floor == FLOORS["raw"]
    codes = {"criterion", "split_score", "projection"}
    for name in {*settings._fields} & {*growth._fields} - codes:
        assert getattr(settings, name) == getattr(growth, name)
    settings = GROWTH._replace(projection="direction", random_flat_nodes=True).settings()
    assert settings.criterion == FAST_BIC
    assert settings.split_score == GAIN
    assert settings.projection == DIRECTION
    assert settings.floor == FLOORS["gain"]
    assert settings.random_flat_nodes


def test_more_candidates_than_columns_are_refused():
    with pytest.raises(
        ValueError, match="growth: max_features must be at most 6, the number of columns, got 7"
    ):
        grow(range(2), GROWTH._replace(projection="axis", max_features=7))


def test_columns_of_tiny_weight_are_not_used():
    """Columns of weight 1e-9 beside columns of weight 1 are never drawn."""
    chance = np.array([1.0, 1.0, 1e-9, 1e-9, 1e-9, 1e-9])
    for projection in ("axis", "oblique", "direction"):
        growth = GROWTH._replace(projection=projection, max_features=2)
        forest = Forest.grow(
            TABLE, growth, seed=0, trees=range(5), feature_weights=chance, n_jobs=1
        )
        assert set(forest.columns.tolist()) == {0, 1}
        assert set(grow(range(5), growth).columns.tolist()) == set(range(6))


# -- Trees as the estimator grows them


def depths(forest):
    """Return the depth of every tree."""
    deepest = []
    for t in range(forest.n_trees):
        child = forest.tree(t).child
        depth = np.zeros(len(child), dtype=int)
        for node in np.flatnonzero(child >= 0):  # in preorder, parents come first
            depth[[node + 1, child[node]]] = depth[node] + 1
        deepest.append(depth.max())
    return np.array(deepest)


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
    """The forest never sees noise columns: it is the one of the columns that matter."""
    helix = make_helix(300)
    X = np.hstack([np.random.default_rng(0).normal(size=(300, 2000)), helix.X])
    model = URerF(10, random_state=0).fit(X)
    assert model._fitted.matrix.shape == (3, 300)
    assert model._fitted.columns.chosen.tolist() == [2000, 2001, 2002]
    assert same(model.forest_, URerF(10, random_state=0).fit(helix.X).forest_)


def test_weight_of_a_column_in_trees():
    """A column of weight 0.2 is used a fifth as often as others."""
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
    equal = Forest.grow(table, growth, seed=0, trees=range(60), feature_weights=np.ones(4))
    assert same(equal, Forest.grow(table, growth, seed=0, trees=range(60)))
    assert not same(equal, forest)


def roots(X, **settings):
    """Grow stumps on one column; return (gain, cut by BIC, cut of the tree, sorted values)."""
    model = URerF(
        200, projection="axis", feature_weighting="uniform", max_depth=1, random_state=0, **settings
    ).fit(X)
    found = []
    for t in range(200):
        z = np.sort(model._fitted.matrix[0, model.forest_.rows(t)])
        rule = Rule(FAST_BIC, GAIN, FLOORS["gain"], 1)
        gain, cut = choose_cut(z, rule, np.inf, make_scratch(z.size))
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
def test_flat_nodes_make_no_difference_if_the_score_has_none(settings):
    X = np.random.default_rng(0).normal(size=(120, 4))
    a, b = (
        URerF(**{"n_estimators": 10, "random_state": 0, "flat_nodes": x, **settings}).fit(X)
        for x in ("random", "best")
    )
    assert same(a.forest_, b.forest_)
    np.testing.assert_array_equal(a.kneighbors()[0], b.kneighbors()[0])


@pytest.mark.parametrize("criterion", ["fast_bic", "mclust_bic"])
def test_flat_nodes_make_a_difference_if_the_score_has_them(criterion):
    X = np.random.default_rng(0).normal(size=(100, 4))
    a, b = (
        URerF(3, criterion=criterion, flat_nodes=x, random_state=0).fit(X)
        for x in ("random", "best")
    )
    assert not same(a.forest_, b.forest_)


def test_random_cuts_do_not_peel():
    """On a Gaussian the best cut peels off a few extreme points; random cuts do not."""
    X = np.random.default_rng(0).normal(size=(1000, 3))
    random, best = (
        URerF(20, flat_nodes=x, random_state=0).fit(X).forest_ for x in ("random", "best")
    )
    assert depths(random).max() <= 20
    assert depths(best).mean() > depths(random).mean()


@pytest.mark.parametrize("min_samples_leaf", [1, 7])
def test_random_cuts_of_counts(min_samples_leaf):
    """With ties and min_samples_leaf, every leaf is large enough."""
    X = np.random.default_rng(0).poisson(2.0, size=(400, 3)).astype(float)
    forest = URerF(20, min_samples_leaf=min_samples_leaf, random_state=0).fit(X).forest_
    leaf = forest.child < 0
    assert forest.size[leaf].min() >= min_samples_leaf
    assert leaf.sum() > 40


def test_rows_without_any_value_are_in_no_leaf():
    X = make_helix(100).X.copy()
    X[[3, 50]] = np.nan
    leaves = URerF(5, random_state=0).fit(X).apply(X)
    assert np.flatnonzero((leaves == -1).any(axis=1)).tolist() == [3, 50]
    assert (leaves[[3, 50]] == -1).all()
