"""Arrays with declared kinds.

An array has no names: its columns are matched by position, and only those that ``column_kinds``
declares are anything but numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from .._typing import Array
from ..kinds.convert import is_empty, is_number
from ..kinds.dates import days_of
from ..kinds.declared import declared_kinds
from ..kinds.recognize import recognize
from ..schema import CATEGORY, DATETIME, ID, IGNORE, NUMBER, Column, Frame, Schema
from .dataframe import Table, check_any_used, naming
from .matching import match_columns


def read_array(X: Any, column_kinds: Any) -> Table:
    """Return the values and the schema of an array that is to be fitted.

    Columns are numbers, unless ``column_kinds`` declares them by position. They are called x0, x1,
    ...

    Examples
    --------
    >>> X = np.array([[0.5, 7], [1.5, 3], [0.5, 7]])
    >>> frame = read_array(X, {1: "category"}).frame
    >>> frame.schema.columns[1].levels, frame.values[:, 1]
    (('7', '3'), array([0., 1., 0.]))
    """
    names = [f"x{i}" for i in range(X.shape[1])]
    check_positions(column_kinds)
    declared = declared_kinds(column_kinds, names)
    if sp.issparse(X):
        frame = _read_sparse(X, declared, names)
        return Table(frame, has_names=False)
    values = np.empty(X.shape)
    columns = []
    for i, name in enumerate(names):
        kind = declared.get(i, NUMBER)
        with naming(name):
            recognized = recognize(name, X[:, i], kind)
        values[:, i] = recognized.values
        columns.append(recognized.column)
    check_any_used(columns)
    schema = Schema(tuple(columns))
    frame = Frame(values, schema)
    return Table(frame, has_names=False)


def check_positions(column_kinds: Mapping[Any, Any]) -> None:
    """Raise ValueError if columns of an array are declared by name."""
    for key in column_kinds:
        if isinstance(key, str):
            raise ValueError(
                f"column_kinds: an array has no column names, got {key!r}; declare its columns by "
                "position, or pass a data frame"
            )


def needs_matching(schema: Schema) -> bool:
    """Return whether the columns of an array mean something other than the numbers they hold."""
    return any(
        column.levels or column.kind in (CATEGORY, DATETIME)
        for column in schema.columns
        if column.is_feature
    )


def match_array(X: Any, schema: Schema) -> Array:
    """Return the values of new rows of an array or a sparse matrix, by position."""
    n_columns = len(schema.columns)
    n_rows, n_given = X.shape
    if n_given != n_columns:
        raise ValueError(
            f"X has {n_given} features, but URerF is expecting {n_columns} features as input"
        )
    if sp.issparse(X):
        by_column = X.tocsc()

        def cells_of(i: int) -> Array:
            column = by_column[:, [i]]
            return column.toarray().ravel()

        values, _ = match_columns(schema, n_rows, cells_of)
    else:
        values, _ = match_columns(schema, n_rows, lambda i: X[:, i])
    return values


def _read_sparse(X: Any, declared: dict[int, Any], names: Sequence[str]) -> Frame:
    """Return the frame of a CSR matrix: numbers, and columns that are not used."""
    columns = [Column(name) for name in names]
    used = np.ones(len(names))
    for i, kind in declared.items():
        if kind in (ID, IGNORE):
            recognized = recognize(names[i], np.empty(0), kind)
            columns[i] = recognized.column
            used[i] = 0.0
        elif kind != NUMBER:
            raise ValueError(
                f"column_kinds: column {i} of a sparse matrix must be a number, an id or ignored, "
                f"got {kind!r}; pass a dense array or a data frame"
            )
    check_any_used(columns)
    values = X.tocsr() @ sp.diags_array(used)
    schema = Schema(tuple(columns))
    return Frame(sp.csr_matrix(values), schema)


def as_numbers(X: Any) -> Any:
    """Return X with NaN for masked values, and with days for dates and durations of an array.

    NumPy would show what is behind the mask, dates in whichever unit the array has, and missing
    dates as large negative numbers.
    """
    X = without_mask(X)
    if isinstance(X, np.ndarray) and X.dtype.kind in "mM":
        return days_of(X)
    return X


def without_mask(X: Any) -> Any:
    """Return X, as an array with missing values in place of masked ones if it is a masked array.

    >>> without_mask(np.ma.masked_equal([[1, 2]], 2))
    array([[ 1., nan]])
    """
    if not isinstance(X, np.ma.MaskedArray):
        return X
    dtype: Any = object
    if X.dtype.kind in "mM":
        dtype = X.dtype
    elif X.dtype.kind in "biuf":
        dtype = np.float64
    values = X.data.astype(dtype)
    is_masked = np.ma.getmaskarray(X)
    values[is_masked] = None  # NaN among numbers, NaT among dates
    return values


def bad_cell(X: Any, *, missing_allowed: bool) -> str:
    """Return what is wrong with the first cell of an array that cannot be used, and where it is.

    Empty if there is none, or if X is not a table at all.

    >>> bad_cell([[1, 2], ["x", 3]], missing_allowed=True)
    "column 0 contains 'x' in row 1, which is not a number; convert it, or declare it in
    column_kinds"
    """
    if sp.issparse(X):
        X = X.tocoo()
        cells, rows, columns = X.data, X.row, X.col
    else:
        try:
            table = np.asarray(X)
        except (ValueError, TypeError):  # rows of different lengths
            return ""
        if table.ndim != 2:
            return ""
        cells = table.ravel()
        positions = np.arange(cells.size)
        n_columns = max(table.shape[1], 1)
        rows, columns = np.divmod(positions, n_columns)
    for problem, is_bad in _problems(cells, missing_allowed):
        bad = np.flatnonzero(is_bad)
        for i in bad[:1]:
            text = problem.format(cell=str(cells[i]), row=rows[i])
            return f"column {columns[i]} contains {text}"
    return ""


def _problems(cells: Array, missing_allowed: bool) -> Iterator[tuple[str, Array]]:
    """Yield each kind of problem, and which cells have it."""
    if cells.dtype.kind in "OU":
        is_text = np.array([isinstance(cell, str) and not is_number(cell) for cell in cells])
        advice = "convert it, or declare it in column_kinds"
        yield "{cell!r} in row {row}, which is not a number; " + advice, is_text
        is_na = np.array([_is_na(cell) for cell in cells])
        yield "{cell} in row {row}; mark missing values by NaN", is_na
        try:
            cells = cells.astype(np.float64)
        except (ValueError, TypeError, OverflowError):
            return
    if cells.dtype.kind == "f":
        yield "infinity in row {row}; mark missing values by NaN", np.isinf(cells)
        if not missing_allowed:
            advice = "use missing='handle', or fill it"
            yield f"NaN, a missing value, in row {{row}}; {advice}", np.isnan(cells)


def _is_na(cell: Any) -> bool:
    """Return whether an object stands for a missing value, but is not a number as NaN is."""
    if cell is None or isinstance(cell, (str, float)):
        return False
    return is_empty(cell)
