"""Manifold learning: a curve unrolled.

A helix among noise columns is embedded in the plane by Isomap, by UMAP, by UMAP on the neighbors of
the forest, and by classical scaling of the geodesic distances of the forest, which is Isomap with
another notion of neighbors. Precision is the share of the 15 nearest points in the embedding that
are among the 15 nearest along the helix; correlation is the rank correlation of all distances in
the embedding and along the helix, which a few wrong edges between its turns already spoil. With few
points, the 12 neighbors that geodesics join reach farther along the outer turns than the next turn
is away. The figure shows the largest helix; colors are positions along it.
"""

import warnings
from collections.abc import Sequence

import numpy as np
from scipy.stats import spearmanr
from sklearn.decomposition import KernelPCA
from sklearn.manifold import Isomap
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import NearestNeighbors

from examples import NOISES, Result, compare, draw_scores
from urerf import URerF
from urerf.datasets import Manifold, add_noise, make_helix
from urerf.graph import with_self
from urerf.lab.canvas import panels
from urerf.lab.palette import BLACK, BLUE, RED, ROSE
from urerf.metrics import geodesic_precision

K = 15
COLORS = {
    "Isomap": BLACK,
    "UMAP": BLUE,
    "URerF, UMAP": ROSE,
    "URerF, geodesics": RED,
}


def embeddings(X: np.ndarray) -> dict[str, np.ndarray]:
    """Embed the rows of X in the plane by each method."""
    from umap import UMAP

    model = URerF(random_state=0, n_jobs=-1).fit(X)
    distances, indices = with_self(*model.kneighbors(n_neighbors=K - 1))
    lengths = model.geodesic_distances(bridge=True)
    settings = {"n_neighbors": K, "random_state": 0, "n_jobs": 1}
    umap = UMAP(**settings)
    umap_on_forest = UMAP(**settings, precomputed_knn=(indices, distances), init="random")
    scaling = KernelPCA(n_components=2, kernel="precomputed")
    with warnings.catch_warnings():
        # UMAP: new rows cannot be embedded; Isomap: its graph is not connected.
        warnings.simplefilter("ignore")
        return {
            "Isomap": Isomap(n_neighbors=K).fit_transform(X),
            "UMAP": umap.fit_transform(X),
            "URerF, UMAP": umap_on_forest.fit_transform(X),
            "URerF, geodesics": scaling.fit_transform(-0.5 * lengths**2),
        }


def scores(points: np.ndarray, helix: Manifold) -> dict[str, float]:
    """Compare an embedding with the helix: its nearest points, and all its distances."""
    nearest = NearestNeighbors(n_neighbors=K).fit(points).kneighbors(return_distance=False)
    pairs = np.triu_indices(len(helix), 1)
    shown = pairwise_distances(points)[pairs]
    true = helix.distances()[pairs]
    correlation = float(spearmanr(shown, true).statistic)
    return {"precision": geodesic_precision(nearest, helix), "correlation": correlation}


def run(sizes: Sequence[int] = (300, 800, 1000), noises: Sequence[int] = NOISES) -> Result:
    """Embed helices of each size with each number of noise columns."""
    helices = {f"{n_samples} points": make_helix(n_samples) for n_samples in sizes}
    shown = {}

    def score(name, noise):
        helix = helices[name]
        shown.update(embeddings(add_noise(helix.X, noise, random_state=0)))
        for method, points in shown.items():
            yield {"method": method, **scores(points, helix)}

    table = compare(helices, noises, score)
    largest = f"{sizes[-1]} points"
    position = helices[largest].latent[:, 0]
    figure, axes = panels(1, 5, width=15, height=3.1)
    for one, (method, points) in zip(axes[0], shown.items()):
        one.scatter(*points.T, c=position, s=4, cmap="viridis")
        one.set_title(f"{method}\n{noises[-1]:,} noise columns", color=COLORS[method])
        one.set(xticks=[], yticks=[])
        one.set_aspect("equal", "datalim")
    draw_scores(axes[0][-1], table, largest, COLORS)
    axes[0][-1].legend(frameon=False, fontsize=8)
    return Result(table, figure)
