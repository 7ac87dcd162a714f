"""From a data frame of pandas, polars or Arrow to a `Frame`.

The data type of a column decides first (`urerf.frames.series`), then its values
(`urerf.kinds.recognize`): the same rules as for files, so that `fit(df)` and the command line give
the same result. Columns of new rows are matched by name.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np
import scipy.sparse as sp

from .._messages import listed, plural
from .._sparse import checked_sparse
from .._typing import Array
from ..kinds import convert
from ..kinds.convert import Plain, plain
from ..kinds.declared import declared_kinds
from ..kinds.notices import about_columns, not_used
from ..kinds.recognize import Recognized, recognize
from ..schema import ID, IGNORE, ORDINAL, Column, Frame, Schema
from .matching import match_columns
from .series import read_series


class Table(NamedTuple):
    """A table that was read to be fitted: its frame, and what to tell the user about it."""

    frame: Frame
    has_names: bool = True
    notices: Sequence[str] = ()


def is_frame(X: Any) -> bool:
    """Return whether X is a data frame in memory: of pandas, polars, Arrow, ...

    A lazy frame of polars is refused.
    """
    if nw.dependencies.is_polars_lazyframe(X):
        raise TypeError("X: is a lazy frame; call its collect() first")
    return nw.dependencies.is_into_dataframe(X)


def column_names(X: Any) -> tuple[list[str], bool]:
    """Return the names of the columns of a data frame, and whether they are text.

    Labels that are not text, such as the numbers that pandas gives by default, become text. As in
    scikit-learn, a mixture of both is refused.
    """
    labels = list(X.column_names if hasattr(X, "column_names") else X.columns)
    is_text = [isinstance(label, str) for label in labels]
    if any(is_text) and not all(is_text):
        label = labels[is_text.index(False)]
        raise TypeError(
            f"X: Feature names must all be text or all not, got {label!r}; rename the columns, "
            "for instance with X.columns = X.columns.astype(str)"
        )
    names = [str(label) for label in labels]
    for name, n_columns in Counter(names).most_common(1):
        if n_columns > 1:
            raise ValueError(f"X: has {n_columns} columns named {name!r}; rename them")
    return names, all(is_text)


def read_frame(X: Any, column_kinds: Any = "auto") -> Table:
    """Return the values and the schema of a data frame that is to be fitted.

    Examples
    --------
    >>> import pandas
    >>> X = pandas.DataFrame({"size": [1.5, 2.5, 0.5], "color": ["red", "blue", None]})
    >>> read_frame(X).frame.schema.columns[1]
    Column(name='color', kind='category', levels=('red', 'blue'), reason='')
    >>> read_frame(X).frame.values
    array([[1.5, 0. ],
           [2.5, 1. ],
           [0.5, nan]])
    """
    names, has_names = column_names(X)
    n_rows = len(X)
    n_columns = len(names)
    if n_rows < 2 or not names:
        raise ValueError(f"X: must have at least 2 rows and 1 column, got {n_rows} and {n_columns}")
    declared = declared_kinds(column_kinds, names)
    if not declared and (sparse := _sparse_values(X)) is not None:
        frame = Frame(sparse, Schema.of_numbers(names), index_labels(X))
        return Table(frame, has_names)
    values = np.empty((n_rows, n_columns))
    columns = []
    about = []
    for i, series in enumerate(_series(X)):
        recognized = _recognize(names[i], series, declared.get(i))
        values[:, i] = recognized.values
        columns.append(recognized.column)
        about.append(recognized.about)
    notices = [*not_used(columns), *about_columns(about)]
    check_any_used(columns, notices)
    schema = Schema(tuple(columns))
    frame = Frame(values, schema, index_labels(X))
    return Table(frame, has_names, notices)


def index_labels(X: Any) -> Array | None:
    """Return the index labels of a pandas frame; None if these only count the rows from 0.

    >>> import pandas
    >>> index_labels(pandas.DataFrame({"x": [1, 2]}, index=["a", "b"]))
    array(['a', 'b'], dtype=object)
    """
    if not nw.dependencies.is_pandas_dataframe(X):
        return None
    labels = X.index.to_numpy()
    if labels.dtype.kind not in "iu":
        return labels.astype(object)
    counted = np.arange(len(X))
    if np.array_equal(labels, counted):
        return None
    return labels


def read_columns(X: Any, positions: Sequence[int]) -> list[Plain]:
    """Return the cells of some columns of a data frame or an array, by their data types alone."""
    if isinstance(X, np.ndarray):
        return [plain(X[:, i]) for i in positions]
    columns = list(_series(X))
    cells = []
    for i in positions:
        series = columns[i]
        with naming(str(series.name)):
            cells.append(read_series(series))
    return cells


def match_frame(X: Any, schema: Schema) -> Array:
    """Return the values of new rows in the columns of a model, found by name.

    Levels that the model does not know become NaN, other columns of X are not read. Columns that
    the model does not use may be missing.
    """
    names, _ = column_names(X)
    series = dict(zip(names, _series(X)))
    _check_all_there(schema, series)
    fitted = schema.names

    def cells_of(i: int) -> Plain:
        name = fitted[i]
        return read_series(series[name])

    values, _ = match_columns(schema, len(X), cells_of)
    return values


def check_values(frame: Frame, *, missing_allowed: bool) -> None:
    """Raise ValueError for infinity, or a missing value, in a column that is used."""
    values = frame.values
    if sp.issparse(values):
        values = checked_sparse(values).data.reshape(-1, 1)
    if np.isinf(values).any():
        column, row = _first_cell(frame, np.isinf)
        raise ValueError(f"X: {column} contains infinity in {row}; mark missing values by NaN")
    if not missing_allowed and np.isnan(values).any():
        column, row = _first_cell(frame, np.isnan)
        if column:
            raise ValueError(
                f"X: {column} contains NaN, a missing value or an unknown level, in {row}; use "
                "missing='handle', or fill it"
            )


def _first_cell(frame: Frame, test: Any) -> tuple[str, str]:
    """Return the names of the first column that is used and the row where the test is true."""
    for i, column in enumerate(frame.schema.columns):
        if column.is_feature:
            values = frame.values[:, [i]]
            cells = values.toarray() if sp.issparse(values) else values
            is_bad = test(cells)
            rows = np.flatnonzero(is_bad)
            if len(rows):
                return f"column {column.name!r}", f"row {rows[0]}"
    return "", ""


def check_any_used(columns: Sequence[Column], notices: Sequence[str] = ()) -> None:
    """Raise ValueError unless a column is a feature."""
    if not any(column.is_feature for column in columns):
        sentences = ["X: no column is left to use.", *notices]
        raise ValueError(" ".join(sentences).removesuffix("."))


def _check_all_there(schema: Schema, series: Mapping[str, Any]) -> None:
    """Raise ValueError unless X has all the columns that the model uses."""
    used = [column.name for column in schema.columns if column.is_feature]
    missing = [repr(name) for name in used if name not in series]
    if missing:
        columns = plural(len(missing), "column")
        verb = "is" if len(missing) == 1 else "are"
        given = [repr(name) for name in series]
        raise ValueError(
            f"X: {columns} {listed(missing)} of the fitted table {verb} missing; "
            f"X has {listed(given) or 'no columns'}"
        )


def _series(X: Any) -> Iterator[Any]:
    """Yield the columns of a data frame as series of narwhals."""
    frame = nw.from_native(X, eager_only=True)
    return frame.iter_columns()


def naming(name: str) -> contextlib.AbstractContextManager[None]:
    """Within this block, an error about a value names the column."""
    return convert.naming(f"X: column {name!r}")


def _recognize(name: str, series: Any, kind: Any) -> Recognized:
    """Return one column of a data frame that is to be fitted; ``kind`` is a declared one."""
    if kind in (ID, IGNORE):  # of any type
        empty = np.full(len(series), np.nan)
        return recognize(name, empty, kind)
    with naming(name):
        cells = read_series(series)
        if kind == ORDINAL and series.dtype == nw.Enum:
            ordered = cells.values._replace(ordered=True)
            cells = Plain(ORDINAL, ordered)
        return recognize(name, cells, kind)


def _sparse_values(X: Any) -> Any:
    """Return the CSR matrix of a pandas frame in which all columns are sparse, None for others."""
    if not nw.dependencies.is_pandas_dataframe(X) or not len(X.columns):
        return None
    dtypes = X.dtypes
    if not all(str(dtype).startswith("Sparse[") for dtype in dtypes):
        return None
    if any(dtype.fill_value != 0 for dtype in dtypes):
        return None
    matrix = X.sparse.to_coo().tocsr()
    return matrix.astype(np.float64)
