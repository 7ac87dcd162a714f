import math
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.integrate import quad

import urerf
from urerf.datasets import (
    Manifold,
    add_noise,
    load_connectome,
    load_penguins,
    make_gaussian_mixture,
    make_helix,
    make_linear,
    make_sphere,
    rescale,
)

MAKERS = [make_linear, make_helix, make_sphere, make_gaussian_mixture]
GRIDS = [make_linear, make_helix, make_sphere]
KINDS = ["gaussian", "uniform", "bimodal", "heavy_tailed"]


@pytest.mark.parametrize("variant", ["text", "scripts"])
@pytest.mark.parametrize("make", MAKERS)
class TestEveryMaker:
    @pytest.mark.parametrize("n", [1, 2, 3, 7, 100, 997])
    def test_any_n(self, make, variant, n):
        m = make(n, variant=variant)
        assert isinstance(m, Manifold)
        assert len(m) == n
        assert m.X.shape == (n, 3)
        assert m.X.dtype == np.float64
        assert m.latent.ndim == 2
        assert len(m.latent) == n
        assert m.distances([0]).shape == (1, n)

    def test_distances_are_a_metric(self, make, variant):
        m = make(60, variant=variant)
        D = m.distances()
        assert (np.diag(D) == 0).all()
        np.testing.assert_array_equal(D, D.T)
        through = (D[:, :, None] + D[None, :, :]).min(
            axis=1
        )  # the best detour over one other point
        assert (through + 1e-9 >= D).all()

    def test_geodesics_are_never_shorter_than_chords(self, make, variant):
        m = make(80, variant=variant)
        if m.labels is None:
            chords = np.linalg.norm(m.X[:, None] - m.X, axis=2)
            assert (m.distances() >= chords - 1e-9).all()

    def test_rows_are_rows_of_the_whole(self, make, variant):
        m = make(50, variant=variant)
        rows = [41, 3, 3, 0]
        np.testing.assert_array_equal(m.distances(rows), m.distances()[rows])
        assert m.distances([]).shape == (0, 50)

    def test_same_seed_same_points(self, make, variant):
        np.testing.assert_array_equal(
            make(30, variant=variant).X, make(30, variant=variant, random_state=0).X
        )
        assert (make(30, variant=variant).X != make(30, variant=variant, random_state=1).X).any()

    def test_generator_as_random_state(self, make, variant):
        one, two = (
            make(30, variant=variant, random_state=np.random.default_rng(5)) for _ in range(2)
        )
        np.testing.assert_array_equal(one.X, two.X)

    def test_pickle(self, make, variant):
        m = make(20, variant=variant)
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(m)).distances(), m.distances())


@pytest.mark.parametrize("make", GRIDS)
class TestGrids:
    def test_seeds_shuffle_the_same_points(self, make):
        # 200 = 20 x 10 fills the sphere's grid
        one = make(200, random_state=1)
        two = make(200, random_state=2)
        np.testing.assert_array_equal(np.unique(one.latent, axis=0), np.unique(two.latent, axis=0))
        assert (one.latent != two.latent).any()

    def test_row_order_tells_nothing(self, make):
        latent = make(1000).latent[:, -1]
        assert abs(np.corrcoef(np.arange(1000), latent)[0, 1]) < 0.1

    def test_no_point_twice(self, make):
        assert len(np.unique(make(500).X.round(9), axis=0)) == 500


def equally_spaced(values, start, stop):
    ordered = np.unique(values)
    steps = np.diff(ordered)
    np.testing.assert_allclose(steps, steps.mean(), rtol=1e-6)
    np.testing.assert_allclose(
        [ordered[0] - start, stop - ordered[-1]], steps.mean() / 2, rtol=1e-6
    )


@pytest.mark.parametrize(("variant", "direction"), [("text", (4, 6, 9)), ("scripts", (21, 6, 14))])
def test_linear(variant, direction):
    m = make_linear(100, variant=variant)
    equally_spaced(m.latent[:, 0], 0, 1)
    np.testing.assert_allclose(m.X, m.latent * np.array(direction))
    np.testing.assert_allclose(m.distances(), np.linalg.norm(m.X[:, None] - m.X, axis=2), atol=1e-9)


