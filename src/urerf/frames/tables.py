"""From what a user passes to numbers: validate tables, and remember or compare their columns.

A table is an array, a sparse matrix, a data frame, or a `urerf.schema.Frame`. scikit-learn's
`validate_data` notes the columns of the fitted table on an estimator, ``seen`` here, and compares
those of new rows with it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Set
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils import check_array
from sklearn.utils.validation import validate_data

from .._checks import check_codes
from .._messages import count
from .._sparse import checked_sparse
from ..schema import CATEGORY, Frame, Schema
from . import arrays, dataframe

# What is remembered of the table, beside what was learned from it.
SEEN = ("n_features_in_", "feature_names_in_", "row_names_")


def read_table(X: Any, column_kinds: Any) -> dataframe.Table | None:
    """Return the values, the schema and the notices of a table that is to be fitted.

    An array without declared kinds has no schema: None.
    """
    check_is_table(X)
    is_auto = isinstance(column_kinds, str) or not column_kinds
    if isinstance(X, Frame):
        if not is_auto:
            raise ValueError("column_kinds: must be 'auto' if X is a Frame, which has kinds")
        check_frame(X)
        return dataframe.Table(X)
    if dataframe.is_frame(X):
        return dataframe.read_frame(X, column_kinds)
    if is_auto:
        return None
    return arrays.read_array(_as_array(X), column_kinds)


def check_is_table(X: Any) -> None:
    """Raise TypeError for the name of a file, a dictionary, a set, a generator, a number or None.

    The error says what to do instead.

    >>> check_is_table(5)
    Traceback (most recent call last):
    TypeError: X: must be a table, got 5; pass an array or a data frame, and other arguments by name
    """
    if isinstance(X, (str, bytes, os.PathLike)):
        advice = "read the file first, for example with pandas.read_csv"
    elif isinstance(X, Mapping) and not sp.issparse(X):  # scipy's "dok" is a dictionary
        advice = "make it a data frame first, for example with pandas.DataFrame"
    elif isinstance(X, (Iterator, Set)):
        advice = "make it an array first, for example with numpy.array(list(X))"
    elif X is None or np.isscalar(X):
        advice = "pass an array or a data frame, and other arguments by name"
    else:
        return
    raise TypeError(f"X: must be a table, got {X!r:.60}; {advice}")


def check_frame(frame: Frame) -> None:
    """Raise ValueError unless the values and the names of a frame fit its schema."""
    columns = frame.schema.columns
    shape = frame.values.shape
    dtype = frame.values.dtype
    if dtype.kind not in "biuf":
        raise TypeError(f"X: the values of a Frame must be numbers, got dtype {dtype}")
    if len(shape) != 2 or shape[1] != len(columns):
        raise ValueError(
            f"X: the schema of the Frame has {count(len(columns), 'column')}, "
            f"but its values have shape {shape}"
        )
    if frame.row_names is not None and len(frame.row_names) != shape[0]:
        raise ValueError(
            f"X: the Frame has {count(shape[0], 'row')}, "
            f"but {count(len(frame.row_names), 'row name')}"
        )
    for i, column in enumerate(columns):
        if column.kind == CATEGORY:
            values = frame.values[:, [i]]
            codes = values.toarray() if sp.issparse(values) else values
            check_codes(column.name, codes.ravel(), len(column.levels))


def note_names(seen: BaseEstimator, table: dataframe.Table) -> None:
    """Note the names of the columns and of the rows, if there are any."""
    frame = table.frame
    if table.has_names:
        seen.feature_names_in_ = np.array(frame.schema.names, dtype=object)
    if frame.row_names is not None:
        seen.row_names_ = frame.row_names


def copy_seen(seen: BaseEstimator, model: BaseEstimator) -> None:
    """Let a model remember what was seen of the table, and only that."""
    for name in SEEN:
        if hasattr(seen, name):
            setattr(model, name, getattr(seen, name))
        elif hasattr(model, name):
            delattr(model, name)


def match_table(
    X: Any,
    schema: Schema | None,
    model: BaseEstimator,
    missing: str,
) -> Any:
    """Return new rows as numbers, in the columns of the table that a model was fitted on."""
    check_is_table(X)
    nameless = type(model)()  # names are compared here
    nameless.n_features_in_ = model.n_features_in_
    if isinstance(X, Frame):
        if schema is not None and schema != X.schema:
            raise ValueError(
                "X: its columns, kinds or levels are not those the model was fitted on"
            )
        check_frame(X)
        return validate_frame(X, nameless, missing, fitting=False)
    if schema is not None and dataframe.is_frame(X):
        values = dataframe.match_frame(X, schema)
    elif schema is not None and arrays.needs_matching(schema):
        values = arrays.match_array(_as_array(X), schema)
    else:
        return validate_array(X, model, missing, fitting=False)
    return validate_frame(Frame(values, schema), nameless, missing, fitting=False)


def validate_frame(
    frame: Frame,
    seen: BaseEstimator,
    missing: str,
    *,
    fitting: bool,
) -> Any:
    """Return the values of a frame; those of columns that are not used are missing."""
    dataframe.check_values(frame, missing_allowed=missing == "handle")
    return validate_array(frame.values, seen, "handle", fitting=fitting)


def validate_array(
    X: Any,
    seen: BaseEstimator,
    missing: str,
    *,
    fitting: bool,
) -> Any:
    """Return X as numbers; ``seen`` remembers its columns, or, if not fitting, knows them."""
    missing_allowed = missing == "handle"
    X = checked_sparse(X) if sp.issparse(X) else arrays.as_numbers(X)
    try:
        with np.errstate(over="ignore", invalid="ignore"):  # the sum of all values may overflow
            return validate_data(
                seen,
                X,
                reset=fitting,
                accept_sparse="csr",
                dtype=[np.float64, np.float32],
                ensure_all_finite="allow-nan" if missing_allowed else True,
                ensure_min_samples=2 if fitting else 1,
            )
    except OverflowError as error:
        raise ValueError("X: has integers too large for float64; rescale its columns") from error
    except (ValueError, TypeError) as error:
        text = arrays.bad_cell(X, missing_allowed=missing_allowed) or str(error)
        names_x = "X" in text.split()[:2]
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(text if names_x else f"X: {text}") from error


def _as_array(X: Any) -> Any:
    """Return X as a two-dimensional array of any type, or as a CSR matrix."""
    X = checked_sparse(X) if sp.issparse(X) else arrays.without_mask(X)
    try:
        return check_array(X, accept_sparse="csr", dtype=None, ensure_all_finite=False)
    except (ValueError, TypeError) as error:
        raise type(error)(f"X: {error}") from error
