"""All tables by name, those that are hard to find structure in, and their noise columns."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from urerf.datasets import MANIFOLDS, NOISE_KINDS, Manifold, add_noise
from urerf.datasets.manifold import discrete_manifold, euclidean_distances
from urerf.datasets.registry import Maker, load_table

from ..._typing import FloatArray

PAPER_NOISES = ("gaussian", "uniform", "bimodal", "heavy_tailed")


def make_weak_clusters(n_samples: int, *, shift: float, random_state: int = 0) -> Manifold:
    """Make three clusters that differ a little in each of 50 columns.

    The means of the clusters have the standard deviation `shift`, the columns 1 within a cluster.
    """
    rng = np.random.default_rng([random_state, 21])
    labels = rng.integers(3, size=n_samples)
    means = shift * rng.normal(size=(3, 50))
    X = means[labels] + rng.normal(size=(n_samples, 50))
    return discrete_manifold(X, labels, "weak_clusters")


def make_bimodal(n_samples: int, *, random_state: int = 0) -> Manifold:
    """Make eight independent columns, each with two groups of rows, 4 standard deviations apart.

    The distance of two rows is the number of columns in which their groups differ.
    """
    rng = np.random.default_rng([random_state, 22])
    groups = rng.integers(2, size=(n_samples, 8)).astype(float)
    X = 4 * groups + rng.normal(size=groups.shape)
    return Manifold(X, groups, "bimodal", geodesic=partial(cdist, metric="cityblock"))


def make_ten_turns(n_samples: int, *, random_state: int = 0) -> Manifold:
    """Make a helix of ten narrow turns: (cos 10 t, sin 10 t, t), t in (0, 2 pi)."""
    rng = np.random.default_rng([random_state, 23])
    t = rng.uniform(0, 2 * np.pi, n_samples)
    angle = 10 * t
    X = np.column_stack([np.cos(angle), np.sin(angle), t])
    return Manifold(X, t[:, None], "ten_turns", geodesic=euclidean_distances)


def make_rough_moons(n_samples: int, *, random_state: int = 0) -> Manifold:
    """Make two half circles at random angles, with noise of a tenth of their radius."""
    rng = np.random.default_rng([random_state, 24])
    angle = rng.uniform(0, np.pi, n_samples)
    labels = rng.integers(2, size=n_samples)
    x = np.where(labels, np.cos(angle), 1 - np.cos(angle))
    y = np.where(labels, np.sin(angle), 0.5 - np.sin(angle))
    noise = rng.normal(scale=0.1, size=(n_samples, 2))
    X = np.column_stack([x, y]) + noise
    return discrete_manifold(X, labels, "rough_moons")


TABLES: dict[str, Maker] = {
    **MANIFOLDS,
    "iris": partial(load_table, "iris"),
    "weak_clusters": partial(make_weak_clusters, shift=0.6),
    "less_weak_clusters": partial(make_weak_clusters, shift=0.8),
    "bimodal": make_bimodal,
    "ten_turns": make_ten_turns,
    "rough_moons": make_rough_moons,
}


def with_noise(
    X: FloatArray,
    n_columns: int,
    kind: str,
    variance: float,
    seed: int,
) -> FloatArray:
    """Append noise columns of one of `NOISE_KINDS`, "matched" or "permuted"; none for "none"."""
    if kind == "none":
        return X
    if kind == "permuted":
        return with_permuted(X, n_columns, seed)
    random_state: Any = seed
    if kind == "matched":
        kind = "gaussian"
        variance = float(X.var(axis=0).mean())
    elif kind in NOISE_KINDS and kind not in PAPER_NOISES:
        random_state = np.random.default_rng([seed, 14])
    return add_noise(X, n_columns, kind=kind, variance=variance, random_state=random_state)


def with_permuted(X: FloatArray, n_columns: int, seed: int | list[int]) -> FloatArray:
    """Append random columns of `X` with permuted rows: its distributions without its structure."""
    rng = np.random.default_rng(seed)
    drawn = rng.integers(X.shape[1], size=n_columns)
    noise = rng.permuted(X[:, drawn], axis=0)
    return np.hstack([X, noise])
