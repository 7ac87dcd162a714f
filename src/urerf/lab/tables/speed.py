"""Round clusters, a curved surface and trees on them, on which speed is measured."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from urerf.datasets import add_noise
from urerf.forest import Growth

from ..._typing import Float32Array, FloatArray

N_CLUSTERS = 100


def blobs(n: int, p: int, noise: int = 0) -> tuple[Float32Array, NDArray[np.int64]]:
    """Return rows in 100 round clusters, with noise columns of variance 70, and their clusters."""
    from sklearn.datasets import make_blobs

    clean, labels = make_blobs(n, p, centers=N_CLUSTERS, random_state=0)
    X = add_noise(clean, noise, variance=70, random_state=0)
    return X.astype(np.float32), labels


def surface(n: int, p: int, noise: int = 0) -> tuple[Float32Array, FloatArray]:
    """Return rows on a surface that is bent through p columns, with noise columns, and without."""
    rng = np.random.default_rng(0)
    slopes = rng.normal(scale=1.5, size=(2, p))
    phases = rng.uniform(0, 2 * np.pi, p)
    flat = rng.uniform(-1, 1, size=(n, 2))
    clean = np.sin(flat @ slopes + phases)
    X = add_noise(clean, noise, variance=70, random_state=0)
    return X.astype(np.float32), clean


def tall_data(n: int = 50_000, p: int = 100) -> dict[str, FloatArray]:
    """Return tables with ten clusters and with none."""
    from sklearn.datasets import make_blobs

    clustered, _ = make_blobs(n, p, centers=10, random_state=0)
    rng = np.random.default_rng(0)
    return {
        "clustered": clustered,
        "gaussian": rng.normal(size=(n, p)),
        "uniform": rng.uniform(size=(n, p)),
    }


def tall_growth(n: int, p: int) -> Growth:
    """Return how trees of `tall_data` grow: ten candidates per node, nodes of 100 rows."""
    return Growth(
        max_features=10,
        density=1 / p,
        min_samples_split=100,
        max_samples=n,
        bootstrap=True,
        projection="axis",
    )
