"""Clusters of the neighbor graph: found, numbered by size, and absent from noise."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.metrics import adjusted_rand_score
from sklearn.neighbors import NearestNeighbors

from urerf import URerF
from urerf.clusters import cluster, cluster_graph
from urerf.datasets import add_noise, make_gaussian_mixture


def forest(X, **changes):
    return URerF(**{"n_estimators": 50, "random_state": 0, **changes}).fit(X)


@pytest.fixture(scope="module")
def blobs():
    """Three clusters of 100, 60 and 40 rows in 3 of 23 columns."""
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], [100, 60, 40])
    centers = np.array([[0, 0, 0], [9, 0, 9], [0, 9, 0]])
    X = centers[truth] + rng.normal(size=(200, 3))
    return add_noise(X, 20, random_state=0), truth


def test_known_clusters_are_found_and_numbered_by_size(blobs):
    X, truth = blobs
    found = cluster(forest(X))
    assert adjusted_rand_score(truth, found) > 0.95
    sizes = np.bincount(found[found >= 0])
    assert sizes.tolist() == sorted(sizes, reverse=True)


def test_a_table_without_structure_has_no_clusters():
    X = np.random.default_rng(3).normal(size=(400, 5))
    model = forest(X, similarity="depth")
    assert model.relevance_.verdict == "none"
    assert (cluster(model) == -1).all()
    assert cluster_graph(*model.kneighbors()).max() >= 0  # what chance alone would give


def test_components_without_edges_between_them_are_apart(blobs):
    X, truth = blobs
    model = forest(X)
    distances, neighbors = model.kneighbors(n_neighbors=8)
    same = truth[neighbors] == truth[:, None]
    assert same.mean() > 0.95
    neighbors = np.where(same, neighbors, np.arange(len(X))[:, None])
    found = cluster_graph(distances, neighbors)
    for cluster_number in range(3):
        assert len(set(truth[found == cluster_number])) == 1


@pytest.mark.parametrize("sizes", [[300, 15, 15, 200, 15], [15] * 10 + [200, 300], [17] * 20])
def test_components_too_small_for_a_cluster_do_not_make_one_together(sizes):
    rng = np.random.default_rng(0)
    distances = []
    neighbors = []
    for size in sizes:
        near, rows = NearestNeighbors(n_neighbors=8).fit(rng.normal(size=(size, 3))).kneighbors()
        distances.append(near / 10)
        neighbors.append(rows + sum(map(len, neighbors)))
    found = cluster_graph(np.vstack(distances), np.vstack(neighbors))
    component = np.repeat(range(len(sizes)), sizes)
    large = [number for number, size in enumerate(sizes) if size > 20]
    assert (found[~np.isin(component, large)] == -1).all()
    assert found.max() + 1 == len(large)
    for number in large:
        assert len(set(found[component == number])) == 1


def test_many_equal_rows_are_one_cluster_not_a_failure():
    rng = np.random.default_rng(0)
    X = np.repeat(rng.integers(0, 2, size=(4, 5)).astype(float), 50, axis=0)
    X = np.vstack([X, rng.normal(size=(20, 5))])
    found = cluster(forest(X))
    for start in range(0, 200, 50):
        assert len(set(found[start : start + 50])) == 1


@pytest.mark.parametrize("n_rows", [2, 3, 5, 12])
def test_tiny_tables(n_rows):
    X = make_gaussian_mixture(n_rows, random_state=0).X
    assert cluster(forest(X)).shape == (n_rows,)


def test_settings(blobs):
    X, _ = blobs
    model = forest(X)
    assert cluster(model, min_cluster_size=90, n_neighbors=10).max() <= 1
    with pytest.raises(ValueError, match="min_cluster_size: must be at least 2, got 1"):
        cluster(model, min_cluster_size=1)
    with pytest.raises(ValueError, match="min_cluster_size: must be at most 200, the number of"):
        cluster(model, min_cluster_size=201)
    with pytest.raises(TypeError, match=r"min_cluster_size: must be an integer, got 2\.5"):
        cluster(model, min_cluster_size=2.5)
    with pytest.raises(NotFittedError):
        cluster(URerF())
