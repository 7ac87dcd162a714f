"""``urerf demo helix``: neighbors along a helix that is hidden among noise columns."""

from __future__ import annotations

import time
from typing import NamedTuple

from urerf.datasets import Manifold
from urerf.metrics import geodesic_precision

from ..._typing import Array, FloatArray
from ..methods import METHODS
from ..trial import Trial

K = 50
COMPARED = ("euclidean", "isomap", "urerf_paper", "urerf")


class Result(NamedTuple):
    """The neighbors that a method found, their precision, and the seconds it took."""

    label: str
    color: str
    precision: float
    seconds: float
    indices: Array


def make_data(
    n_samples: int = 1000,
    n_noise: int = 1000,
    kind: str = "gaussian",
    seed: int = 0,
) -> tuple[Manifold, FloatArray]:
    """Return the helix, and the table of its three columns and noise columns of variance 70."""
    trial = Trial("helix", seed=seed, n=n_samples, noise=n_noise, kind=kind)
    return trial.make()


def warm_up(X: FloatArray) -> None:
    """Fit a small forest, so that compilation, which is announced on stderr, is not timed."""
    trial = Trial("helix", "urerf", ks=(K,))
    trial.find(X[:100, :5], n_jobs=1)


def ask(
    method: str,
    helix: Manifold,
    X: FloatArray,
    seed: int,
    jobs: int,
) -> Result:
    """Find the `K` nearest of each row of X by one of the methods, and score them."""
    trial = Trial("helix", method, seed, ks=(K,))
    start = time.perf_counter()
    indices = trial.find(X, jobs)
    seconds = time.perf_counter() - start
    precision = geodesic_precision(indices, helix)
    style = METHODS[method]
    return Result(style.label, style.color, precision, seconds, indices)
