"""Manifold learning: a curve unrolled.

A helix among noise columns is drawn in the plane by Isomap, by UMAP, by UMAP on the forest's
neighbours, and by classical scaling of the forest's geodesic distances, which is Isomap with
another idea of who is near. Precision is the share of a point's 15 nearest in the drawing that are
among its 15 nearest along the helix; correlation is that of the ranks of all distances in the
drawing and along the helix, which a few false edges between its turns already spoil. With few
points, the 12 neighbours that geodesics join reach farther along the outer turns than the next turn
is away. The figure has the most points; colours show the place along the helix.
"""

import warnings
from collections.abc import Sequence

import numpy as np
from scipy.stats import spearmanr
from sklearn.decomposition import KernelPCA
from sklearn.manifold import Isomap
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import NearestNeighbors

from examples import BLACK, BLUE, NOISES, RED, ROSE, Result, draw_scores, new_figure
from urerf import URerF
from urerf.datasets import Manifold, add_noise, make_helix
from urerf.graph import with_self
from urerf.metrics import geodesic_precision

K = 15
COLORS = {"Isomap": BLACK, "UMAP": BLUE, "URerF, UMAP": ROSE, "URerF, geodesics": RED}


def drawings(X: np.ndarray) -> dict[str, np.ndarray]:
    """Draw the rows of X in the plane by every method."""
    import umap

    model = URerF(random_state=0, n_jobs=-1).fit(X)
    distances, indices = with_self(*model.kneighbors(n_neighbors=K - 1))
    lengths = model.geodesic_distances(bridge=True)
    settings = {"n_neighbors": K, "random_state": 0, "n_jobs": 1}
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore"
        )  # UMAP: new rows cannot follow; Isomap: its graph is in pieces
        return {
            "Isomap": Isomap(n_neighbors=K).fit_transform(X),
            "UMAP": umap.UMAP(**settings).fit_transform(X),
            "URerF, UMAP": umap.UMAP(
                **settings, precomputed_knn=(indices, distances), init="random"
            ).fit_transform(X),
            "URerF, geodesics": KernelPCA(n_components=2, kernel="precomputed").fit_transform(
                -0.5 * lengths**2
            ),
        }


def scores(points: np.ndarray, helix: Manifold) -> dict[str, float]:
    """Compare a drawing with the helix: its nearest points, and all its distances."""
    nearest = NearestNeighbors(n_neighbors=K).fit(points).kneighbors(return_distance=False)
    pairs = np.triu_indices(len(helix), 1)
    correlation = spearmanr(pairwise_distances(points)[pairs], helix.distances()[pairs]).statistic
    return {"precision": geodesic_precision(nearest, helix), "correlation": float(correlation)}


def run(sizes: Sequence[int] = (300, 800, 1000), noises: Sequence[int] = NOISES) -> Result:
    """Draw helices of every size with every number of noise columns."""
    rows = []
    shown = {}
    for n_samples in sizes:
        helix = make_helix(n_samples)
        for noise in noises:
            shown = drawings(add_noise(helix.X, noise, random_state=0))
            for method, points in shown.items():
                cell = {"data": f"{n_samples} points", "method": method, "noise columns": noise}
                rows.append({**cell, **scores(points, helix)})
    figure, axes = new_figure(5, width=15)
    for place, (method, points) in zip(axes, shown.items()):
        place.scatter(*points.T, c=helix.latent[:, 0], s=4, cmap="viridis")
        place.set_title(f"{method}\n{noises[-1]:,} noise columns", color=COLORS[method])
        place.set(xticks=[], yticks=[])
        place.set_aspect("equal", "datalim")
    draw_scores(
        axes[-1], [row for row in rows if row["data"] == f"{sizes[-1]} points"], "precision", COLORS
    )
    axes[-1].legend(frameon=False, fontsize=8)
    return Result(rows, figure)
