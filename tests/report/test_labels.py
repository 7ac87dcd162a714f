"""How often neighbors share the label, against counting by hand."""

import numpy as np
import pytest

from urerf.report.euclidean import Euclidean
from urerf.report.labels import label_agreement, label_codes, label_levels


def by_hand(labels, rows, neighbors):
    """Return the share of equal labels over all pairs of labeled rows and labeled neighbors."""
    shares = []
    for row, others in zip(rows, neighbors):
        theirs = [labels[i] for i in others if labels[i]]
        if labels[row] and theirs:
            shares.append(sum(one == labels[row] for one in theirs) / len(theirs))
    return np.mean(shares)


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    labels = rng.choice(["a", "b", "c", ""], p=[0.5, 0.3, 0.1, 0.1], size=60).tolist()
    neighbors = rng.integers(60, size=(60, 4))
    rows = np.array([3, 10, 40])
    return labels, neighbors, Euclidean(rows, rng.integers(60, size=(3, 4)))


def test_shares_are_those_counted_by_hand(table):
    labels, neighbors, euclidean = table
    found = label_agreement(labels, "species", neighbors, euclidean)
    assert found.total.name == "species"
    assert found.total.forest == pytest.approx(by_hand(labels, range(60), neighbors))
    assert found.total.euclidean == pytest.approx(by_hand(labels, *euclidean))
    present = [label for label in labels if label]
    equal = np.mean(
        [a == b for i, a in enumerate(present) for j, b in enumerate(present) if i != j]
    )
    assert found.total.chance == pytest.approx(equal)
    assert [level.name for level in found.levels] == ["a", "b", "c"]
    assert sum(level.n_rows for level in found.levels) == len(present) == found.total.n_rows
    rows = [i for i in range(60) if labels[i] == "b"]
    assert found.levels[1].forest == pytest.approx(by_hand(labels, rows, neighbors[rows]))


def test_numbers_are_compared_by_explained_variance():
    labels = [str(i / 10) for i in range(100)]
    close = np.clip(np.arange(100)[:, None] + [-1, 1], 0, 99)
    far = np.random.default_rng(0).integers(100, size=(100, 2))
    found = label_agreement(labels, "age", close, Euclidean(np.arange(100), far))
    assert found.is_number
    assert found.total.forest > 0.99
    assert found.total.euclidean < 0


def test_one_label_says_nothing():
    neighbors = np.zeros((3, 1), dtype=int)
    nearest = Euclidean(np.arange(3), neighbors)
    assert label_agreement(["a", "a", ""], "x", neighbors, nearest) is None


def test_names_that_are_all_different_say_nothing():
    nearest = Euclidean(np.arange(3), np.array([[1], [2], [0]]))
    assert label_agreement(["a", "b", "c"], "x", nearest.neighbors, nearest) is None
    assert label_agreement(["a", "b", "b"], "x", nearest.neighbors, nearest) is not None


def test_labels_are_classes_or_numbers():
    assert label_levels(["b", "a", "b"]) == ["b", "a"]
    assert label_levels(["10", "9"] * 20) == ["9", "10"]
    assert label_levels([str(i / 7) for i in range(30)]) is None
    assert label_levels(None) is None
    assert label_codes(["b", "a", "b"]).tolist() == [0, 1, 0]


def test_an_empty_label_is_missing():
    assert label_levels(["b", "", "a", "b", ""]) == ["b", "a"]
    assert np.isnan(label_codes(["b", "", "a"])).tolist() == [False, True, False]
    assert np.isnan(label_codes([*map(str, range(30)), ""])[-1])
