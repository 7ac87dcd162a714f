"""Large leaves and small ones in tables of 100,000 rows: precision, and CPU time.

`python -m benchmarks.leaves` compares the settings before leaves became smaller with the defaults,
on seeds that were not used to choose these.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import numpy as np
from scipy.stats import t as student
from sklearn.datasets import make_swiss_roll
from sklearn.neighbors import NearestNeighbors

from benchmarks import SMALL, THREADS, log, publish, table
from urerf import URerF
from urerf._typing import Array
from urerf.datasets import add_noise
from urerf.ranking import index

N = 3000 if SMALL else 100_000
K = 15
N_NOISE = 30
N_JUDGED = 2000  # rows whose neighbors are compared with the true ones
SEEDS = range(302, 304 if SMALL else 307)
# Until leaves became smaller, trees saw 5 % of large tables, split nodes of 10 of their rows, and
# cuts counted below nodes of 128 rows.
LARGE_LEAVES = {"max_samples": N // 20, "min_samples_split": 10}
LARGE_DEEP = 128
NOTE = f"""Share of the {K} nearest rows that are right, and CPU seconds of `fit` and `kneighbors`,
means of {len(SEEDS)} seeds, {N:,} rows. Large leaves hold 100 rows of the table, those of the
default 50. The difference in precision is paired over seeds, with a 95 % interval. The first four
shapes have {N_NOISE} noise columns."""

# The table, and the coordinates in which true neighbors are nearest.
Shape = tuple[Array, Array]


def sphere(rng: np.random.Generator) -> Shape:
    """Return a sphere."""
    points = rng.normal(size=(N, 3))
    on_sphere = points / np.linalg.norm(points, axis=1, keepdims=True)
    return on_sphere, on_sphere


def helix(rng: np.random.Generator) -> Shape:
    """Return a helix that becomes wider."""
    t = rng.uniform(2 * np.pi, 9 * np.pi, N)
    return np.column_stack([t * np.cos(t), t * np.sin(t), t]), t[:, None]


def swiss_roll(rng: np.random.Generator) -> Shape:
    """Return a Swiss roll; distances along it are those of its arc and its height."""
    X, t = make_swiss_roll(N, random_state=int(rng.integers(2**31)))
    arc = 0.5 * (t * np.sqrt(1 + t**2) + np.arcsinh(t))
    return X, np.column_stack([arc, X[:, 1]])


def noisy_surface(rng: np.random.Generator) -> Shape:
    """Return a surface that is bent through 50 columns, with noise in each."""
    flat = rng.uniform(-1, 1, size=(N, 2))
    slopes = rng.normal(scale=1.5, size=(2, 50))
    return np.sin(flat @ slopes) + rng.normal(scale=0.02, size=(N, 50)), flat


def five_dimensions(rng: np.random.Generator) -> Shape:
    """Return a cube of five dimensions in 12 columns."""
    X = rng.uniform(size=(N, 5)) @ rng.normal(size=(5, 12))
    return X, X


def clusters(rng: np.random.Generator) -> Shape:
    """Return 200 clusters with long tails in six columns."""
    centers = 2 * rng.normal(size=(200, 6))
    labels = rng.integers(200, size=N)
    X = centers[labels] + 0.3 * rng.standard_t(3, size=(N, 6))
    return X, X


SHAPES: dict[str, tuple[Callable[[np.random.Generator], Shape], int]] = {
    "sphere": (sphere, N_NOISE),
    "helix": (helix, N_NOISE),
    "Swiss roll": (swiss_roll, N_NOISE),
    "noisy surface": (noisy_surface, N_NOISE),
    "five dimensions": (five_dimensions, 0),
    "clusters": (clusters, 0),
}


def measure(
    X: Array, true: Array, judged: Array, seed: int, **settings: Any
) -> tuple[float, float]:
    """Return precision and CPU seconds."""
    start = time.process_time()
    model = URerF(random_state=seed, n_jobs=THREADS, **settings).fit(X)
    ids = model.kneighbors(n_neighbors=K, return_distance=False)
    seconds = time.process_time() - start
    hits = [np.isin(found, right).mean() for found, right in zip(ids[judged], true)]
    return float(np.mean(hits)), seconds


def compare(name: str, seed: int) -> tuple[float, float, float, float]:
    """Return precision and CPU seconds with large leaves, and with those of the default."""
    make, noise = SHAPES[name]
    clean, latent = make(np.random.default_rng(seed))
    X = add_noise(clean, noise, variance=float(clean.var()), random_state=seed)
    judged = np.linspace(0, N - 1, min(N, N_JUDGED)).astype(int)
    search = NearestNeighbors(n_neighbors=K + 1).fit(latent)
    true = search.kneighbors(latent[judged], return_distance=False)[:, 1:]
    with patch.object(index, "DEEP_AT_LEAST", LARGE_DEEP):
        large = measure(X, true, judged, seed, **LARGE_LEAVES)
    return *large, *measure(X, true, judged, seed)


def main() -> None:
    compare("sphere", 0)  # compiles
    rows = []
    for name in SHAPES:
        log(name)
        found = np.array([compare(name, seed) for seed in SEEDS])
        large, large_seconds, default, seconds = found.mean(axis=0)
        gains = found[:, 2] - found[:, 0]
        quantile = student.ppf(0.975, len(gains) - 1)
        error = quantile * gains.std(ddof=1) / np.sqrt(len(gains))
        rows.append(
            {
                "shape": name,
                "large leaves": f"{large:.4f}",
                "default": f"{default:.4f}",
                "difference": f"{gains.mean():+.4f} ± {error:.4f}",
                "CPU s, large leaves": f"{large_seconds:.2f}",
                "CPU s, default": f"{seconds:.2f}",
                "ratio": f"{seconds / large_seconds:.2f}",
            }
        )
    publish("leaves", rows, NOTE, table(rows))


if __name__ == "__main__":
    main()
