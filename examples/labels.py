"""Semi-supervised learning: a few labels spread over the graph.

Images of ten digits, three of each with a label, the others without. scikit-learn's LabelSpreading
passes labels on to neighbours: on the Euclidean 15 nearest in scaled columns, or on the forest's,
which its `kernel` takes as a function that returns the graph. The nearest labelled row is the
simplest rival. The score is the share of rows without a label that get the right one, the mean of
ten draws of the labelled rows.
"""

from collections.abc import Sequence

import numpy as np
from sklearn.datasets import load_digits
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import scale
from sklearn.semi_supervised import LabelSpreading

from examples import BLACK, BLUE, GREY, NOISES, RED, Result, draw_scores, new_figure
from urerf import URerF
from urerf.datasets import add_noise

K = 15
LABELLED = 3
HIDDEN = -1
COLORS = {
    "nearest labelled row": BLACK,
    "LabelSpreading, Euclidean": BLUE,
    "LabelSpreading, URerF": RED,
}


def draw_labelled(digit: np.ndarray, seed: int) -> np.ndarray:
    """Return the labels with all but a few of every digit hidden."""
    rng = np.random.default_rng(seed)
    known = np.concatenate(
        [rng.choice(np.flatnonzero(digit == d), LABELLED, replace=False) for d in range(10)]
    )
    shown = np.full(len(digit), HIDDEN)
    shown[known] = digit[known]
    return shown


def guesses(scaled: np.ndarray, graph: object, shown: np.ndarray) -> dict[str, np.ndarray]:
    """Label all rows by every method."""
    known = shown != HIDDEN
    euclidean = LabelSpreading(kernel="knn", n_neighbors=K, max_iter=100)
    forest = LabelSpreading(kernel=lambda *_rows: graph, max_iter=100)
    return {
        "nearest labelled row": KNeighborsClassifier(1)
        .fit(scaled[known], shown[known])
        .predict(scaled),
        "LabelSpreading, Euclidean": euclidean.fit(scaled, shown).transduction_,
        "LabelSpreading, URerF": forest.fit(scaled, shown).transduction_,
    }


def run(n_samples: int = 1797, n_draws: int = 10, noises: Sequence[int] = NOISES) -> Result:
    """Spread labels with every number of noise columns."""
    digits = load_digits()
    pixels = digits.data[:n_samples]
    digit = digits.target[:n_samples]
    rows = []
    for noise in noises:
        X = add_noise(pixels, noise, random_state=0)
        graph = (
            URerF(random_state=0, n_jobs=-1)
            .fit(X)
            .kneighbors_graph(n_neighbors=K, mode="connectivity")
        )
        scaled = scale(X)
        right = {method: [] for method in COLORS}
        for seed in range(n_draws):
            shown = draw_labelled(digit, seed)
            for method, guess in guesses(scaled, graph, shown).items():
                right[method].append(np.mean((guess == digit)[shown == HIDDEN]))
        rows += [
            {
                "data": "digits",
                "method": method,
                "noise columns": noise,
                "accuracy": float(np.mean(shares)),
            }
            for method, shares in right.items()
        ]
    figure, (axes,) = new_figure(1, width=6.5, height=4)
    draw_scores(axes, rows, "accuracy", COLORS)
    axes.axhline(0.1, color=GREY, linestyle=":", label="chance")
    axes.legend(frameon=False)
    return Result(rows, figure)
