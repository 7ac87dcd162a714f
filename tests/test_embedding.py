import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import pdist
from scipy.stats import spearmanr

from urerf import URerF, cluster, outlier_score
from urerf.datasets import add_noise, make_gaussian_mixture, make_helix
from urerf.embedding import embed, initial_layout, landmark_scaling, layout
from urerf.metrics import geodesic_precision


@pytest.fixture(scope="module")
def helix():
    shape = make_helix(800, random_state=0)
    return shape, URerF(n_estimators=100, random_state=0).fit(
        add_noise(shape.X, 30, random_state=0)
    )


@pytest.mark.parametrize("method", ["layout", "isomap", "tsne"])
def test_neighbors_in_the_embedding_are_neighbors_on_the_helix(helix, method):
    shape, model = helix
    points = embed(model, method)
    far = ((points[:, None] - points) ** 2).sum(axis=2)
    np.fill_diagonal(far, np.inf)
    assert geodesic_precision(np.argsort(far, axis=1)[:, :10], shape) > 0.7


def test_isomap_keeps_geodesic_distances(helix):
    shape, model = helix
    true = shape.distances()[np.triu_indices(800, 1)]
    assert spearmanr(pdist(embed(model, "isomap")), true)[0] > 0.9


def test_components_lie_apart():
    shape = make_gaussian_mixture(300, random_state=0)
    component = shape.labels
    same = component[:, None] == component
    ids = np.array(
        [np.random.default_rng(i).choice(np.flatnonzero(same[i]), 5) for i in range(300)]
    )
    points = layout(np.full(ids.shape, 0.5), ids)
    centers = np.array([points[component == label].mean(axis=0) for label in np.unique(component)])
    spread = max(points[component == label].std(axis=0).max() for label in np.unique(component))
    assert pdist(centers).min() > 3 * spread


def test_all_landmarks_give_classical_scaling_back():
    points = np.random.default_rng(0).normal(size=(30, 2))
    lengths = np.sqrt(((points[:, None] - points) ** 2).sum(axis=2))
    np.testing.assert_allclose(pdist(landmark_scaling(np.arange(30), lengths)), pdist(points))


def test_equal_rows_do_not_start_at_the_same_position():
    ids = np.array([[1, 2], [0, 2], [0, 1]])
    points = initial_layout(np.zeros((3, 2)), ids)
    assert np.isfinite(points).all()
    assert pdist(points).min() > 0


def test_the_same_bits_every_time(helix):
    _, model = helix
    assert (embed(model) == embed(model)).all()
    assert not (embed(model) == embed(model, random_state=1)).all()


def test_umap_that_is_not_installed_is_refused(helix, monkeypatch):
    monkeypatch.setattr("urerf.embedding.find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"pip install urerf\[umap\]"):
        embed(helix[1], "umap")


def test_an_unknown_method_is_refused(helix):
    with pytest.raises(ValueError, match="method: must be one of"):
        embed(helix[1], "pca")


def test_every_seed_gives_a_layout():
    rows = np.arange(12)
    neighbors = np.stack([(rows + 1) % 12, (rows + 2) % 12], axis=1)
    distances = np.tile([0.1, 0.2], (12, 1))
    layouts = [layout(distances, neighbors, seed) for seed in range(6)]
    assert np.isfinite(layouts).all()
    assert (layouts[0] != layouts[2]).any()


@pytest.mark.parametrize("method", ["layout", "isomap", "spectral", "tsne"])
def test_random_state_is_what_scikit_learn_takes(method):
    model = URerF(n_estimators=10, random_state=0).fit(make_helix(60).X)
    places = embed(model, method, random_state=np.random.RandomState(0))
    again = embed(model, method, random_state=np.random.RandomState(0))
    np.testing.assert_array_equal(places, again)
    assert embed(model, method, random_state=None).shape == places.shape
    with pytest.raises(ValueError, match="random_state: must be None, an int from 0 to"):
        embed(model, method, random_state=-1)


@pytest.mark.parametrize(("method", "fewest"), [("spectral", 4), ("tsne", 3)])
def test_a_method_that_needs_more_rows_says_so(method, fewest):
    rows = np.random.default_rng(0).normal(size=(fewest, 3))
    model = URerF(n_estimators=5, random_state=0).fit(rows[:-1])
    with pytest.raises(ValueError, match=f"method: '{method}' needs at least {fewest} fitted rows"):
        embed(model, method, n_neighbors=1)


def test_a_small_table_uses_all_its_rows_as_neighbors():
    rows = np.random.default_rng(0).normal(size=(6, 3))
    model = URerF(n_estimators=5, random_state=0).fit(rows)
    np.testing.assert_array_equal(embed(model), embed(model, n_neighbors=5))
    with pytest.raises(ValueError, match="n_neighbors: 15 neighbors need at least 16 fitted rows"):
        embed(model, n_neighbors=15)


@pytest.mark.parametrize("ask", [embed, cluster, outlier_score])
def test_a_table_instead_of_a_model_is_refused(ask):
    with pytest.raises(TypeError, match="model: must be a fitted URerF, got DataFrame; pass what"):
        ask(pd.DataFrame({"x": [1.0, 2.0]}))
