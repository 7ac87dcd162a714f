import numpy as np
import pytest

from urerf.paper import tasks
from urerf.paper.tasks import SIMULATIONS, chance, make, score_cell


def cell(dataset="helix", method="euclidean", **settings):
    return score_cell(dataset, method, seed=1, ks=[1, 5], n=100, **settings)


def test_score_gives_a_row_for_each_k():
    rows = tasks.score(cell("linear"), n_jobs=1)
    assert [row["k"] for row in rows] == [1, 5]
    assert rows[1]["precision"] > 0.95  # the end points have fewer exact ties
    assert rows[1]["chance"] == pytest.approx(5 / 99)


@pytest.mark.parametrize("variant", ["text", "scripts"])
@pytest.mark.parametrize("name", SIMULATIONS)
def test_noise_columns_and_scale(name, variant):
    manifold, X = make(cell(name, noise=4, variant=variant, rescaled=True))
    assert X.shape == (100, 7)
    assert np.allclose([X.min(axis=0), X.max(axis=0)], [[0] * 7, [1] * 7])
    assert len(manifold) == 100


def test_noise_within_the_signal_has_the_given_share_of_its_spread():
    manifold, X = make(score_cell("sphere", "euclidean", seed=0, ks=[5], n=5000, latent_noise=0.1))
    spread = np.sqrt(manifold.X.var(axis=0).mean())
    assert np.std(X - manifold.X) == pytest.approx(0.1 * spread, rel=0.05)


def test_chance_of_a_discrete_truth():
    manifold, X = make(cell("gaussian_mixture"))
    labels = manifold.labels
    same = labels[:, None] == labels
    assert chance(manifold, 5) == pytest.approx((same.sum() - len(X)) / (len(X) * (len(X) - 1)))


def test_pairs_leave_out_a_point_and_itself():
    rows = tasks.pairs(cell("linear", pairs=50), n_jobs=1)
    assert len(rows) == 50
    assert all(row["true"] > 0 for row in rows)
    assert np.allclose([row["true"] for row in rows], [row["estimated"] for row in rows], atol=1e-4)


def test_points_of_the_connectome_carry_their_type():
    rows = tasks.points(cell("connectome"), n_jobs=1)
    assert len(rows) == 213
    assert {row["shade"] for row in rows} == {"K", "I", "O", "P"}


def test_runtime_measures_seconds():
    (row,) = tasks.runtime(cell(cores=1), n_jobs=1)
    assert row["seconds"] > 0
