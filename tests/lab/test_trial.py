import gc

import numpy as np
import pytest

from urerf.datasets import SIMULATIONS
from urerf.lab.trial import Trial, chance, geodesic_errors, with_noise


def trial(dataset="helix", method="euclidean", **settings):
    return Trial(dataset, method, 1, **{"ks": (1, 5), "n": 100, **settings})


def test_precision_gives_a_row_for_each_k():
    rows = trial("linear").score(n_jobs=1)
    assert [row["k"] for row in rows] == [1, 5]
    assert rows[1]["precision"] > 0.95  # the end points have fewer exact ties
    assert rows[1]["chance"] == pytest.approx(5 / 99)


def test_a_trial_cannot_be_changed():
    with pytest.raises(AttributeError):
        trial().seed = 2


def test_columns_have_settings_and_parameters_and_the_label():
    columns = trial(params={"density": 1}, row="name").columns()
    assert columns["dataset"] == "helix"
    assert columns["density"] == 1
    assert columns["row"] == "name"
    assert "row" not in trial().columns()
    assert "row" not in trial(row="name").settings()


@pytest.mark.parametrize("variant", ["text", "scripts"])
@pytest.mark.parametrize("name", SIMULATIONS)
def test_noise_columns_and_scale(name, variant):
    manifold, X = trial(name, noise=4, variant=variant, rescaled=True).make()
    assert X.shape == (100, 7)
    assert np.allclose([X.min(axis=0), X.max(axis=0)], [[0] * 7, [1] * 7])
    assert len(manifold) == 100


def test_noise_in_the_signal_has_the_given_share_of_its_spread():
    manifold, X = trial("sphere", n=5000, latent_noise=0.1).make()
    spread = np.sqrt(manifold.X.var(axis=0).mean())
    assert np.std(X - manifold.X) == pytest.approx(0.1 * spread, rel=0.05)


def test_matched_noise_has_the_variance_of_the_table():
    X = np.random.default_rng(0).normal(0, 5, size=(2000, 3))
    assert with_noise(X, 50, "matched", 70.0, 0)[:, 3:].var() == pytest.approx(25, rel=0.1)


def test_chance_of_a_discrete_truth():
    manifold, X = trial("gaussian_mixture").make()
    labels = manifold.labels
    same = labels[:, None] == labels
    assert chance(manifold, 5) == pytest.approx((same.sum() - len(X)) / (len(X) * (len(X) - 1)))


def test_pairs_never_pair_a_point_with_itself():
    rows = trial("linear", measure="pairs", count=50).score(n_jobs=1)
    assert len(rows) == 50
    assert all(row["true"] > 0 for row in rows)
    assert np.allclose([row["true"] for row in rows], [row["estimated"] for row in rows], atol=1e-4)


def test_points_of_the_connectome_carry_their_type():
    rows = trial("connectome", measure="points").score(n_jobs=1)
    assert len(rows) == 213
    assert {row["shade"] for row in rows} == {"K", "I", "O", "P"}


def test_runtime_measures_seconds_and_runs_alone():
    timed = trial(measure="runtime", cores=1)
    (row,) = timed.score(n_jobs=1)
    assert row["seconds"] > 0
    assert timed.is_timed
    assert not trial().is_timed


def test_runtime_includes_garbage_collection(monkeypatch):
    collects = []
    monkeypatch.setattr(Trial, "find", lambda *arguments: collects.append(gc.isenabled()))
    trial(measure="runtime").score(n_jobs=1)
    assert collects == [True, True]
    assert gc.isenabled()


@pytest.mark.parametrize("method", ["urerf", "isomap"])
def test_geodesics_are_judged(method):
    params = {"n_estimators": 20} if method == "urerf" else {}
    (row,) = trial("linear", method, measure="geodesics", ks=(10,), params=params).score(n_jobs=1)
    assert row["geodesic_precision"] > 0.9
    assert row["spearman_all"] > 0.95
    assert row["error_far"] < 0.1


def test_geodesic_errors_do_not_depend_on_scale():
    points = np.random.default_rng(0).random((50, 1))
    true = np.abs(points - points.T)
    row = geodesic_errors(7 * true, true, seed=0)
    assert row["reached"] == 1
    assert row["spearman_far"] == pytest.approx(1)
    assert row["error_all"] == pytest.approx(0, abs=1e-12)
    is_right = points[:, 0] > 0.5
    cut = np.where(is_right[:, None] != is_right, np.inf, true)
    assert geodesic_errors(cut, true, seed=0)["reached"] < 0.7


def test_false_alarms_are_counted_per_table():
    rows = trial("noise", "", measure="false_alarms", noise=10, count=5).score(n_jobs=1)
    assert [row["table"] for row in rows] == [0, 1, 2, 3, 4]
    assert rows[0]["kind"] == rows[4]["kind"] == "gaussian"
    assert {row["relevant"] for row in rows} <= {0, 1}


# Rows of docs/accuracy/accuracy.csv, docs/paper/noise.csv and docs/paper/connectome.csv.
@pytest.mark.parametrize(
    ("dataset", "method", "seed", "settings", "precision"),
    [
        ("helix", "urerf_300", 100, {"noise": 100}, "0.9715"),
        ("sphere", "isomap", 0, {"noise": 10}, "0.1054"),
        ("connectome", "urerf_depth", 0, {}, "0.8257"),
    ],
)
def test_published_results_come_out_again(dataset, method, seed, settings, precision):
    (row,) = Trial(dataset, method, seed, **settings).score(n_jobs=1)
    assert f"{row['precision']:.4f}" == precision
