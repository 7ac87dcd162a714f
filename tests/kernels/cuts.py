"""What the tests of criteria share: how to cut values, and how to compare with the oracle."""

import numpy as np
import pytest
from hypothesis import strategies as st

import oracle
from urerf.kernels.scratch import make_scratch
from urerf.kernels.settings import (
    FAST_BIC,
    FLOORS,
    GAIN,
    MCLUST_BIC,
    RAW,
    SPLIT_SCORES,
    TWO_MEANS,
    Rule,
)
from urerf.kernels.split import choose_cut

CRITERIA = pytest.mark.parametrize(
    "criterion", [TWO_MEANS, FAST_BIC, MCLUST_BIC], ids=["means", "fast", "mclust"]
)
SHARP = pytest.mark.parametrize("criterion", [TWO_MEANS, FAST_BIC], ids=["means", "fast"])
SCORES = pytest.mark.parametrize("score", [GAIN, RAW], ids=["gain", "raw"])
FLOOR = {code: FLOORS[name] for name, code in SPLIT_SCORES.items()}
EPSILON = np.finfo(float).eps
leaf_sizes = st.integers(1, 4)


def make_rule(criterion, score=GAIN, min_leaf=1):
    return Rule(criterion, score, FLOOR[score], min_leaf)


def dirty_scratch(n):
    """Scratch space in which nothing is zero by accident, except for the table of i log i."""
    scratch = make_scratch(n)
    for name in scratch._fields:
        array = getattr(scratch, name)
        if name != "nlogn":
            array.fill(np.nan if array.dtype.kind == "f" else 7)
    return scratch


def choose(values, criterion, score=GAIN, min_leaf=1, beat=np.inf):
    """Sort and cut; return (score, cut)."""
    z = np.sort(np.asarray(values, np.float32))
    return choose_cut(z, make_rule(criterion, score, min_leaf), beat, dirty_scratch(z.size))


def below(values, cut):
    return int((np.asarray(values) < cut).sum())


def all_cuts(z, criterion, score=GAIN, min_leaf=1):
    return oracle.all_cuts(z, criterion, score, min_leaf, FLOOR[score])


def tolerance(z, criterion, score):
    """How far rounding may move a score: sums of squares are exact relative to the whole node."""
    if criterion == TWO_MEANS:
        return 1e-12 * (oracle.within(z) if score == RAW else 1.0)
    return 1e-9 * (len(z) + abs(oracle.bic_one(z))) + 4 * EPSILON * len(z) ** 2 / FLOOR[score]


def assert_is_best(found, expected, slack):
    """The (score, cut) is one of the oracle's cuts, and none is better by more than rounding."""
    if not expected:
        assert found == (np.inf, 0.0)
        return
    score, value = found
    best = min(c.score for c in expected)
    assert abs(score - best) <= slack
    assert any(c.value == value and c.score <= best + slack for c in expected)
