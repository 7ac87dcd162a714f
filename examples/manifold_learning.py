"""Manifold learning: a curve unrolled.

A helix of 1000 points among noise columns is drawn in the plane by Isomap, by UMAP, by UMAP on the forest's neighbours,
and by classical scaling of the forest's geodesic distances, which is Isomap with another idea of who is near. The
score is the share of a point's 15 nearest in the drawing that are among its 15 nearest along the helix.
Colours show the place along it.
"""

import warnings
from collections.abc import Sequence

import numpy as np
from sklearn.decomposition import KernelPCA
from sklearn.manifold import Isomap
from sklearn.neighbors import NearestNeighbors

from examples import BLACK, BLUE, NOISES, RED, ROSE, Result, draw_scores, new_figure
from urerf import URerF
from urerf.datasets import add_noise, make_helix
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
        warnings.simplefilter("ignore")  # UMAP: new rows cannot follow; Isomap: its graph is in pieces
        return {
            "Isomap": Isomap(n_neighbors=K).fit_transform(X),
            "UMAP": umap.UMAP(**settings).fit_transform(X),
            "URerF, UMAP": umap.UMAP(**settings, precomputed_knn=(indices, distances), init="random").fit_transform(X),
            "URerF, geodesics": KernelPCA(n_components=2, kernel="precomputed").fit_transform(-0.5 * lengths**2),
        }


def run(n_samples: int = 1000, noises: Sequence[int] = NOISES) -> Result:
    """Draw the helix with every number of noise columns."""
    helix = make_helix(n_samples)
    rows, shown = [], {}
    for noise in noises:
        shown = found = drawings(add_noise(helix.X, noise, random_state=0))
        for method, points in found.items():
            nearest = NearestNeighbors(n_neighbors=K).fit(points).kneighbors(return_distance=False)
            precision = geodesic_precision(nearest, helix)
            rows.append({"data": "helix", "method": method, "noise columns": noise, "precision": precision})
    figure, axes = new_figure(5, width=15)
    for place, (method, points) in zip(axes, shown.items()):
        place.scatter(*points.T, c=helix.latent[:, 0], s=4, cmap="viridis")
        place.set_title(f"{method}\n{noises[-1]:,} noise columns", color=COLORS[method])
        place.set(xticks=[], yticks=[])
        place.set_aspect("equal", "datalim")
    draw_scores(axes[-1], rows, "precision", COLORS)
    axes[-1].legend(frameon=False, fontsize=8)
    return Result(rows, figure)
