"""Choose the rows of a table and run all tests on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse as sp

from .._blas import one_blas_thread
from .._checks import check_codes, check_n_jobs, is_bool
from .._messages import count
from .._random import draw_seed
from .._sparse import checked_sparse
from .._typing import IntArray
from ..kernels.pair_scores import MIN_ROWS
from ..schema import CATEGORY, NUMBER, Column, Schema
from .basis import Basis
from .blocks import block_length
from .combine import SHARES, combined
from .evidence import ColumnEvidence
from .pairs import pair_evidence
from .record import Relevance, Why
from .rows import order_notices, rows_examined, without_copies
from .spectral import MAX_COLUMNS, MIN_COLUMNS, spectral_evidence
from .verdict import Columns, judge, without_test
from .waves import wave_evidence


def column_relevance(
    X: Any,
    kinds: Schema | Sequence[str] | None = None,
    *,
    alpha: float = 0.01,
    keep_groups: bool = False,
    groups: Any = None,
    ordered: bool = False,
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
    groups : array-like of shape (n,) or None, default=None
        The group of each row, such as a patient: rows of different groups are independent. One
        row of each group is examined; at least 20 groups are needed.
    ordered : bool, default=False
        Whether rows are in order, such as time, so that rows that follow each other are alike.
        Only pairs of columns are then tested, by how they change within blocks of rows.
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
    Rows are assumed to be independent, unless ``groups`` or ``ordered`` are given. If they are
    not, structure is found in tables of independent columns far more often than ``alpha`` says.
    `notices` tells of rows that follow each other and are alike, which may be time or only sorting,
    and of copies of rows that chance does not explain, which count once.

    A single column without a partner, or a few next to many with one, may be a coordinate of its
    own, such as the height of a Swiss roll. It is used with a lower weight if it fills an interval
    as a coordinate does, without the tails that noise has, or if it is a category with levels of
    similar size. Among many columns of noise, columns of numbers without a partner are used with a
    lower weight if their distribution stands out.

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
    if not isinstance(alpha, Real) or not 0 < alpha < 1:
        raise ValueError(f"alpha: must lie between 0 and 1, got {alpha!r}")
    n_jobs = check_n_jobs(n_jobs)
    n_rows = X.shape[0]
    numbers = group_numbers(groups, n_rows)
    check_order(ordered, numbers)
    seed = draw_seed(random_state)
    rows = rows_examined(n_rows, seed, numbers, ordered)
    places_in_table = rows if numbers is None else None
    return examine_rows(
        X[rows],
        kinds,
        alpha=alpha,
        keep_groups=keep_groups,
        rows=places_in_table,
        n_groups=count_groups(numbers),
        ordered=ordered,
        n_jobs=n_jobs,
    )


def group_numbers(groups: Any, n_rows: int) -> IntArray | None:
    """Return the number of the group of each row, from their names; None if there are none.

    >>> group_numbers(["b", "a", "b"], 3)
    array([1, 0, 1])
    """
    if groups is None:
        return None
    names = np.asarray(groups)
    if names.shape != (n_rows,):
        advice = ""
        if isinstance(groups, str):
            advice = f"; pass a column, such as X[{groups!r}]"
        raise ValueError(
            f"groups: must have one value per row, shape ({n_rows},), "
            f"got shape {names.shape}{advice}"
        )
    if names.dtype == object:
        missing = np.array([name is None or name != name for name in names])
        names = names.astype(str)
    else:
        missing = names != names
    if missing.any():
        n_missing = int(missing.sum())
        raise ValueError(f"groups: must not be missing, got {n_missing} rows without a group")
    _, numbers = np.unique(names, return_inverse=True)
    return numbers


def count_groups(numbers: IntArray | None) -> int | None:
    """Return how many groups there are, given the number of each row's; None without groups."""
    if numbers is None:
        return None
    largest = int(numbers.max())
    return largest + 1


def check_order(ordered: Any, groups: IntArray | None) -> None:
    """Check that ``ordered`` is a bool, and that not both it and ``groups`` are given."""
    if not is_bool(ordered):
        raise ValueError(f"ordered: must be True or False, got {ordered!r}")
    if ordered and groups is not None:
        raise ValueError("ordered: must be False if groups are given; declare one of them")


