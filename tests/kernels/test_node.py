"""Which candidate a node chooses and where it is cut: chains, screening, random cuts."""

import numpy as np
import pytest
from cuts import choose
from trees import (
    SETTINGS,
    apply,
    assert_chosen_well,
    bootstrap,
    grow,
    noise,
    same,
    smaller_sides,
)

from urerf.kernels.bins import BINS
from urerf.kernels.settings import AXIS, FAST_BIC, FLOORS, GAIN, OBLIQUE, RAW, TWO_MEANS

# -- Chains


@pytest.mark.parametrize("projection", [AXIS, OBLIQUE], ids=["axis", "oblique"])
def test_long_chains_are_cut_like_in_the_oracle(projection):
    """Both signs, rows drawn up to five times, nodes that are sorted and nodes that are not."""
    matrix = noise(40, 500)
    rows = bootstrap(500, seed=1)
    assert np.bincount(rows).max() >= 4
    settings = SETTINGS._replace(
        projection=projection,
        split_score=RAW,
        max_features=6,
        density=1 / 40,
        min_samples_split=30,
    )
    tree = grow(matrix, settings, 2, rows)
    assert tree.child.size > 40
    assert_chosen_well(tree, matrix, rows, 2, settings)


# -- Screening


@pytest.mark.parametrize("screen", [100, 101, 150, 10_000])
def test_screening_leaves_small_nodes_alone(screen):
    """Up to twice as many rows as are screened, nothing is estimated."""
    matrix = noise(5, 200)
    assert same(grow(matrix, SETTINGS._replace(screening_rows=screen), 1), grow(matrix, key=1))


def test_screening_estimates_the_column_but_not_the_cut():
    matrix = noise(5, 1000)
    matrix[3] += 6 * (np.arange(1000) % 2)
    axis = SETTINGS._replace(projection=AXIS, max_features=5, max_depth=1)
    screened = grow(matrix, axis._replace(screening_rows=50), 1)
    exact = grow(matrix, axis, 1)
    assert screened.columns.tolist() == exact.columns.tolist() == [3]
    assert screened.cut[0] == exact.cut[0]
    assert screened.size.tolist() == [1000, 500, 500]
    # With few rows, another key draws other rows, so a choice among noise columns differs at times.
    blind = axis._replace(screening_rows=20)
    chosen = {grow(noise(5, 1000, 7), blind, key).columns[0] for key in range(20)}
    assert len(chosen) > 1


def test_a_screened_winner_that_cannot_be_cut_gives_way():
    matrix = noise(2, 1000)
    matrix[1] = 0.0
    matrix[1, :40] = 9.0  # two clear groups, but the smaller one is below min_samples_leaf
    settings = SETTINGS._replace(
        projection=AXIS,
        max_features=2,
        min_samples_split=800,
        min_samples_leaf=50,
        screening_rows=100,
    )
    for key in range(30):  # sometimes the screen holds five of the forty, enough for them to win
        assert grow(matrix, settings, key).child.size > 1


def test_the_screen_has_its_share_of_the_smallest_leaf():
    """A group that is too small for a leaf must not win on the screen either."""
    matrix = noise(2, 1000)
    matrix[0] += 6 * (np.arange(1000) % 2)
    matrix[1, :60] += 1000.0  # clearer, but below min_samples_leaf
    settings = SETTINGS._replace(
        projection=AXIS,
        criterion=TWO_MEANS,
        max_features=2,
        max_depth=1,
        min_samples_leaf=200,
        screening_rows=100,
    )
    for key in range(10):
        assert grow(matrix, settings, key).columns.tolist() == [0]
        any_leaf = grow(matrix, settings._replace(min_samples_leaf=1), key)
        assert any_leaf.columns.tolist() == [1]


# -- Cuts


@pytest.mark.parametrize("screen", [0, 40])
def test_flat_nodes_are_cut_at_random_like_in_the_oracle(screen):
    """Pure noise has no two components: nodes are cut at random, not one point after the other."""
    matrix = noise(3, 300)
    settings = SETTINGS._replace(
        random_flat_nodes=True, min_samples_split=20, screening_rows=screen
    )
    tree = grow(matrix, settings, 5)
    assert_chosen_well(tree, matrix, np.arange(300), 5, settings)
    sizes, smaller = smaller_sides(tree)
    assert np.median(smaller / sizes) > 0.1
    peeled = grow(matrix, settings._replace(random_flat_nodes=False), 5)
    assert peeled.child.size > tree.child.size


@pytest.mark.parametrize("score", [GAIN, RAW])
def test_a_large_node_is_cut_where_its_sorted_values_are(score):
    """Values that are not sorted: the cut of the root is exact, and rows are divided by it."""
    n = 32 * BINS
    matrix = noise(2, n)
    matrix[1] += 9 * (np.arange(n) % 3 == 0)
    floor = FLOORS["gain" if score == GAIN else "raw"]
    settings = SETTINGS._replace(
        projection=AXIS, max_features=2, split_score=score, floor=floor, max_depth=1
    )
    tree = grow(matrix, settings)
    values = matrix[tree.columns[tree.direction[0]]]
    assert tree.cut[0] == choose(values, FAST_BIC, score)[1]
    assert tree.size[1] == (values < tree.cut[0]).sum()
    assert np.bincount(apply(tree, matrix)).tolist() == tree.size[1:].tolist()
