"""Which columns of a table carry structure: those that depend on other columns.

Columns that share a latent manifold depend on each other; noise columns depend on nothing. The test
looks at pairs:

1. Every column is replaced by its mid-ranks, so neither its scale nor its distribution matters, and
   expanded in Legendre polynomials of degree 1 to 4, made orthonormal on the ranks it really has. A
   column of k distinct values has at most k - 1 of them. Degrees that live on a few rows only (the
   top counts of a Poisson column) are left out.
2. For a pair of columns with d1 and d2 polynomials, C is the d1 x d2 matrix of their correlations
   and T = (n - 1) * sum(C ** 2). If the columns are independent, T has mean D = d1 * d2 exactly,
   and is chi-square with D degrees of freedom up to a correction of its far tail (`_deflate`),
   which 10,000 columns need at 1e-10.
3. The smallest p-value of a column, times the number of pairs in the table, is the column's
   p-value. Columns that fail are tested once more, with the relevant columns only and so against
   fewer pairs: weak parts of a manifold join it.

What it cannot see: structure that shows in no pair of columns (the parity of three columns), and a
latent coordinate that is one column of its own (the height of a swiss roll) unless its marginal
stands out. What it cannot tell apart: a copy of a noise column from a column that follows a
one-dimensional manifold, as (4t, 6t, 9t) does.
"""

from __future__ import annotations

import math
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np
from numpy.polynomial import hermite_e, legendre
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from scipy.special import chdtrc, ndtr
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from ._threads import in_order, run
from .marginals import kurtosis, stands_out
from .rank_functions import DEGREE, PART, Array, Basis, Index

