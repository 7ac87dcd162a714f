"""URerF draws columns by their relevance: noise is never drawn, so nothing about it matters."""

import numpy as np
import pytest
import scipy.sparse as sp

from urerf import URerF
from urerf.datasets import add_noise, make_helix, make_sphere
from urerf.metrics import geodesic_precision

KINDS = ["gaussian", "uniform", "bimodal", "heavy_tailed"]


def fit(X, n_estimators=20, **settings):
    return URerF(n_estimators, **{"random_state": 0, **settings}).fit(X)


def assert_same_neighbors(a, b, k=15):
    for mine, theirs in zip(a.kneighbors(n_neighbors=k), b.kneighbors(n_neighbors=k)):
        np.testing.assert_array_equal(mine, theirs)


@pytest.fixture(scope="module")
def noisy():
    """Return a table with a helix in 3 of 100 columns of Gaussian noise, and their positions."""
    X = np.random.default_rng(0).normal(size=(300, 100)) * 8.0
    signal = np.array([0, 57, 80])
    X[:, signal] = make_helix(300).X
    return X, signal


@pytest.fixture(scope="module")
def model(noisy):
    return fit(noisy[0])


# -- which columns are drawn


@pytest.mark.parametrize("kind", KINDS)
def test_noise_of_any_kind_has_no_relevance(kind):
    model = fit(add_noise(make_helix(500).X, 200, kind=kind, random_state=3), 5)
    assert model.feature_relevance_.shape == (203,)
    assert model.feature_relevance_.dtype == np.float64
    assert (model.feature_relevance_[:3] > 0.3).all()
    assert (model.feature_weights_ == (np.arange(203) < 3)).all()
    assert model.feature_relevance_.max() <= 1.0
    assert not model.feature_relevance_[3:].any()


def test_the_evidence(model, noisy):
    _, signal = noisy
    found = model.relevance_
    assert found.verdict == "structure"
    assert "depend" in found.message
    np.testing.assert_array_equal(found.strength, model.feature_relevance_)
    np.testing.assert_array_equal(found.weight, model.feature_weights_)
    assert np.flatnonzero(found.strength).tolist() == signal.tolist()
    for array in (found.strength, found.weight, found.p_value, found.partner):
        assert array.shape == (100,)
    assert (found.p_value[signal] < 0.01).all()
    assert (np.delete(found.p_value, signal) > 0.01).all()
    assert set(found.partner[signal].tolist()) <= set(signal.tolist())
    assert set(found.pairs.ravel().tolist()) == set(signal.tolist())


def test_noise_is_never_drawn(model, noisy):
    _, signal = noisy
    chosen = model._fitted.columns.chosen[model.forest_.columns]
    assert set(chosen.tolist()) == set(signal.tolist())
    assert model._fitted.matrix.shape == (3, 300)


@pytest.mark.parametrize(
    "settings", [{"projection": "axis"}, {"density": 1}, {"density": 0.5}], ids=str
)
def test_noise_is_never_drawn_in_other_ways(noisy, settings):
    X, signal = noisy
    model = fit(X, **settings)
    assert set(model._fitted.columns.chosen[model.forest_.columns].tolist()) == set(signal.tolist())


def test_constant_columns_do_not_count(noisy):
    X = np.hstack([noisy[0], np.full((300, 2), 5.0)])
    model = fit(X)
    assert not model.feature_relevance_[100:].any()
    only = fit(np.hstack([make_helix(100).X, np.zeros((100, 1))]))
    assert (only.feature_relevance_ > 0).tolist() == [True, True, True, False]
    noise = fit(np.hstack([np.random.default_rng(0).normal(size=(100, 5)), np.ones((100, 1))]))
    assert noise.relevance_.verdict == "none"
    assert not noise.feature_relevance_.any()
    assert noise.feature_weights_.tolist() == [1, 1, 1, 1, 1, 0]


def test_all_columns_of_pure_noise_are_drawn_alike():
    X = np.random.default_rng(5).normal(size=(300, 30))
    model = fit(X, 60)
    assert model.relevance_.verdict == "none"
    assert "No structure" in model.relevance_.message
    assert (model.feature_relevance_ == 0).all()
    assert (model.feature_weights_ == 1).all()
    assert model._fitted.columns.chosen.tolist() == list(range(30))
    times = np.bincount(model.forest_.columns, minlength=30)
    assert times.min() > 0.8 * times.mean()  # every column may be drawn, and is
    assert model.relevance_.pairs.shape == (0, 2)


def test_a_lonely_column_of_two_groups():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 60))
    group = rng.random(400) < 0.5
    X[:, 33] = rng.normal(size=400) * 0.3 + 3.0 * group
    model = fit(X)
    assert model.relevance_.test[33] == "groups"
    assert np.flatnonzero(model.feature_relevance_).tolist() == [33]
    ids = model.kneighbors(n_neighbors=20)[1]
    assert (group[ids] == group[:, None]).mean() > 0.99


def test_uniform_weighting(noisy):
    X, _ = noisy
    model = fit(X, feature_weighting="uniform")
    assert model.feature_weights_.tolist() == [1.0] * 100
    assert not hasattr(model, "relevance_")
    with pytest.raises(AttributeError, match="feature_relevance_: no test was run"):
        _ = model.feature_relevance_
    assert np.unique(model._fitted.columns.chosen[model.forest_.columns]).size == 100
    assert (model._fitted.columns.feature_weights == 1).all()


