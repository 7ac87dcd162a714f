"""Which floor under a cluster's variance is best: the evidence for ``FLOORS`` in `urerf.kernels.settings`.

Precision of the 50 nearest of 1000 points, with the settings of the paper's authors' scripts but
100 trees, for the raw score and for the gain.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

import numpy as np

from benchmarks import markdown, write_csv, write_page
from urerf import URerF, datasets
from urerf.kernels.settings import FLOORS as CHOSEN
from urerf.metrics import geodesic_precision

FLOORS = (1e-6, 1e-4, 1e-2, 3e-2, 1e-1)
SCORES = ("raw", "gain")
NOISE = (0, 10, 100, 1000)
SEEDS = (0, 1)
DATASETS = ("linear", "helix", "sphere", "gaussian_mixture")
K = 50
PUBLISHED = {
    "linear": (0.81, 0.75, 0.65, 0.41),
    "helix": (0.83, 0.75, 0.56, 0.28),
    "sphere": (0.53, 0.60, 0.48, 0.32),
}
NOTE = f"""Precision of the {K} nearest, mean of {len(SEEDS)} seeds, `URerF.paper(projection="axis",
min_samples_split=32, n_estimators=100, score=...)`, 1000 points, Gaussian noise columns of variance 70. A row is a
floor, as a share of the node's variance; * is the one in use; `published` is the paper's own figure (its mixture has
another truth)."""


def measure() -> Iterator[dict[str, Any]]:
    """Score every data set under every floor."""
    for name in DATASETS:
        for seed in SEEDS:
            manifold = getattr(datasets, f"make_{name}")(1000, random_state=seed)
            for noise in NOISE:
                X = datasets.add_noise(manifold.X, noise, random_state=seed)
                print(f"{name}, seed {seed}, {noise} noise columns", file=sys.stderr, flush=True)
                for score in SCORES:
                    for floor in FLOORS:
                        row = {
                            "score": score,
                            "floor": floor,
                            "dataset": name,
                            "noise": noise,
                            "seed": seed,
                        }
                        yield {
                            **row,
                            "precision": round(precision(X, manifold, score, floor, seed), 4),
                        }


def precision(
    X: np.ndarray, manifold: datasets.Manifold, score: str, floor: float, seed: int
) -> float:
    """Fit with one floor and score the neighbours."""
    settings = {"projection": "axis", "min_samples_split": 32, "n_estimators": 100, "score": score}
    with patch.dict(CHOSEN, {score: floor}):
        model = URerF.paper(**settings, random_state=seed, n_jobs=-1).fit(X)
    return geodesic_precision(model.kneighbors(n_neighbors=K)[1], manifold)


def table(rows: list[dict[str, Any]], **where: Any) -> str:
    """Return the table of means of the rows that are meant; a line a floor."""

    def mean(**more: Any) -> str:
        chosen = [row["precision"] for row in rows if {**where, **more}.items() <= row.items()]
        return f"{np.mean(chosen):.3f}"

    head = ["floor", *(f"{noise} noise columns" for noise in NOISE), "mean"]
    body = [
        [
            f"{floor:g}{' *' if CHOSEN[where['score']] == floor else ''}",
            *(mean(floor=floor, noise=n) for n in NOISE),
            mean(floor=floor),
        ]
        for floor in FLOORS
    ]
    if where.get("dataset") in PUBLISHED and where["score"] == "raw":
        published = PUBLISHED[where["dataset"]]
        body.append(["published", *(f"{x:.2f}" for x in published), f"{np.mean(published):.3f}"])
    return markdown(head, body)


def seed_spread(rows: list[dict[str, Any]]) -> float:
    """Return the mean difference between the largest and the smallest precision of a cell over its seeds."""
    cells: dict[tuple[Any, ...], list[float]] = {}
    for row in rows:
        cells.setdefault((row["score"], row["floor"], row["dataset"], row["noise"]), []).append(
            row["precision"]
        )
    return float(np.mean([np.ptp(values) for values in cells.values()]))


def main() -> None:
    rows = list(measure())
    write_csv("floor", rows)
    parts = []
    for score in SCORES:
        parts.append(f"## score {score}, all data\n\n{table(rows, score=score)}")
        parts += [
            f"### {score}, {name}\n\n{table(rows, score=score, dataset=name)}" for name in DATASETS
        ]
    write_page(
        "floor",
        NOTE,
        f"One seed differs from the other by {seed_spread(rows):.3f} on average.",
        *parts,
    )


if __name__ == "__main__":
    main()
