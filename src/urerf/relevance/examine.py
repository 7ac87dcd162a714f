"""Choose the rows of a table and run all tests on them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from .._blas import one_blas_thread
from .._random import draw_seed
from .._sparse import checked_sparse
from ..kernels.pair_scores import MIN_ROWS
from ..schema import NUMBER, Column, Schema
from .basis import Basis, Index
from .pairs import pair_evidence
from .record import Relevance
from .spectral import MAX_COLUMNS, MIN_COLUMNS, spectral_evidence
from .verdict import SHARES, Columns, judge, without_test
from .waves import wave_evidence

# Rows examined: the time of the tests grows with them. Among 1000 columns, 2000 rows are enough to
# find a pair with sum(C ** 2) = 0.03; the weakest column of the simulations has 0.1, on the torus
# (see `pairs`). More rows would only reveal dependence that is too weak to tell neighbors.
MAX_ROWS = 2000

# Up to this many rows they are chosen by a permutation, as 8 bytes per row allow. `rng.choice` does
# not permute all rows, but draws different ones, so it is not used below.
MAX_PERMUTED = 10_000_000


def column_relevance(
    X: Any,
    kinds: Schema | Sequence[str] | None = None,
    *,
    alpha: float = 0.01,
    keep_groups: bool = False,
    n_jobs: int | None = None,
    random_state: int | np.random.RandomState | None = 0,
) -> Relevance:
    """Find the columns that carry structure.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n, p)
        Numbers, or codes of categories. Only the order of numbers matters, except for groups in
        the values of a column. Two columns are compared on the rows in which neither is missing
        (NaN).
    kinds : Schema, sequence of str or None, default=None
        Kind of each column, see `urerf.schema`; None if all are numbers. Ordinals, booleans and
        dates are ranked like numbers, categories have no order, and ids and ignored columns are
        not used.
    alpha : float, default=0.01
        Probability that structure is found in a table of independent columns.
    keep_groups : bool, default=False
        Whether to use groups of columns that are only correlated, next to columns with a shape
        that are independent of them; see the notes.
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
    own, such as the height of a Swiss roll. It is used with a lower weight if it fills an interval
    as a coordinate does, without the tails that noise has. Among many columns of noise, columns
    without a partner are used if their distribution stands out.

    If some columns lie on a curved shape, in clusters, or, three or more, on one curve, then groups
    of columns that are independent of them, and only correlated as Gaussian columns are, are set
    aside, unless they have more than ten times as many columns. `message` counts them; their
    p-values are small. This cannot be tested for categories and for columns with few distinct
    values: they are kept, and do not set aside other columns.

    With more than 3500 columns (at 1000 rows), all pairs are first compared by two functions per
    column only (on 500 of 1000 rows at 10,000 columns), then the 4 best pairs of each column in
    full. A column whose every dependence is wavier than a parabola is then missed.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> t = rng.uniform(0, 6, size=300)
    >>> X = np.column_stack([np.sin(t), rng.normal(size=(300, 20)), np.exp(t)])
    >>> found = column_relevance(X)
    >>> found.verdict, found.strength.nonzero()[0], found.reason[0]
    ('structure', array([ 0, 21]), 'follows column 21')
    """
    X = checked_sparse(X).tocsr() if sp.issparse(X) else np.asarray(X)
    if X.ndim != 2 or 0 in X.shape:
        raise ValueError(f"X: must have at least one row and one column, got shape {X.shape}")
    rows = rows_examined(X.shape[0], draw_seed(random_state))
    return examine_rows(X[rows], kinds, alpha=alpha, keep_groups=keep_groups, n_jobs=n_jobs)


def rows_examined(n: int, seed: int) -> Index:
    """Return which of n rows are examined, in the order in which the tests see them."""
    rng = np.random.default_rng(seed)
    if n > MAX_PERMUTED:
        return rng.choice(n, MAX_ROWS, replace=False)
    return rng.permutation(n)[:MAX_ROWS]


def examine_rows(
    X: Any,
    kinds: Schema | Sequence[str] | None = None,
    *,
    alpha: float = 0.01,
    keep_groups: bool = False,
    n_jobs: int | None = None,
) -> Relevance:
    """Find the columns that carry structure, as `column_relevance` does, on all rows of X."""
    if sp.issparse(X):
        X = X.toarray()
    values = np.ascontiguousarray(X.T, dtype=np.float64)
    if np.isinf(values).any():
        raise ValueError("X: must be finite, got infinity; mark missing values by NaN")
    schema = _schema_of(kinds, len(values))
    features = np.array([column.is_feature for column in schema.columns])
    values[~features] = np.nan
    n_present = (~np.isnan(values)).sum(axis=1)
    columns = Columns(values, schema, features & (n_present >= MIN_ROWS), n_present)
    p, n = values.shape
    if p == 1 or n < MIN_ROWS:
        return without_test(columns)
    tested = values
    if not columns.varied.all():
        tested = np.where(columns.varied[:, None], values, np.nan)
    with one_blas_thread():
        basis = Basis.of(tested, [column.kind for column in schema.columns], n_jobs)
        columns = columns._replace(varied=basis.size > 0)
        pairs = pair_evidence(
            basis,
            alpha * SHARES["pairs"],
            alpha,
            n_jobs,
            keep_linear=MIN_COLUMNS <= p <= MAX_COLUMNS,
        )
        waves = wave_evidence(basis, n_jobs)
        single = np.asarray(~pairs.significant.any(axis=1))
        crowd = spectral_evidence(pairs.linear, basis, single, alpha * SHARES["crowd"], alpha)
        return judge(columns, basis, pairs, waves, crowd, alpha, keep_groups)


def _schema_of(kinds: Schema | Sequence[str] | None, n_columns: int) -> Schema:
    """Return the schema that is given, or one with the kinds that are given."""
    schema = kinds if isinstance(kinds, Schema) else unnamed(n_columns, kinds)
    if len(schema.columns) != n_columns:
        raise ValueError(
            f"kinds: must have one entry per column, {n_columns}, got {len(schema.columns)}"
        )
    return schema


def unnamed(n_columns: int, kinds: Sequence[str] | None = None) -> Schema:
    """Return the schema of an array, whose columns have no names.

    >>> unnamed(2).names
    ['column 0', 'column 1']
    """
    if kinds is None:
        kinds = [NUMBER] * n_columns
    return Schema(tuple(Column(f"column {i}", kind) for i, kind in enumerate(kinds)))
