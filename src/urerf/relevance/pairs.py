"""Test every pair of columns for dependence.

1. For a pair of columns with d1 and d2 polynomials (see `basis`), C is the d1 x d2 matrix of their
   correlations and T = (n - 1) * sum(C ** 2). If the columns are independent, T has mean
   D = d1 * d2 exactly, and a chi-square distribution with D degrees of freedom up to a correction
   of its far tail (`_corrected`), which 10,000 columns need at p-values of 1e-10.
2. The p-value of a pair, times the number of pairs in the table, is its adjusted p-value.
3. Columns without a significant pair are tested again, with the significant columns only and so
   against fewer pairs: weakly dependent columns of a manifold join it.
"""

from __future__ import annotations

import math
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from scipy.special import chdtrc

from .._threads import in_order, run
from .basis import CHUNK, DEGREE, Array, Basis, Float32, Index, Mask

# Up to this much work, the squared number of polynomials times rows, all pairs are compared in
# full; beyond it they are screened first. One core takes 3 s for the work below the limit, and 5 s
# for 10,000 columns of 1000 rows (`python -m benchmarks.relevance`).
SCREEN_WORK = 2e11
# The screen uses fewer polynomials, which loses less than fewer rows would: it misses only columns
# whose every dependence is wavier than a parabola.
SCREEN_DEGREE = 2
# If that is not enough it also uses fewer rows, but never fewer than this. With 500 rows, all
# columns of the simulations are still found among 10,000 (`urerf bench accuracy`).
SCREEN_ROWS = 500

# Best partners of each column that are compared in full. They give the pairs that are reported, and
# the chance that a column of a manifold meets another one that was found: more would only be needed
# if more than four noise columns scored higher than all columns of the manifold.
PARTNERS = 4

# Smallest number of columns assumed to be found when the rest is tested again: a false column does
# more harm next to few true ones, and costs a third of the precision next to three. Chosen after a
# torus of three columns among 1000 uniform ones was joined by a false one at p = .0096
# (test_few_columns_are_joined_only_by_strong_evidence).
MIN_FOUND = 10


class DependentPairs(NamedTuple):
    """The pairs whose p-value is below the level of the test, as arrays with one entry per pair."""

    column: Index
    partner: Index
    statistic: Array
    correlations: Array  # (pairs, DEGREE, DEGREE)
    tied: Mask  # one of the two columns has fewer than DEGREE polynomials


@dataclass(frozen=True, eq=False)
class PairEvidence:
    """What the test found for each of p columns and its k best partners.

    Attributes
    ----------
    partner : ndarray of shape (p, k)
        Columns with the strongest dependence, in no particular order.
    correlations : ndarray of shape (p, k, DEGREE, DEGREE)
        Correlations C of their polynomials, on all rows.
    statistic : ndarray of shape (p, k)
        T.
    dof : ndarray of shape (p, k)
        Degrees of freedom of T; 0 where there was no column to compare with.
    p_value : ndarray of shape (p, k)
        Adjusted p-value; may exceed 1.
    significant : ndarray of shape (p, k)
        Whether the p-value is below the level of the test.
    group : ndarray of shape (p,)
        Number of the connected component of a column in the graph of dependent pairs.
    """

    partner: Index
    correlations: Array
    statistic: Array
    dof: Array
    p_value: Array
    significant: Mask
    group: Index

    def dependent(self) -> DependentPairs:
        """Return the significant pairs."""
        chosen = self.significant
        column, _ = np.nonzero(chosen)
        return DependentPairs(
            column=column,
            partner=self.partner[chosen],
            statistic=self.statistic[chosen],
            correlations=self.correlations[chosen],
            tied=self.dof[chosen] < DEGREE**2,
        )


