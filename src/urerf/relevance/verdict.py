"""Turn the evidence of all tests into a verdict on the table and on each column.

Dependence comes first: pairs, waves and crowds of columns (`combine`). Only if there is none, the
values of single columns are tested for groups: next to columns that depend on each other, groups in
a column of noise are noise. If nothing is found, weak evidence for a pair is a hint.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._messages import count
from .._typing import Array, BoolArray, IntArray
from ..kernels.pair_scores import MIN_ROWS
from ..schema import CATEGORY, Schema
from .basis import Basis
from .combine import SHARES, Dependence
from .coordinates import distribution_p_values, fills_interval, has_even_levels
from .evidence import named_below
from .marginals import marginal_evidence
from .pairs import PairEvidence
from .record import (
    DOUBTFUL,
    HINT,
    NONE,
    SMALLEST_P_VALUE,
    STRUCTURE,
    TESTS,
    Relevance,
    Why,
    format_p_value,
)
from .shape import shape_evidence

# P-value up to which the best columns of a table without structure are a hint, adjusted for all
# pairs. One noise table in ten has a hint; where all columns are noise, it does no harm
# (`python -m urerf.lab.error_rates noise`).
HINT_LEVEL = 0.3
# Weight of all other columns together, in a table with a hint, relative to the columns hinted at.
HINT_REST = 0.1

# Columns without a partner that may be coordinates of their own, relative to the columns with one;
# a single column always may. More of them are taken for noise: a helix next to two uniform columns
# keeps its precision only without them (test_a_few_noise_columns_are_noise).
FEW = 0.1

# A group of columns that are only correlated is not set aside if it has as many times the columns
# of the largest group with a shape: the shape of a few columns is then not what the table is about.
# Blocks of 10 correlated noise columns next to a helix of 3 are set aside; 1,600 correlated genes
# next to a few curved pairs are not.
MANY_TIMES = 10

# Groups are common in a table if at least this share of its columns has a dip with a p-value below
# WEAK, where columns without groups have at most a tenth.
COMMON = 1 / 3
WEAK = 0.1


TOO_FEW_TO_COMPARE = "Too few rows or columns to compare: all columns that vary are used."


class Columns(NamedTuple):
    """What is known about p columns before any test."""

    values: Array  # (p, n), NaN for missing
    schema: Schema
    varied: BoolArray  # has at least two values, and enough rows to be compared
    n_present: IntArray


def judge(
    columns: Columns,
    basis: Basis | None,
    pairs: PairEvidence,
    dependence: Dependence,
    alpha: float,
    keep_groups: bool,
) -> Relevance:
    """Judge the columns by the evidence; without a ``basis``, no column is tested for groups."""
    if dependence.named.any():
        return _of_dependence(columns, pairs, dependence, alpha, keep_groups)
    if basis is not None:
        groups = _of_groups(columns, basis, dependence, alpha)
        if groups is not None:
            return groups
    weak_evidence = _weak_evidence(pairs, dependence, alpha)
    return _in_doubt(columns, weak_evidence)


def without_test(columns: Columns) -> Relevance:
    """Judge columns that are too few, or have too few rows, to be compared."""
    p = len(columns.values)
    return _record(
        columns,
        Dependence.nothing(p),
        verdict=NONE,
        message=TOO_FEW_TO_COMPARE,
        weight=_varies(columns) * 1.0,
        why=np.full(p, Why.UNTESTED),
    )


def _of_dependence(
    columns: Columns,
    pairs: PairEvidence,
    dependence: Dependence,
    alpha: float,
    keep_groups: bool,
) -> Relevance:
    named = dependence.named
    set_aside = np.zeros(len(named), dtype=bool)
    if not keep_groups:
        set_aside = named & _only_correlated(pairs, dependence)
    used = named & ~set_aside
    rest = columns.varied & ~named
    may_be_own = _coordinates(columns, used, set_aside, rest, alpha)
    own = dependence.comparable & may_be_own
    n_used = int(used.sum())
    n_own = int(own.sum())
    weight_of_own = n_used / (n_used + n_own)
    by_crowd = dependence.test_code == TESTS.index("crowd")
    why = np.full(len(used), Why.UNRELATED)
    why[used] = Why.FOLLOWS
    why[used & by_crowd] = Why.CROWD
    why[own] = Why.OWN
    why[set_aside] = Why.SET_ASIDE
    return _record(
        columns,
        dependence,
        verdict=STRUCTURE,
        message=_message(used, own, set_aside, dependence.group),
        strength=np.where(used, dependence.strength, 0.0),
        weight=np.where(used, 1.0, own * weight_of_own),
        pairs=_reported_pairs(pairs, used),
        group=np.where(named, dependence.group, -1),
        why=why,
    )


def _only_correlated(pairs: PairEvidence, dependence: Dependence) -> BoolArray:
    """Return which columns are noise with a common cause, next to a manifold.

    Next to columns with a shape, groups of columns that are only correlated, and independent of
    them, are set aside, unless they are many times as large. The shape of tied columns and of
    categories cannot be tested: they neither set aside other columns nor are they set aside.
    """
    shape = shape_evidence(pairs)
    group = dependence.group
    named = dependence.named
    by_waves = dependence.test_code == TESTS.index("waves")
    wavy = named & by_waves
    groups_with_shape = group[shape.shaped | wavy]
    shaped = named & np.isin(group, groups_with_shape)
    if not shaped.any():
        return shaped
    groups_with_ties = group[shape.tied]
    tied = np.isin(group, groups_with_ties)
    n_named = np.bincount(group[named], minlength=group.size)
    size = n_named[group]
    largest_with_shape = size[shaped].max()
    many_times_as_large = size > MANY_TIMES * largest_with_shape
    return ~shaped & ~tied & ~many_times_as_large


def _coordinates(
    columns: Columns,
    used: BoolArray,
    set_aside: BoolArray,
    rest: BoolArray,
    alpha: float,
) -> BoolArray:
    """Return which of the remaining columns may be coordinates of their own.

    A single column next to dependent ones, or a few next to many, if it fills an interval or has
    levels of similar size; among more columns, only those of numbers with an unusual distribution.
    """
    values = columns.values
    kinds = columns.schema.kinds
    nominal = np.array([kind == CATEGORY for kind in kinds])
    n_others = (rest | set_aside).sum()
    n_allowed = max(1, FEW * used.sum())
    if n_others > n_allowed:
        numbers = rest & ~nominal
        p_value = distribution_p_values(values, numbers)
        return p_value < alpha
    own = np.zeros(len(values), dtype=bool)
    for column in np.flatnonzero(rest):
        is_present = ~np.isnan(values[column])
        present = values[column, is_present]
        if nominal[column]:
            own[column] = has_even_levels(present)
        else:
            own[column] = fills_interval(present)
    return own


def _of_groups(
    columns: Columns,
    basis: Basis,
    dependence: Dependence,
    alpha: float,
) -> Relevance | None:
    """Judge columns by the groups in their values; None if they have none.

    If groups are common in the table, they do not tell any of its columns from the others.
    """
    groups = marginal_evidence(basis, columns.schema.kinds)
    level = alpha * SHARES["groups"]
    has_groups = groups.p_value.min() < level
    is_weak = groups.tail < WEAK
    n_tested = groups.tested.sum()
    are_common = is_weak.sum() > COMMON * n_tested
    if not has_groups or are_common:
        return None
    p_value = named_below(alpha, groups.p_value)
    named = (p_value < alpha) & columns.varied
    n_named = int(named.sum())
    p = len(named)
    evidence = dependence._replace(
        test_code=np.full(p, TESTS.index("groups")),
        p_value=p_value,
        partner=np.full(p, -1),
    )
    counted = count(n_named, "column")
    return _record(
        columns,
        evidence,
        verdict=STRUCTURE,
        message=f"No two columns depend on each other; the values of {counted} fall into groups.",
        strength=np.where(named, groups.strength, 0.0),
        weight=named * 1.0,
        why=np.where(named, Why.GROUPS, Why.UNRELATED),
    )


def _weak_evidence(pairs: PairEvidence, dependence: Dependence, alpha: float) -> Dependence:
    """Return the evidence for a hint, by pairs alone.

    This test has no share of the level of the table, so that none of its p-values is below it.
    """
    column = np.arange(len(pairs.partner))
    is_compared = pairs.dof > 0
    tail = np.where(is_compared, pairs.weak_tail, np.inf)
    best = tail.argmin(axis=1)
    best_partner = pairs.partner[column, best]
    return dependence._replace(
        p_value=np.maximum(pairs.weak_p_value, alpha),
        partner=np.where(dependence.comparable, best_partner, -1),
    )


def _in_doubt(columns: Columns, dependence: Dependence) -> Relevance:
    """Judge columns by a hint, if there is one."""
    is_likely = dependence.p_value <= HINT_LEVEL
    has_partner = dependence.partner >= 0
    hinted = columns.varied & is_likely & has_partner
    n_hinted = int(hinted.sum())
    n_varied = columns.varied.sum()
    is_majority = 2 * n_hinted > n_varied
    if n_hinted == 0 or is_majority:
        return _record(
            columns,
            dependence,
            verdict=NONE,
            message=_nothing_found(columns, dependence),
            weight=_varies(columns) * 1.0,
            why=np.full(len(hinted), Why.UNRELATED),
        )
    others = _varies(columns) & ~hinted
    n_others = max(others.sum(), 1)
    even_share = HINT_REST * n_hinted / n_others
    weight_of_others = min(even_share, 1.0)
    shown = f"{n_hinted} columns"
    if n_hinted == 2:
        first, second = np.flatnonzero(hinted)
        names = columns.schema.names
        shown = f"{names[first]} and {names[second]}"
    return _record(
        columns,
        dependence,
        verdict=HINT,
        message=f"No structure found. Weak evidence: {shown} may depend on each other, and are "
        "used more often than the others.",
        weight=np.where(hinted, 1.0, others * weight_of_others),
        why=np.where(hinted, Why.HINT, Why.UNRELATED),
    )


def _nothing_found(columns: Columns, dependence: Dependence) -> str:
    """Say that there is no structure, and which relation is the most doubtful."""
    if not dependence.comparable.any():
        return TOO_FEW_TO_COMPARE
    message = "No structure found: all columns that vary are used alike."
    best = int(dependence.p_value.argmin())
    partner = int(dependence.partner[best])
    p_value = float(dependence.p_value[best])
    if partner < 0 or p_value > DOUBTFUL:
        return message
    names = columns.schema.names
    return (
        f"{message} The clearest relation, of {names[best]} and {names[partner]}, may be chance "
        f"(p = {format_p_value(p_value)})."
    )


def _record(
    columns: Columns,
    evidence: Dependence,
    *,
    verdict: str,
    message: str,
    weight: Array,
    why: IntArray,
    strength: Array | None = None,
    pairs: IntArray | None = None,
    group: IntArray | None = None,
) -> Relevance:
    """Return the record; without a strength, pairs or groups, there are none."""
    p = len(weight)
    if strength is None:
        strength = np.zeros(p)
    if pairs is None:
        pairs = np.empty((0, 2), dtype=np.intp)
    if group is None:
        group = np.full(p, -1)
    return Relevance(
        verdict=verdict,
        message=message,
        strength=strength,
        p_value=np.maximum(evidence.p_value, SMALLEST_P_VALUE),
        partner=evidence.partner,
        weight=weight,
        pairs=pairs,
        group=_numbered(group),
        n_present=columns.n_present,
        n_rows=columns.values.shape[1],
        schema=columns.schema,
        test_code=np.where(strength > 0, evidence.test_code, 0),
        why=_why_not(columns, why, evidence.comparable),
    )


def _numbered(group: IntArray) -> IntArray:
    """Return the groups of two and more columns numbered from 0, and -1 for the others."""
    labels, inverse, size = np.unique(group, return_inverse=True, return_counts=True)
    is_group = (labels >= 0) & (size > 1)
    number = np.cumsum(is_group) - 1
    number[~is_group] = -1
    return number[inverse]


def _varies(columns: Columns) -> BoolArray:
    """Return which features have more than one value, however few rows they have."""
    features = np.array(columns.schema.is_feature)
    values = columns.values
    is_present = ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        low = np.min(values, axis=1, initial=np.inf, where=is_present)
        high = np.max(values, axis=1, initial=-np.inf, where=is_present)
    return features & (high > low)


def _why_not(columns: Columns, why: IntArray, comparable: BoolArray) -> IntArray:
    """Put in the reasons of columns that cannot be tested, or compared with another column."""
    why = why.copy()
    features = np.array(columns.schema.is_feature)
    varies = _varies(columns)
    unrelated = why == Why.UNRELATED
    why[unrelated & ~comparable] = Why.NOT_COMPARED
    tested = why != Why.UNTESTED
    why[tested & ~columns.varied] = Why.RARE_LEVELS
    has_few_values = columns.n_present < MIN_ROWS
    why[varies & has_few_values] = Why.TOO_FEW
    why[~varies] = Why.CONSTANT
    why[columns.n_present == 0] = Why.EMPTY
    why[~features] = Why.NOT_A_FEATURE
    return why


def _message(used: BoolArray, own: BoolArray, set_aside: BoolArray, group: IntArray) -> str:
    """Say which columns depend on each other, and what becomes of the others."""
    depend = _count(int(used.sum()), "column depends", "columns depend")
    n_groups = len(np.unique(group[used]))
    sentences = [f"{depend} on each other."]
    if n_groups > 1:
        sentences = [f"{depend} on each other, in {n_groups:,} separate groups."]
    n_own = int(own.sum())
    if n_own > 0:
        others = _count(n_own, "other column is", "other columns are")
        sentences.append(f"{others} kept with a lower weight.")
    n_set_aside = int(set_aside.sum())
    if n_set_aside > 0:
        others = _count(n_set_aside, "column is", "columns are")
        sentences.append(f"{others} correlated, but not with these, and not used.")
    return " ".join(sentences)


def _count(n: int, singular: str, plural: str) -> str:
    noun = singular if n == 1 else plural
    return f"{n:,} {noun}"


def _reported_pairs(pairs: PairEvidence, used: BoolArray) -> IntArray:
    """Return the significant pairs of used columns, each once, strongest first."""
    both = np.column_stack(pairs.dependent())
    both = np.sort(both, axis=1)  # the pair (i, j) is the pair (j, i)
    tail = pairs.tail[pairs.significant]
    strongest_first = np.argsort(tail, kind="stable")
    both = both[strongest_first]
    _, first = np.unique(both, axis=0, return_index=True)
    both = both[np.sort(first)]
    both_used = used[both].all(axis=1)
    return both[both_used]
