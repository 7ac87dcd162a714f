"""The outlier score against its definition, and on known outliers."""

import tracemalloc

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from scipy.stats import spearmanr
from sklearn.exceptions import NotFittedError
from sklearn.metrics import roc_auc_score

from urerf import URerF, outlier_score, outliers
from urerf.datasets import add_noise, make_helix


def forest(**changes) -> URerF:
    return URerF(**{"n_estimators": 60, "random_state": 0, **changes})


def by_definition(model: URerF, X: np.ndarray, k: int) -> np.ndarray:
    """Return the score computed from all pairs of rows and all columns, unscaled."""
    far = np.sort(cdist(X, X), axis=1)[:, 1 : k + 1].mean(axis=1)
    apart = 1 / (model.proximity() ** 2).mean(axis=1)
    figures = [(x - np.median(x)) / np.median(np.abs(x - np.median(x))) for x in (far, apart)]
    return np.max(figures, axis=0)


@pytest.fixture(scope="module")
def labeled():
    """A helix with noise columns, whose first 20 rows are outliers within its bounding box."""
    X = make_helix(400).X
    rng = np.random.default_rng(0)
    X[:20] = rng.uniform(X.min(axis=0), X.max(axis=0), (20, 3))
    return add_noise(X, 100, random_state=0), np.arange(400) < 20


@pytest.fixture(scope="module")
def model(labeled):
    return forest().fit(labeled[0])


def test_the_score_is_the_larger_of_distance_and_breimans_measure():
    X = make_helix(80).X
    # The paper's settings do not scale columns.
    settings = {"min_samples_split": 10, "similarity": "depth"}
    model = URerF.paper(n_estimators=10, random_state=0, **settings).fit(X)
    scores = outlier_score(model, n_neighbors=79)
    np.testing.assert_allclose(scores, by_definition(model, X, 79), rtol=1e-4)


