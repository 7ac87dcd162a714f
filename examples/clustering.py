"""Clustering: groups that only a few columns show.

Two moons, three Gaussian groups, wines of three growers and images of ten digits, with noise
columns of variance 70. Methods based on Euclidean distance get columns scaled to unit variance; the
forest uses the table as it is. k-means and spectral clustering are given the number of groups,
HDBSCAN is not. Spectral clustering and HDBSCAN run twice, on Euclidean distances and on those of
the forest. The score is the adjusted Rand index with the true groups: 1 is perfect, 0 is chance.
"""

import warnings
from collections.abc import Sequence

import numpy as np
from sklearn.cluster import HDBSCAN, KMeans, SpectralClustering
from sklearn.datasets import load_digits, load_wine, make_moons
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import scale

from examples import NOISES, Result, compare, score_panels
from urerf import URerF
from urerf.datasets import add_noise, make_gaussian_mixture
from urerf.graph import symmetrize
from urerf.lab.palette import BLACK, BLUE, ORANGE, RED, ROSE

K = 15
COLORS = {
    "k-means": BLACK,
    "HDBSCAN, Euclidean": ORANGE,
    "spectral, Euclidean": BLUE,
    "HDBSCAN, URerF": ROSE,
    "spectral, URerF": RED,
}


def tables(n_samples: int) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return tables and their groups."""
    mixture = make_gaussian_mixture(n_samples)
    digits, digit = load_digits(return_X_y=True)
    n_digits = 3 * n_samples
    return {
        "two moons": make_moons(n_samples, noise=0.06, random_state=0),
        "mixture": (mixture.X, mixture.labels),
        "wine": load_wine(return_X_y=True),
        "digits": (digits[:n_digits], digit[:n_digits]),
    }


def spectral(X: np.ndarray, affinity: str, n_groups: int) -> np.ndarray:
    """Cluster by the spectrum of a neighbor graph."""
    # The graph should not be connected: the groups are separate.
    warnings.filterwarnings("ignore", "Graph is not fully connected")
    settings = {
        "n_neighbors": K,
        "assign_labels": "cluster_qr",
        "random_state": 0,
    }
    return SpectralClustering(n_groups, affinity=affinity, **settings).fit_predict(X)


def hdbscan(X: np.ndarray, metric: str) -> np.ndarray:
    """Cluster by density."""
    return HDBSCAN(min_cluster_size=20, metric=metric, copy=True).fit_predict(X)


def clusterings(X: np.ndarray, n_groups: int) -> dict[str, np.ndarray]:
    """Cluster the rows of X by each method."""
    model = URerF(n_neighbors=K, random_state=0, n_jobs=-1).fit(X)
    graph = model.kneighbors_graph()
    wide_graph = symmetrize(model.kneighbors_graph(n_neighbors=len(X) // 2))
    scaled = scale(X)
    return {
        "k-means": KMeans(n_groups, n_init=10, random_state=0).fit_predict(scaled),
        "HDBSCAN, Euclidean": hdbscan(scaled, "euclidean"),
        "spectral, Euclidean": spectral(scaled, "nearest_neighbors", n_groups),
        "HDBSCAN, URerF": hdbscan(wide_graph, "precomputed"),
        "spectral, URerF": spectral(graph, "precomputed_nearest_neighbors", n_groups),
    }


def run(n_samples: int = 600, noises: Sequence[int] = NOISES) -> Result:
    """Cluster each table with each number of noise columns."""
    data = tables(n_samples)

    def score(name, noise):
        X, groups = data[name]
        noisy = add_noise(X, noise, random_state=0)
        for method, clusters in clusterings(noisy, len(set(groups))).items():
            yield {"method": method, "Rand index": adjusted_rand_score(groups, clusters)}

    return score_panels(compare(data, noises, score), dict.fromkeys(data), COLORS)
