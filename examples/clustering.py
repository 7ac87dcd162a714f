"""Clustering: groups that only a few columns show.

Two moons, three Gaussian groups, wines of three growers and images of ten digits, with noise
columns of variance 70. Methods on Euclidean distance get every column scaled to unit variance; the
forest takes the table as it is. k-means and spectral clustering are told the number of groups,
HDBSCAN is not. Spectral clustering and HDBSCAN run twice, on Euclidean distances and on the
forest's. The score is the adjusted Rand index with the true groups: 1 for the same, 0 for chance.
"""

import warnings
from collections.abc import Sequence

import numpy as np
from sklearn.cluster import HDBSCAN, KMeans, SpectralClustering
from sklearn.datasets import load_digits, load_wine, make_moons
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import scale

from examples import (
    BLACK,
    BLUE,
    NOISES,
    ORANGE,
    RED,
    ROSE,
    Result,
    draw_scores,
    legend_below,
    new_figure,
)
from urerf import URerF
from urerf.datasets import add_noise, make_gaussian_mixture
from urerf.graph import symmetrize

K = 15
COLORS = {
    "k-means": BLACK,
    "HDBSCAN, Euclidean": ORANGE,
    "spectral, Euclidean": BLUE,
    "HDBSCAN, URerF": ROSE,
    "spectral, URerF": RED,
}


def tables(n_samples: int) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return rows and their groups."""
    mixture = make_gaussian_mixture(n_samples)
    wine = load_wine()
    digits = load_digits()
    return {
        "two moons": make_moons(n_samples, noise=0.06, random_state=0),
        "mixture": (mixture.X, mixture.labels),
        "wine": (wine.data, wine.target),
        "digits": (digits.data[: 3 * n_samples], digits.target[: 3 * n_samples]),
    }


def clusterings(X: np.ndarray, groups: int) -> dict[str, np.ndarray]:
    """Cluster the rows of X by every method."""
    model = URerF(n_neighbors=K, random_state=0, n_jobs=-1).fit(X)
    graph = model.kneighbors_graph()
    wide = symmetrize(model.kneighbors_graph(n_neighbors=len(X) // 2))
    scaled = scale(X)
    warnings.filterwarnings(
        "ignore", "Graph is not fully connected"
    )  # so it should be: the groups are apart
    settings = {
        "n_clusters": groups,
        "n_neighbors": K,
        "assign_labels": "cluster_qr",
        "random_state": 0,
    }
    return {
        "k-means": KMeans(groups, n_init=10, random_state=0).fit_predict(scaled),
        "HDBSCAN, Euclidean": HDBSCAN(min_cluster_size=20, copy=True).fit_predict(scaled),
        "spectral, Euclidean": SpectralClustering(
            affinity="nearest_neighbors", **settings
        ).fit_predict(scaled),
        "HDBSCAN, URerF": HDBSCAN(min_cluster_size=20, metric="precomputed", copy=True).fit_predict(
            wide
        ),
        "spectral, URerF": SpectralClustering(
            affinity="precomputed_nearest_neighbors", **settings
        ).fit_predict(graph),
    }


def run(n_samples: int = 600, noises: Sequence[int] = NOISES) -> Result:
    """Cluster every table with every number of noise columns."""
    rows = []
    data = tables(n_samples)
    for name, (X, groups) in data.items():
        for noise in noises:
            for method, found in clusterings(
                add_noise(X, noise, random_state=0), len(set(groups))
            ).items():
                agreement = adjusted_rand_score(groups, found)
                rows.append(
                    {
                        "data": name,
                        "method": method,
                        "noise columns": noise,
                        "Rand index": agreement,
                    }
                )
    figure, axes = new_figure(len(data), sharey=True)
    for place, name in zip(axes, data):
        draw_scores(place, [row for row in rows if row["data"] == name], "Rand index", COLORS)
        place.set_title(name)
        place.label_outer()
    legend_below(figure, axes[0])
    return Result(rows, figure)
