"""The outlier score against its definition, and on rows that are known to be strange."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.metrics import roc_auc_score

from urerf import URerF, outlier_score
from urerf.datasets import add_noise, make_helix


def forest(**changes) -> URerF:
    return URerF(**{"n_estimators": 60, "random_state": 0, **changes})


def by_definition(S: np.ndarray) -> np.ndarray:
    """Breiman's measure from all proximities, as he wrote it."""
    others = S[~np.eye(len(S), dtype=bool)].reshape(len(S), -1)
    raw = (len(S) - 1) / (others**2).sum(axis=1)
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


@pytest.mark.parametrize("similarity", ["leaf", "depth"])
def test_all_neighbours_give_breimans_measure(similarity):
    X = make_helix(80).X
    model = forest(similarity=similarity).fit(X)
    np.testing.assert_allclose(outlier_score(model, n_neighbors=79), by_definition(model.proximity()), rtol=1e-9)


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
    monkeypatch.setattr(URerF, "proximity", lambda *_args, **_kwargs: pytest.fail("an n x n matrix"))
    assert len(outlier_score(model, strange[0][:3])) == 3


def test_equal_rows_are_all_usual():
    with pytest.warns(UserWarning, match="constant"):
        model = forest().fit(np.ones((30, 3)))
    np.testing.assert_array_equal(outlier_score(model, n_neighbors=5), np.zeros(30))


def test_a_row_without_any_company_has_a_finite_score():
    """One-tree leaves of one row: nobody shares a leaf with anybody."""
    model = URerF.paper(n_estimators=1, min_samples_split=2, bootstrap=False).fit(np.arange(64.0)[:, None])
    assert np.isfinite(outlier_score(model, n_neighbors=5)).all()


def test_what_is_wrong_is_said(model):
    with pytest.raises(NotFittedError):
        outlier_score(URerF())
    with pytest.raises(ValueError, match="n_neighbors: 400"):
        outlier_score(model, n_neighbors=400)
