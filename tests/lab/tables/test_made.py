import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from urerf.lab.tables.made import TABLES, with_noise, with_permuted

MADE = ("weak_clusters", "less_weak_clusters", "bimodal", "ten_turns", "rough_moons")


@pytest.mark.parametrize("name", MADE)
def test_a_table_is_drawn_by_its_seed(name):
    one = TABLES[name](50, random_state=3)
    assert len(one) == 50
    assert_array_equal(TABLES[name](50, random_state=3).X, one.X)
    assert not np.array_equal(TABLES[name](50, random_state=4).X, one.X)


def test_weak_clusters_differ_by_the_shift():
    table = TABLES["less_weak_clusters"](3000)
    means = np.array([table.X[table.labels == label].mean(axis=0) for label in range(3)])
    assert_allclose(means.std(axis=0, ddof=1).mean(), 0.8 * 0.886, rtol=0.15)  # of 3 Gaussians


def test_rows_of_bimodal_columns_are_as_far_as_groups_differ():
    table = TABLES["bimodal"](40)
    groups = table.X > 2
    expected = (groups[:, None] != groups).sum(axis=2)
    assert np.mean(table.distances() == expected) > 0.6  # 2 sd: a value in 44 is on the other side


def test_ten_turns_lie_on_a_circle_and_are_far_along_the_curve():
    table = TABLES["ten_turns"](200)
    assert_allclose((table.X[:, :2] ** 2).sum(axis=1), 1)
    assert_allclose(table.distances()[0], np.abs(table.X[:, 2] - table.X[0, 2]))


def test_permuted_columns_have_the_values_but_not_the_rows_of_the_table():
    X = np.random.default_rng(0).normal(size=(100, 3))
    Z = with_permuted(X, 20, seed=0)
    assert_array_equal(Z[:, :3], X)
    known = {tuple(np.sort(column)) for column in X.T}
    assert {tuple(np.sort(column)) for column in Z[:, 3:].T} == known
    assert np.abs(np.corrcoef(Z.T)[:3, 3:]).max() < 0.5
    assert_array_equal(with_noise(X, 20, "permuted", 70.0, 0), Z)
