"""From the table that a model was fitted on to what a report shows of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from urerf._messages import hint
from urerf.files import FileData
from urerf.files.table import texts_of
from urerf.frames.dataframe import column_names, index_labels, is_frame, read_columns
from urerf.kinds.recognize import naming_column
from urerf.schema import Frame, Schema

from .structure import schema_of

if TYPE_CHECKING:
    from urerf import URerF


def file_data(
    model: URerF,
    X: Any,
    label: Any,
    title: str,
) -> FileData:
    """Return a table in memory as if it had been read from a file.

    Row names come from the column that the model takes for them, or else from the index of the
    data frame. ``label`` is the name of a column, or one label per row.
    """
    values = model._values(X)
    n_rows = values.shape[0]
    if n_rows != model.n_samples_fit_:
        raise ValueError(
            f"X: must be the table that the model was fitted on, with {model.n_samples_fit_:,} "
            f"rows, got {n_rows:,}"
        )
    frame = Frame(values, schema_of(model))
    labels = None if label is None else _labels(X, label, n_rows)
    ids = _ids(X, frame.schema)
    return FileData(frame, np.arange(n_rows), ids, labels, title)


def label_name(label: Any) -> str:
    """Return what labels are called: the column, or the name of a series.

    >>> label_name("species"), label_name(["a", "b"])
    ('species', 'label')
    """
    name = label if isinstance(label, str) else getattr(label, "name", None)
    return name if isinstance(name, str) and name else "label"


def label_was_fitted(model: URerF, label: Any) -> bool:
    """Return whether the column of the labels is a feature, so that neighbors share it anyway."""
    name = label if isinstance(label, str) else getattr(label, "name", None)
    columns = () if model.schema_ is None else model.schema_.columns
    return any(column.name == name and column.is_feature for column in columns)


def _labels(X: Any, label: Any, n_rows: int) -> list[str]:
    if isinstance(label, str):
        return _column_texts(X, label)
    labels = texts_of(np.asarray(label))
    if len(labels) != n_rows:
        raise ValueError(f"label: must have one entry per row, {n_rows:,}, got {len(labels):,}")
    return labels


def _column_texts(X: Any, name: str) -> list[str]:
    names = column_names(X)[0] if is_frame(X) else []
    if name not in names:
        remedy = hint(name, names) if names else "pass a data frame, or one label per row"
        raise ValueError(f"label: X has no column {name!r}; {remedy}")
    position = names.index(name)
    column = read_columns(X, [position])[0]
    return texts_of(column)


def _ids(X: Any, schema: Schema) -> list[str] | None:
    if not is_frame(X):
        return None
    name = naming_column(schema.columns)
    if name is not None and name in column_names(X)[0]:
        return _column_texts(X, name)
    labels = index_labels(X)
    return None if labels is None else [str(label) for label in labels]
