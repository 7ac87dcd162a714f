"""Combine the evidence of the tests of dependence: pairs, waves and crowds of columns.

The tests share the level of the table, alpha.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._typing import Array, BoolArray, IntArray
from .evidence import ColumnEvidence
from .pairs import PairEvidence

# Share of the level of the table for each test; most of it for the one that finds most. A fifth is
# kept in reserve: the null distributions are accurate to a few tenths in their far tails.
SHARES = {"pairs": 0.45, "waves": 0.1, "crowd": 0.15, "groups": 0.1}

# Level, relative to that of the table, at which the evidence for a column is clear, and at which
# columns join clear ones in a table of many noise columns. One column of noise next to three true
# ones costs a third of the precision.
JOINING = 0.2

# Smallest strength of a column with structure. The functions that are not related subtract a little
# chance each, which may be more than a weak relation adds.
WEAKEST = 0.01


class Dependence(NamedTuple):
    """What the tests of dependence say together."""

    named: BoolArray
    test_code: IntArray  # which test is the evidence for a column
    p_value: Array  # adjusted for all tests
    strength: Array
    partner: IntArray
    group: IntArray
    comparable: BoolArray  # shares enough rows with another column

    @classmethod
    def nothing(cls, p: int) -> Dependence:
        """Return what is found in columns that cannot be tested."""
        return cls(
            named=np.zeros(p, dtype=bool),
            test_code=np.zeros(p, dtype=np.intp),
            p_value=np.ones(p),
            strength=np.zeros(p),
            partner=np.full(p, -1),
            group=np.full(p, -1),
            comparable=np.zeros(p, dtype=bool),
        )


def combined(
    pairs: PairEvidence,
    waves: ColumnEvidence,
    crowd: ColumnEvidence,
    alpha: float,
) -> Dependence:
    """Combine the tests of dependence.

    For each column, a significant test decides (pairs first, then waves), or else the smallest
    p-value.
    """
    column = np.arange(len(pairs.tail))
    # Of several tails below the smallest float, the strongest dependence.
    is_compared = pairs.dof > 0
    keys = (-pairs.strength, pairs.tail, ~is_compared)  # the last one counts first
    order = np.lexsort(keys, axis=1)
    best = order[:, 0]
    best_pair = (column, best)
    comparable = is_compared[best_pair]
    pairs_strength = pairs.strength[best_pair]
    best_partner = pairs.partner[best_pair]
    pairs_partner = np.where(comparable, best_partner, -1)
    # One row per test, in the order of TESTS.
    pairs_p_value = weighed(pairs.p_value, "pairs", alpha)
    waves_scaled = waves.p_value / SHARES["waves"]
    waves_p_value = np.minimum(waves_scaled, 1)
    crowd_p_value = weighed(crowd.p_value, "crowd", alpha)
    p_values = np.stack([pairs_p_value, waves_p_value, crowd_p_value])
    strengths = np.stack([pairs_strength, waves.strength, crowd.strength])
    partners = np.stack([pairs_partner, waves.partner, crowd.partner])
    test = p_values.argmin(axis=0)
    for row in (2, 1, 0):  # pairs come first, then waves
        is_significant = p_values[row] < alpha
        test[is_significant] = row
    chosen = (test, column)
    p_value = np.minimum(p_values[chosen], 1)
    partner = partners[chosen]
    by_pairs = test == 0
    level = _joining_level(p_value, by_pairs=by_pairs, tested=comparable, alpha=alpha)
    named = p_value < level
    # Columns that may not join are not below alpha: their p-values are relative to their level.
    relative = p_value * alpha / level
    at_level = np.minimum(relative, 1)
    strength = np.maximum(strengths[chosen], WEAKEST)
    named_otherwise = named & ~by_pairs
    not_by_pairs = np.flatnonzero(named_otherwise)
    return Dependence(
        named=named,
        test_code=1 + test,
        p_value=np.where(named, p_value, at_level),
        strength=np.where(named, strength, 0.0),
        partner=partner,
        group=_connected(pairs.group, not_by_pairs, partner),
        comparable=comparable,
    )


def _joining_level(
    p_value: Array,
    *,
    by_pairs: BoolArray,
    tested: BoolArray,
    alpha: float,
) -> Array:
    """Return the level below which each column has structure.

    Next to clear columns, doubtful ones join at a level that grows with the share of clear ones: in
    a table in which most columns are noise, a doubtful one is likely noise as well.
    """
    level = np.full(len(p_value), alpha)
    clear_level = JOINING * alpha
    clear = by_pairs & (p_value < clear_level)
    if clear.any():
        share_clear = clear[tested].mean()
        share = max(JOINING, share_clear)
        level[by_pairs] = alpha * share
    return level


def weighed(p_value: Array, test: str, alpha: float) -> Array:
    """Return the p-values of a test as they count next to other tests.

    The test has a share of the level of the table. If it is significant there, its columns are
    named at the whole level, as a false discovery rate; if not, no p-value is below it.
    """
    share = SHARES[test]
    level = alpha * share
    if p_value.min() < level:
        return p_value
    scaled = p_value / share
    return np.minimum(scaled, 1)


def _connected(group: IntArray, columns: IntArray, partner: IntArray) -> IntArray:
    """Join the groups of columns and their partners."""
    group = group.copy()
    for column in columns:
        other = partner[column]
        if other >= 0:
            own_group = group == group[column]
            group[own_group] = group[other]
    return group