MAX_ROWS = 2000  # rows looked at; more rows only reveal dependence too weak to tell neighbours
PERMUTED = (
    10_000_000  # rows up to which they are chosen by a permutation; of more it would take gigabytes
)
MIN_ROWS = 20  # with fewer rows even equal columns are no evidence
SCREEN_WORK = 2e11  # squared number of functions times rows, from which on pairs are screened ...
SCREEN_DEGREE = 2  # ... on fewer polynomials, which loses less than fewer rows,
SCREEN_ROWS = 500  # and then on fewer rows, but never fewer than these
PARTNERS = 4  # pairs of every column that are looked at with all rows
FEW = 0.1  # columns without a partner, beside those with one, that may be coordinates of their own
MANY = 10  # relevant columns, of which one more that is false does little harm
FLAT = -0.6  # excess kurtosis of a column that fills an interval: -1.2 if evenly, 0 of a Gaussian
# part of sum(C ** 2) that a Gaussian correlation does not explain, from which on a pair has a shape
CURVED = 0.25
RIGID = 3.0  # sum(C ** 2) (at most 4) from which on a pair is one curve

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Relevance:
    """What `column_relevance` found.

    Attributes
    ----------
    relevance : ndarray of shape (p,)
        1 for columns that carry structure, 0 for noise and for constant columns, between for
        columns in doubt. Columns in doubt together never weigh more than those that carry
        structure.
    statistic : ndarray of shape (p,)
        (n - 1) times the sum of squared correlations with the best partner.
    p_value : ndarray of shape (p,)
        Chance that a table of independent columns has any pair as dependent as this column and its
        best partner; for a column of the second test, that any independent column depends as much
        on one of ten relevant ones, or of all if they are more.
    partner : ndarray of shape (p,)
        The column it depends on most; -1 if there is none to compare with.
    pairs : ndarray of shape (k, 2)
        The pairs of columns that speak for it, strongest first: of every relevant column at most
        four.
    method : {"dependence", "marginal", "uniform"}
        What `relevance` rests on. "marginal": no two columns depend on each other, but the values
        of a few columns fall into two groups more clearly than those of all the others. "uniform":
        no structure found, all columns count.
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


def column_relevance(
    X: ArrayLike,
    *,
    alpha: float = 0.01,
    n_jobs: int | None = None,
    random_state: int | np.random.Generator | None = 0,
) -> Relevance:
    """Find the columns that carry structure.

    Parameters
    ----------
    X : array-like of shape (n, p)
        Numbers. Only their order within a column matters, except for "marginal". A missing value
        (NaN) is replaced by one drawn at random from its column: that makes no dependence where
        there is none, and dilutes what there is.
    alpha : float, default=0.01
        Chance that a table of independent columns has any relevant column.
    n_jobs : int or None, default=None
        Threads. The result is the same bits for any number.
    random_state : int, Generator or None, default=0
        Chooses the rows: of more than 2000 rows 2000 are looked at. Of more than 3500 columns (at
        1000 rows) all pairs are first compared in degrees 1 and 2 only (on 500 of 1000 rows at
        10,000 columns), then the 4 best pairs of every column in full: there a column whose every
        dependence is wavier than a parabola is lost.

    Returns
    -------
    Relevance

    Notes
    -----
    A single column without a partner, or few beside those with one, may be a coordinate of its own,
    like the height of a swiss roll: it is kept, in doubt, if it fills an interval as a coordinate
    does, without the tails that noise has. So are, next to a bulk of noise, single columns whose
    marginal stands out from it. Next to columns on a curved shape, in clusters, or three or more on
    one curve, groups of columns that are only correlated as Gaussian columns are, and depend on
    none of the others, are taken for noise: `message` counts them, their p-values tell which.
    Columns of few values, of which that cannot be said, are kept, and make noise of nothing.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> t = rng.uniform(0, 6, size=300)
    >>> X = np.column_stack([np.sin(t), rng.normal(size=(300, 20)), np.exp(t)])
    >>> found = column_relevance(X)
    >>> found.relevance.nonzero()[0], found.pairs, found.method
    (array([ 0, 21]), array([[ 0, 21]]), 'dependence')
    """
    X = np.asarray(X)
    if X.ndim != 2 or 0 in X.shape:
        raise ValueError(f"X must have at least one row and one column, got shape {X.shape}")
    return relevance_of_rows(X[rows_looked_at(len(X), random_state)], alpha=alpha, n_jobs=n_jobs)


def rows_looked_at(n: int, random_state: int | np.random.Generator | None = 0) -> Index:
    """Return which of n rows `column_relevance` looks at, in its order."""
    rng = np.random.default_rng(random_state)
    return (
        rng.permutation(n)[:MAX_ROWS] if n <= PERMUTED else rng.choice(n, MAX_ROWS, replace=False)
    )


def relevance_of_rows(X: Array, *, alpha: float = 0.01, n_jobs: int | None = None) -> Relevance:
    """As `column_relevance`, on all rows of X."""
    values = np.ascontiguousarray(X.T, dtype=np.float64)
    if np.isinf(values).any():
        raise ValueError("X must be finite")
    _draw_missing(values, np.random.default_rng(0))
    p, n = values.shape
    if p == 1 or n < MIN_ROWS:
        varied = (values != values[:, :1]).any(axis=1)
        none = np.zeros(p), np.ones(p), np.full(p, -1), np.empty((0, 2), dtype=np.intp)
        return Relevance(
            varied * 1.0, *none, "uniform", "Too few rows or columns to compare: all columns count."
        )
    with threadpool_limits(1, user_api="blas"):
        basis = Basis.of(values, n_jobs)
        partners, group = _search(basis, p, alpha, n_jobs)
        correlations = _correlations(basis, partners, n_jobs)
    return _judge(values, basis, partners, correlations, group, alpha)


def _draw_missing(values: Array, rng: np.random.Generator) -> None:
    """Replace NaN by other values of the same column (a row of `values`), by 0 where there are none."""
    for column in np.flatnonzero(np.isnan(values).any(axis=1)):
        gap = np.isnan(values[column])
        values[column, gap] = 0.0 if gap.all() else rng.choice(values[column, ~gap], gap.sum())


# The statistic of a pair and its tail: point 2 above.


def _deflate(statistic: Array, skewness2: Array) -> Array:
    """Make T chi-square in the far tail, given the squared skewness of its sums.

    Bennett's rate of a sum with skewness b, 2 / b^2 * ((1 + u) log(1 + u) - u) at u = b sqrt(T),
    where a Gaussian sum has T. It is exact for the joint count of two rare values, which is
    Poisson, and nearly T for untied columns.
    """
    u = np.sqrt(skewness2 * statistic)
    v = np.maximum(u, 0.01)
    return statistic * np.where(u < v, 1 - u / 3, 2 * ((1 + v) * np.log1p(v) - v) / v**2)


def _evidence(statistic: Array, dof: Array, skewness2: Array) -> Array:
    """-2 log of Chernoff's bound of the p-value: ranks pairs of any degrees of freedom; -1 where there are none."""
    d = np.maximum(dof, 1)
    ratio = np.maximum(_deflate(statistic, skewness2) / d, 1)
    return np.where(dof > 0, d * (ratio - 1 - np.log(ratio)), -1)