def pair_evidence(basis: Basis, alpha: float, n_jobs: int | None = None) -> PairEvidence:
    """Test all pairs of columns at the family-wise level `alpha`."""
    partner, group = _search(basis, alpha, n_jobs)
    correlations = _correlations(basis, partner, n_jobs)
    squared_norm = np.square(correlations).sum(axis=(2, 3))
    statistic = (basis.n_rows - 1) * squared_norm
    column = np.arange(basis.n_columns)[:, None]
    dof, third = basis.null(column, partner)
    tail = _tail(statistic, dof, third / basis.n_rows)
    p_value = _adjusted(tail, partner, basis.varied, alpha)
    significant = p_value < alpha
    dependent, _ = np.nonzero(significant)
    group = _join(group, dependent, partner[significant])
    return PairEvidence(partner, correlations, statistic, dof, p_value, significant, group)


# The statistic of a pair and its distribution under independence.


def _corrected(statistic: Array, skewness2: Array) -> Array:
    """Correct T in the far tail, given the squared skewness b^2 of its sums.

    Bennett's rate of a sum with skewness b is 2 / b^2 * ((1 + u) log(1 + u) - u), u = b sqrt(T),
    where that of a Gaussian sum is T. It is exact for the joint count of two rare values, which is
    Poisson, and close to T for columns without ties.
    """
    u = np.sqrt(skewness2 * statistic)
    v = np.maximum(u, 0.01)  # below, the difference cancels: use the first terms of the series
    series = 1 - u / 3
    bennett = (1 + v) * np.log1p(v) - v
    rate = 2 * bennett / v**2
    return statistic * np.where(u < v, series, rate)


def _tail(statistic: Array, dof: Array, skewness2: Array) -> Array:
    """Return the p-value of single pairs; 1 where there are no degrees of freedom."""
    corrected = _corrected(statistic, skewness2)
    tail = chdtrc(np.maximum(dof, 1), corrected)
    return np.where(dof > 0, tail, 1)


def _score(statistic: Array, dof: Array, skewness2: Array) -> Array:
    """Return -2 log of Chernoff's bound on the p-value; -1 without degrees of freedom.

    It ranks pairs with different degrees of freedom, and is cheaper than the p-value.
    """
    d = np.maximum(dof, 1)
    ratio = _corrected(statistic, skewness2) / d
    ratio = np.maximum(ratio, 1)
    score = d * (ratio - 1 - np.log(ratio))
    return np.where(dof > 0, score, -1)


def _adjusted(
    tail: Array,
    partner: Index,
    varied: Mask,
    alpha: float,
) -> Array:
    """Adjust p-values for the number of pairs: first all, then those with a significant column."""
    p = len(tail)
    p_value = tail * (p * (p - 1) / 2)
    found = np.any(p_value < alpha, axis=1)
    left = varied & ~found
    n_found = max(found.sum(), MIN_FOUND)
    n_pairs = n_found * left.sum()
    tested_again = found[partner] & ~found[:, None]
    return np.where(tested_again, tail * n_pairs, p_value)


# The search over all pairs.


class _Best(NamedTuple):
    """Best scores of each column so far, and the columns they are with, both (columns, k)."""

    score: Float32
    partner: Index

    @classmethod
    def start(cls, n_columns: int, k: int) -> _Best:
        """Start without any partner: each column stands for itself, with a score of -1."""
        score = np.full((n_columns, k), -1, dtype=np.float32)
        column = np.arange(n_columns)[:, None]
        return cls(score, column.repeat(k, axis=1))

    def update(self, columns: slice, scores: Array, first: int) -> None:
        """Take in the scores of some columns with the columns from `first` on."""
        best = self.score[columns]
        partner = self.partner[columns]
        left = np.array(scores, order="C")
        row = np.arange(len(left))
        for _ in range(best.shape[1]):  # to take the largest k times is faster than a partition
            j = left.argmax(axis=1)
            score = left[row, j]
            left[row, j] = -2
            worst = best.argmin(axis=1)
            better = score > best[row, worst]
            place = row[better], worst[better]
            best[place] = score[better]
            partner[place] = j[better] + first


