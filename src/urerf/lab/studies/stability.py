"""Neighbor stability: whether it follows the true precision of the neighbors."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from urerf.datasets import Manifold

from ..._typing import FloatArray, IntArray
from ..study import BenchStudy, Plan, combinations, cross
from ..trial import Row, Trial, chance
from ..words import at, rank_correlation
from ..writing import markdown, short_name

K = 15
DATASETS = ("helix", "sphere", "gaussian_mixture", "swiss_roll", "moons", "wine")
ROWS = (100, 300, 800)
NOISE = (0, 10, 100, 1000)
TREES = (10, 50, 200)
# "uniform" makes trees that use noise columns, so that precision falls with their number; with the
# default weighting it hardly does.
WEIGHTINGS = ("relevance", "uniform")
NOTE = f"""`URerF.neighbor_stability` of {K} neighbors needs no labels and no truth. Here the truth
is known: *precision* is the share of true neighbors (for mixtures, moons and wine, of neighbors
of the same class), beyond chance, as stability is. Each trial has another number of rows, of noise
columns and of trees, and draws columns by relevance (the default) or uniformly. *Rank correlation*
is Spearman's, over all trials of a table; *by row* is the mean rank correlation over the rows of
one trial between the stability of a row and its precision."""


@dataclass(frozen=True)
class StabilityTrial(Trial):
    """The stability and the precision of one model."""

    def score(self, n_jobs: int) -> list[Row]:
        """Return one row."""
        from scipy.stats import spearmanr

        from urerf import URerF

        manifold, X = self.make()
        model = URerF(**self.options(n_jobs)).fit(X)
        indices = model.kneighbors(n_neighbors=K, return_distance=False)
        by_row = row_precision(indices, manifold)
        by_chance = chance(manifold, K)
        above_chance = float(by_row.mean()) - by_chance
        stability = model.neighbor_stability(K)
        correlation = np.nan
        both_vary = np.ptp(by_row) > 0 and np.ptp(stability.per_row) > 0
        if both_vary:
            correlation, _ = spearmanr(by_row, stability.per_row)
        row = {
            "rows": len(X),
            "precision": above_chance / (1 - by_chance),
            "stability": stability.overall,
            "by_row": float(correlation),
        }
        return [row]


def row_precision(indices: IntArray, manifold: Manifold) -> FloatArray:
    """Return the precision of the neighbors of every row."""
    if manifold.labels is not None:
        is_right = manifold.labels[indices] == manifold.labels[:, None]
    else:
        distances = manifold.distances()
        nearest = np.partition(distances, K, axis=1)
        farthest = nearest[:, [K]]  # the first is the row itself
        is_right = np.take_along_axis(distances, indices, axis=1) <= farthest
    return is_right.mean(axis=1)


def trials(plan: Plan) -> list[Trial]:
    """Return all trials."""
    noise = NOISE[:3] if plan.quick else NOISE
    trees = TREES[:2] if plan.quick else TREES
    params = combinations(n_estimators=trees, feature_weighting=WEIGHTINGS)
    found = []
    for dataset in DATASETS:
        # Wines have their own number of rows.
        has_one_size = plan.quick or dataset == "wine"
        rows = ROWS[:1] if has_one_size else ROWS
        make = partial(StabilityTrial, dataset, "urerf")
        found += cross(make, n=rows, noise=noise, params=params, seed=plan.reported_seeds)
    return found


def sections(table: Any) -> list[str]:
    """Return the correlations, and what precision a figure goes with."""
    correlations = []
    groups = [*table.groupby("dataset", sort=False), ("all", table)]
    for dataset, group in groups:
        both = []
        for rows in (group, at(group, feature_weighting="relevance")):
            both.append(rank_correlation(rows, "precision", "stability"))
        name = short_name(dataset)
        correlations.append([name, len(group), *both, group.by_row.mean()])
    head = ["table", "trials", "rank correlation", "relevance only", "by row"]
    bands_head = ["stability", "trials", "mean precision", "10 %", "90 %"]
    return [
        NOTE,
        "## Rank correlation",
        markdown(head, correlations),
        "## What precision goes with a stability",
        markdown(bands_head, bands(table)),
    ]


def bands(table: Any) -> list[list[Any]]:
    """Return one row per fifth of the stability."""
    fifths = (5 * table.stability).clip(0, 4).astype(int)
    rows = []
    for fifth in range(5):
        precision = table.precision[fifths == fifth]
        name = f"{fifth / 5} to {(fifth + 1) / 5}"
        low, high = precision.quantile([0.1, 0.9])
        rows.append([name, len(precision), precision.mean(), low, high])
    return rows


STUDY = BenchStudy(
    name="stability",
    title="Neighbor stability",
    trials=trials,
    columns=(
        "dataset",
        "rows",
        "noise",
        "n_estimators",
        "feature_weighting",
        "seed",
        "precision",
        "stability",
        "by_row",
    ),
    sections=sections,
    seeds=1,
)