def _scores(basis: Basis, block: int, degree: int, m: int) -> NDArray[np.float32]:
    """Evidence for the pairs of a block of columns with itself and all later blocks, up to a degree, on m rows."""
    blocks, _, width, n = basis.functions.shape
    column = np.arange(blocks * width).reshape(blocks, width)
    left = basis.functions[block, :degree].reshape(-1, n)[:, :m]
    scores = np.empty((width, blocks - block, width), dtype=np.float32)
    for k in range(block, blocks):
        right = basis.functions[k, :degree].reshape(-1, n)[:, :m]
        c = (left @ right.T).reshape(degree, width, degree, width)
        statistic = np.einsum("aibj,aibj->ij", c, c) * np.float32((m - 1) / m**2)
        dof, skewness2 = basis.null(column[block][:, None], column[k], degree)
        scores[:, k - block] = _evidence(statistic, dof, skewness2 / np.float32(m))
    return scores.reshape(width, -1)


def _search(basis: Basis, p: int, alpha: float, n_jobs: int | None) -> tuple[Index, Index]:
    """Compare all pairs. Return the best partners (p, PARTNERS) and the group of every column.

    Groups are the connected components of the graph of dependent pairs.
    """
    blocks, _, width, n = basis.functions.shape
    degree = DEGREE
    m = n
    if (DEGREE * p) ** 2 * n > SCREEN_WORK:
        degree = SCREEN_DEGREE
        m = min(n, max(SCREEN_ROWS, int(SCREEN_WORK / (SCREEN_DEGREE * p) ** 2)))
    bound = 2 * math.log(p * (p - 1) / 2 / alpha)
    keep = min(PARTNERS, p - 1)
    group = np.arange(blocks * width)
    best = (
        np.full((group.size, keep), -1, dtype=np.float32),
        group[:, None].repeat(keep, axis=1),
    )  # itself: none yet
    with closing(
        in_order([partial(_scores, basis, k, degree, m) for k in range(blocks)], n_jobs)
    ) as found:
        for k, scores in enumerate(found):
            start = k * width
            end = (k + 1) * width
            _keep_best(best, slice(start, end), scores, start)
            _keep_best(best, slice(end, None), scores[:, width:].T, start)
            i, j = np.nonzero((scores > bound) & (group[start:end, None] != group[start:]))
            group = _join(group, i + start, j + start)
    return best[1][:p], group[:p]


def _keep_best(best: tuple[Array, Index], columns: slice, scores: Array, first: int) -> None:
    """Update the best scores and partners of some columns by their scores with the columns from `first` on."""
    score = best[0][columns]
    partner = best[1][columns]
    rest = np.array(scores, order="C")
    row = np.arange(len(scores))
    for _ in range(score.shape[1]):  # the largest, again and again, is quicker than a partition
        j = rest.argmax(axis=1)
        new = rest[row, j]
        rest[row, j] = -2
        worst = score.argmin(axis=1)
        better = new > score[row, worst]
        score[row[better], worst[better]] = new[better]
        partner[row[better], worst[better]] = j[better] + first


def _join(group: Index, i: Index, j: Index) -> Index:
    """Merge the groups of columns i and j, pair by pair."""
    if i.size == 0:
        return group
    edges = coo_matrix(
        (np.ones(i.size, dtype=bool), (group[i], group[j])), shape=(group.size, group.size)
    )
    return connected_components(edges, directed=False)[1][group]


