"""Parameters resolved to numbers for n rows and p columns, against simple formulas."""

from math import ceil, isqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from urerf import URerF
from urerf.forest import UNLIMITED_DEPTH
from urerf.parameters import (
    check_n_neighbors,
    growth_of,
    resolve_density,
    resolve_max_features,
    resolve_max_samples,
    resolve_min_samples_split,
    resolve_n_estimators,
)

sizes = st.integers(2, 10**6)
shares = st.floats(0, 1, exclude_min=True)
# Shares that floats hold exactly, so that formulas in integers agree.
sixteenths = st.integers(1, 16)


@given(sizes)
def test_sqrt_is_the_root_of_the_number_of_columns(p):
    assert resolve_max_features("sqrt", p) == isqrt(p)


@given(sizes, sixteenths)
def test_max_features_as_a_share_is_rounded_down_to_at_least_one(p, k):
    assert resolve_max_features(k / 16, p) == max(1, k * p // 16)


@given(sizes, st.integers(1, 10**6))
def test_integers_are_used_unchanged(size, value):
    assert resolve_max_features(value, size) == value
    assert resolve_min_samples_split(value + 1, size, size) == value + 1


@given(sizes)
def test_auto_density_gives_ten_columns_per_direction(p):
    assert p * resolve_density("auto", p) == pytest.approx(min(p, 10))


@given(sizes, st.integers(1, 10**6))
def test_density_as_a_count_is_the_mean_number_of_columns(p, count):
    assert p * resolve_density(count, p) == pytest.approx(min(p, count))


@given(sizes, shares)
def test_density_as_a_share_is_used_unchanged(p, share):
    assert resolve_density(share, p) == share


@pytest.mark.parametrize(
    ("n", "expected"),
    [
        (2, 2),  # at least two rows
        (10, 3),
        (1000, 300),  # 30 %
        (13_653, 4096),
        (50_000, 4096),  # at most 4096
        (163_840, 4096),
        (200_000, 5000),  # but at least 2.5 %
    ],
)
def test_auto_max_samples_by_hand(n, expected):
    assert resolve_max_samples("auto", n) == expected


@given(sizes)
def test_auto_max_samples_never_falls_as_rows_are_added(n):
    assert 2 <= resolve_max_samples("auto", n) <= resolve_max_samples("auto", n + 1)
    assert resolve_max_samples("auto", n) <= n


@given(sizes, shares)
def test_max_samples_as_a_share_is_the_nearest_number_of_rows(n, share):
    rows = resolve_max_samples(share, n)
    assert 2 <= rows <= n
    assert rows == 2 or abs(rows - share * n) <= 0.5


@given(sizes)
def test_max_samples_none_is_all_rows(n):
    assert resolve_max_samples(None, n) == n
    assert resolve_max_samples(n, n) == n
    for value in (1, n + 1):
        with pytest.raises(ValueError, match=rf"^max_samples: .* {n}, got {value}"):
            resolve_max_samples(value, n)


@given(sizes, sixteenths)
def test_min_samples_split_as_a_share_is_rounded_up_to_at_least_two(max_samples, k):
    expected = max(2, ceil(k * max_samples / 16))
    assert resolve_min_samples_split(k / 16, max_samples, 10 * max_samples) == expected


@given(sizes, sixteenths)
def test_auto_splits_smaller_nodes_if_trees_see_a_smaller_share(n, k):
    drawn = max(2, k * n // 160)
    split = resolve_min_samples_split("auto", drawn, n)
    assert split == np.clip(round(100 * drawn / n), 4, 10)


@pytest.mark.parametrize(
    ("n", "drawn", "split"),
    [(300, 90, 10), (40_960, 4096, 10), (60_000, 4096, 7), (100_000, 4096, 4), (10**6, 25_000, 4)],
)
def test_large_tables_are_split_into_small_leaves(n, drawn, split):
    growth = growth_of(URerF(), n, 10)
    assert growth.max_samples == drawn
    assert growth.min_samples_split == split


def test_growth_of_the_defaults():
    growth = growth_of(URerF(), 1000, 50)
    assert growth.max_samples == 300
    assert growth.max_features == resolve_max_features(URerF().max_features, 50)
    assert growth.density == 0.2
    assert growth.projection == "direction"
    assert growth.max_depth == UNLIMITED_DEPTH
    assert growth.random_flat_nodes


def test_growth_of_the_paper():
    growth = growth_of(URerF.paper(), 1000, 49)
    assert growth.max_samples == 1000
    assert growth.bootstrap
    assert growth.max_features == 7
    assert growth.density == 1 / 49
    assert growth.min_samples_split == 100
    assert growth.projection == "oblique"
    assert not growth.random_flat_nodes


def test_a_share_of_rows_per_node_is_a_share_of_the_rows_drawn():
    growth = growth_of(URerF(max_samples=200, min_samples_split=0.25), 1000, 5)
    assert growth.min_samples_split == 50


def test_there_are_no_more_axis_candidates_than_columns():
    assert growth_of(URerF(projection="axis", max_features=50), 100, 5).max_features == 5
    assert growth_of(URerF(projection="oblique", max_features=50), 100, 5).max_features == 50


def test_only_scores_that_can_be_flat_cut_at_random():
    def is_random(**changes):
        return growth_of(URerF(**changes), 100, 5).random_flat_nodes

    assert is_random(flat_nodes="random", split_score="gain", criterion="fast_bic")
    assert not is_random(flat_nodes="best")
    assert not is_random(split_score="raw")
    assert not is_random(criterion="two_means")


@pytest.mark.parametrize("spare", [0, 1])
def test_n_neighbors_leaves_rows_to_spare(spare):
    assert check_n_neighbors(10 - spare, 10, spare) == 10 - spare
    with pytest.raises(ValueError, match=rf"at least 11 fitted rows.* at most {10 - spare}"):
        check_n_neighbors(11 - spare, 10, spare)


@pytest.mark.parametrize(
    ("n", "expected"), [(2, 150), (1666, 150), (2500, 100), (4166, 60), (10**6, 60)]
)
def test_number_of_trees_for_so_many_rows(n, expected):
    assert resolve_n_estimators(URerF(), n) == expected
    assert resolve_n_estimators(URerF(similarity="geodesic"), n) == expected
    assert resolve_n_estimators(URerF(similarity="depth"), n) == 300
    assert resolve_n_estimators(URerF(7), n) == 7
    assert resolve_n_estimators(URerF(), n, grown=200) == 200


@pytest.mark.parametrize("value", ["many", 2.5, None, True])
def test_a_wrong_number_of_trees_is_refused(value):
    with pytest.raises((ValueError, TypeError), match="n_estimators: must be 'auto' or an integer"):
        URerF(value).fit(np.zeros((5, 2)))
