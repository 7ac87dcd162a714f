"""Semi-supervised learning: a few labels spread over the graph.

Images of ten digits, three of each with a label, the others without. LabelSpreading of
scikit-learn passes labels on to neighbors: on the 15 nearest by Euclidean distance in scaled
columns, or on those of the forest, which its `kernel` takes as a function that returns the graph.
The nearest labeled row is the simplest alternative. The score is the share of unlabeled rows that
get the right label, averaged over ten draws of the labeled rows.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.datasets import load_digits
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import scale
from sklearn.semi_supervised import LabelSpreading

from examples import NOISES, Result, compare, draw_scores
from urerf import URerF
from urerf.datasets import add_noise
from urerf.lab.canvas import panels
from urerf.lab.palette import BLACK, BLUE, RED

K = 15
LABELED = 3
HIDDEN = -1
COLORS = {
    "nearest labeled row": BLACK,
    "LabelSpreading, Euclidean": BLUE,
    "LabelSpreading, URerF": RED,
}


def draw_labels(digit: np.ndarray, seed: int) -> np.ndarray:
    """Return the labels with all but a few of each digit hidden."""
    rng = np.random.default_rng(seed)
    shown = np.full(len(digit), HIDDEN)
    for value in range(10):
        known = rng.choice(np.flatnonzero(digit == value), LABELED, replace=False)
        shown[known] = value
    return shown


def guesses(scaled: np.ndarray, graph: Any, shown: np.ndarray) -> dict[str, np.ndarray]:
    """Label all rows by each method."""
    is_known = shown != HIDDEN
    nearest = KNeighborsClassifier(1).fit(scaled[is_known], shown[is_known])
    euclidean = LabelSpreading(kernel="knn", n_neighbors=K, max_iter=100)
    forest = LabelSpreading(kernel=lambda *_rows: graph, max_iter=100)
    return {
        "nearest labeled row": nearest.predict(scaled),
        "LabelSpreading, Euclidean": euclidean.fit(scaled, shown).transduction_,
        "LabelSpreading, URerF": forest.fit(scaled, shown).transduction_,
    }


def run(n_samples: int = 1797, n_draws: int = 10, noises: Sequence[int] = NOISES) -> Result:
    """Spread labels with each number of noise columns."""
    images, digits = load_digits(return_X_y=True)
    digit = digits[:n_samples]

    def score(_name, noise):
        noisy = add_noise(images[:n_samples], noise, random_state=0)
        model = URerF(random_state=0, n_jobs=-1).fit(noisy)
        graph = model.kneighbors_graph(n_neighbors=K, mode="connectivity")
        scaled = scale(noisy)
        for seed in range(n_draws):
            shown = draw_labels(digit, seed)
            is_hidden = shown == HIDDEN
            for method, guess in guesses(scaled, graph, shown).items():
                is_right = guess[is_hidden] == digit[is_hidden]
                yield {"method": method, "accuracy": is_right.mean()}

    table = compare(["digits"], noises, score)
    figure, axes = panels(1, 1, width=6.5, height=3.5)
    draw_scores(axes[0][0], table, "digits", COLORS, chance=0.1)
    axes[0][0].legend(frameon=False)
    return Result(table, figure)
