import hostile
import numpy as np
import pytest
from cuts import (
    CRITERIA,
    FLOOR,
    SCORES,
    SHARP,
    all_cuts,
    assert_is_best,
    below,
    choose,
    leaf_sizes,
    tolerance,
)
from hypothesis import assume, given
from hypothesis import strategies as st

import oracle
from urerf.kernels.settings import FAST_BIC, GAIN, MCLUST_BIC, TWO_MEANS
from urerf.kernels.split import cut_at_random

whole_numbers = st.lists(st.integers(-500, 500), min_size=2, max_size=40).map(
    lambda v: np.array(v, np.float32)
)


# -- Against the oracle


@SHARP
@SCORES
@given(values=hostile.arrays(), min_leaf=leaf_sizes)
def test_cut_like_the_oracle(criterion, score, values, min_leaf):
    z = np.sort(values)
    cuts = all_cuts(z, criterion, score, min_leaf)
    assert_is_best(
        choose(values, criterion, score, min_leaf),
        cuts,
        tolerance(z, criterion, score) if cuts else 0,
    )


# -- What every cut must be


@CRITERIA
@SCORES
@given(values=hostile.arrays(max_size=25), min_leaf=leaf_sizes)
def test_cut_separates(criterion, score, values, min_leaf):
    found, cut = choose(values, criterion, score, min_leaf)
    assert not np.isnan(found)
    if found == np.inf:
        return
    low = values[values < cut]
    high = values[values >= cut]
    assert min(low.size, high.size) >= min_leaf
    assert low.max() < cut <= high.min()
    assert np.float32(cut) == cut


@SHARP
@given(values=hostile.arrays(), min_leaf=leaf_sizes)
def test_a_cut_is_found_wherever_one_is_allowed(criterion, values, min_leaf):
    allowed = oracle.allowed(np.sort(values), min_leaf)
    assert (choose(values, criterion, min_leaf=min_leaf)[0] < np.inf) == bool(allowed)


@CRITERIA
@SCORES
@pytest.mark.parametrize(
    "values", [[1.0], [1.0] * 5, [0.0, -0.0], [3e38] * 3, [-1e-45] * 2], ids=str
)
def test_equal_values_are_not_cut(criterion, score, values):
    assert choose(values, criterion, score) == (np.inf, 0.0)


@CRITERIA
@SCORES
@pytest.mark.parametrize("low", [-3e38, -1e30, -1.0, 0.0, 1e-30, 1e-45, 1.0, 1e30])
def test_two_values(criterion, score, low):
    """Two adjacent floats, and two that are far apart, are cut above the lower one."""
    for high in (np.nextafter(np.float32(low), np.float32(np.inf)), np.float32(3e38)):
        found, cut = choose([high, low], criterion, score)
        assert np.isfinite(found)
        assert np.float32(low) < cut <= high


@given(hostile.arrays(), leaf_sizes, st.floats(0, 1, exclude_max=True))
def test_random_cut_like_the_oracle(values, min_leaf, unit):
    z = np.sort(values)
    assume(oracle.allowed(z, min_leaf))
    cut, found = cut_at_random(z, min_leaf, unit)
    assert found
    assert cut == oracle.cut_at_random(z, min_leaf, unit)
    assert min_leaf <= below(z, cut) <= z.size - min_leaf
    assert z[below(z, cut) - 1] < cut <= z[below(z, cut)]


def test_random_cuts_are_uniform_between_quantiles():
    z = np.arange(1000, dtype=np.float32)
    cuts = [cut_at_random(z, 1, (i + 0.5) / 500)[0] for i in range(500)]
    assert np.allclose(cuts, np.linspace(50, 949, 500), atol=2)


@pytest.mark.parametrize("n", [2, 5, 19, 20, 21, 100, 401])
@pytest.mark.parametrize("unit", [0.0, 0.3, 0.999999])
def test_random_cuts_lie_between_the_quantiles(n, unit):
    z = np.sort(np.random.default_rng(n).normal(size=n).astype(np.float32))
    cut, found = cut_at_random(z, 1, unit)
    assert found
    low = n // 20
    high = n - 1 - n // 20
    assert z[max(low - 1, 0)] < cut <= z[high]
    wanted = z[low] + unit * (float(z[high]) - z[low])
    # The wanted place is in this gap, or at the first value.
    below = z[z < cut].max()
    above = z[z >= cut].min()
    assert below <= max(wanted, z[1] if n > 1 else wanted) + 1e-6
    assert above >= wanted - 1e-6
    assert 1 <= (z < cut).sum() <= n - 1


@pytest.mark.parametrize("min_leaf", [1, 5, 20, 50])
def test_random_cuts_keep_min_leaf_and_equal_values_together(min_leaf):
    rng = np.random.default_rng(0)
    for _ in range(50):
        z = np.sort(rng.integers(0, 6, size=100)).astype(np.float32)
        allowed = [s for s in range(min_leaf, 101 - min_leaf) if z[s - 1] < z[s]]
        cut, found = cut_at_random(z, min_leaf, rng.random())
        assert found == bool(allowed)
        assert not found or (z < cut).sum() in allowed


# -- What must not move a cut