def test_a_new_fit_forgets_the_evidence(noisy):
    model = fit(noisy[0], 3)
    assert hasattr(model, "relevance_")
    model.set_params(feature_weighting="uniform").fit(noisy[0])
    assert not hasattr(model, "relevance_")
    assert (model.feature_weights_ == 1).all()


def test_a_doubtful_column_is_drawn_less_often():
    """One independent column that fills an interval may be a coordinate: it has less weight."""
    X = np.hstack([make_helix(300).X, np.random.default_rng(0).uniform(size=(300, 1))])
    model = fit(X, 60, density=1)
    chance = model._fitted.columns.feature_weights
    assert (chance[:3] == 1).all()
    assert 0 < chance[3] < 1
    np.testing.assert_array_equal(chance, model.feature_weights_)
    assert model.feature_relevance_[3] == 0
    times = np.bincount(model._fitted.columns.chosen[model.forest_.columns], minlength=4)
    assert times[3] < times[:3].mean()


@pytest.mark.parametrize(
    ("kind", "counts"), [("gaussian", (1, 2, 5, 7)), ("uniform", (2, 5, 7)), ("bimodal", (3,))]
)
def test_a_few_noise_columns_are_noise(kind, counts):
    for count in counts:
        X = add_noise(make_helix(300).X, count, kind=kind, random_state=1)
        assert fit(X, 2).feature_weights_.tolist() == [1, 1, 1] + count * [0]


# -- what does not matter


def monotone(X, noise, function):
    X = X.copy()
    X[:, noise] = function(X[:, noise])
    return X


TRANSFORMED = {
    "other scales": lambda Z: Z * 10.0 ** np.random.default_rng(1).uniform(-6, 6, size=Z.shape[1]),
    "one large factor": lambda Z: Z * 1e30,
    "one small factor": lambda Z: Z * 1e-30,
    "offsets": lambda Z: Z + np.linspace(-1e4, 1e4, Z.shape[1]),
    "negated": lambda Z: -Z,
    "exp": lambda Z: np.exp(Z / 8),
    "cube": lambda Z: Z**3,
    "arctan": lambda Z: np.arctan(Z / 8),
    "ranks": lambda Z: Z.argsort(axis=0).argsort(axis=0).astype(float),
    "exp or cube": lambda Z: np.where(np.arange(Z.shape[1]) % 2, np.exp(Z / 8), Z**3),
}


@pytest.mark.parametrize("function", TRANSFORMED.values(), ids=TRANSFORMED.keys())
def test_transformations_of_noise_change_no_bit(model, noisy, function):
    X, signal = noisy
    noise = np.setdiff1d(np.arange(100), signal)
    other = fit(monotone(X, noise, function))
    assert_same_neighbors(model, other)
    np.testing.assert_array_equal(model.feature_relevance_, other.feature_relevance_)
    np.testing.assert_array_equal(
        model.geodesic_distances([0, 7]), other.geodesic_distances([0, 7])
    )


def test_the_order_and_number_of_noise_columns_change_no_bit(model, noisy):
    X, signal = noisy
    noise = np.setdiff1d(np.arange(100), signal)
    shuffled = np.hstack([X[:, noise[::-1]], X[:, signal]])
    assert_same_neighbors(model, fit(shuffled))
    assert_same_neighbors(model, fit(X[:, np.sort(np.append(signal, noise[::2]))]))
    assert_same_neighbors(model, fit(X[:, signal]))


def test_noise_of_new_rows_changes_no_bit(model, noisy):
    X, signal = noisy
    new = X[:20] + 0.1
    other = np.random.default_rng(9).normal(size=new.shape) * 1e6
    other[:, signal] = new[:, signal]
    for a, b in zip(model.kneighbors(new), model.kneighbors(other)):
        np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(
        model.geodesic_distances(X=new), model.geodesic_distances(X=other)
    )


def test_threads_sparse_rows_and_single_precision_change_no_bit(model, noisy):
    X, _ = noisy
    assert_same_neighbors(model, fit(X, n_jobs=2))
    assert_same_neighbors(model, fit(sp.csr_matrix(X)))
    small = X.astype(np.float32)
    assert_same_neighbors(fit(small), fit(small.astype(np.float64)))


def test_a_saved_model_keeps_the_evidence(model, tmp_path):
    model.save(tmp_path / "model")
    other = URerF.load(tmp_path / "model")
    np.testing.assert_array_equal(other.feature_relevance_, model.feature_relevance_)
    for name in ("strength", "weight", "p_value", "partner", "pairs", "verdict", "reason"):
        np.testing.assert_array_equal(
            getattr(other.relevance_, name), getattr(model.relevance_, name)
        )
    assert_same_neighbors(model, other)


# -- precision


@pytest.mark.parametrize("make", [make_helix, make_sphere])
def test_a_thousand_noise_columns_cost_no_precision(make):
    manifold = make(500, random_state=2)

    def precision(X):
        return geodesic_precision(fit(X, 50).kneighbors(n_neighbors=25)[1], manifold)

    clean = precision(manifold.X)
    assert clean > 0.8
    for kind, variance in (("gaussian", 70), ("uniform", 700), ("heavy_tailed", 1)):
        X = add_noise(manifold.X, 1000, kind=kind, variance=variance, random_state=2)
        assert precision(X) >= 0.97 * clean
