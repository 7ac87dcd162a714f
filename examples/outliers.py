"""Anomaly detection: rows off the manifold.

50 of 1000 points of a helix are put anywhere in its box; 20 malignant tumours are hidden among 357
benign ones, 10 other digits among 178 zeros, and 5 other wines among 71 of one grower. All methods
see the same noise columns, of variance 70; all but the forest see columns scaled to unit variance.
`urerf.outlier_score` is the distance to a row's nearest by the forest. Breiman's measure is from
the proximities of the same forest; it is weak on the tumours, probably because they lie far outside
the others, where every tree puts them into the same corner. The score is the area under the ROC
curve: 1 when all strange rows come first, 0.5 for chance; the mean of five draws. `outlier_score`
was given its form by comparing a dozen on helix and tumours, a sphere and a mixture, so its numbers
there are no test of it; digits and wine were looked at only afterwards.
"""

from collections import defaultdict
from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.ensemble import IsolationForest
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import LocalOutlierFactor
from sklearn.preprocessing import scale

from examples import (
    BLACK,
    BLUE,
    GREY,
    NOISES,
    RED,
    ROSE,
    Result,
    draw_scores,
    legend_below,
    new_figure,
)
from urerf import URerF, outlier_score
from urerf.datasets import add_noise, make_helix

OURS = "outlier_score"
COLORS = {
    "IsolationForest": BLACK,
    "LocalOutlierFactor": BLUE,
    "Breiman's, same forest": ROSE,
    OURS: RED,
}


def tables(n_samples: int, seed: int) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return rows and which of them are strange."""
    rng = np.random.default_rng(seed)
    X = make_helix(n_samples).X
    few = n_samples // 20
    X[:few] = rng.uniform(X.min(axis=0), X.max(axis=0), (few, 3))
    return {
        "helix": (X, np.arange(n_samples) < few),
        "tumours": few_among(load_breast_cancer(), 1, 20, rng),
        "digits": few_among(load_digits(), 0, 10, rng),
        "wine": few_among(load_wine(), 1, 5, rng),
    }


def few_among(
    table: Any, usual: int, few: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return all rows of the usual class and, in front of them, a few of any other."""
    others = rng.choice(np.flatnonzero(table.target != usual), few, replace=False)
    chosen = np.concatenate([others, np.flatnonzero(table.target == usual)])
    return table.data[chosen], np.arange(len(chosen)) < few


def scores(X: np.ndarray) -> dict[str, np.ndarray]:
    """Score the rows of X by every method, the larger the stranger."""
    model = URerF(n_neighbors=20, random_state=0, n_jobs=-1).fit(X)
    proximity = 1 - model.kneighbors()[0]
    scaled = scale(X)
    return {
        "IsolationForest": -IsolationForest(random_state=0).fit(scaled).score_samples(scaled),
        "LocalOutlierFactor": -LocalOutlierFactor(n_neighbors=20)
        .fit(scaled)
        .negative_outlier_factor_,
        "Breiman's, same forest": 1 / (proximity**2).mean(axis=1),
        OURS: outlier_score(model),
    }


def run(n_samples: int = 1000, n_draws: int = 5, noises: Sequence[int] = NOISES) -> Result:
    """Look for strange rows with every number of noise columns; the mean of some draws of strange rows and noise."""
    areas = defaultdict(list)
    draws = [tables(n_samples, seed) for seed in range(n_draws)]
    helix_score = np.empty(0)
    data = draws[0]
    for seed, name, noise in product(range(n_draws), data, noises):
        X, strange = draws[seed][name]
        found = scores(add_noise(X, noise, random_state=seed))
        helix_score = found[OURS] if (seed, name) == (0, "helix") else helix_score
        for method, score in found.items():
            areas[name, method, noise].append(roc_auc_score(strange, score))
    rows = [
        {"data": name, "method": method, "noise columns": noise, "ROC area": float(np.mean(found))}
        for (name, method, noise), found in areas.items()
    ]
    figure, axes = new_figure(1 + len(data), width=17, height=4)
    X, strange = data["helix"]
    first = np.argsort(helix_score)[-strange.sum() :]
    axes[0].scatter(X[:, 0], X[:, 1], s=4, color=GREY)
    axes[0].scatter(
        X[first, 0], X[first, 1], s=14, color=RED, label=f"highest {strange.sum()} scores"
    )
    axes[0].scatter(
        *X[strange, :2].T,
        s=50,
        facecolor="none",
        edgecolor=BLACK,
        linewidth=0.8,
        label="truly strange",
    )
    axes[0].legend(
        loc="upper center", bbox_to_anchor=(0.5, -0.08), ncols=2, frameon=False, fontsize=9
    )
    axes[0].set_title(f"helix from above, {noises[-1]:,} noise columns")
    axes[0].set_aspect("equal")
    for place, name in zip(axes[1:], data):
        draw_scores(place, [row for row in rows if row["data"] == name], "ROC area", COLORS)
        place.axhline(0.5, color=GREY, linestyle=":")
        place.set_title(name)
    legend_below(figure, axes[1])
    return Result(rows, figure)
