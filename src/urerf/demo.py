"""The main job on built-in data: neighbours along a helix that is hidden among noise columns."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .datasets import Manifold, add_noise, make_helix
from .metrics import geodesic_precision
from .paper.baselines import Neighbors, euclidean, isomap, urerf, urerf_paper

K = 50
# Okabe and Ito's colours, which stay apart for colour-blind readers; red is URerF's alone.
METHODS: tuple[tuple[str, str, Neighbors], ...] = (
    ("Euclidean", "#000000", euclidean),
    ("Isomap", "#0072b2", isomap),
    ("URerF, paper's settings", "#e69f00", urerf_paper),
    ("URerF", "#d00000", urerf),
)


class Result(NamedTuple):
    """What a method found: neighbours, how many of them are right, and the seconds it took."""

    label: str
    color: str
    precision: float
    seconds: float
    indices: NDArray[np.integer]


def make_data(
    n_samples: int = 1000, n_noise: int = 1000, kind: str = "gaussian", seed: int = 0
) -> tuple[Manifold, NDArray[np.float64]]:
    """Make the helix, and the table a method gets to see: its three columns and noise of variance 70."""
    helix = make_helix(n_samples, random_state=seed)
    noise: Any = kind  # `add_noise` checks it
    return helix, add_noise(helix.X, n_noise, kind=noise, variance=70, random_state=seed)


def warm_up(X: NDArray[np.float64]) -> None:
    """Fit a small forest, so that compiling, which the library announces on stderr, is in nobody's seconds."""
    urerf(X[:100, :5], K, n_estimators=1)


def ask(
    label: str,
    color: str,
    method: Neighbors,
    helix: Manifold,
    X: NDArray[np.float64],
    seed: int,
    jobs: int,
) -> Result:
    """Ask one of the `METHODS` for the `K` nearest of every row of X, and score them."""
    start = time.perf_counter()
    indices = method(X, K, random_state=seed, n_jobs=jobs)
    seconds = time.perf_counter() - start
    return Result(label, color, geodesic_precision(indices, helix), seconds, indices)


def chance(helix: Manifold) -> float:
    """Return the precision of neighbours drawn at random."""
    return K / (len(helix) - 1)
