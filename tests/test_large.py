"""What large tables need: trees added later, tables on disk, interruption without harm."""

import numpy as np
import pytest

from urerf import URerF, columns
from urerf.datasets import add_noise, make_helix
from urerf.forest import Forest

FEW = {"n_neighbors": 8, "random_state": 3}


@pytest.fixture(scope="module")
def X():
    return add_noise(make_helix(300).X, 20, random_state=0)


def assert_same(one, other):
    for a, b in zip(one.kneighbors(), other.kneighbors()):
        np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(one.forest_.child, other.forest_.child)
    np.testing.assert_array_equal(one.forest_.coefficients, other.forest_.coefficients)
    np.testing.assert_array_equal(one.apply(one_rows(one)), other.apply(one_rows(one)))


def one_rows(model):
    return np.random.default_rng(0).normal(size=(5, model.n_features_in_))


@pytest.mark.parametrize("make", [URerF, URerF.paper])
def test_trees_added_later_make_the_forest_grown_at_once(X, make):
    model = make(n_estimators=10, warm_start=True, **FEW).fit(X)
    assert_same(
        model, make(n_estimators=10, **FEW).fit(X)
    )  # half of the trees: a right graph of its own
    for trees in (10, 15, 20):
        model.set_params(n_estimators=trees).fit(X)
    assert_same(model, make(n_estimators=20, **FEW).fit(X))
    assert hasattr(model, "relevance_") == (make is URerF)


def test_trees_are_added_after_loading(X, tmp_path):
    URerF(n_estimators=10, warm_start=True, **FEW).fit(X).save(tmp_path / "m")
    model = URerF.load(tmp_path / "m").set_params(n_estimators=20).fit(X)
    assert_same(model, URerF(n_estimators=20, **FEW).fit(X))


def test_without_random_state_trees_go_on_from_the_same_seed(X):
    model = URerF(n_estimators=5, warm_start=True).fit(X)
    seed = model._fitted.seed
    assert model.set_params(n_estimators=9).fit(X)._fitted.seed == seed
    assert len(set(model.forest_.tree_key.tolist())) == 9


def test_trees_cannot_be_added_to_other_rows(X):
    model = URerF(n_estimators=5, warm_start=True, **FEW).fit(X)
    for other in (X[:200], X[::-1], X + 1):
        with pytest.raises(ValueError, match="X: with warm_start=True"):
            model.set_params(n_estimators=8).fit(other)
    with pytest.raises(
        ValueError, match="n_estimators: with warm_start=True it must be at least 5"
    ):
        model.set_params(n_estimators=4).fit(X)
    with pytest.raises(TypeError, match="warm_start"):
        URerF(warm_start="yes").fit(X)
    assert_same(model.set_params(n_estimators=5).fit(X), URerF(n_estimators=5, **FEW).fit(X))


def test_a_table_on_disk(X, tmp_path):
    on_disk = np.memmap(tmp_path / "X", dtype=np.float64, mode="w+", shape=X.shape)
    on_disk[:] = X
    on_disk = np.memmap(tmp_path / "X", dtype=np.float64, mode="r", shape=X.shape)
    assert_same(URerF(n_estimators=10, **FEW).fit(on_disk), URerF(n_estimators=10, **FEW).fit(X))


def test_a_table_that_does_not_fit_is_held_on_disk(X, monkeypatch):
    expected = URerF(n_estimators=10, **FEW).fit(X)
    monkeypatch.setattr(columns, "available_memory", lambda: 1000.0)
    model = URerF(n_estimators=10, **FEW).fit(X)
    assert isinstance(model._fitted.matrix.base, np.memmap)
    assert_same(model, expected)
    monkeypatch.undo()
    np.testing.assert_array_equal(model.geodesic_distances([0]), expected.geodesic_distances([0]))


def test_an_interrupted_fit_changes_nothing(X, monkeypatch):
    model = URerF(n_estimators=5, **FEW).fit(X)
    before = {name: id(value) for name, value in vars(model).items()}
    fresh = URerF(n_estimators=5, **FEW)

    def interrupt(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(Forest, "apply", interrupt)
    for estimator in (model, fresh):
        with pytest.raises(KeyboardInterrupt):
            estimator.fit(X[:, :10])
    assert {name: id(value) for name, value in vars(model).items()} == before
    assert not [name for name in vars(fresh) if name.endswith("_")]
