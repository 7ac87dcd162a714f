"""Cuts of values that are not sorted, against cuts of the sorted ones and against the oracle."""

import hostile
import numpy as np
import pytest
from cuts import (
    SCORES,
    all_cuts,
    assert_is_best,
    choose,
    dirty_scratch,
    make_rule,
    tolerance,
)
from hypothesis import given
from hypothesis import strategies as st

import oracle
from urerf.kernels.bins import BINS, bin_values, place_values
from urerf.kernels.fast_bic import cut_fast_bic
from urerf.kernels.settings import FAST_BIC, GAIN

# Rows of a node with as many bins as there can be.
LARGE = 32 * BINS
SHAPES = {
    "gaussian": lambda r, n: r.normal(size=n),
    "far from zero": lambda r, n: 1e4 + r.normal(size=n),
    "uniform": lambda r, n: r.uniform(size=n),
    "clusters": lambda r, n: r.normal(size=n) + r.choice([0, 6, 30], n),
    "unequal": lambda r, n: np.where(r.random(n) < 0.1, r.normal(9, 0.01, n), r.normal(size=n)),
    "skewed": lambda r, n: r.exponential(size=n),
    "heavy": lambda r, n: r.standard_cauchy(size=n),
    "ties": lambda r, n: r.integers(0, 9, n),
    "bootstrap": lambda r, n: r.choice(r.normal(size=n), n),
    "tiny": lambda r, n: np.where(
        r.random(n) < 0.4, r.normal(0, 1e-20, n), r.normal(1e-3, 1e-12, n)
    ),
    "huge": lambda r, n: 1e18 * r.normal(size=n),
    "an outlier": lambda r, n: np.concatenate([[1e30], r.normal(size=n - 1)]),
}


def unsorted(values, score, min_leaf=1, beat=np.inf):
    """Cut without sorting; return (score, cut)."""
    rule = make_rule(FAST_BIC, score, min_leaf)
    before = values.copy()
    found = cut_fast_bic(values, np.bool_(False), rule, beat, dirty_scratch(values.size))
    assert np.array_equal(values, before, equal_nan=True)
    return found


def draw(shape, n, seed=0):
    return SHAPES[shape](np.random.default_rng(seed), n).astype(np.float32)


@SCORES
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("n", [2, 16, 257, 1000, LARGE])
@pytest.mark.parametrize("share", [0.0, 0.04])
def test_unsorted_values_are_cut_where_sorted_ones_are(shape, score, n, share):
    values = draw(shape, n)
    min_leaf = max(1, int(share * n))
    best, cut = choose(values, FAST_BIC, score, min_leaf)
    found, place = unsorted(values, score, min_leaf)
    assert found == pytest.approx(best, abs=1e-6 * n)
    assert place == cut or found < best + 1e-9 * n  # as good a cut


@SCORES
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("n", [2, 16, 257, 1000, LARGE])
def test_nothing_better_is_skipped(shape, score, n):
    """A candidate is skipped only if it is beaten, and not if it beats the target clearly."""
    values = draw(shape, n)
    best, cut = choose(values, FAST_BIC, score)
    for margin in (-1e-3, -1.0, -10.0, -1000.0):
        assert unsorted(values, score, beat=best + margin * n)[0] == np.inf
    found, place = unsorted(values, score, beat=best + 1e-4 * n)
    assert place == cut or found < best + 1e-9 * n


@given(values=hostile.arrays(), min_leaf=st.integers(1, 4))
def test_hostile_values(values, min_leaf):
    cuts = all_cuts(np.sort(values), FAST_BIC, GAIN, min_leaf)
    slack = tolerance(values, FAST_BIC, GAIN) if cuts else 0.0
    assert_is_best(unsorted(values, GAIN, min_leaf), cuts, slack)
    for beat in (0.0, -10.0):
        found, _ = unsorted(values, GAIN, min_leaf, beat)
        assert found < beat or all(c.score >= beat - slack for c in cuts)


@given(hostile.arrays())
def test_values_are_placed_bin_after_bin(values):
    scratch = dirty_scratch(values.size)
    bin_of = scratch.bin_of
    bins, spread, _ = bin_values(values, bin_of, scratch.begin, scratch.sums, scratch.squares)
    if spread == 0.0:
        return
    place_values(values, bins, bin_of, scratch.begin, scratch.counters, scratch.placed)
    expected = values[np.argsort(bin_of, kind="stable")]
    assert np.array_equal(scratch.placed, expected)


@given(hostile.arrays())
def test_sums_of_bins(values):
    where = np.full(values.size, 77, np.uint8)
    counts = np.full(BINS + 1, -1, np.int64)
    sums = np.full(values.size + 2, np.nan)
    squares = np.full(values.size + 2, np.nan)
    bins, spread, middle = bin_values(values, where, counts, sums, squares)
    if values.min() == values.max():
        assert spread == 0.0
        return
    assert counts[0] == 0
    assert counts[bins] == values.size
    assert spread == pytest.approx(oracle.within(values), rel=1e-9)
    ranks = where[np.argsort(values, kind="stable")]
    assert (np.diff(ranks.astype(int)) >= 0).all()  # bins are runs of the sorted values
    for b in range(bins):
        below = values[where <= b].astype(float) - middle
        assert counts[b + 1] == below.size
        assert sums[b + 1] == pytest.approx(below.sum(), rel=1e-9, abs=1e-9 * np.abs(below).sum())
        assert squares[b + 1] == pytest.approx((below**2).sum(), rel=1e-9)


@pytest.mark.parametrize("odd", [np.inf, -np.inf, np.nan])
def test_values_that_are_not_finite(odd):
    """After an overflow there is no cut, and nothing is written out of bounds."""
    values = draw("gaussian", 300)
    values[7] = odd
    assert unsorted(values, GAIN) == (np.inf, 0.0)
