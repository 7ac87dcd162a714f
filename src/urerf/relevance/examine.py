"""Choose the rows of a table and run all tests on them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from .._random import draw_seed
from .basis import Array, Basis, Index, Mask
from .pairs import pair_evidence
from .verdict import Relevance, judge, without_test

# Rows examined: the time of the tests grows with them. Among 1000 columns, 2000 rows are enough to
# find a pair with sum(C ** 2) = 0.03; the weakest column of the simulations has 0.1, on the torus
# (see `pairs`). More rows would only reveal dependence that is too weak to tell neighbors.
MAX_ROWS = 2000

# Up to this many rows they are chosen by a permutation, as 8 bytes per row allow. `rng.choice` does
# not permute all rows, but draws different ones, so it is not used below.
MAX_PERMUTED = 10_000_000

# With fewer rows the test has no power: two equal columns have p = 2e-6 with 20 rows, which is
# significant in a table of 90 columns, and 4e-4 with 15 rows, significant among 7.
MIN_ROWS = 20


def column_relevance(
    X: Any,
    *,
    alpha: float = 0.01,
    n_jobs: int | None = None,
    random_state: int | np.random.RandomState | None = 0,
) -> Relevance:
    """Find the columns that carry structure.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, p)
        Numbers. Only their order within a column matters, except for "marginal". A missing value
        (NaN) is replaced by a value drawn at random from its column: this creates no dependence,
        and weakens the dependence there is.
    alpha : float, default=0.01
        Probability that a table of independent columns has any relevant column.
    n_jobs : int or None, default=None
        Number of threads. The result does not depend on it.
    random_state : int, RandomState instance or None, default=0
        Chooses the rows. If there are more than 2000, a sample of 2000 is examined: the same as in
        ``URerF(random_state=...).fit``.

    Returns
    -------
    Relevance

    Notes
    -----
    A single column without a partner, or a few next to many with one, may be a coordinate of its
    own, such as the height of a Swiss roll. It is kept with a lower relevance if it fills an
    interval as a coordinate does, without the tails that noise has. Among many columns of noise,
    columns without a partner are kept if their distribution stands out.

    If some columns lie on a curved shape, in clusters, or, three or more, on one curve, then groups
    of columns that are independent of them, and only correlated as Gaussian columns are, have
    relevance 0. `message` counts them; their p-values are small. This cannot be tested for columns
    with few distinct values: they are kept, and do not demote other columns.

    With more than 3500 columns (at 1000 rows), all pairs are first compared in degrees 1 and 2 only
    (on 500 of 1000 rows at 10,000 columns), then the 4 best pairs of each column in full. A column
    whose every dependence is wavier than a parabola is then missed.

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
    X = X.tocsr() if sp.issparse(X) else np.asarray(X)
    if X.ndim != 2 or 0 in X.shape:
        raise ValueError(f"X: must have at least one row and one column, got shape {X.shape}")
    rows = rows_examined(X.shape[0], draw_seed(random_state))
    return examine_rows(X[rows], alpha=alpha, n_jobs=n_jobs)


def rows_examined(n: int, seed: int) -> Index:
    """Return which of n rows are examined, in the order in which the tests see them."""
    rng = np.random.default_rng(seed)
    if n > MAX_PERMUTED:
        return rng.choice(n, MAX_ROWS, replace=False)
    return rng.permutation(n)[:MAX_ROWS]


def examine_rows(
    X: Any,
    *,
    alpha: float = 0.01,
    n_jobs: int | None = None,
) -> Relevance:
    """Find the columns that carry structure, as `column_relevance` does, on all rows of X."""
    if sp.issparse(X):
        X = X.toarray()
    values = np.ascontiguousarray(X.T, dtype=np.float64)
    if np.isinf(values).any():
        raise ValueError("X: must be finite, got infinity; mark missing values by NaN")
    _fill_missing(values)
    p, n = values.shape
    if p == 1 or n < MIN_ROWS:
        return without_test(values)
    with threadpool_limits(1, user_api="blas"):
        basis = Basis.of(values, n_jobs)
        pairs = pair_evidence(basis, alpha, n_jobs)
    return judge(values, pairs, basis.varied, alpha)


def examine_features(X: Any, is_feature: Mask, *, n_jobs: int | None = None) -> Relevance:
    """Find the columns that carry structure among those that are features.

    The result is that of a table without the other columns; these have relevance 0.
    """
    if is_feature.all():
        return examine_rows(X, n_jobs=n_jobs)
    positions = np.flatnonzero(is_feature)
    found = examine_rows(X[:, positions], n_jobs=n_jobs)
    p = len(is_feature)
    relevance = np.zeros(p)
    relevance[positions] = found.relevance
    statistic = np.zeros(p)
    statistic[positions] = found.statistic
    p_value = np.ones(p)
    p_value[positions] = found.p_value
    partner = np.full(p, -1)
    partner[positions] = np.append(positions, -1)[found.partner]
    return replace(
        found,
        relevance=relevance,
        statistic=statistic,
        p_value=p_value,
        partner=partner,
        pairs=positions[found.pairs],
    )


def _fill_missing(values: Array) -> None:
    """Replace NaN by other values of the same column (a row of `values`), by 0 if it has none."""
    rng = np.random.default_rng(0)
    for column in np.flatnonzero(np.isnan(values).any(axis=1)):
        missing = np.isnan(values[column])
        if missing.all():
            values[column] = 0.0
        else:
            values[column, missing] = rng.choice(values[column, ~missing], missing.sum())
