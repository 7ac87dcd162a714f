"""``urerf demo``: penguins of three species, whose measurements are hidden among noise columns."""

from __future__ import annotations

import csv
from itertools import compress
from pathlib import Path
from typing import NamedTuple

from sklearn.preprocessing import scale

from urerf import URerF
from urerf.datasets import Manifold, add_noise, load_penguins
from urerf.datasets.penguins import MEASUREMENTS
from urerf.metrics import geodesic_precision

from ..._typing import Array, FloatArray
from ..methods.distances import euclidean
from ..trial import chance

K = 10
# Numbers of noise columns for which the share of neighbors of the same species is drawn.
STEPS = (0, 10, 100, 1000, 10_000)
EUCLIDEAN = "Euclidean"
STANDARDIZED = "Euclidean, standardized"
OURS = "URerF"


class Step(NamedTuple):
    """The share of neighbors of the same species, by method, with some noise columns."""

    n_noise: int
    shares: dict[str, float]


class Findings(NamedTuple):
    """What the demonstration found.

    Parameters
    ----------
    penguins : Manifold
        The measurements and the species.
    X : ndarray
        The measurements, then all noise columns.
    steps : list of Step
        From no noise columns to all of them.
    neighbors : dict of str to ndarray of shape (n, K)
        Neighbors among all noise columns, by method.
    used : list of str
        Names of the columns that carry structure.
    chance : float
        Share of random other penguins that are of the same species.
    """

    penguins: Manifold
    X: FloatArray
    steps: list[Step]
    neighbors: dict[str, Array]
    used: list[str]
    chance: float


def make_data(
    n_noise: int = 1000, kind: str = "gaussian", seed: int = 0
) -> tuple[Manifold, FloatArray]:
    """Return the penguins, and the table of their measurements and noise columns."""
    penguins = load_penguins()
    X = add_noise(penguins.X, n_noise, kind=kind, random_state=seed)
    return penguins, X


def find(
    n_noise: int = 1000,
    kind: str = "gaussian",
    seed: int = 0,
    jobs: int = -1,
) -> Findings:
    """Find neighbors of the penguins with more and more noise columns, by each method."""
    penguins, X = make_data(n_noise, kind, seed)
    steps = []
    fewer = [step for step in STEPS if step < n_noise]
    for n_columns in (*fewer, n_noise):
        width = len(MEASUREMENTS) + n_columns
        model, neighbors = _neighbors(X[:, :width], seed, jobs)
        shares = {}
        for name, indices in neighbors.items():
            shares[name] = geodesic_precision(indices, penguins)
        steps.append(Step(n_columns, shares))
    used = list(compress(column_names(n_noise), model.feature_relevance_ > 0))
    return Findings(penguins, X, steps, neighbors, used, chance(penguins, K))


def _neighbors(X: FloatArray, seed: int, jobs: int) -> tuple[URerF, dict[str, Array]]:
    """Return the fitted forest, and the `K` nearest rows of every row by each method."""
    model = URerF(random_state=seed, n_jobs=jobs).fit(X)
    neighbors = {
        EUCLIDEAN: euclidean(X, K, random_state=seed, n_jobs=jobs),
        STANDARDIZED: euclidean(scale(X), K, random_state=seed, n_jobs=jobs),
        OURS: model.kneighbors(n_neighbors=K, return_distance=False),
    }
    return model, neighbors


def column_names(n_noise: int) -> list[str]:
    """Return the names of the measurements and of the noise columns."""
    noise = [f"noise{i}" for i in range(1, n_noise + 1)]
    return [*MEASUREMENTS, *noise]


def write_csv(penguins: Manifold, X: FloatArray, path: Path) -> None:
    """Write the table with the species, for the other commands to try."""
    n_noise = X.shape[1] - len(MEASUREMENTS)
    assert penguins.labels is not None
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["species", *column_names(n_noise)])
        rows = X.round(3).tolist()
        for species, row in zip(penguins.labels, rows):
            writer.writerow([species, *row])
