import numpy as np
import pytest
from relevance_tables import noise
from scipy.stats import kurtosis, median_abs_deviation, t

from urerf.relevance import coordinates
from urerf.relevance.coordinates import distribution_p_values, fills_interval


def columns(kind, n, p, seed=0):
    return np.ascontiguousarray(noise(kind, n, p, np.random.default_rng(seed)).T)


def everything(values):
    return np.ones(len(values), dtype=bool)


@pytest.mark.parametrize("kind", ["gaussian", "uniform", "heavy_tailed"])
def test_a_column_of_two_groups_stands_out(kind):
    values = np.vstack([columns(kind, 600, 60), columns("bimodal", 600, 1)])
    p_value = distribution_p_values(values, everything(values))
    assert np.flatnonzero(p_value < 0.01).tolist() == [60]
    assert p_value[60] < 1e-3
    assert p_value.min() == p_value[60]


def test_only_tested_columns_are_compared():
    values = np.vstack([columns("gaussian", 600, 60), columns("bimodal", 600, 4)])
    tested = np.arange(64) < 61
    p_value = distribution_p_values(values, tested)
    assert np.flatnonzero(p_value < 0.01).tolist() == [60]
    assert (p_value[61:] == 1).all()


@pytest.mark.parametrize("n_left", [10, 30, 50])
def test_the_best_cut_explains_most_of_the_variance(n_left):
    """By brute force: total variance less that within the two groups, on clipped values."""
    rng = np.random.default_rng(0)
    x = np.append(rng.normal(size=n_left), rng.normal(4, 1, 100 - n_left))
    z = np.sort(np.clip(x, *np.sort(x)[[5, -6]]))
    within = [k * z[:k].var() + (100 - k) * z[k:].var() for k in range(1, 100)]
    expected = 1 - min(within) / (100 * z.var())
    np.testing.assert_allclose(coordinates._best_cut(x[None, :]), [expected])


def test_too_few_columns_are_no_null_distribution():
    two_groups = np.repeat([0.0, 9.0], 300) + columns("uniform", 600, 1)
    values = np.vstack([columns("gaussian", 600, 8), two_groups])
    assert distribution_p_values(values, everything(values))[8] < 0.01
    fewer = values[1:]
    assert (distribution_p_values(fewer, everything(fewer)) == 1).all()


def test_more_than_one_in_twenty_do_not_stand_out():
    values = np.vstack([columns("gaussian", 600, 57), columns("bimodal", 600, 4)])
    three = values[:-1]
    assert (distribution_p_values(three, everything(three)) < 0.01).sum() == 3
    assert not (distribution_p_values(values, everything(values)) < 0.01).any()


@pytest.mark.parametrize("count", [9, 20, 39, 40, 41, 200])
def test_at_most_one_in_twenty_can_be_significant(count):
    for seed in range(200):
        rng = np.random.default_rng([seed, count])
        share = np.where(rng.random(count) < rng.random(), rng.beta(1, 9, count), rng.random())
        assert (coordinates._p_values(share) < 1).sum() <= max(1, count // 20)


def test_counts_are_not_tested():
    values = np.vstack([columns("gaussian", 600, 60), columns("binary", 600, 1)])
    assert distribution_p_values(values, everything(values))[60] == 1


def test_spread_is_robust_and_the_larger_of_two():
    """Of columns in two equal halves the tail says little about the spread, the median more."""
    halves = np.repeat([0.4, 0.6], 20) + np.linspace(-0.001, 0.001, 40)
    assert coordinates._p_values(np.append(halves, 0.75)).min() > 0.5
    # If most columns are equal, the spread is that of the tail.
    tail = np.append(np.full(37, 0.5), [0.55, 0.6, 0.65])
    assert coordinates._p_values(np.append(tail, 0.7)).min() > 0.1
    # One column does not change the spread of the others.
    narrow = np.linspace(0.499, 0.501, 40)
    assert coordinates._p_values(np.append(narrow, 0.52))[40] < 1e-9
    assert coordinates._p_values(np.append(narrow, 0.52))[:40].min() > 0.1


def test_p_values_are_those_of_a_robust_t_test():
    share = np.append(np.repeat([0.4, 0.6], 20), 1.4)
    deviation = median_abs_deviation(share, scale="normal")
    expected = 41 * t.sf((1.4 - np.median(share)) / deviation, 0.37 * 41)
    np.testing.assert_allclose(coordinates._p_values(share)[40], expected, rtol=1e-3)


def test_equal_columns_have_no_spread():
    share = np.append(np.full(20, 0.5), 0.6)
    np.testing.assert_array_equal(coordinates._p_values(share), [1] * 20 + [0])


@pytest.mark.parametrize("n", [100, 1000])
def test_kurtosis_is_that_of_scipy_at_any_scale(n):
    for kind in ("gaussian", "uniform", "bimodal"):
        for values in columns(kind, n, 3):
            fills = kurtosis(values) < coordinates.FLAT
            for scale in (1e-300, 1.0, 1e300):
                assert fills_interval(values * scale) == fills


def test_a_uniform_column_fills_an_interval_and_noise_with_tails_does_not():
    assert all(map(fills_interval, columns("uniform", 300, 500)))
    assert sum(map(fills_interval, columns("gaussian", 300, 500))) < 10
    assert not any(map(fills_interval, columns("heavy_tailed", 300, 500)))
    x = np.linspace(-0.5, 0.5, 1001)
    powers = np.sign(x) * np.abs(x) ** np.array([[0.9], [1.6], [1.65]])  # -1.30, -0.62, -0.57
    assert [fills_interval(column) for column in powers] == [True, True, False]