@CRITERIA
@SCORES
@given(values=hostile.arrays(max_size=25), seed=st.integers(0, 10))
def test_order_of_rows(criterion, score, values, seed):
    shuffled = np.random.default_rng(seed).permutation(values)
    assert choose(shuffled, criterion, score) == choose(values, criterion, score)


@SHARP
@SCORES
@given(values=whole_numbers, shift=st.integers(-(2**22), 2**22))
def test_shift(criterion, score, values, shift):
    """Exactly: the sums run over differences, which are the same."""
    found, cut = choose(values, criterion, score)
    moved_found, moved = choose(values + np.float32(shift), criterion, score)
    assert moved_found == found
    assert found == np.inf or below(values + np.float32(shift), moved) == below(values, cut)


@CRITERIA
@given(values=hostile.arrays(max_size=25), power=st.integers(-20, 20))
def test_scale_by_a_power_of_two(criterion, values, power):
    """Exactly: no digit changes, except in denormal and overflowing values."""
    scale = np.float32(2.0**power)
    magnitude = np.abs(values[values != 0]).astype(float)
    assume(
        magnitude.size
        and min(1, scale) * magnitude.min() > 1e-30
        and max(1, scale) * magnitude.max() < 1e38
    )
    found, cut = choose(values, criterion)
    scaled_found, scaled = choose(values * scale, criterion)
    if found == np.inf:
        assert scaled_found == np.inf
        return
    assert scaled_found == pytest.approx(found, abs=1e-7 * len(values))
    z = np.sort(values)
    if criterion == MCLUST_BIC:
        assert any(np.isclose(c.value, scaled / scale, rtol=1e-3) for c in all_cuts(z, MCLUST_BIC))
    elif scaled != cut * scale:
        cuts = all_cuts(z, criterion)
        assert_is_best(
            (scaled_found, np.float32(scaled / scale)), cuts, tolerance(z, criterion, GAIN)
        )


@SHARP
@given(values=whole_numbers, scale=st.sampled_from([3, 7, 10, 1000, 12345]))
def test_scale_by_a_whole_number(criterion, values, scale):
    """The gain and the cut stay the same, unless two cuts are equal up to rounding."""
    z = np.sort(values)
    found, cut = choose(values, criterion)
    scaled_found, scaled = choose(values * np.float32(scale), criterion)
    if found == np.inf:
        assert scaled_found == np.inf
        return
    slack = tolerance(z * scale, criterion, GAIN)
    assert abs(scaled_found - found) <= slack
    if below(values * np.float32(scale), scaled) != below(values, cut):
        s = below(values * np.float32(scale), scaled)
        assert min(c.score for c in all_cuts(z, criterion) if c.below == s) <= found + slack


# -- What must be found


@CRITERIA
@SCORES
@pytest.mark.parametrize("seed", range(25))
def test_clusters_at_0_and_10(criterion, score, seed):
    rng = np.random.default_rng(seed)
    n1, n2 = rng.integers(2, 60, 2)
    values = np.concatenate([rng.normal(0, 1, n1).clip(-3, 3), rng.normal(10, 1, n2).clip(7, 13)])
    _, cut = choose(rng.permutation(values), criterion, score)
    assert below(values, cut) == n1
    tight = np.concatenate([np.zeros(n1), np.full(n2, 10.0)])
    assert 0 < choose(rng.permutation(tight), criterion, score)[1] <= 10


@CRITERIA
@SCORES
@pytest.mark.parametrize("seed", range(25))
def test_150_and_50(criterion, score, seed):
    rng = np.random.default_rng(seed)
    values = rng.permutation(np.concatenate([rng.normal(0, 1, 150), rng.normal(8, 1, 50)]))
    assert below(values, choose(values, criterion, score)[1]) == 150


@pytest.mark.parametrize("criterion", [FAST_BIC, MCLUST_BIC], ids=["fast", "mclust"])
@pytest.mark.parametrize("lonely", [[-0.5], [1.25] * 2, [-0.75] * 5], ids=str)
def test_a_cluster_without_variance_does_not_win(criterion, lonely):
    """One point or a few equal ones at the edge of a cluster do not beat the real gap."""
    rng = np.random.default_rng(0)
    values = np.concatenate([rng.uniform(0, 1, 60), rng.uniform(5, 6, 40), lonely])
    cut = choose(values, criterion)[1]
    assert 1.3 < cut < 5


@pytest.mark.parametrize("seed", range(10))
def test_what_a_cluster_without_variance_wins_is_bounded(seed):
    """Three equal values far away are cut off, for a finite gain."""
    rng = np.random.default_rng(seed)
    values = np.concatenate([rng.normal(0, 1, 50), [40.0] * 3])
    found, cut = choose(values, FAST_BIC)
    n = len(values)
    assert found > n * np.log(FLOOR[GAIN])
    assert below(values, cut) == 50


@given(hostile.arrays(), leaf_sizes)
def test_gain_is_bounded(values, min_leaf):
    """However hostile the values, the floor bounds what two components win."""
    found, _ = choose(values, FAST_BIC, GAIN, min_leaf)
    assert found >= len(values) * np.log(FLOOR[GAIN]) - 1e-6
    assert choose(values, TWO_MEANS, GAIN, min_leaf)[0] >= 0
