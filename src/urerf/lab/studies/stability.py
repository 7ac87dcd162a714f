"""Neighbor stability: whether it follows the true precision of the neighbors."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from urerf.datasets import Manifold
from urerf.lab.study import BenchStudy, Plan
from urerf.lab.trial import Row, Trial, chance
from urerf.lab.words import at
from urerf.lab.writing import markdown, short_name

K = 15
FIRST_SEED = 100
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
        model = URerF(n_jobs=n_jobs, random_state=self.seed, **self.params).fit(X)
        indices = model.kneighbors(n_neighbors=K, return_distance=False)
        by_row = row_precision(indices, manifold)
        by_chance = chance(manifold, K)
        precision = (float(by_row.mean()) - by_chance) / (1 - by_chance)
        stability = model.neighbor_stability(K)
        row: Row = {"rows": len(X), "precision": precision, "stability": stability.overall}
        varies = np.ptp(by_row) > 0 and np.ptp(stability.per_row) > 0
        row["by_row"] = float(spearmanr(by_row, stability.per_row)[0]) if varies else np.nan
        return [row]


def row_precision(indices: NDArray[np.intp], manifold: Manifold) -> NDArray[np.float64]:
    """Return the precision of the neighbors of every row."""
    if manifold.labels is not None:
        return (manifold.labels[indices] == manifold.labels[:, None]).mean(axis=1)
    distances = manifold.distances().copy()
    np.fill_diagonal(distances, np.inf)
    farthest = np.partition(distances, K - 1, axis=1)[:, K - 1]
    found = np.take_along_axis(distances, indices, axis=1)
    return (found <= farthest[:, None]).mean(axis=1)


def trials(plan: Plan) -> list[Trial]:
    """Return all trials."""
    rows = ROWS[:1] if plan.quick else ROWS
    noise = NOISE[:3] if plan.quick else NOISE
    trees = TREES[:2] if plan.quick else TREES
    seeds = range(FIRST_SEED, FIRST_SEED + plan.seeds)
    found: list[Trial] = []
    for dataset, n, p, t, w, s in product(DATASETS, rows, noise, trees, WEIGHTINGS, seeds):
        params = {"n_estimators": t, "feature_weighting": w}
        if dataset != "wine" or n == rows[0]:  # wines have their own number of rows
            found.append(StabilityTrial(dataset, "urerf", s, n=n, noise=p, params=params))
    return found


def sections(table: Any) -> list[str]:
    """Return the correlations, and what precision a figure goes with."""
    correlations = []
    for dataset, group in table.groupby("dataset", sort=False):
        correlations.append(_correlations(short_name(dataset), group))
    correlations.append(_correlations("all", table))
    head = ["table", "trials", "rank correlation", "relevance only", "by row"]
    return [
        NOTE,
        "## Rank correlation",
        markdown(head, correlations),
        "## What precision goes with a stability",
        markdown(["stability", "trials", "mean precision", "10 %", "90 %"], _bands(table)),
    ]


def _correlations(name: str, table: Any) -> list[Any]:
    by_relevance = at(table, feature_weighting="relevance")
    figures = [_spearman(table), _spearman(by_relevance), float(table.by_row.mean())]
    return [name, str(len(table)), *figures]


def _spearman(table: Any) -> float:
    return float(table[["precision", "stability"]].corr("spearman").iloc[0, 1])


def _bands(table: Any) -> list[list[Any]]:
    """Return one row per fifth of the stability."""
    rows = []
    for low in (0.0, 0.2, 0.4, 0.6, 0.8):
        high = low + 0.2
        inside = (table.stability >= low) & (table.stability < (high if high < 1 else 2))
        precision = table.precision[inside]
        figures = [float(precision.mean()), *map(float, precision.quantile([0.1, 0.9]))]
        rows.append([f"{low:.1f} to {high:.1f}", str(len(precision)), *figures])
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
