import builtins

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from urerf.lab import methods
from urerf.lab.methods import METHODS, nearest, nearest_by_leaf, need
from urerf.lab.methods.common import without_self
from urerf.lab.methods.distances import euclidean, pca, screen

K = 10


@pytest.fixture(scope="module")
def blobs():
    rng = np.random.default_rng(0)
    labels = rng.permutation(np.repeat([0, 1, 2], 80))
    return 20.0 * np.eye(3)[labels] + rng.normal(size=(240, 3)), labels


COMPILED = ("umap", "pynndescent")
ABSENT = ("treeple",)  # cannot be imported with recent versions of scikit-learn
RUNNABLE = [name for name, method in METHODS.items() if method.neighbors and name not in ABSENT]


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.slow) if n in COMPILED else n for n in RUNNABLE]
)
def test_finds_valid_neighbors_and_the_same_ones_again(name, blobs):
    X, labels = blobs
    find = METHODS[name].neighbors
    found = find(X, K, random_state=3, n_jobs=1)
    assert found.shape == (len(X), K)
    assert found.min() >= 0
    assert found.max() < len(X)
    assert all(len(set(row)) == K and i not in row for i, row in enumerate(found))
    share_right = (labels[found] == labels[:, None]).mean()
    least = 0.5 if name == "random_projection_tree" else 0.95  # one tree may cut through a blob
    assert share_right > least
    assert_array_equal(find(X, K, random_state=3, n_jobs=2), found)


def test_nearest_first():
    X = np.array([[0.0], [1.0], [3.0], [7.0], [15.0]])
    expected = [[1, 2, 3], [0, 2, 3], [1, 0, 3], [2, 1, 0], [3, 2, 1]]
    assert_array_equal(euclidean(X, 3), expected)
    assert_array_equal(nearest(np.abs(X - X.T), 3), expected)


def test_nearest_knows_the_row_itself_in_any_block():
    D = np.random.default_rng(0).random((30, 30))
    whole = nearest(D, 5)
    assert_array_equal(np.vstack([nearest(D[:11], 5), nearest(D[11:], 5, first_row=11)]), whole)


def test_what_the_package_exports_exists():
    assert all(hasattr(methods, name) for name in methods.__all__)


def test_nearest_takes_unreachable_points_before_the_row_itself():
    D = np.full((4, 4), np.inf)
    found = nearest(D, 3)
    assert all(sorted([i, *row]) == [0, 1, 2, 3] for i, row in enumerate(found))


def test_shared_leaves_are_counted_over_trees(monkeypatch):
    # row 0 shares 2 leaves with row 1, 1 with row 2
    leaves = np.array([[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 2]])
    assert_array_equal(nearest_by_leaf(leaves, 2)[0], [1, 2])
    whole = nearest_by_leaf(leaves, 2)
    monkeypatch.setattr("urerf.lab.methods.common.BLOCK_ROWS", 3)
    assert_array_equal(nearest_by_leaf(leaves, 2), whole)


@pytest.mark.parametrize("name", ["euclidean", "random_projection_forest", "flann"])
def test_ties_are_broken_by_the_seed_and_not_by_row_order(name):
    find = METHODS[name].neighbors
    X = np.zeros((200, 2))
    places = [find(X, K, random_state=seed, n_jobs=1).mean() for seed in range(20)]
    assert len(set(places)) > 15  # the seed decides
    assert abs(np.mean(places) - 99.5) < 25  # no end of the table is preferred


def test_a_search_that_found_too_little_is_filled_up():
    found = without_self(
        np.array([[0, 1, -1], [-1, -1, -1], [0, 2, 1], [3, 2, 0]]), 2, random_state=0
    )
    assert found[0, 0] == 1
    assert_array_equal(found[2:], [[0, 1], [2, 0]])
    assert all(len({i, *row}) == 3 for i, row in enumerate(found))


def test_missing_library_says_what_to_install(monkeypatch):
    monkeypatch.setattr(
        "importlib.import_module", lambda name: builtins.__import__("no_such_library")
    )
    with pytest.raises(ImportError, match=r"pip install urerf\[paper\]"):
        need("umap")


def test_looks_and_labels_tell_methods_apart():
    methods = [method for name, method in METHODS.items() if name != "urerf_scripts"]
    assert len({(m.color, m.linestyle, m.marker) for m in methods}) == len(methods)
    assert len({method.label for method in METHODS.values()}) == len(METHODS)


@pytest.mark.parametrize(
    "name", [name for name in METHODS if METHODS[name].distances and name != "umap"]
)
def test_distances_are_small_within_a_blob(name, blobs):
    X, labels = blobs
    D = METHODS[name].distances(X, random_state=0, n_jobs=1)
    assert D.shape == (240, 240)
    same = labels[:, None] == labels
    assert np.median(D[same]) < np.median(D[~same])


def test_screen_keeps_what_is_not_gaussian():
    rng = np.random.default_rng(0)
    t = rng.permutation(np.linspace(0, 1, 300))
    X = np.column_stack([t, rng.normal(0, 10, size=(300, 50))])
    found = screen(X, 5, random_state=0, n_jobs=1)
    assert np.abs(t[found] - t[:, None]).max() < 0.05


def test_components_are_directions_of_large_variance():
    rng = np.random.default_rng(0)
    t = rng.permutation(np.linspace(0, 1, 200))
    X = np.outer(t, np.full(20, 10.0)) + rng.normal(scale=0.1, size=(200, 20))
    found = pca(X, 5, n_components=1, random_state=0, n_jobs=1)
    assert np.abs(t[found] - t[:, None]).mean() < 0.02
    assert pca(X[:3], 2, n_components=50, random_state=0, n_jobs=1).shape == (3, 2)
