"""The outlier score against its definition, and on rows that are known to be strange."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.exceptions import NotFittedError
from sklearn.metrics import roc_auc_score

from urerf import URerF, outlier_score
from urerf.datasets import add_noise, make_helix


def forest(**changes) -> URerF:
    return URerF(**{"n_estimators": 60, "random_state": 0, **changes})


def by_definition(X: np.ndarray, k: int) -> np.ndarray:
    """The score from all pairs of rows, where every column counts and is measured as it is."""
    raw = np.sort(cdist(X, X), axis=1)[:, 1 : k + 1].mean(axis=1)
    return (raw - np.median(raw)) / np.median(np.abs(raw - np.median(raw)))


@pytest.fixture(scope="module")
def strange():
    """A helix among noise columns, and the first 20 rows anywhere in its box."""
    X = make_helix(400).X
    rng = np.random.default_rng(0)
    X[:20] = rng.uniform(X.min(axis=0), X.max(axis=0), (20, 3))
    return add_noise(X, 100, random_state=0), np.arange(400) < 20


@pytest.fixture(scope="module")
def model(strange):
    return forest().fit(strange[0])


def test_with_all_rows_as_neighbours_it_is_the_mean_distance():
    X = make_helix(80).X
    model = URerF.paper(n_estimators=10, random_state=0).fit(
        X
    )  # the paper's forest leaves columns as they are
    np.testing.assert_allclose(
        outlier_score(model, n_neighbors=79), by_definition(X, 79), rtol=1e-4
    )


def test_rows_far_outside_stand_out():
    """Proximities alone would miss them."""
    X = np.random.default_rng(0).normal(size=(300, 5)) @ np.random.default_rng(1).normal(
        size=(5, 5)
    )
    X[:5] *= 6 * np.sqrt(5) / np.linalg.norm(X[:5], axis=1, keepdims=True) * X.std()
    assert set(np.argsort(outlier_score(forest().fit(X)))[-5:]) == set(range(5))


def test_rows_off_the_manifold_stand_out(strange, model):
    assert roc_auc_score(strange[1], outlier_score(model)) > 0.85  # chance: 0.5


def test_new_rows_off_the_manifold_stand_out(strange, model):
    later = make_helix(60, random_state=1).X
    usual = outlier_score(model, add_noise(later, 100, random_state=1))
    later[:, :2] *= 0.2  # near the axis, where the helix never is
    unusual = outlier_score(model, add_noise(later, 100, random_state=1))
    assert np.median(unusual) > np.quantile(usual, 0.95)


def test_fitted_rows_asked_for_as_new_ones_keep_their_score(strange, model):
    np.testing.assert_allclose(outlier_score(model, strange[0]), outlier_score(model))


def test_scores_are_in_units_of_the_spread(model):
    scores = outlier_score(model)
    assert np.median(scores) == pytest.approx(0)
    assert np.median(np.abs(scores)) == pytest.approx(1)


def test_no_matrix_of_all_pairs_is_made(strange, model, monkeypatch):
    monkeypatch.setattr(
        URerF, "proximity", lambda *_args, **_kwargs: pytest.fail("an n x n matrix")
    )
    assert len(outlier_score(model, strange[0][:3])) == 3


def test_equal_rows_are_all_usual():
    with pytest.warns(UserWarning, match="constant"):
        model = forest().fit(np.ones((30, 3)))
    np.testing.assert_array_equal(outlier_score(model, n_neighbors=5), np.zeros(30))


def test_what_is_wrong_is_said(model):
    with pytest.raises(NotFittedError):
        outlier_score(URerF())
    with pytest.raises(ValueError, match="n_neighbors: 400"):
        outlier_score(model, n_neighbors=400)
