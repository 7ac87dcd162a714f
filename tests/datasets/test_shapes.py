import numpy as np
import pytest

from urerf.datasets import (
    MANIFOLDS,
    NOISE_KINDS,
    SIMULATIONS,
    add_noise,
    make_helix,
    make_moons,
    make_rotated_helix,
    make_sphere,
    make_swiss_roll,
    make_torus,
)


@pytest.mark.parametrize("name", MANIFOLDS)
def test_each_manifold_is_made_by_name(name):
    manifold = MANIFOLDS[name](60, random_state=3)
    assert len(manifold) == 60 or name in ("digits", "wine", "breast_cancer", "connectome")
    again = MANIFOLDS[name](60, random_state=3)
    np.testing.assert_array_equal(manifold.X, again.X)
    assert manifold.name == name


def test_the_simulations_of_the_paper_come_first():
    assert list(MANIFOLDS)[:4] == list(SIMULATIONS)


@pytest.mark.parametrize("name", ["swiss_roll", "torus", "moons", "helix_in_20"])
def test_true_distances(name):
    manifold = MANIFOLDS[name](60, random_state=3)
    D = manifold.distances()
    np.testing.assert_allclose(D, D.T)
    assert (np.diag(D) == 0).all()
    if manifold.labels is None:  # no path along the manifold is shorter than the straight line
        straight = np.sqrt(((manifold.X[:, None] - manifold.X[None]) ** 2).sum(axis=2))
        assert (straight * (1 - 1e-2) - 1e-9 <= D).all()
        near = (straight < 1) & (straight > 0)
        np.testing.assert_allclose(D[near], straight[near], rtol=0.1)


@pytest.mark.parametrize("kind", NOISE_KINDS)
def test_noise_is_appended(kind):
    X = np.arange(30.0)[:, None]
    Z = add_noise(X, 25, kind=kind, random_state=0)
    assert Z.shape == (30, 26)
    assert (Z[:, 0] == X[:, 0]).all()
    assert (add_noise(X, 25, kind=kind, random_state=0) == Z).all()


def test_correlated_noise_comes_in_blocks_of_ten():
    noise = add_noise(np.zeros((5000, 1)), 20, kind="correlated", random_state=0)[:, 1:]
    correlation = np.corrcoef(noise.T)
    assert correlation[0, 9] == pytest.approx(0.7, abs=0.05)
    assert abs(correlation[0, 10]) < 0.05
    assert noise.var() == pytest.approx(70, rel=0.1)


def test_kinds_with_their_own_scale_do_not_use_the_variance():
    X = np.zeros((50, 1))
    for kind in ("poisson", "mixed", "random_scales"):
        one, two = (add_noise(X, 6, kind=kind, variance=v, random_state=0) for v in (1, 70))
        np.testing.assert_array_equal(one, two)


MAKERS = [make_helix, make_moons, make_rotated_helix, make_sphere, make_swiss_roll, make_torus]


@pytest.mark.parametrize("make", MAKERS)
def test_random_state_is_what_scikit_learn_takes(make):
    drawn = make(30, random_state=np.random.RandomState(3)).X
    np.testing.assert_array_equal(make(30, random_state=np.random.RandomState(3)).X, drawn)
    assert len(make(30, random_state=None)) == 30
    generator = np.random.default_rng(0)
    first = make(30, random_state=generator).X
    second = make(30, random_state=generator).X
    assert (first != second).any()
    with pytest.raises(TypeError, match="random_state: must be an integer, got 'a'"):
        make(30, random_state="a")


@pytest.mark.parametrize("make", MAKERS)
def test_number_of_points_is_checked(make):
    assert len(make(1)) == 1
    with pytest.raises(ValueError, match="n_samples: must be at least 1, got 0"):
        make(0)
    with pytest.raises(TypeError, match=r"n_samples: must be an integer, got 1\.5"):
        make(1.5)


def test_a_torus_has_all_its_points_whatever_is_rejected():
    assert {len(make_torus(1, random_state=seed)) for seed in range(1000)} == {1}
