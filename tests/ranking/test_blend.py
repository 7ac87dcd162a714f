"""The blended distance: by hand, pair by pair, and what does not change it."""

import numpy as np
import pytest

import oracle
from urerf import URerF
from urerf.datasets import add_noise, make_helix, make_sphere
from urerf.metrics import geodesic_precision
from urerf.ranking.blend import Blend, n_candidates
from urerf.schema import CATEGORY, Column, Frame, Schema

N = 150


@pytest.fixture(scope="module")
def mixed():
    """Two numbers that depend on each other, two categories, gaps, and three equal rows."""
    rng = np.random.default_rng(0)
    t = rng.uniform(0, 5, N)
    values = np.column_stack([t, np.sin(t), t // 2, rng.integers(0, 3, N)])
    values[rng.random(values.shape) < 0.05] = np.nan
    values[[10, 20]] = values[30] = 1.0, 2.0, 1.0, 2.0
    values[40] = np.nan
    kinds = [Column("x"), Column("y"), Column("a", CATEGORY, tuple("abc"))]
    kinds.append(Column("b", CATEGORY, tuple("def")))
    return Frame(values, Schema(tuple(kinds)))


@pytest.fixture(scope="module")
def model(mixed):
    settings = {"n_estimators": 20, "feature_weighting": "uniform", "random_state": 0}
    return URerF(**settings, n_neighbors=9).fit(mixed)


def test_by_hand():
    blend = Blend(np.zeros((1, 1)), np.zeros(1), flat=1.0, reach=2.0, resolution=0.25)
    # coarse = (0.5 + 0.25) / 1.25 = 0.6; near = 1 / 2
    found = blend.distances(np.array([0.5, 0.5, 0.0, 1.0]), np.array([1.0, 0.0, 1.0, 1.0]))
    np.testing.assert_allclose(found, [0.3**0.5, 0.0, 0.1**0.5, 1.0])
    levels = blend._replace(step=np.ones(1))  # near = 1 / 2, 0, 1
    found = levels.distances(np.array([0.5, 0.0, 0.5]), np.array([1.0, 0.0, 9.0]))
    np.testing.assert_allclose(found, [0.3**0.5, 0.0, 0.6**0.5])


def test_without_spread_nothing_is_divided_by_zero():
    blend = Blend(np.zeros((1, 1)), np.zeros(1), flat=0.0, reach=1.0, resolution=0.25)
    assert blend.distances(np.array([0.0]), np.array([0.0])).tolist() == [0.0]


def test_proximity_pair_by_pair(model):
    fitted = model._fitted
    points = fitted.columns.points(fitted.reading, raw_units=False, dtype=np.float32)
    blend = Blend.of(fitted.columns, points.values, fitted.n_trees)
    assert blend.reach == 4.0
    assert blend.step.tolist() == [0.0, 0.0, 1.0, 1.0]
    forest = 1 - fitted.proximity(None, samples="all", similarity="depth")
    found = model.proximity()
    for i, j in np.random.default_rng(1).integers(0, N, (300, 2)):
        if i == j:
            continue
        length = oracle.straight_length(points.values[i], points.values[j], blend.step)
        expected = oracle.blended(forest[i, j], min(length / 4, 1.0), 20)
        assert found[i, j] == pytest.approx(1 - expected, abs=1e-12)


def test_distances_are_symmetric_and_comparable(model):
    S = model.proximity()
    np.testing.assert_array_equal(S, S.T)
    assert 0 <= S.min() < 0.1
    assert (S[40, np.arange(N) != 40] == 0).all()  # a row without any value
    assert (S[np.ix_([10, 20, 30], [10, 20, 30])] == 1).all()


def test_neighbors_are_the_best_candidates(model):
    """Of the rows that the forest proposes, the nearest by the blended distance, in order."""
    fitted = model._fitted
    count = n_candidates(9, N, new_rows=False)
    _, candidates = fitted.nearest(None, count, similarity="depth")
    blended = 1 - model.proximity()
    distances, ids = model.kneighbors()
    expected = np.sort(np.take_along_axis(blended, candidates, 1), axis=1)[:, :9]
    np.testing.assert_allclose(distances, expected, rtol=0, atol=1e-15)
    np.testing.assert_allclose(np.take_along_axis(blended, ids, 1), distances, rtol=0, atol=1e-15)
    for row, allowed in zip(ids, candidates, strict=True):
        assert set(row.tolist()) <= set(allowed.tolist())


def test_a_fitted_row_has_the_same_neighbors_when_it_is_asked_about(model, mixed):
    distances, ids = model.kneighbors(mixed, n_neighbors=10)
    known = np.arange(N) != 40
    expected = model.kneighbors_graph(n_neighbors=9)
    assert (ids[known, 0] == np.arange(N)[known]).all()
    ours = expected.indices.reshape(N, 10)
    np.testing.assert_array_equal(ids[known], ours[known])
    np.testing.assert_array_equal(distances[known], expected.data.reshape(N, 10)[known])


@pytest.mark.parametrize("min_samples_split", [10, 100])
def test_a_fitted_row_is_not_crowded_out_of_its_own_candidates(mixed, min_samples_split):
    """With one tree, more rows are at distance 0 by the forest than there are candidates."""
    crowd = URerF(1, min_samples_split=min_samples_split, n_neighbors=4, random_state=0)
    expected = crowd.fit_transform(mixed)
    found = crowd.transform(mixed)
    np.testing.assert_array_equal(found.indices, expected.indices)
    np.testing.assert_array_equal(found.data, expected.data)


@pytest.mark.parametrize(("k", "expected"), [(1, 18), (15, 46), (200, 99)])
def test_number_of_candidates(k, expected):
    assert n_candidates(k, 100, new_rows=False) == expected
    assert n_candidates(k + 1, 100, new_rows=True) == expected + 1


@pytest.mark.parametrize("similarity", ["blend", "geodesic"])
def test_threads_shift_and_file_change_nothing(similarity, tmp_path):
    X = np.round(add_noise(make_helix(300, random_state=1).X, 5, random_state=1) * 64) / 64
    settings = {"n_estimators": 20, "similarity": similarity, "random_state": 0}
    model = URerF(**settings, n_jobs=1).fit(X)
    expected = model.kneighbors(n_neighbors=5)
    model.save(tmp_path / "model.urerf")
    loaded = URerF.load(tmp_path / "model.urerf")
    for other in (URerF(**settings, n_jobs=2).fit(X), loaded):
        for one, two in zip(expected, other.kneighbors(n_neighbors=5), strict=True):
            np.testing.assert_array_equal(one, two)
    new = X[:40] + 0.25
    for one, two in zip(model.kneighbors(new), loaded.kneighbors(new), strict=True):
        np.testing.assert_array_equal(one, two)
    shifted = URerF(**settings).fit(X + 1024.0)
    for one, two in zip(expected, shifted.kneighbors(n_neighbors=5), strict=True):
        np.testing.assert_array_equal(one, two)


def test_the_order_of_rows_does_not_matter_much():
    """Other rows are drawn for each tree, so that results agree as between two seeds."""
    X = make_sphere(400, random_state=0).X
    order = np.random.default_rng(0).permutation(400)
    ids = URerF(random_state=0).fit(X).kneighbors()[1]
    permuted = URerF(random_state=0).fit(X[order]).kneighbors()[1]
    back = np.empty((400, 15), int)
    back[order] = order[permuted]
    other_seed = URerF(random_state=1).fit(X).kneighbors()[1]

    def agreement(a, b):
        return np.mean([len(set(x) & set(y)) / 15 for x, y in zip(a.tolist(), b.tolist())])

    assert agreement(ids, back) > agreement(ids, other_seed) - 0.02
    assert agreement(ids, back) > 0.85


@pytest.mark.parametrize("make", [make_helix, make_sphere])
def test_few_trees_and_the_blend_are_as_precise_as_many_trees(make):
    """The reason for the default; `urerf bench accuracy` compares them in full."""
    manifold = make(1000, random_state=11)
    X = add_noise(manifold.X, 20, random_state=11)
    by_blend = URerF(random_state=0).fit(X)
    by_depth = URerF(similarity="depth", random_state=0).fit(X)
    assert (by_blend.n_estimators_, by_depth.n_estimators_) == (150, 300)
    scores = [
        geodesic_precision(one.kneighbors(n_neighbors=15)[1], manifold)
        for one in (by_blend, by_depth)
    ]
    assert scores[0] > scores[1]


def test_geodesic_neighbors_follow_a_helix_of_many_turns():
    """Neighboring turns are closer than neighbors on the same turn; paths stay on the turn."""
    rng = np.random.default_rng(3)
    t = rng.uniform(0, 2 * np.pi, 1000)
    X = np.column_stack([np.cos(10 * t), np.sin(10 * t), t, rng.random((1000, 5))])
    _, ids = URerF(similarity="geodesic", random_state=0).fit(X).kneighbors(n_neighbors=20)
    assert geodesic_precision(ids, np.abs(t[:, None] - t)) > 0.9