@pytest.mark.parametrize(("variant", "start"), [("text", 2 * math.pi), ("scripts", 3 * math.pi)])
def test_helix(variant, start):
    m = make_helix(100, variant=variant)
    t = m.latent[:, 0]
    equally_spaced(t, start, 9 * math.pi)
    np.testing.assert_allclose(m.X, np.column_stack([t * np.cos(t), t * np.sin(t), t]))


def test_helix_arc_length_against_integration():
    m = make_helix(40)
    D = m.distances()

    def speed(t):
        return np.linalg.norm([np.cos(t) - t * np.sin(t), np.sin(t) + t * np.cos(t), 1.0])

    for i, j in [(0, 1), (5, 30), (12, 39), (7, 8)]:
        assert D[i, j] == pytest.approx(
            abs(quad(speed, m.latent[i, 0], m.latent[j, 0])[0]), rel=1e-9
        )


@pytest.mark.parametrize("variant", ["text", "scripts"])
def test_sphere(variant):
    m = make_sphere(450, variant=variant)
    u, v = m.latent.T
    equally_spaced(u, 0, 2 * math.pi)
    equally_spaced(v, 0, math.pi)
    np.testing.assert_allclose(
        m.X, 9 * np.column_stack([np.cos(u) * np.sin(v), np.sin(u) * np.sin(v), np.cos(v)])
    )
    np.testing.assert_allclose(
        m.distances(), 9 * np.arccos(np.clip(m.X @ m.X.T / 81, -1, 1)), atol=1e-6
    )


def test_sphere_distances_keep_their_digits_at_both_ends():
    m = make_sphere(4)
    latent = np.array([[0.0, 1.0], [0.0, 1.0 + 1e-9], [math.pi, math.pi - 1.0]])
    D = m.geodesic(latent[:1], latent)
    assert D[0, 1] == pytest.approx(9e-9, rel=1e-6)
    assert D[0, 2] == pytest.approx(9 * math.pi, rel=1e-15)


@given(st.integers(1, 3000))
def test_sphere_grid_fits_any_n(n):
    n_u, n_v = (np.unique(angle).size for angle in make_sphere(n).latent.T)
    assert n_v == max(1, round(math.sqrt(n / 2)))
    assert n <= n_u * n_v < n + n_v
    assert n_u <= 2.7 * n_v + 1


def test_sphere_leaves_out_nodes_without_bias():
    # 11 points of a 6 x 2 grid: over the seeds every node is the missing one about equally often.
    full = {tuple(node) for node in make_sphere(12).latent.round(9)}
    assert len(full) == 12
    missing = [
        next(iter(full - {tuple(r) for r in make_sphere(11, random_state=s).latent.round(9)}))
        for s in range(600)
    ]
    counts = np.unique(missing, axis=0, return_counts=True)[1]
    assert len(counts) == 12
    assert (abs(counts - 50) < 30).all()


def test_mixture_is_discrete_by_the_text():
    m = make_gaussian_mixture(20000)
    np.testing.assert_allclose(np.bincount(m.labels) / 20000, [0.3, 0.3, 0.4], atol=0.02)
    for label, mean in enumerate([-3, 0, 3]):
        points = m.X[m.labels == label]
        np.testing.assert_allclose(points.mean(axis=0), mean, atol=0.06)
        np.testing.assert_allclose(np.cov(points.T), np.eye(3), atol=0.06)
    rows = [0, 1, 2]
    expected = np.where(m.labels[rows, None] == m.labels, 0, np.inf)
    np.testing.assert_array_equal(m.distances(rows), expected)


def test_mixture_is_continuous_by_the_scripts():
    m = make_gaussian_mixture(100, variant="scripts")
    text = make_gaussian_mixture(100)
    np.testing.assert_array_equal(m.X, text.X)
    assert m.labels is None
    np.testing.assert_allclose(m.distances(), np.linalg.norm(m.X[:, None] - m.X, axis=2))


