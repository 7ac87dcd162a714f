"""Algorithms of scikit-learn accept the neighbor graph and give good results with it.

scikit-learn warns when a graph is not sorted by distance (EfficiencyWarning), and a warning is an
error here.
"""

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.cluster import DBSCAN, HDBSCAN
from sklearn.manifold import TSNE, Isomap, SpectralEmbedding, trustworthiness
from sklearn.metrics import adjusted_rand_score, homogeneity_score
from sklearn.neighbors import (
    KNeighborsClassifier,
    KNeighborsRegressor,
    LocalOutlierFactor,
    RadiusNeighborsClassifier,
)

from urerf import URerF
from urerf.datasets import add_noise, make_linear
from urerf.graph import symmetrize

K = 20


def forest(**changes) -> URerF:
    settings = {
        "n_estimators": 60,
        "min_samples_split": 20,
        "projection": "axis",
        "n_neighbors": K,
        "random_state": 0,
    }
    return URerF.paper(**{**settings, **changes})


@pytest.fixture(scope="module")
def line():
    return make_linear(150)


@pytest.fixture(scope="module")
def line_model(line):
    return forest().fit(add_noise(line.X, 5, random_state=0))


@pytest.fixture(scope="module")
def blobs():
    rng = np.random.default_rng(0)
    labels = rng.permutation(np.repeat([0, 1, 2], 50))
    return rng.normal(size=(150, 4)) + 30 * labels[:, None], labels


@pytest.fixture(scope="module")
def blob_model(blobs):
    return forest().fit(blobs[0])


def test_isomap_unrolls_the_line(line, line_model):
    isomap = Isomap(n_components=1, n_neighbors=K, metric="precomputed")
    embedding = isomap.fit_transform(line_model.kneighbors_graph())
    assert abs(spearmanr(embedding[:, 0], line.latent[:, 0]).statistic) > 0.8
    later = make_linear(20, random_state=1)
    new = isomap.transform(line_model.transform(add_noise(later.X, 5, random_state=1)))
    assert abs(spearmanr(new[:, 0], later.latent[:, 0]).statistic) > 0.7


def test_spectral_embedding_unrolls_the_line(line, line_model):
    spectral = SpectralEmbedding(
        n_components=1,
        affinity="precomputed_nearest_neighbors",
        n_neighbors=K,
        eigen_solver="arpack",
        random_state=0,
    )
    embedding = spectral.fit_transform(line_model.kneighbors_graph())
    assert abs(spearmanr(embedding[:, 0], line.latent[:, 0]).statistic) > 0.9


def test_tsne_keeps_neighbors_together(line, line_model):
    """t-SNE reads int(3 * perplexity + 1) neighbors and the row itself from the graph."""
    graph = line_model.kneighbors_graph(n_neighbors=3 * 10 + 1)
    tsne = TSNE(
        metric="precomputed", init="random", perplexity=10, max_iter=250, random_state=0, n_jobs=1
    )
    assert trustworthiness(line.X, tsne.fit_transform(graph), n_neighbors=15) > 0.75


def test_dbscan_finds_the_blobs(blobs, blob_model):
    graph = blob_model.kneighbors_graph()
    found = DBSCAN(eps=0.9, metric="precomputed").fit_predict(graph)
    assert adjusted_rand_score(blobs[1], found) > 0.95


def test_hdbscan_finds_the_blobs(blobs, blob_model):
    """HDBSCAN needs a connected symmetric graph: neighbors must reach from blob to blob."""
    graph = symmetrize(blob_model.kneighbors_graph(n_neighbors=80))
    labels = HDBSCAN(metric="precomputed", min_cluster_size=20, copy=True).fit_predict(graph)
    kept = labels >= 0
    assert kept.mean() > 0.8
    assert adjusted_rand_score(blobs[1][kept], labels[kept]) > 0.95


@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_nearest_neighbor_classifier(blobs, blob_model, weights):
    X, labels = blobs
    classifier = KNeighborsClassifier(n_neighbors=5, metric="precomputed", weights=weights)
    classifier.fit(blob_model.kneighbors_graph(), labels)
    new = X + np.random.default_rng(1).normal(scale=0.1, size=X.shape)
    assert classifier.score(blob_model.transform(new), labels) > 0.98
    assert classifier.score(blob_model.kneighbors_graph(new), labels) > 0.98


def test_neighbors_are_used_unchanged(blob_model):
    """The k nearest that scikit-learn finds in the graph are ours, stored zeros included."""
    classifier = KNeighborsClassifier(n_neighbors=K, metric="precomputed")
    classifier.fit(blob_model.kneighbors_graph(), np.zeros(150))
    distances, ids = classifier.kneighbors()
    ours, our_ids = blob_model.kneighbors()
    np.testing.assert_array_equal(ids, our_ids)
    np.testing.assert_array_equal(distances, ours)


def test_nearest_neighbor_regressor(line, line_model):
    regressor = KNeighborsRegressor(n_neighbors=10, metric="precomputed")
    regressor.fit(line_model.kneighbors_graph(), line.latent[:, 0])
    later = make_linear(50, random_state=1)
    graph = line_model.transform(add_noise(later.X, 5, random_state=1))
    assert regressor.score(graph, later.latent[:, 0]) > 0.8


def test_radius_neighbors_classifier(blobs, blob_model):
    X, labels = blobs
    classifier = RadiusNeighborsClassifier(radius=0.95, metric="precomputed", outlier_label=-1)
    classifier.fit(blob_model.kneighbors_graph(), labels)
    assert classifier.score(blob_model.transform(X), labels) > 0.95


def test_local_outlier_factor_finds_outliers(blobs, blob_model):
    X, _ = blobs
    # Rows that lie between the blobs in every other column are similar to others in few trees.
    outliers = X[:20].copy()
    outliers[:, ::2] = X[20:40, ::2] + 15
    detector = LocalOutlierFactor(n_neighbors=K, metric="precomputed", novelty=True)
    detector.fit(blob_model.kneighbors_graph())
    inlier_scores = detector.score_samples(blob_model.transform(X + 0.01))
    outlier_scores = detector.score_samples(blob_model.transform(outliers))
    assert np.isfinite(inlier_scores).all()
    assert np.isfinite(outlier_scores).all()
    assert np.median(outlier_scores) < np.quantile(inlier_scores, 0.1)


def test_duplicates_do_not_break_consumers(blobs):
    """Between copies of a row, the graph stores zeros."""
    X = np.repeat(blobs[0][::5], 5, axis=0)
    labels = np.repeat(blobs[1][::5], 5)
    graph = forest(n_neighbors=10).fit_transform(X)
    clusters = DBSCAN(eps=0.9, metric="precomputed").fit_predict(graph)
    assert homogeneity_score(labels, clusters) > 0.99
    classifier = KNeighborsClassifier(n_neighbors=4, metric="precomputed").fit(graph, labels)
    distances, _ = classifier.kneighbors()
    assert (distances == 0).all()