def _search(basis: Basis, alpha: float, n_jobs: int | None) -> tuple[Index, Index]:
    """Compare all pairs; return the best partners of each column (p, k), and its group."""
    p = basis.n_columns
    n_blocks, _, width, n_rows = basis.functions.shape
    degree, n_rows = _screen(p, n_rows)
    n_pairs = p * (p - 1) / 2
    bound = 2 * math.log(n_pairs / alpha)
    best = _Best.start(n_blocks * width, min(PARTNERS, p - 1))
    group = np.arange(n_blocks * width)
    tasks = [partial(_block_scores, basis, k, degree, n_rows) for k in range(n_blocks)]
    with closing(in_order(tasks, n_jobs)) as results:
        for block, scores in enumerate(results):
            start = block * width
            end = start + width
            best.update(slice(start, end), scores, start)
            with_later = scores[:, width:]
            best.update(slice(end, None), with_later.T, start)
            apart = group[start:end, None] != group[start:]
            i, j = np.nonzero((scores > bound) & apart)
            group = _join(group, i + start, j + start)
    return best.partner[:p], group[:p]


def _screen(p: int, n_rows: int) -> tuple[int, int]:
    """Return the degree and the number of rows in which all pairs are compared."""
    if (DEGREE * p) ** 2 * n_rows <= SCREEN_WORK:
        return DEGREE, n_rows
    affordable = int(SCREEN_WORK / (SCREEN_DEGREE * p) ** 2)
    return SCREEN_DEGREE, min(n_rows, max(SCREEN_ROWS, affordable))


def _block_scores(
    basis: Basis,
    block: int,
    degree: int,
    n_rows: int,
) -> Float32:
    """Score the pairs of a block of columns with itself and all later blocks."""
    n_blocks, _, width, _ = basis.functions.shape
    column = np.arange(n_blocks * width).reshape(n_blocks, width)
    scale = np.float32((n_rows - 1) / n_rows**2)
    left = _matrix(basis, block, degree, n_rows)
    scores = np.empty((width, n_blocks - block, width), dtype=np.float32)
    for other in range(block, n_blocks):
        right = _matrix(basis, other, degree, n_rows)
        c = left @ right.T
        c = c.reshape(degree, width, degree, width)
        statistic = np.einsum("aibj,aibj->ij", c, c) * scale
        dof, third = basis.null(column[block][:, None], column[other], degree)
        scores[:, other - block] = _score(statistic, dof, third / np.float32(n_rows))
    return scores.reshape(width, -1)


def _matrix(
    basis: Basis,
    block: int,
    degree: int,
    n_rows: int,
) -> Float32:
    """Return the polynomials of a block, one per row, up to a degree and on the first rows."""
    functions = basis.functions[block, :degree]
    return functions.reshape(-1, basis.n_rows)[:, :n_rows]


def _join(group: Index, i: Index, j: Index) -> Index:
    """Merge the groups of columns i and j, pair by pair."""
    if i.size == 0:
        return group
    ones = np.ones(i.size, dtype=bool)
    ends = group[i], group[j]
    edges = coo_matrix((ones, ends), shape=(group.size, group.size))
    _, component = connected_components(edges, directed=False)
    return component[group]


def _correlations(basis: Basis, partner: Index, n_jobs: int | None) -> Array:
    """Correlate the polynomials of each column and its partners, on all rows."""
    correlations = np.empty((*partner.shape, DEGREE, DEGREE))

    def correlate(start: int) -> None:
        end = min(start + CHUNK, len(partner))
        for column in range(start, end):
            others = basis.of_columns(partner[column])
            correlations[column] = basis.of_columns(column) @ others.transpose(0, 2, 1)

    tasks = [partial(correlate, start) for start in range(0, len(partner), CHUNK)]
    run(tasks, n_jobs)
    correlations /= basis.n_rows
    return correlations