def test_a_tight_group_of_its_own_has_high_scores():
    """Its rows are near each other: their distances alone would miss them."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2)) @ rng.normal(size=(2, 6)) + 0.1 * rng.normal(size=(300, 6))
    X[:25] = 0.1 * X[:25] + 4 * X.std(axis=0)
    figures = outliers.outlier_figures(forest().fit(X))
    is_outlier = np.arange(300) < 25
    assert roc_auc_score(is_outlier, figures.far) < 0.5
    assert roc_auc_score(is_outlier, figures.score) > 0.8


def test_a_sample_of_rows_stands_for_all(model, monkeypatch):
    every = outlier_score(model)
    monkeypatch.setattr(outliers, "COMPARED_ROWS", 200)
    assert spearmanr(every, outlier_score(model)).statistic > 0.9


def test_rows_far_outside_have_the_highest_scores():
    """Proximities alone would miss them."""
    mixing = np.random.default_rng(1).normal(size=(5, 5))
    X = np.random.default_rng(0).normal(size=(300, 5)) @ mixing
    X[:5] *= 6 * np.sqrt(5) / np.linalg.norm(X[:5], axis=1, keepdims=True) * X.std()
    assert set(np.argsort(outlier_score(forest().fit(X)))[-5:]) == set(range(5))


def test_rows_off_the_manifold_have_high_scores(labeled, model):
    assert roc_auc_score(labeled[1], outlier_score(model)) > 0.85  # chance: 0.5


def test_new_rows_off_the_manifold_have_high_scores(model):
    later = make_helix(60, random_state=1).X
    inlier_scores = outlier_score(model, add_noise(later, 100, random_state=1))
    later[:, :2] *= 0.2  # near the axis, where the helix never is
    outlier_scores = outlier_score(model, add_noise(later, 100, random_state=1))
    assert np.median(outlier_scores) > np.quantile(inlier_scores, 0.95)


def test_fitted_rows_passed_as_new_keep_their_score(labeled, model):
    np.testing.assert_allclose(outlier_score(model, labeled[0]), outlier_score(model))


def test_both_figures_are_in_units_of_the_spread(model):
    for figure in outliers.outlier_figures(model):
        assert np.median(figure) == pytest.approx(0)
        assert np.median(np.abs(figure)) == pytest.approx(1)


def test_no_dense_matrix_is_built(labeled, model, monkeypatch):
    monkeypatch.setattr(URerF, "proximity", lambda *_, **__: pytest.fail("an n x n matrix"))
    assert len(outlier_score(model, labeled[0][:3])) == 3


def test_equal_rows_have_scores_of_zero():
    with pytest.warns(UserWarning, match="constant"):
        model = forest().fit(np.ones((30, 3)))
    np.testing.assert_array_equal(outlier_score(model, n_neighbors=5), np.zeros(30))


def test_bad_arguments_are_named(model):
    with pytest.raises(NotFittedError):
        outlier_score(URerF())
    with pytest.raises(ValueError, match="n_neighbors: 400"):
        outlier_score(model, n_neighbors=400)


def test_the_columns_in_which_a_row_is_unusual_are_named():
    rng = np.random.default_rng(0)
    base = rng.normal(size=(200, 1))
    X = base + 0.1 * rng.normal(size=(200, 5))
    X[7, 3] += 5
    fitted = forest().fit(X)
    columns = outliers.unusual_columns(fitted, np.array([7]), is_far=np.array([True]), top=2)
    assert columns[0, 0] == 3
    more = outliers.unusual_columns(fitted, np.array([7, 8]), is_far=np.array([True, False]), top=9)
    assert more.shape == (2, 9)
    assert more[0, 0] == 3
    assert set(more[1]) == {-1}  # a typical row


def test_a_value_that_many_rows_have_is_not_unusual():
    rng = np.random.default_rng(0)
    base = rng.normal(size=400)
    X = np.column_stack([base + 0.5 * rng.normal(size=400) for _ in range(3)])
    two_in_five = np.quantile(base, 0.6)
    X = np.column_stack([X, base > two_in_five])
    X[7] = 3, 3, 3, 1  # each 2.7 standard deviations above the mean; the last is 1.2
    fitted = forest().fit(X)
    columns = outliers.unusual_columns(fitted, np.array([7]), is_far=np.array([False]), top=4)
    assert set(columns[0, :3]) == {0, 1, 2}


def test_the_spread_of_a_column_is_the_mean_distance_of_its_values():
    points = np.array([[0.0, 1.0], [2.0, 1.0], [7.0, 0.0], [2.0, 3.0]])
    distances = np.abs(points[:, None] - points)
    distances[:, :, 1] = 0.5 * (distances[:, :, 1] > 0)
    spread = outliers._spread(points, np.array([0.0, 0.5]))
    np.testing.assert_allclose(spread, distances.mean(axis=(0, 1)))


def test_mean_distances_to_many_rows_need_little_memory():
    rng = np.random.default_rng(0)
    others = rng.normal(size=(100_000, 8))
    others[:, 5] = rng.integers(0, 4, 100_000)
    mismatch = np.zeros(8)
    mismatch[5] = 0.5
    point = others[3].copy()
    distances = np.abs(others - point)
    distances[:, 5] = 0.5 * (distances[:, 5] > 0)
    tracemalloc.start()
    mean = outliers._mean_distances(point, others, mismatch)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    np.testing.assert_allclose(mean, distances.mean(axis=0))
    assert peak < others.nbytes / 4


def test_a_level_is_unusual_only_where_the_others_agree():
    frame = pytest.importorskip("pandas").DataFrame({"x": np.repeat([0.0, 1.0], 50)})
    frame["y"] = frame["x"] + np.linspace(0, 0.1, 100)
    frame["kind"] = np.repeat(["a", "b"], 50)
    frame["name"] = [f"n{i // 2}" for i in range(100)]
    frame.loc[10, "kind"] = "b"
    kinds = {"name": "category"}
    fitted = forest(column_kinds=kinds, feature_weighting="uniform").fit(frame)
    columns = outliers.unusual_columns(fitted, np.array([10]), is_far=np.array([True]), top=1)
    assert columns[0, 0] == 2


def test_a_missing_value_does_not_set_a_row_apart():
    rng = np.random.default_rng(0)
    base = rng.normal(size=(200, 1))
    X = base + 0.1 * rng.normal(size=(200, 3))
    X[7] = 9, 9, np.nan  # the missing value is filled from rows with large values
    fitted = forest().fit(X)
    for is_far in (True, False):
        columns = outliers.unusual_columns(fitted, np.array([7]), is_far=np.array([is_far]), top=3)
        assert set(columns[0, :2]) == {0, 1}
        assert columns[0, 2] == -1
