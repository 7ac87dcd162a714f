import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.neighbors import NearestNeighbors

from urerf.datasets import add_noise, make_helix
from urerf.report.findings import components, euclidean_neighbors

N = 120
K = 5


@pytest.fixture(scope="module")
def X():
    return add_noise(make_helix(N, random_state=0).X, 20, random_state=0)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_euclidean_neighbors_are_those_of_standardized_columns(X, form):
    scaled = (X - X.mean(axis=0)) / X.std(axis=0)
    want = NearestNeighbors(n_neighbors=K).fit(scaled).kneighbors(return_distance=False)
    same = euclidean_neighbors(form(X), K) == want
    assert same.mean() > 0.99  # rounding to float32 may swap nearly equal distances


def test_missing_values_and_constant_columns_do_not_change_euclidean_neighbors(X):
    more = np.column_stack([X, np.full(N, 3.0), np.full(N, np.nan)])
    more[:, -1][0] = 1.0
    assert (euclidean_neighbors(more, K) == euclidean_neighbors(X, K)).all()


def test_components_are_numbered_from_the_largest():
    component, sizes = components(np.array([[1], [0], [3], [4], [2]]))
    assert component.tolist() == [1, 1, 0, 0, 0]
    assert sizes.tolist() == [3, 2]