@pytest.mark.parametrize("kind", KINDS)
class TestNoise:
    X = np.arange(12.0).reshape(6, 2)

    def test_keeps_the_table_and_appends(self, kind):
        Z = add_noise(self.X, 5, kind=kind, random_state=0)
        assert Z.shape == (6, 7)
        np.testing.assert_array_equal(Z[:, :2], self.X)
        assert add_noise(self.X, 0, kind=kind).shape == (6, 2)

    def test_first_columns_do_not_depend_on_how_many(self, kind):
        few, many = (add_noise(self.X, c, kind=kind, random_state=3) for c in (10, 100))
        np.testing.assert_array_equal(few, many[:, :12])

    @pytest.mark.parametrize("variance", [70.0, 1.0])
    def test_mean_and_variance(self, kind, variance):
        noise = add_noise(np.zeros((1000, 1)), 400, kind=kind, variance=variance, random_state=0)[
            :, 1:
        ]
        assert abs(noise.mean()) < 0.02 * math.sqrt(variance)
        assert noise.var() == pytest.approx(variance, rel=0.05)

    def test_columns_are_independent(self, kind):
        noise = add_noise(np.zeros((2000, 1)), 10, kind=kind, random_state=0)[:, 1:]
        assert abs(np.corrcoef(noise.T) - np.eye(10)).max() < 0.1

    def test_seeds(self, kind):
        one, two, three = (add_noise(self.X, 2, kind=kind, random_state=s) for s in (1, 1, None))
        np.testing.assert_array_equal(one, two)
        assert (one[:, 2:] != three[:, 2:]).all()


def test_noise_laws_differ_in_shape():
    noise = {
        k: add_noise(np.zeros((50000, 1)), 1, kind=k, variance=1, random_state=0)[:, 1]
        for k in KINDS
    }
    kurtosis = {k: (z**4).mean() / (z**2).mean() ** 2 for k, z in noise.items()}
    assert (
        kurtosis["bimodal"]
        < 1.5
        < kurtosis["uniform"]
        < 2
        < kurtosis["gaussian"]
        < 3.2
        < kurtosis["heavy_tailed"]
    )
    assert abs(noise["uniform"]).max() <= math.sqrt(3)
    near_zero = {k: (abs(z) < 0.2).mean() for k, z in noise.items()}
    assert near_zero["bimodal"] < 0.05 < near_zero["gaussian"]


def test_noise_does_not_repeat_the_draws_of_the_points():
    mixture = make_gaussian_mixture(500, random_state=0)
    noise = add_noise(mixture.X, 20, variance=1.0, random_state=0)[:, 3:]
    residuals = mixture.X - np.array([-3, 0, 3])[mixture.labels][:, None]
    assert not np.isin(residuals.round(12), noise.round(12)).any()


columns = arrays(
    np.float64,
    st.tuples(st.integers(1, 8), st.integers(0, 4)),
    elements=st.floats(-1e9, 1e9, width=32),
)


@given(columns)
def test_rescale_maps_to_the_unit_interval(X):
    Z = rescale(X)
    constant = X.min(axis=0) == X.max(axis=0)
    assert (Z[:, constant] == 0).all()
    assert (Z.min(axis=0) == 0).all()
    assert (Z.max(axis=0)[~constant] == 1).all()
    assert (np.diff(np.take_along_axis(Z, X.argsort(axis=0), axis=0), axis=0) >= 0).all()


def test_rescale_of_a_range_beyond_float64():
    X = np.array([[-1.7e308, 5e-324], [0.0, 0.0], [1.7e308, 5e-324]])
    np.testing.assert_array_equal(rescale(X), [[0.0, 1.0], [0.5, 0.0], [1.0, 1.0]])


def test_rescale_does_not_change_its_input():
    X = np.array([[1.0, 2.0], [3.0, 5.0]])
    rescale(X)
    np.testing.assert_array_equal(X, [[1, 2], [3, 5]])