def examine_rows(
    X: Any,
    kinds: Schema | Sequence[str] | None = None,
    *,
    alpha: float = 0.01,
    keep_groups: bool = False,
    rows: IntArray | None = None,
    n_groups: int | None = None,
    ordered: bool = False,
    n_jobs: int | None = None,
) -> Relevance:
    """Find the columns that carry structure, as `column_relevance` does, on all rows of X.

    ``rows`` holds their places in the table, for a notice if rows that follow each other are alike;
    None for rows that are known to be independent. If these are one row of each of ``n_groups``
    groups, a notice says so if the groups are too few. If they are ``ordered``, X consists of
    blocks of rows (see `rows_examined`).
    """
    if sp.issparse(X):
        X = X.toarray()
    try:
        values = np.ascontiguousarray(X.T, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"X: must hold numbers or codes of categories: {error}") from error
    if np.isinf(values).any():
        raise ValueError("X: must be finite, got infinity; mark missing values by NaN")
    schema = _schema_of(kinds, len(values))
    for column, of_rows in zip(schema.columns, values):
        if column.kind == CATEGORY:
            check_codes(column.name, of_rows, len(column.levels))
    features = np.array(schema.is_feature)
    values[~features] = np.nan
    has_pairs = features.sum() > 1
    notices: list[str] = []
    if not ordered and has_pairs:
        kept, notices = without_copies(values, features)
        if notices:
            values = np.ascontiguousarray(values[:, kept])
            if rows is not None:
                rows = rows[kept]
    n_present = (~np.isnan(values)).sum(axis=1)
    has_enough = n_present >= MIN_ROWS
    columns = Columns(values, schema, features & has_enough, n_present)
    if has_pairs and n_groups is not None and n_groups < MIN_ROWS:
        return _too_few_groups(columns, n_groups, notices)
    n_rows = values.shape[1]
    if not has_pairs or n_rows < MIN_ROWS:
        untested = without_test(columns)
        return replace(untested, notices=notices)
    tested = values
    if not columns.varied.all():
        is_tested = columns.varied[:, None]
        tested = np.where(is_tested, values, np.nan)
    with one_blas_thread():
        basis = Basis.of(tested, schema.kinds, n_jobs)
        columns = columns._replace(varied=basis.size > 0)
        found = _judged(columns, basis, alpha, keep_groups, ordered, n_jobs)
        if rows is not None and not ordered:
            notices += order_notices(basis, rows, schema.names)
    return replace(found, notices=notices)


def _too_few_groups(columns: Columns, n_groups: int, notices: list[str]) -> Relevance:
    """Judge columns of a table with fewer groups than rows are needed: one of each is examined."""
    untested = without_test(columns)
    is_short = untested.why == Why.TOO_FEW
    why = np.where(is_short, Why.UNTESTED, untested.why)
    notice = (
        f"relevance was not tested: one row of each group is examined, and {MIN_ROWS} are needed, "
        f"got {count(n_groups, 'group')}; all columns that vary are used"
    )
    message = f"Too few groups to compare ({n_groups}): all columns that vary are used."
    return replace(untested, message=message, why=why, notices=[*notices, notice])


def _judged(
    columns: Columns,
    basis: Basis,
    alpha: float,
    keep_groups: bool,
    ordered: bool,
    n_jobs: int | None,
) -> Relevance:
    """Run all tests; on rows in order only that of pairs, as the others need independent rows."""
    level = alpha * SHARES["pairs"]
    if ordered:
        length = block_length(basis.n_rows)
        pairs = pair_evidence(basis, level, alpha, n_jobs, block_length=length)
        nothing = ColumnEvidence.nothing(basis.n_columns)
        waves = nothing
        crowd = nothing
    else:
        keep_linear = MIN_COLUMNS <= basis.n_columns <= MAX_COLUMNS
        pairs = pair_evidence(basis, level, alpha, n_jobs, keep_linear)
        waves = wave_evidence(basis, n_jobs)
        has_partner = np.asarray(pairs.significant.any(axis=1))
        crowd_level = alpha * SHARES["crowd"]
        crowd = spectral_evidence(pairs.linear, basis, ~has_partner, crowd_level, alpha)
    dependence = combined(pairs, waves, crowd, alpha)
    basis_for_groups = None if ordered else basis
    return judge(columns, basis_for_groups, pairs, dependence, alpha, keep_groups)


def _schema_of(kinds: Schema | Sequence[str] | None, n_columns: int) -> Schema:
    """Return the schema that is given, or one with the kinds that are given."""
    if isinstance(kinds, str):
        raise TypeError(f"kinds: must have one entry per column, {n_columns}, got {kinds!r}")
    schema = kinds if isinstance(kinds, Schema) else unnamed(n_columns, kinds)
    n_kinds = len(schema.columns)
    if n_kinds != n_columns:
        raise ValueError(f"kinds: must have one entry per column, {n_columns}, got {n_kinds}")
    return schema


def unnamed(n_columns: int, kinds: Sequence[str] | None = None) -> Schema:
    """Return the schema of an array, whose columns have no names.

    >>> unnamed(2).names
    ['column 0', 'column 1']
    """
    if kinds is None:
        kinds = [NUMBER] * n_columns
    columns = [Column(f"column {i}", kind) for i, kind in enumerate(kinds)]
    return Schema(tuple(columns))
