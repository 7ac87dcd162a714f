"""Controls: what the columns and the forest contribute.

URerF first finds the columns that carry structure, then grows a forest on them. To see what each
step contributes, this example gives the columns that were found to simpler methods: Euclidean
distance on standardized columns, and Isomap. A further control is told the true columns, which
nobody knows in practice. The score is the share of correct neighbors: those of the same group, or
for the helix and the sphere, those nearest along the manifold. Noise columns have the mean variance
of the true ones.

Read it like this: where *Euclidean, columns found* equals URerF, the selection of columns does the
work, and the forest is not needed for neighbors alone. Where URerF is better, scales or shapes
mislead a straight distance, or paths follow the manifold, as on the sphere, whose columns are
standardized for the others.
"""

import warnings
from collections.abc import Sequence

import numpy as np
from sklearn.datasets import load_digits, load_wine
from sklearn.manifold import Isomap
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import scale

from examples import NOISES, Result, compare, score_panels
from urerf import URerF
from urerf.datasets import Manifold, add_noise, load_penguins, make_helix, make_sphere
from urerf.datasets.manifold import discrete_manifold
from urerf.lab.methods import nearest
from urerf.lab.palette import BLACK, BLUE, GRAY, GREEN, RED
from urerf.metrics import geodesic_precision

K = 10
COLORS = {
    "Euclidean, all columns": BLACK,
    "Euclidean, columns found": BLUE,
    "Isomap, columns found": GREEN,
    "Euclidean, true columns": GRAY,
    "URerF": RED,
}


def tables(n_samples: int) -> dict[str, Manifold]:
    """Return tables whose correct neighbors are known."""
    digits, digit = load_digits(return_X_y=True)
    wines, grower = load_wine(return_X_y=True)
    n_digits = 2 * n_samples
    return {
        "helix": make_helix(n_samples, random_state=0),
        "sphere": make_sphere(n_samples, random_state=0),
        "penguins": load_penguins(),
        "wine": discrete_manifold(wines, grower, "wine"),
        "digits": discrete_manifold(digits[:n_digits], digit[:n_digits], "digits"),
    }


def euclidean(X: np.ndarray) -> np.ndarray:
    """Return the nearest rows by Euclidean distance on standardized columns."""
    search = NearestNeighbors(n_neighbors=K).fit(scale(X))
    return search.kneighbors(return_distance=False)


def shortest_paths(X: np.ndarray) -> np.ndarray:
    """Return the nearest rows by Isomap's shortest paths on standardized columns."""
    # Species and digits are separate groups: Isomap warns that it has to connect them.
    warnings.filterwarnings("ignore", "The number of connected components|Changing the sparsity")
    isomap = Isomap(n_neighbors=15, n_components=1).fit(scale(X))
    return nearest(isomap.dist_matrix_, K)


def neighbors(X: np.ndarray, n_true: int) -> dict[str, np.ndarray]:
    """Find neighbors by each method."""
    model = URerF(random_state=0, n_jobs=-1).fit(X)
    found = X[:, model.feature_weights_ > 0]
    return {
        "Euclidean, all columns": euclidean(X),
        "Euclidean, columns found": euclidean(found),
        "Isomap, columns found": shortest_paths(found),
        "Euclidean, true columns": euclidean(X[:, :n_true]),
        "URerF": model.kneighbors(n_neighbors=K, return_distance=False),
    }


def run(n_samples: int = 600, noises: Sequence[int] = NOISES) -> Result:
    """Compare the methods on each table with each number of noise columns."""
    data = tables(n_samples)

    def score(name, noise):
        X = data[name].X
        varying = X[:, X.std(axis=0) > 0]
        variance = float(varying.var(axis=0).mean())
        noisy = add_noise(varying, noise, variance=variance, random_state=0)
        for method, indices in neighbors(noisy, varying.shape[1]).items():
            precision = geodesic_precision(indices, data[name])
            yield {"method": method, "share of correct neighbors": precision}

    return score_panels(compare(data, noises, score), dict.fromkeys(data), COLORS)
