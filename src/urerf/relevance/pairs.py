"""Test every pair of columns for dependence.

1. For a pair of columns with d1 and d2 functions (see `basis`), C is the d1 x d2 matrix of their
   correlations on the rows that both have, n of them, and T = (n - 1) * sum(C ** 2). If the columns
   are independent, T has a gamma distribution with known moments (`urerf.kernels.pair_scores`).
2. This is done with the first one, two, four functions (and all functions, if categories have
   more), and the smallest p-value counts, times the number of tests.
3. The p-value of a column is that of its best pair, times the number of other columns. It is
   adjusted for the number of columns by a step-up procedure that controls the false discovery rate
   (`step_up`); with only one pair, this is Bonferroni's adjustment for the number of pairs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from .._threads import run_blocks
from .._typing import Array, BoolArray, Float32Array, IntArray
from ..kernels.expansion import DEGREE, N_MOMENTS, SIZE, shared_pair
from ..kernels.pair_scores import MIN_ROWS, unite_pairs
from .basis import CHUNK, Basis
from .blocks import basis_within_blocks, tails_by_blocks
from .null import n_correlations, tails
from .search import search_pairs

# Columns from which the false discovery rate is controlled as usual. With fewer, a false column
# does more harm, and costs a third of the precision next to three true ones. Chosen after a torus
# of three columns among 1000 uniform ones was joined by a false one
# (test_few_columns_are_joined_only_by_strong_evidence).
FEW_COLUMNS = 10
# Expected number of false pairs that join groups of columns, besides the best pair of each column.
# It only matters from 20 columns on: with fewer, all pairs of named columns are below it.
FALSE_JOINS = 0.1


@dataclass(frozen=True, eq=False)
class PairEvidence:
    """What the test found for each of p columns and its k best partners.

    Attributes
    ----------
    partner : ndarray of shape (p, k)
        Columns with the strongest dependence, in no particular order.
    correlations : ndarray of shape (p, k, slots, slots)
        Correlations C of their functions, on the rows that both have.
    n_rows : ndarray of shape (p, k)
        Number of these rows.
    dof : ndarray of shape (p, k)
        Number of correlations; 0 where there was no column to compare with.
    tail : ndarray of shape (p, k)
        P-value of the pair alone.
    weak_tail : ndarray of shape (p, k)
        Another one, by the mean over all numbers of functions: evidence for a hint.
    strength : ndarray of shape (p, k)
        Root of the share of the largest possible sum(C ** 2), less what is expected by chance.
    p_value : ndarray of shape (p,)
        P-value of the column, adjusted for all pairs of columns.
    weak_p_value : ndarray of shape (p,)
        The same, from `weak_tail`.
    significant : ndarray of shape (p, k)
        Whether the p-value of a pair is below the level of the test.
    group : ndarray of shape (p,)
        Number of the connected component of a column in the graph of dependent pairs.
    linear : ndarray of shape (p, p) or (0, 0)
        T of the first functions of all pairs, if it was asked for.
    tied : ndarray of shape (p,)
        Whether a column is a category or has fewer than DEGREE polynomials.
    """

    partner: IntArray
    correlations: Array
    n_rows: IntArray
    dof: Array
    tail: Array
    weak_tail: Array
    strength: Array
    p_value: Array
    weak_p_value: Array
    significant: BoolArray
    group: IntArray
    linear: Float32Array
    tied: BoolArray

    def dependent(self) -> tuple[IntArray, IntArray]:
        """Return the columns of the significant pairs, and their partners."""
        column, place = np.nonzero(self.significant)
        return column, self.partner[column, place]


def pair_evidence(
    basis: Basis,
    level: float,
    alpha: float,
    n_jobs: int | None = None,
    keep_linear: bool = False,
    block_length: int | None = None,
) -> PairEvidence:
    """Test all pairs of columns, at `level` for a table, then its columns at `alpha`.

    With a ``block_length``, rows are in order, and blocks of them are compared (see `blocks`).
    """
    if block_length is None:
        found = search_pairs(basis, level, n_jobs, keep_linear)
        partner = found.partner
        compared = _compare(basis, partner, n_jobs)
        by_pair = tails(compared.correlations, compared.moments, compared.n_rows, basis.prefixes)
    else:
        within_blocks = basis_within_blocks(basis, block_length)
        searched = replace(basis, functions=within_blocks)
        # Scores assume independent rows, so they join no columns to groups: level 0.
        found = search_pairs(searched, 0.0, n_jobs, keep_linear)
        partner = found.partner
        by_pair, n_effective = tails_by_blocks(basis, partner, block_length, n_jobs)
        compared = _compare(basis, partner, n_jobs)
        compared = compared._replace(n_rows=n_effective)
    varied = basis.size > 0
    n_varied = int(varied.sum())
    n_others = max(n_varied - 1, 1)

    def smallest_of_column(tail: Array) -> Array:
        smallest = tail.min(axis=1)
        return np.where(varied, smallest, np.inf)

    adjusted_tail = by_pair.smallest * n_others
    column_tail = smallest_of_column(adjusted_tail)
    p_value, threshold = step_up(column_tail, alpha, pairs=True)
    adjusted_weak_tail = by_pair.mean * n_others
    weak_column_tail = smallest_of_column(adjusted_weak_tail)
    weak_p_value, _ = step_up(weak_column_tail, pairs=True)
    if p_value.min() >= level:
        threshold = -1.0
    significant = np.asarray(adjusted_tail <= threshold)
    joins = significant & _joins_groups(adjusted_tail, n_varied)
    column, _ = np.nonzero(joins)
    column = column.copy()  # contiguous, or else a kernel is compiled again
    unite_pairs(found.group, column, partner[joins])
    has_few_polynomials = basis.size < DEGREE
    return PairEvidence(
        partner=partner,
        correlations=compared.correlations,
        n_rows=compared.n_rows,
        dof=compared.dof,
        tail=by_pair.smallest,
        weak_tail=by_pair.mean,
        strength=_strength(compared),
        p_value=p_value,
        weak_p_value=weak_p_value,
        significant=significant,
        group=_roots(found.group),
        linear=found.linear,
        tied=basis.nominal | has_few_polynomials,
    )


def _joins_groups(adjusted_tail: Array, n_columns: int) -> BoolArray:
    """Return which pairs may join two groups of columns: the best of a column, and clear ones.

    In tables of many columns that are all named, other pairs may be false: next to 100 correlated
    columns of noise, such pairs joined ten of them to the true columns in 5 of 280 tables, now 2.
    """
    best_of_column = adjusted_tail.min(axis=1, keepdims=True)
    is_best = adjusted_tail == best_of_column
    n_false = adjusted_tail * n_columns / 2
    is_clear = n_false < FALSE_JOINS
    return is_best | is_clear


def step_up(p_value: Array, alpha: float = 0.0, pairs: bool = False) -> tuple[Array, float]:
    """Adjust the p-values of columns for their number; return them and the threshold at `alpha`.

    Columns with an infinite p-value do not count. The procedure is that of Benjamini and Hochberg:
    k of m columns are named if k of them have p-values below alpha * k / m. With `pairs`, evidence
    always names two columns at once, and k counts as k^2 / 10 below ten columns, but at least as 2:
    a false column does more harm next to few true ones.

    >>> adjusted, threshold = step_up(np.array([0.001, 0.02, 0.5, np.inf]), 0.05)
    >>> print(adjusted, round(threshold, 4))
    [0.003 0.03  0.5   1.   ] 0.0333
    """
    is_counted = np.isfinite(p_value)
    m = int(is_counted.sum())
    order = np.argsort(p_value, kind="stable")[:m]
    k = np.arange(1, m + 1)
    counts: Array = k * 1.0
    if pairs:
        of_few = k * k / FEW_COLUMNS
        discounted = np.minimum(k, of_few)
        counts = np.maximum(discounted, 2)
    smallest_first = p_value[order]
    scaled = smallest_first * m / counts
    largest_first = scaled[::-1]
    smallest_so_far = np.minimum.accumulate(largest_first)
    smallest_from_k_on = smallest_so_far[::-1]
    adjusted = np.ones(p_value.size)
    adjusted[order] = np.minimum(1, smallest_from_k_on)
    is_named = adjusted < alpha
    n_named = int(is_named.sum())
    if n_named == 0:
        return adjusted, -1.0
    threshold = alpha * counts[n_named - 1] / m
    return adjusted, threshold


# The comparison of columns with their best partners.


class Compared(NamedTuple):
    """Columns and their partners, compared on the rows that both have; arrays (p, k, ...)."""

    correlations: Array  # (p, k, slots, slots)
    moments: Array  # (2, p, k, prefixes, moments)
    n_rows: IntArray
    dof: Array


def _compare(basis: Basis, partner: IntArray, n_jobs: int | None) -> Compared:
    """Correlate the functions of each column and its partners."""
    p, k = partner.shape
    n_slots = basis.functions.shape[1]
    correlations = np.empty((p, k, n_slots, n_slots))
    every = np.arange(p)
    column = every[:, None].repeat(k, axis=1)
    own_moments = basis.moments[column]
    partner_moments = basis.moments[partner]
    moments = np.stack([own_moments, partner_moments])
    n_rows = np.full((p, k), basis.n_rows)
    is_complete = np.asarray(basis.is_present.all(axis=1))
    has_gaps = ~is_complete
    is_other = partner != column
    either_has_gaps = has_gaps[column] | has_gaps[partner]
    shares_rows = is_other & either_has_gaps

    def compare(chunk: slice) -> None:
        own = basis.of_columns(every[chunk])[:, None]
        others = basis.of_columns(partner[chunk])
        correlations[chunk] = own @ others.swapaxes(-1, -2)
        correlations[chunk] /= basis.n_rows
        pairs_with_gaps = np.argwhere(shares_rows[chunk])
        for offset, place in pairs_with_gaps:
            i = chunk.start + offset
            other = partner[i, place]
            both = np.array([i, other])
            pair_moments = np.zeros((2, len(basis.prefixes), N_MOMENTS))
            n_rows[i, place] = shared_pair(
                basis.values[both],
                basis.order[both],
                basis.seed[both],
                basis.prefixes,
                correlations[i, place],
                pair_moments,
            )
            moments[:, i, place] = pair_moments

    run_blocks(compare, p, CHUNK, n_jobs)
    has_enough = n_rows >= MIN_ROWS
    comparable = is_other & has_enough
    moments *= comparable[..., None, None]
    dof = n_correlations(moments)[..., -1]
    return Compared(correlations, moments, n_rows, dof)


def _strength(compared: Compared) -> Array:
    """Return the root of the share of the largest possible dependence, in [0, 1].

    sum(C ** 2) is the sum of the squared canonical correlations of two sets of functions, so it is
    at most the number of functions in the smaller set, and D / (n - 1) on average by chance.
    """
    squares = np.square(compared.correlations)
    squared = squares.sum(axis=(2, 3))
    n_functions = compared.moments[..., -1, SIZE]
    smaller_set = n_functions.min(axis=0)
    n_less_one = np.maximum(compared.n_rows - 1, 1)
    by_chance = compared.dof / n_less_one
    excess = squared - by_chance
    largest = smaller_set - by_chance
    comparable = (compared.dof > 0) & (largest > 0)
    largest_excess = np.where(comparable, largest, 1)
    share = excess / largest_excess
    share[~comparable] = 0
    clipped = np.clip(share, 0, 1)
    return np.sqrt(clipped)


def _roots(group: IntArray) -> IntArray:
    """Return the number of the group of each column: that of its first column."""
    while True:
        further = group[group]
        if np.array_equal(further, group):
            return group
        group = further