def _correlations(basis: Basis, partners: Index, n_jobs: int | None) -> Array:
    """Correlations (p, partners, DEGREE, DEGREE) of the functions of columns and of their partners, on all rows."""
    width, n = basis.functions.shape[2:]

    def of_part(start: int) -> list[Array]:
        part = [(i, partners[i]) for i in range(start, min(start + PART, len(partners)))]
        f = basis.functions
        return [
            f[i // width, :, i % width] @ f[j // width, :, j % width].transpose(0, 2, 1)
            for i, j in part
        ]

    parts = run([partial(of_part, start) for start in range(0, len(partners), PART)], n_jobs)
    return np.array([c for part in parts for c in part], dtype=np.float64) / n


# What it means for a column: point 3 above.


def _judge(
    values: Array, basis: Basis, partners: Index, correlations: Array, group: Index, alpha: float
) -> Relevance:
    """Test the pairs, and weigh what they say of the columns."""
    p, n = values.shape
    varied = basis.size[0, :p] > 0
    dof, third = basis.null(np.arange(p)[:, None], partners)
    statistic = (n - 1) * np.square(correlations).sum(axis=(2, 3))
    tail = np.where(dof > 0, chdtrc(np.maximum(dof, 1), _deflate(statistic, third / n)), 1)
    p_values = tail * (p * (p - 1) / 2)
    relevant = (p_values < alpha).any(axis=1)
    # What is left is tested again, with relevant columns only: these are far fewer pairs. A false
    # one costs the more, the fewer they are.
    again = relevant[partners] & ~relevant[:, None]
    p_values = np.where(
        again, tail * (max(relevant.sum(), MANY) * (varied & ~relevant).sum()), p_values
    )

    i, k = np.nonzero(p_values < alpha)
    pairs = np.sort(np.column_stack([i, partners[i, k]]), axis=1)[
        np.argsort(-statistic[i, k], kind="stable")
    ]
    pairs = pairs[np.sort(np.unique(pairs, axis=0, return_index=True)[1])]
    relevant = (p_values < alpha).any(axis=1)
    group = _join(group, *pairs.T)
    untied = dof[i, k] == DEGREE**2
    curved, rigid = _shape(correlations[i, k], n)
    shaped = _in_shape(group, np.column_stack([i, partners[i, k]]), curved & untied, rigid)
    # Beside a manifold, columns that are only correlated, and not with it, are noise that has a
    # common cause. Of ties that cannot be said: they make noise of nothing, and are not made noise
    # of.
    loose = relevant & shaped.any() & ~shaped & ~np.isin(group, group[i[~untied]])
    pairs = pairs[~loose[pairs[:, 0]]]
    weights = _weigh(values, varied, relevant & ~loose, loose, alpha)

    best = np.arange(p), np.lexsort((-statistic, p_values))[:, 0]
    partner = np.where(dof[best] > 0, partners[best], -1)
    return Relevance(
        weights[0], statistic[best], np.minimum(1, p_values[best]), partner, pairs, *weights[1:]
    )


def _weigh(
    values: Array, varied: Mask, sure: Mask, loose: Mask, alpha: float
) -> tuple[Array, str, str]:
    """Relevance of the columns, what it rests on, and that in a sentence."""
    rest = varied & ~sure & ~loose
    if sure.any() and (rest | loose).sum() <= max(1, FEW * sure.sum()):
        alone = rest & (kurtosis(values) < FLAT)
    else:
        alone = stands_out(values, rest, alpha)
    if sure.any():
        message = (
            f"{sure.sum()} columns depend on each other, {alone.sum()} more are kept in doubt."
        )
        message += (
            f" {loose.sum()} are only correlated, and not with these: taken for noise."
            if loose.any()
            else ""
        )
        return np.where(sure, 1.0, alone * sure.sum() / (sure | alone).sum()), "dependence", message
    if alone.any():
        message = f"No two columns depend on each other; the values of {alone.sum()} stand out from all others."
        return alone * 1.0, "marginal", message
    return varied * 1.0, "uniform", "No structure found: all columns count."


@lru_cache
def _hermite_of_legendre() -> Array:
    """Coefficients of the Legendre functions of a Gaussian's rank in Hermite polynomials of degree 1 to 24."""
    z, weight = hermite_e.hermegauss(100)
    hermite = hermite_e.hermevander(z, 24)[:, 1:] / [
        math.sqrt(math.factorial(k)) for k in range(1, 25)
    ]
    functions = legendre.legvander(2 * ndtr(z) - 1, DEGREE)[:, 1:] * np.sqrt(
        2 * np.arange(1, DEGREE + 1) + 1
    )
    return (functions * weight[:, None] / weight.sum()).T @ hermite


def _in_shape(group: Index, pairs: Index, curved: Mask, rigid: Mask) -> Mask:
    """Whether columns are in a group with a shape: of a curved pair, or of three columns or more on one curve.

    Two columns on a monotone curve may be copies: a day and its date do not make noise of all that
    is measured.
    """
    on_curve = np.zeros(group.size, dtype=bool)
    on_curve[pairs[rigid]] = True
    three = np.bincount(group[on_curve], minlength=group.size) >= 3
    three[group[pairs[curved, 0]]] = True
    return three[group]


def _shape(correlations: Array, n: int) -> tuple[Mask, Mask]:
    """Whether pairs without ties are on a curved shape or in clusters, and whether they are nearly one curve.

    Gaussian columns (or monotone functions of them) of correlation r have the correlations H
    diag(r, r^2, ...) H'. What is left after that is 15 / n by chance.
    """
    h = _hermite_of_legendre()
    r = 2 * np.sin(np.pi / 6 * correlations[:, 0, 0])
    gaussian = np.einsum("ak,pk,bk->pab", h, r[:, None] ** np.arange(1, h.shape[1] + 1), h)
    curved = np.square(correlations - gaussian).sum(axis=(1, 2)) - (DEGREE**2 - 1) / n
    return curved > CURVED, np.square(correlations).sum(axis=(1, 2)) > RIGID
