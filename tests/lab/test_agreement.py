"""How often neighbors have the label of the row."""

import numpy as np
import pytest

from urerf.lab.agreement import agreement, chance_agreement


def test_random_neighbors_agree_as_often_as_chance():
    rng = np.random.default_rng(0)
    n = 300
    labels = rng.choice(["a", "b", "c"], p=[0.5, 0.3, 0.2], size=n)
    others = np.array([np.delete(np.arange(n), row) for row in range(n)])
    assert agreement(others, labels) == pytest.approx(chance_agreement(labels))


def test_neighbors_with_the_label_of_the_row_agree():
    labels = np.array([0, 0, 1, 1])
    assert agreement(np.array([[1], [0], [3], [2]]), labels) == 1.0
    assert agreement(np.array([[2], [3], [0], [1]]), labels) == 0.0
    assert chance_agreement(labels) == pytest.approx(1 / 3)
