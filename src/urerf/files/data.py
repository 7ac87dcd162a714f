"""What a file contains: the frame, row names, labels, and what the user should know."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import scipy.sparse as sp

from urerf.schema import Frame

from .._typing import Array
from .table import RawTable


@dataclass(frozen=True, eq=False)
class FileData:
    """A table that was read from files, and what else is known about the rows.

    Attributes
    ----------
    frame : Frame
        All columns: values of shape (rows, columns) and their schema. Columns that are not
        features (row names, labels, and those that were left out) hold only NaN.
    rows : ndarray of int
        Number of each row in its file, from 0; without gaps unless rows were dropped.
    ids, labels : list of str or None
        Names and labels of the rows.
    source : str
        Name of the file.
    groups : list of str or None
        The group of each row, if rows that belong together are declared.
    ordered : bool
        Whether the rows are declared to be in order, such as time.
    notices : list of str
        What the user should know: how columns were read, which are not used and why, rows that
        were dropped.
    """

    frame: Frame
    rows: Array
    ids: list[str] | None
    labels: list[str] | None
    source: str
    notices: list[str] = field(default_factory=list)
    groups: list[str] | None = None
    ordered: bool = False

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and number of columns, of all kinds."""
        return self.frame.values.shape

    @property
    def names(self) -> list[str]:
        """Names of the columns, of all kinds."""
        return self.frame.schema.names

    @property
    def n_features(self) -> int:
        """Number of columns that are features."""
        return sum(column.is_feature for column in self.frame.schema.columns)

    def row_names(self) -> Array | None:
        """Return what `keys` returns, or None if that only counts the rows from 0."""
        if self.ids is not None:
            return self.keys()
        is_complete = len(self.rows) == self.rows[-1] + 1
        return None if is_complete else self.keys()

    def keys(self) -> Array:
        """Return what rows are called in results: their names, or else their numbers."""
        if self.ids is None:
            return self.rows
        return np.array(self.ids, dtype=object)


def finish(
    raw: RawTable,
    frame: Frame,
    ids: list[str] | None,
    labels: list[str] | None,
    notices: list[str],
    missing: str,
    groups: list[str] | None = None,
) -> FileData:
    """Return the data of a file; ``missing`` says what to do with missing values."""
    rows = np.arange(raw.n_rows)
    names = None
    if ids is not None:
        names = [name or f"row {i}" for i, name in enumerate(ids)]
    data = FileData(frame, rows, names, labels, raw.source, notices, groups)
    incomplete = _incomplete_rows(frame)
    if missing == "handle" or not incomplete.any():
        return data
    if missing == "error":
        raise ValueError(_missing_value(raw, data, incomplete))
    return _drop_rows(data, incomplete)


def _missing_value(raw: RawTable, data: FileData, incomplete: Array) -> str:
    """Return the message about the first missing value."""
    row = int(incomplete.argmax())
    values = data.frame.values[[row]]
    if sp.issparse(values):
        values = values.toarray()
    is_missing = np.isnan(values[0])
    is_gap = is_missing & data.frame.schema.is_feature
    column = data.names[is_gap.argmax()]
    n_incomplete = incomplete.sum()
    return (
        f"{raw.place(row, column)}: no value; missing values occur in {n_incomplete} of "
        f"{len(incomplete)} rows. Use --missing drop to drop these rows, or --missing handle to "
        "let the forest handle them"
    )


def _drop_rows(data: FileData, incomplete: Array) -> FileData:
    kept = np.flatnonzero(~incomplete)
    if not len(kept):
        raise ValueError(
            f"{data.source}: every row has a missing value, so --missing drop leaves none"
        )
    n_dropped = incomplete.sum()
    notice = f"Dropped {n_dropped} of {len(incomplete)} rows (missing values)."
    values = data.frame.values[kept]
    frame = Frame(values, data.frame.schema)
    return replace(
        data,
        frame=frame,
        rows=kept,
        ids=_pick(data.ids, kept),
        labels=_pick(data.labels, kept),
        groups=_pick(data.groups, kept),
        notices=[*data.notices, notice],
    )


def _pick(texts: list[str] | None, rows: Array) -> list[str] | None:
    if texts is None:
        return None
    return [texts[row] for row in rows]


def _incomplete_rows(frame: Frame) -> Array:
    """Return which rows have a missing value in a column that is a feature."""
    values = frame.values
    incomplete = np.zeros(values.shape[0], dtype=bool)
    if sp.issparse(values):
        entries = values.tocoo()
        is_missing = np.isnan(entries.data)
        rows = entries.row[is_missing]
        incomplete[rows] = True
        return incomplete
    for i in np.flatnonzero(frame.schema.is_feature):
        incomplete |= np.isnan(values[:, i])
    return incomplete
