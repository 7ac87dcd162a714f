"""Cuts of values that are not sorted, against cuts of the sorted ones and against the oracle."""

import hostile
import numpy as np
import pytest
from cuts import FLOOR, SCORES, choose, dirty_scratch, make_rule
from hypothesis import given
from hypothesis import strategies as st

import oracle
from urerf.kernels.bins import BINNED_ROWS, BINS, bin_values, cut_unsorted
from urerf.kernels.settings import FAST_BIC, GAIN

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
    """Cut without sorting; return (known, score, cut)."""
    rule = make_rule(FAST_BIC, score, min_leaf)
    return cut_unsorted(values, rule, beat, dirty_scratch(values.size))


def draw(shape, n, seed=0):
    return SHAPES[shape](np.random.default_rng(seed), n).astype(np.float32)


@SCORES
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("min_leaf", [1, 300])
def test_a_large_node_is_cut_where_sorted_values_are(shape, score, min_leaf):
    values = draw(shape, 2 * BINNED_ROWS)
    best, cut = choose(values, FAST_BIC, score, min_leaf)
    known, here, place = unsorted(values, score, min_leaf)
    assert known or shape in {"uniform", "heavy", "an outlier", "ties", "tiny", "skewed"}
    if known:
        assert here == pytest.approx(best, abs=1e-6 * values.size)
        assert place == cut or here < best + 1e-9 * values.size  # as good a cut


@SCORES
def test_bins_are_worth_it(score):
    """With clusters or one mode nothing is sorted; otherwise this file would test nothing."""
    for shape in ("gaussian", "clusters", "unequal", "bootstrap", "huge", "far from zero"):
        assert unsorted(draw(shape, 2 * BINNED_ROWS), score)[0]


@SCORES
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("n", [2, 16, 257, 1000, 2 * BINNED_ROWS])
def test_nothing_better_is_skipped(shape, score, n):
    """A candidate is skipped only if it is beaten, and not if it beats the target clearly."""
    values = draw(shape, n)
    best, cut = choose(values, FAST_BIC, score)
    for margin in (-1e-3, -1.0, -10.0, -1000.0):
        known, here, _ = unsorted(values, score, beat=best + margin * n)
        assert not known or here == np.inf
    known, here, place = unsorted(values, score, beat=best + 1e-4 * n)
    assert not known or (here < np.inf and (place == cut or here < best + 1e-9 * n))


def test_most_candidates_are_skipped():
    """A unimodal column is not sorted if another one has two clusters."""
    best, _ = choose(draw("clusters", 1000), FAST_BIC)
    for seed in range(20):
        assert unsorted(draw("gaussian", 1000, seed), GAIN, beat=best)[:2] == (True, np.inf)


@given(values=hostile.arrays(), min_leaf=st.integers(1, 4))
def test_hostile_values(values, min_leaf):
    cuts = oracle.all_cuts(np.sort(values), FAST_BIC, GAIN, min_leaf, FLOOR[GAIN])
    for beat in (np.inf, 0.0, -10.0):
        known, here, _ = unsorted(values, GAIN, min_leaf, beat)
        assert not known or here == np.inf
        assert not known or all(c.score >= beat - 1e-6 * len(values) for c in cuts)


@given(hostile.arrays())
def test_sums_of_bins(values):
    where = np.full(values.size, 77, np.uint8)
    counts = np.full(BINS + 1, -1, np.int64)
    sums = np.full(values.size + 2, np.nan)
    squares = np.full(values.size + 2, np.nan)
    bins, spread, middle = bin_values(values, where, counts, sums, squares)
    if values.min() == values.max():
        assert bins == 0
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
    """An overflow makes no bins: nothing is claimed, nothing is written out of bounds."""
    values = draw("gaussian", 300)
    values[7] = odd
    known, here, _ = unsorted(values, GAIN)
    assert not known or np.isnan(here) or here == np.inf or np.isnan(odd)
