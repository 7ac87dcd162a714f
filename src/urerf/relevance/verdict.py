"""Combine the evidence of all tests into the relevance of each column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .basis import Array, Index, Mask
from .marginals import fills_interval, marginal_evidence
from .pairs import PairEvidence
from .shape import shape_evidence

# Columns without a partner that may be coordinates of their own, relative to the columns with one;
# a single column always may. More of them are taken for noise: a helix next to two uniform columns
# keeps its precision only without them (test_a_few_noise_columns_are_noise).
FEW = 0.1


@dataclass(frozen=True, eq=False)
class Relevance:
    """What `column_relevance` found.

    Attributes
    ----------
    relevance : ndarray of shape (p,)
        1 for columns that carry structure, 0 for noise and for constant columns, and a value in
        between for doubtful columns. The doubtful columns together never weigh more than those that
        carry structure.
    statistic : ndarray of shape (p,)
        (n - 1) times the sum of squared correlations with the best partner.
    p_value : ndarray of shape (p,)
        Probability that a table of independent columns has any pair as dependent as this column and
        its best partner. For a column of the second test: that any independent column depends as
        much on one of the columns found first, or of ten if they are fewer.
    partner : ndarray of shape (p,)
        The column on which it depends most; -1 if there is none to compare with.
    pairs : ndarray of shape (k, 2)
        The significant pairs of relevant columns, strongest first, at most four per column.
    method : {"dependence", "marginal", "uniform"}
        What `relevance` is based on. "marginal": no two columns depend on each other, but the
        values of a few columns fall into two groups more clearly than those of all the others.
        "uniform": no structure was found, and all columns that are not constant have relevance 1.
    message : str
        The same in a sentence.
    """

    relevance: Array
    statistic: Array
    p_value: Array
    partner: Index
    pairs: Index
    method: str
    message: str


class Verdict(NamedTuple):
    """Which columns have structure, and why: disjoint masks of shape (p,)."""

    dependent: Mask  # depends on other columns
    doubtful: Mask  # independent of all others, but may carry structure of its own
    demoted: Mask  # correlated, but independent of a manifold that the table has
    noise: Mask  # varies, without any evidence of structure


def judge(
    values: Array,
    pairs: PairEvidence,
    varied: Mask,
    alpha: float,
) -> Relevance:
    """Judge columns, given as the rows of `values`, by the evidence."""
    verdict = _verdict(values, pairs, varied, alpha)
    relevance, method, message = _explained(verdict)
    statistic, p_value, partner = _best_partner(pairs)
    reported = _reported_pairs(pairs, verdict.demoted)
    return Relevance(relevance, statistic, p_value, partner, reported, method, message)


def without_test(values: Array) -> Relevance:
    """Judge columns that are too few, or have too few rows, to be compared."""
    p = len(values)
    varied = (values != values[:, :1]).any(axis=1)
    return Relevance(
        relevance=varied * 1.0,
        statistic=np.zeros(p),
        p_value=np.ones(p),
        partner=np.full(p, -1),
        pairs=np.empty((0, 2), dtype=np.intp),
        method="uniform",
        message="Too few rows or columns to compare: all columns that vary are used.",
    )


def _verdict(
    values: Array,
    pairs: PairEvidence,
    varied: Mask,
    alpha: float,
) -> Verdict:
    found = pairs.significant.any(axis=1)
    demoted = found & _only_correlated(pairs, values.shape[1])
    dependent = found & ~demoted
    rest = varied & ~found
    doubtful = _doubtful(values, dependent, demoted, rest, alpha)
    return Verdict(dependent, doubtful, demoted, rest & ~doubtful)


def _only_correlated(pairs: PairEvidence, n_rows: int) -> Mask:
    """Return which columns are noise with a common cause, next to a manifold.

    Next to columns with a shape, groups of columns that are only correlated, and independent of
    them, are not used. The shape of tied columns cannot be tested: they neither demote other
    columns nor are they demoted.
    """
    shape = shape_evidence(pairs, n_rows)
    if not shape.shaped.any():
        return shape.shaped
    return ~shape.shaped & ~shape.tied


def _doubtful(
    values: Array,
    dependent: Mask,
    demoted: Mask,
    rest: Mask,
    alpha: float,
) -> Mask:
    """Return which of the remaining columns may carry structure on their own.

    A single column next to dependent ones, or a few next to many, may be a coordinate, such as the
    height of a Swiss roll. In a larger number of columns, only those with an unusual distribution.
    """
    n_dependent = dependent.sum()
    n_others = (rest | demoted).sum()
    if n_dependent > 0 and n_others <= max(1, FEW * n_dependent):
        return rest & fills_interval(values)
    return marginal_evidence(values, rest, alpha).unusual


def _explained(verdict: Verdict) -> tuple[Array, str, str]:
    """Return the relevance of the columns, what it is based on, and that in a sentence."""
    n_dependent = int(verdict.dependent.sum())
    n_doubtful = int(verdict.doubtful.sum())
    if n_dependent > 0:
        share = n_dependent / (n_dependent + n_doubtful)
        relevance = np.where(verdict.dependent, 1.0, verdict.doubtful * share)
        return relevance, "dependence", _dependence_message(verdict)
    if n_doubtful > 0:
        columns = _count(n_doubtful, "column stands", "columns stand")
        message = f"No two columns depend on each other; {columns} out by the values alone."
        return verdict.doubtful * 1.0, "marginal", message
    message = "No structure found: all columns that vary are used."
    return verdict.noise * 1.0, "uniform", message


def _dependence_message(verdict: Verdict) -> str:
    n_dependent = int(verdict.dependent.sum())
    n_doubtful = int(verdict.doubtful.sum())
    n_demoted = int(verdict.demoted.sum())
    sentences = [_count(n_dependent, "column depends", "columns depend") + " on each other."]
    if n_doubtful > 0:
        columns = _count(n_doubtful, "other column is", "other columns are")
        sentences.append(f"{columns} kept with a lower weight.")
    if n_demoted > 0:
        columns = _count(n_demoted, "column is", "columns are")
        sentences.append(f"{columns} correlated, but not with these, and not used.")
    return " ".join(sentences)


def _count(n: int, singular: str, plural: str) -> str:
    return f"{n:,} {singular if n == 1 else plural}"


def _best_partner(pairs: PairEvidence) -> tuple[Array, Array, Index]:
    """Return the statistic, the p-value and the partner of the best pair of each column."""
    by_p_value = np.lexsort((-pairs.statistic, pairs.p_value))
    place = np.arange(len(by_p_value)), by_p_value[:, 0]
    p_value = np.minimum(1, pairs.p_value[place])
    comparable = pairs.dof[place] > 0
    partner = np.where(comparable, pairs.partner[place], -1)
    return pairs.statistic[place], p_value, partner


def _reported_pairs(pairs: PairEvidence, demoted: Mask) -> Index:
    """Return the significant pairs of relevant columns, each once, strongest first."""
    dependent = pairs.dependent()
    both = np.column_stack([dependent.column, dependent.partner])
    both.sort(axis=1)
    strongest_first = np.argsort(-dependent.statistic, kind="stable")
    both = both[strongest_first]
    _, first = np.unique(both, axis=0, return_index=True)
    first.sort()
    both = both[first]
    used = ~demoted[both[:, 0]]
    return both[used]
