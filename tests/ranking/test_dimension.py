"""How many dimensions rows fill, and when their neighbors are ranked by paths."""

import numpy as np
import pandas as pd
import pytest

from urerf import URerF
from urerf.datasets import add_noise, make_gaussian_mixture, make_helix, make_sphere
from urerf.datasets.shapes import make_swiss_roll, make_torus
from urerf.metrics import geodesic_precision
from urerf.ranking.dimension import (
    has_paths,
    have_common_unit,
    is_curve,
    is_surface,
    local_dimension,
    near_by_unit,
)

# Three turns whose height is in another unit than three other columns.
_T = np.random.default_rng(0).uniform(0, 6 * np.pi, 500)
COIL = 10 * np.column_stack([np.cos(_T), np.sin(_T), np.cos(2 * _T), _T / 1000])


@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_rows_that_fill_a_cube(d):
    cube = np.random.default_rng(d).uniform(size=(1000, d))
    in_more_columns = cube @ np.random.default_rng(0).normal(size=(d, 8))
    assert local_dimension(in_more_columns) == pytest.approx(d, rel=0.15)


def test_it_does_not_depend_on_shift_order_or_copies():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(500, 3))
    dimension = local_dimension(rows)
    assert local_dimension(rows + 8.0) == pytest.approx(dimension)
    assert local_dimension(rows[rng.permutation(500)]) == pytest.approx(dimension)
    assert local_dimension(rows[:, ::-1]) == pytest.approx(dimension)
    assert local_dimension(np.vstack([rows, rows[:100]])) == pytest.approx(dimension, rel=0.1)


def test_no_estimate():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(300, 3))
    assert local_dimension(rows[:99]) == np.inf
    assert local_dimension(rng.integers(0, 50, (300, 3)).astype(float)) == np.inf
    assert local_dimension(np.repeat(rows[:100], 3, axis=0)) == np.inf
    for value in (np.nan, np.inf):
        rows[5, 1] = value
        assert local_dimension(rows) == np.inf


def test_a_column_of_few_values_may_be_part_of_a_surface():
    sphere = make_sphere(400).X  # a grid: every latitude repeats
    assert len(np.unique(sphere[:, 2])) < 0.1 * 400
    assert local_dimension(sphere) == pytest.approx(2.2, abs=0.1)
    assert local_dimension(sphere.round()) == np.inf


def test_columns_need_a_common_unit_and_rows_must_not_fill_them():
    assert is_curve(1.3)
    assert not is_curve(1.9)
    assert is_surface(1.9)
    assert not is_surface(1.3)
    assert not is_surface(2.5)
    assert has_paths(1.3, 3)
    assert has_paths(2.39, 3)
    assert not has_paths(2.41, 3)
    assert not has_paths(2.5, 20)
    assert not has_paths(np.inf, 20)
    assert have_common_unit(np.array([1.0, 2.0, 5.0]))
    assert have_common_unit(np.array([0.01] + [1.0] * 12))
    assert not have_common_unit(np.array([100.0] + [1.0] * 12))
    assert not have_common_unit(np.array([1.0, 2.0, 8.0]))
    assert not have_common_unit(np.array([1.0, 1.0]))


def test_a_narrow_column_must_not_tell_parts_of_the_table_from_each_other():
    coil = COIL / np.ptp(COIL, axis=0)
    assert near_by_unit(coil, np.array([1.0, 1.0, 1.0, 0.25]))
    assert not near_by_unit(coil, np.array([1.0, 1.0, 1.0, 0.001]))
    assert not near_by_unit(coil, np.array([1e200, 1e200, 1e200, 1e197]))
    u, v = np.random.default_rng(0).uniform(size=(2, 500))
    sheet = np.column_stack([u, v, u + v, np.sin(3 * u)])
    assert near_by_unit(sheet, np.array([1.0, 1.0, 1.0, 0.001]))  # the others tell as much


def test_turns_that_differ_in_a_narrow_column_are_told_apart():
    model = URerF(n_estimators=60, random_state=0).fit(COIL)
    ids = model.kneighbors(n_neighbors=10, return_distance=False)
    assert geodesic_precision(ids, np.abs(_T[:, None] - _T)) > 0.9  # paths: 0.3


@pytest.mark.parametrize(
    ("X", "expected"),
    [
        (make_helix(300).X, "geodesic"),
        (make_torus(400).X, "geodesic"),
        (make_sphere(400).X, "geodesic"),
        (make_helix(300).X * [1, 1, 100], "blend"),
        (COIL, "blend"),
        (make_gaussian_mixture(300).X, "blend"),
        (np.random.default_rng(0).normal(size=(300, 2)), "blend"),
    ],
    ids=["curve", "surface", "grid", "other unit", "narrow column", "clusters", "plane"],
)
def test_what_auto_stands_for(X, expected):
    model = URerF(n_estimators=20, random_state=0).fit(X)
    assert model.similarity_ == expected
    explicit = URerF(n_estimators=20, random_state=0, similarity=expected).fit(X)
    for ours, same in zip(model.kneighbors(X[::7]), explicit.kneighbors(X[::7])):
        np.testing.assert_array_equal(ours, same)
    np.testing.assert_array_equal(model.proximity(), explicit.proximity())


def test_categories_have_no_paths():
    helix = make_helix(300).X
    table = pd.DataFrame(helix, columns=list("xyz"))
    table["half"] = np.where(helix[:, 2] > np.median(helix[:, 2]), "upper", "lower")
    assert URerF(n_estimators=10, random_state=0).fit(table).similarity_ == "blend"


def test_proximity_of_some_samples_is_blended():
    model = URerF(n_estimators=20, random_state=0).fit(make_helix(120).X)
    assert model.similarity_ == "geodesic"
    blended = URerF(n_estimators=20, random_state=0, similarity="blend").fit(make_helix(120).X)
    np.testing.assert_array_equal(
        model.proximity(samples="in_bag"), blended.proximity(samples="in_bag")
    )


def test_the_turns_of_a_helix_are_told_apart():
    rng = np.random.default_rng(7)
    t = rng.uniform(0, 2 * np.pi, 1000)
    X = add_noise(np.column_stack([np.cos(10 * t), np.sin(10 * t), t]), 50, random_state=7)
    truth = np.abs(t[:, None] - t)
    precision = {}
    for similarity in ("auto", "blend"):
        model = URerF(n_estimators=60, random_state=0, similarity=similarity).fit(X)
        ids = model.kneighbors(n_neighbors=20, return_distance=False)
        precision[similarity] = geodesic_precision(ids, truth)
    assert precision["auto"] > 0.97
    assert precision["blend"] < 0.6


def test_all_columns_of_a_surface_count_in_full():
    roll = make_swiss_roll(1000, random_state=3)
    model = URerF(n_estimators=60, random_state=0).fit(roll.X)
    assert model.feature_weights_[1] < 1  # the height depends on no other column
    ids = model.kneighbors(n_neighbors=50, return_distance=False)
    assert geodesic_precision(ids, roll) > 0.96


@pytest.mark.parametrize(("make", "least"), [(make_sphere, 0.985), (make_torus, 0.955)])
def test_paths_on_a_surface_are_straightened(make, least):
    surface = make(1000, random_state=3)
    model = URerF(n_estimators=60, random_state=0).fit(surface.X)
    ids = model.kneighbors(n_neighbors=50, return_distance=False)
    assert geodesic_precision(ids, surface) > least
