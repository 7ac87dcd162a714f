import hostile
import numpy as np
import pytest
from cuts import FLOOR, SCORES, all_cuts, assert_is_best, choose, tolerance
from hypothesis import assume, given
from hypothesis import strategies as st

import oracle
from urerf.kernels.fast_bic import bic_one, log_below, x_log_x
from urerf.kernels.settings import FAST_BIC, GAIN, RAW

LONG = {
    "gaussian": lambda r, n: r.normal(size=n),
    "uniform": lambda r, n: r.uniform(size=n),
    "clusters": lambda r, n: np.concatenate([r.normal(m, 1, n // 3 + 1) for m in (0, 6, 30)]),
    "skewed": lambda r, n: r.exponential(size=n),
    "heavy": lambda r, n: r.standard_cauchy(size=n),
    "ties": lambda r, n: r.integers(0, 9, n),
    "bootstrap": lambda r, n: r.choice(r.normal(size=n), n),
    "tiny": lambda r, n: np.concatenate([r.normal(0, 1e-20, n // 2), r.normal(1e-3, 1e-12, n)]),
    "huge": lambda r, n: 1e18 * r.normal(size=n),
}


@SCORES
@pytest.mark.parametrize("shape", LONG)
@pytest.mark.parametrize("n", [17, 64, 333])
@pytest.mark.parametrize("min_leaf", [1, 20])
def test_no_block_hides_the_best_cut(score, shape, n, min_leaf):
    """Most of many blocks of cuts are skipped, and still the best cut is found."""
    for seed in range(3):
        z = np.sort(LONG[shape](np.random.default_rng(seed), n).astype(np.float32))
        found = choose(z, FAST_BIC, score, min_leaf)
        cuts = all_cuts(z, FAST_BIC, score, min_leaf)
        assert_is_best(found, cuts, tolerance(z, FAST_BIC, score))
        assert choose(z, FAST_BIC, score, min_leaf, beat=found[0] + 1e-6) == pytest.approx(
            found, rel=1e-12
        )
        assert choose(z, FAST_BIC, score, min_leaf, beat=found[0] - 1e-6)[0] == np.inf


@given(st.floats(1e-300, 1e300))
def test_a_bound_of_the_logarithm(x):
    assert np.log(x) - 5e-4 <= log_below(x) <= np.log(x)


@given(hostile.arrays())
def test_one_component(values):
    assume(oracle.within(values) > 0)
    assert bic_one(oracle.within(values), values.size) == pytest.approx(
        oracle.bic_one(values), rel=1e-12
    )


def test_table_of_n_log_n():
    n = np.arange(1, 1001)
    assert x_log_x(1000)[0] == 0.0
    assert np.allclose(x_log_x(1000)[1:], n * np.log(n), rtol=1e-15)
    assert x_log_x(0).tolist() == [0.0]


def test_the_two_variance_models():
    """By hand: {-1, 1} and {9, 11} have equal variances, clusters of 0.25 and 100 do not."""
    h = -2 * (4 * np.log(0.5)) + 4 * (1 + np.log(2 * np.pi))
    assert choose([9, -1, 11, 1], FAST_BIC, RAW, min_leaf=2) == (
        pytest.approx(h + 4 * np.log(4)),
        5.0,
    )
    h = -2 * (20 * np.log(0.5)) + 20 * (1 + np.log(2 * np.pi))
    wide = np.array([-0.5, 0.5, 90, 110] * 5)
    expected = h + 10 * np.log(0.25) + 10 * np.log(100) + 5 * np.log(20)
    assert choose(wide, FAST_BIC, RAW)[0] == pytest.approx(expected)


def test_the_floor():
    """By hand: the variance of ten equal values counts as ``floor`` times that of all values."""
    values = np.array([0] * 10 + [90, 110] * 5)
    spread = values.var()
    h = -2 * (20 * np.log(0.5)) + 20 * (1 + np.log(2 * np.pi))
    for score in (GAIN, RAW):
        one = oracle.bic_one(values) if score == GAIN else 0.0
        expected = h + 10 * np.log(FLOOR[score] * spread) + 10 * np.log(100) + 5 * np.log(20) - one
        assert choose(values, FAST_BIC, score) == (pytest.approx(expected), 45.0)
