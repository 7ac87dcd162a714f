"""Vertex nomination: which cells are similar to these few.

Five of the 213 cells in the connectome of the mushroom body of a fly are known to have one type;
the others are to be ranked, those of the same type first. Each cell is a row of six columns, the
spectral embedding of its connections, and noise columns of the same variance are added. Cells are
ranked by their mean distance to the five: Euclidean or Isomap's in scaled columns, or that of the
forest, which `model.proximity(X[known])` gives for a few rows and which is computed here once for
all draws. The score is the average precision of the ranking, averaged over 25 draws of the five;
the dotted line is chance.
"""

from collections.abc import Sequence

import numpy as np
from sklearn.manifold import Isomap
from sklearn.metrics import average_precision_score, pairwise_distances
from sklearn.preprocessing import scale

from examples import NOISES, Result, compare, score_panels
from urerf import URerF
from urerf.datasets import add_noise, load_connectome
from urerf.lab.palette import BLACK, BLUE, RED

KNOWN = 5
COLORS = {"Euclidean": BLACK, "Isomap": BLUE, "URerF": RED}
TYPES = {
    "Kenyon cells": "K",
    "input neurons": "I",
    "output neurons": "O",
    "projection neurons": "P",
}


def distances_by_method(X: np.ndarray) -> dict[str, np.ndarray]:
    """Return distances between all cells by each method."""
    model = URerF(random_state=0, n_jobs=-1).fit(X)
    scaled = scale(X)
    return {
        "Euclidean": pairwise_distances(scaled),
        "Isomap": Isomap(n_neighbors=15).fit(scaled).dist_matrix_,
        "URerF": 1 - model.proximity(X),
    }


def ranking_precision(distances: np.ndarray, is_same: np.ndarray, known: np.ndarray) -> float:
    """Return the precision of a ranking of the other cells by their distance to the known ones."""
    rest = np.setdiff1d(np.arange(len(is_same)), known)
    closeness = -distances[known][:, rest].mean(axis=0)
    return average_precision_score(is_same[rest], closeness)


def run(n_draws: int = 25, noises: Sequence[int] = NOISES) -> Result:
    """Nominate cells of each type with each number of noise columns."""
    cells = load_connectome()
    distances = {}
    for noise in noises:
        X = add_noise(cells.X, noise, variance=cells.X.var(), random_state=0)
        distances[noise] = distances_by_method(X)

    def score(name, noise):
        rng = np.random.default_rng(0)
        is_same = cells.labels == TYPES[name]
        for _ in range(n_draws):
            known = rng.choice(np.flatnonzero(is_same), KNOWN, replace=False)
            for method, lengths in distances[noise].items():
                precision = ranking_precision(lengths, is_same, known)
                yield {"method": method, "average precision": precision}

    chances = {name: np.mean(cells.labels == kind) for name, kind in TYPES.items()}
    return score_panels(compare(TYPES, noises, score), chances, COLORS)