class TestConnectome:
    def test_what_it_is(self):
        m = load_connectome()
        assert m.X.shape == (213, 6)
        assert m.labels is not None
        assert m.labels.shape == (213,)
        assert dict(zip(*np.unique(m.labels, return_counts=True))) == {
            "I": 21,
            "K": 100,
            "O": 29,
            "P": 63,
        }
        np.testing.assert_array_equal(m.distances([5]) == 0, (m.labels == m.labels[5])[None])

    def test_equals_the_reference_embedding_up_to_signs(self):
        path = Path(__file__).parents[1] / "data" / "connectome_embedding.csv"
        reference = np.loadtxt(path, delimiter=",", skiprows=1)[:, 1:]
        X = load_connectome().X
        sign = np.sign((X * reference).sum(axis=0))
        np.testing.assert_allclose(X, sign * reference, atol=2e-9)
        np.testing.assert_array_equal(sign[:3], sign[3:])  # outgoing and incoming flip together

    def test_same_every_time(self):
        np.testing.assert_array_equal(load_connectome().X, load_connectome().X)

    def test_signs_follow_the_rule_with_room_to_spare(self):
        out = load_connectome().X[:, :3]
        assert (out.max(axis=0) > -out.min(axis=0) + 1e-6).all()


class TestPenguins:
    def test_rows_are_those_of_the_file_that_were_measured(self):
        m = load_penguins()
        folder = Path(urerf.__file__).parent / "data" / "penguins"
        lines = (folder / "penguins.csv").read_text("utf-8").splitlines()[1:]
        assert len(lines) == 344
        measured = [line.split(",") for line in lines if "NA,NA,NA,NA" not in line]
        assert m.labels is not None
        assert m.labels.tolist() == [cells[0] for cells in measured]
        np.testing.assert_array_equal(m.X, [[float(c) for c in cells[2:6]] for cells in measured])

    def test_license_and_citation_are_shipped(self):
        text = (Path(urerf.__file__).parent / "data" / "penguins" / "README.md").read_text("utf-8")
        assert "CC0" in text
        assert "10.5281/zenodo.3960218" in text


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"n_samples": 0}, ValueError, "n_samples: must be at least 1"),
        ({"n_samples": 2.5}, TypeError, "n_samples: must be an integer, got 2.5"),
        ({"n_samples": "many"}, TypeError, "n_samples"),
        ({"variant": "code"}, ValueError, "variant: must be one of 'text', 'scripts'"),
        ({"random_state": -1}, ValueError, "random_state"),
        ({"random_state": "seed"}, TypeError, "random_state"),
    ],
)
def test_makers_refuse(make, arguments, error, message):
    with pytest.raises(error, match=message):
        make(**arguments)


@pytest.mark.parametrize(
    ("rows", "error", "message"),
    [
        ([[0, 1]], ValueError, "rows: must be a one-dimensional"),
        (3, ValueError, "rows: must be a one-dimensional"),
        ([0, 10], ValueError, r"rows: must lie between 0 and 9"),
        ([-1], ValueError, "rows: must lie"),
        ([0.0], TypeError, "rows: must be integers"),
        ([True] * 10, TypeError, "flatnonzero"),
    ],
)
def test_distances_refuse(rows, error, message):
    with pytest.raises(error, match=message):
        make_linear(10).distances(rows)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: add_noise([1, 2], 3), ValueError, "X: must have two dimensions"),
        (lambda: add_noise(np.empty((0, 2)), 3), ValueError, "X: has no rows"),
        (lambda: add_noise([["a"]], 3), TypeError, "X: must be a table of numbers"),
        (lambda: add_noise([[1]], -1), ValueError, "n_columns: must be at least 0"),
        (lambda: add_noise([[1]], 1.0), TypeError, "n_columns"),
        (lambda: add_noise([[1]], 1, kind="pink"), ValueError, "kind: must be one of 'gaussian'"),
        (lambda: add_noise([[1]], 1, variance=0), ValueError, "variance"),
        (lambda: add_noise([[1]], 1, variance=math.nan), ValueError, "variance"),
        (lambda: add_noise([[1]], 1, variance="big"), ValueError, "variance"),
        (lambda: rescale([1, 2]), ValueError, "X: must have two dimensions"),
        (lambda: rescale([[1, 2], [1, math.nan]]), ValueError, "X: column 1 has NaN"),
        (lambda: rescale([[math.inf]]), ValueError, "X: column 0"),
    ],
)
def test_tables_refuse(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_import_is_light():
    heavy = "{'matplotlib', 'pandas', 'numba'}"
    code = f"import sys, urerf.datasets, urerf.metrics; print({heavy} & set(sys.modules))"
    command = [sys.executable, "-c", code]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert printed == "set()\n"
