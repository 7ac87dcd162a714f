"""Vertex nomination: which cells are like these few.

Of the 213 cells in the connectome of a fly's mushroom body, five of one type are known; the others
are to be ranked, those of the same type first. Each cell is a row of six columns, the spectral
embedding of who connects to whom, and noise columns of the same variance are added. Cells are
ranked by their mean distance to the five: Euclidean or Isomap's in scaled columns, or the forest's,
which `model.proximity(X[known])` gives for a few rows and which is here asked for once for all
draws. The score is the average precision of the ranking, the mean of 25 draws of the five; the
dotted line is chance.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from sklearn.manifold import Isomap
from sklearn.metrics import average_precision_score, pairwise_distances
from sklearn.preprocessing import scale

from examples import BLACK, BLUE, GREY, NOISES, RED, Result, draw_scores, legend_below, new_figure
from urerf import URerF
from urerf.datasets import add_noise, load_connectome

KNOWN = 5
COLORS = {"Euclidean": BLACK, "Isomap": BLUE, "URerF": RED}
TYPES = {
    "K": "Kenyon cells",
    "I": "input neurons",
    "O": "output neurons",
    "P": "projection neurons",
}


def draws(labels: np.ndarray, kind: str, n_draws: int) -> Iterator[np.ndarray]:
    """Draw a few known cells of a type, again and again."""
    rng = np.random.default_rng(0)
    for _ in range(n_draws):
        yield rng.choice(np.flatnonzero(labels == kind), KNOWN, replace=False)


def away(X: np.ndarray) -> dict[str, np.ndarray]:
    """Return distances between all cells by every method; rows are what the known cells are taken from."""
    model = URerF(random_state=0, n_jobs=-1).fit(X)
    scaled = scale(X)
    return {
        "Euclidean": pairwise_distances(scaled),
        "Isomap": Isomap(n_neighbors=15).fit(scaled).dist_matrix_,
        "URerF": 1 - model.proximity(X),
    }


def run(n_draws: int = 25, noises: Sequence[int] = NOISES) -> Result:
    """Nominate cells of every type with every number of noise columns."""
    cells = load_connectome()
    rows = []
    for noise in noises:
        X = add_noise(cells.X, noise, variance=cells.X.var(), random_state=0)
        for method, distances in away(X).items():
            for kind, name in TYPES.items():
                found = []
                for known in draws(cells.labels, kind, n_draws):
                    rest = np.setdiff1d(np.arange(len(cells)), known)
                    rank = -distances[known][:, rest].mean(axis=0)
                    found.append(average_precision_score(cells.labels[rest] == kind, rank))
                rows.append(
                    {
                        "data": name,
                        "method": method,
                        "noise columns": noise,
                        "average precision": float(np.mean(found)),
                    }
                )
    figure, axes = new_figure(len(TYPES), sharey=True)
    for place, (kind, name) in zip(axes, TYPES.items()):
        draw_scores(
            place, [row for row in rows if row["data"] == name], "average precision", COLORS
        )
        place.axhline(np.mean(cells.labels == kind), color=GREY, linestyle=":")
        place.set_title(name)
        place.label_outer()
    legend_below(figure, axes[0])
    return Result(rows, figure)
