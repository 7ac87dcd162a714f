"""Anomaly detection: rows off the manifold.

50 of 1000 points of a helix are moved to random places in its box; 20 malignant tumors are hidden
among 357 benign ones, 10 other digits among 178 zeros, and 5 other wines among 71 of one grower.
All methods see the same noise columns, of variance 70; all but the forest see columns scaled to
unit variance. `urerf.outlier_score` is the larger of two figures: the distance to the nearest rows,
and how little a row has in common with all others (Breiman's measure). Breiman's measure over the
20 nearest rows alone is weak on the tumors, which are near each other. The score is the area under
the ROC curve: 1 if all outliers come first, 0.5 for chance, averaged over five draws. Among 71
wines of one grower, few columns depend on each other, and wines of others differ also in columns
that do not: these are not used, and `outlier_score` does not see them. Results on 18 tables are in
[Accuracy](../accuracy.md#outliers-clusters-and-stability).
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.ensemble import IsolationForest
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import LocalOutlierFactor
from sklearn.preprocessing import scale

from examples import NOISES, Result, compare, draw_scores
from urerf import URerF, outlier_score
from urerf.datasets import add_noise, make_helix
from urerf.lab.canvas import panels
from urerf.lab.figures import legend_below
from urerf.lab.palette import BLACK, BLUE, LIGHT_GRAY, RED, ROSE

OURS = "outlier_score"
COLORS = {
    "IsolationForest": BLACK,
    "LocalOutlierFactor": BLUE,
    "Breiman's, same forest": ROSE,
    OURS: RED,
}


def tables(n_samples: int, seed: int) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return tables, and which of their rows are outliers."""
    rng = np.random.default_rng(seed)
    X = make_helix(n_samples).X
    n_moved = n_samples // 20
    low = X.min(axis=0)
    high = X.max(axis=0)
    X[:n_moved] = rng.uniform(low, high, (n_moved, 3))
    return {
        "helix": (X, np.arange(n_samples) < n_moved),
        "tumors": few_among(load_breast_cancer, 1, 20, rng),
        "digits": few_among(load_digits, 0, 10, rng),
        "wine": few_among(load_wine, 1, 5, rng),
    }


def few_among(
    load: Callable[..., Any], usual: int, few: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return a few rows of other classes, followed by all rows of the usual class."""
    X, labels = load(return_X_y=True)
    of_usual = np.flatnonzero(labels == usual)
    of_others = np.flatnonzero(labels != usual)
    outliers = rng.choice(of_others, few, replace=False)
    chosen = np.concatenate([outliers, of_usual])
    is_outlier = np.arange(len(chosen)) < few
    return X[chosen], is_outlier


def scores(X: np.ndarray) -> dict[str, np.ndarray]:
    """Score the rows of X by each method; outliers have high scores."""
    model = URerF(n_neighbors=20, random_state=0, n_jobs=-1).fit(X)
    proximity = 1 - model.kneighbors()[0]
    scaled = scale(X)
    isolation = IsolationForest(random_state=0).fit(scaled)
    local = LocalOutlierFactor(n_neighbors=20).fit(scaled)
    return {
        "IsolationForest": -isolation.score_samples(scaled),
        "LocalOutlierFactor": -local.negative_outlier_factor_,
        "Breiman's, same forest": 1 / (proximity**2).mean(axis=1),
        OURS: outlier_score(model),
    }


def draw_helix(axes: Any, X: np.ndarray, is_outlier: np.ndarray, n_noise: int) -> None:
    """Draw the helix from above, with the highest scores and the true outliers."""
    n_outliers = is_outlier.sum()
    score = scores(add_noise(X, n_noise, random_state=0))[OURS]
    highest = np.argsort(score)[-n_outliers:]
    from_above = X[:, :2]
    axes.scatter(*from_above.T, s=4, color=LIGHT_GRAY)
    axes.scatter(
        *from_above[highest].T,
        s=14,
        color=RED,
        label=f"highest {n_outliers} scores",
    )
    circles = {"facecolor": "none", "edgecolor": BLACK, "linewidth": 0.8}
    axes.scatter(*from_above[is_outlier].T, s=50, label="true outliers", **circles)
    below = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.08), "ncols": 2}
    axes.legend(frameon=False, fontsize=9, **below)
    axes.set_aspect("equal")
    axes.set_title(f"helix from above, {n_noise:,} noise columns")


def run(n_samples: int = 1000, n_draws: int = 5, noises: Sequence[int] = NOISES) -> Result:
    """Find outliers with each number of noise columns; the mean over draws."""
    draws = [tables(n_samples, seed) for seed in range(n_draws)]
    data = draws[0]

    def score(name, noise):
        for seed, draw in enumerate(draws):
            X, is_outlier = draw[name]
            for method, found in scores(add_noise(X, noise, random_state=seed)).items():
                yield {"method": method, "ROC area": roc_auc_score(is_outlier, found)}

    table = compare(data, noises, score)
    figure, axes = panels(1, 1 + len(data), width=17, height=3.5)
    draw_helix(axes[0][0], *data["helix"], noises[-1])
    for one, name in zip(axes[0][1:], data):
        draw_scores(one, table, name, COLORS, chance=0.5)
    legend_below(figure, axes[0][1])
    return Result(table, figure)
