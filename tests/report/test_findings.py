import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.neighbors import NearestNeighbors

from urerf.datasets import add_noise, make_helix
from urerf.report import euclidean
from urerf.report.euclidean import comparable, euclidean_neighbors
from urerf.report.findings import components

N = 120
K = 5


@pytest.fixture(scope="module")
def X():
    return add_noise(make_helix(N, random_state=0).X, 20, random_state=0)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_euclidean_neighbors_are_those_of_standardized_columns(X, form):
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    want = NearestNeighbors(n_neighbors=K).fit(scaled).kneighbors(return_distance=False)
    same = euclidean_neighbors(form(X), K).neighbors == want
    assert same.mean() > 0.99  # rounding to float32 may swap nearly equal distances


def test_missing_values_and_constant_columns_do_not_change_euclidean_neighbors(X):
    more = np.column_stack([X, np.full(N, 3.0), np.full(N, np.nan)])
    more[:, -1][0] = 1.0
    changed = euclidean_neighbors(more, K).neighbors
    assert (changed == euclidean_neighbors(X, K).neighbors).all()


def test_levels_of_a_category_are_equally_far_apart():
    values = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0], [1.0, np.nan]])
    points = comparable(values, np.array([False, True]))
    between = ((points[:, None] - points) ** 2).sum(axis=2)
    assert between[0, 1] == between[0, 2] == between[1, 2] == 2
    assert between[0, 3] == 1  # a missing level is nearer to every level than another level is


def test_a_row_is_not_its_own_neighbor_even_among_many_equal_rows():
    found = euclidean_neighbors(np.zeros((40, 2)), K)
    assert found.neighbors.shape == (40, K)
    assert not (found.neighbors == np.arange(40)[:, None]).any()


def test_a_large_table_is_compared_on_a_sample(X, monkeypatch):
    whole = euclidean_neighbors(X, K)
    monkeypatch.setattr(euclidean, "MOST_PRODUCTS", 1.0)
    monkeypatch.setattr(euclidean, "SAMPLE_ROWS", 30)
    sample = euclidean_neighbors(X, K)
    assert len(sample.rows) == 30
    assert (sample.neighbors == whole.neighbors[sample.rows]).all()


def test_components_are_numbered_from_the_largest():
    component, sizes = components(np.array([[1], [0], [3], [4], [2]]))
    assert component.tolist() == [1, 1, 0, 0, 0]
    assert sizes.tolist() == [3, 2]
