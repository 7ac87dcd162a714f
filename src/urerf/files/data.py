"""From the columns of a file to a `Frame`: which are features, encoded, or not used.

A text column with few different values becomes one column of codes 0, 1, 2, ... in alphabetical
order of its levels, which its schema lists. One column per level would be wrong here: such columns
always depend on each other, and the dependence would be taken for structure.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from urerf._messages import UnknownNameError, hint, listed
from urerf.schema import CATEGORY, Column, Frame, Schema

from .raw import RawColumns, in_order, is_missing

# Text with more levels than this is mostly names, dates or free text, for which the order of the
# codes would be meaningless noise.
MOST_LEVELS = 10


@dataclass(frozen=True, eq=False)
class FileData:
    """A table that was read from files: the features, and what else is known about the rows.

    Attributes
    ----------
    frame : Frame
        The features: values of shape (rows, columns), NaN for missing values, and their schema.
    rows : ndarray of int
        Number of each row in its file, from 0; without gaps unless rows were dropped.
    ids, labels : list of str or None
        Names and labels of the rows.
    source : str
        Name of the file.
    notices : list of str
        What the user should know: columns that are encoded or not used, rows that were dropped.
    """

    frame: Frame
    rows: np.ndarray
    ids: list[str] | None
    labels: list[str] | None
    source: str
    notices: list[str] = field(default_factory=list)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and number of columns."""
        return self.frame.values.shape

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return self.frame.schema.names

    def keys(self) -> np.ndarray:
        """Return what rows are called in results: their names, or else their numbers."""
        if self.ids is None:
            return self.rows
        return np.array(self.ids, dtype=object)


def select(
    raw: RawColumns, *, id: str | None, label: str | None, ignore: Collection[str], missing: str
) -> FileData:
    """Decide what becomes of each column of a file that a model is fitted on."""
    _check_column(raw, "--id", id)
    _check_column(raw, "--label", label)
    notices: list[str] = []
    others = {id, label, *ignore}
    values, columns = _numbers(raw, others, notices)
    texts = {name: cells for name, cells in raw.texts.items() if name not in others}
    codes, categories = _categories(texts, notices)
    if codes:
        values = _beside(values, codes)
    schema = Schema((*columns, *categories))
    if not schema.columns:
        raise ValueError(f"{raw.source}: no usable column is left. {' '.join(notices)}".strip())
    labels = None if label is None else _cells(raw, label)
    return _finish(raw, Frame(values, schema), id, labels, notices, missing)


def select_for_model(raw: RawColumns, schema: Schema, *, id: str | None, missing: str) -> FileData:
    """Pick the columns that a model was fitted on, by name, and encode categories as it did."""
    _check_column(raw, "--id", id)
    positions = raw.positions()
    for column in schema.columns:
        _check_kind(raw, column, positions)
    if any(column.kind == CATEGORY for column in schema.columns):
        columns = [_values_for(raw, column, positions) for column in schema.columns]
        values = np.column_stack(columns)
    else:
        values = in_order(raw, schema.names)
    known = {id, *schema.names}
    extra = [name for name in raw.all_names if name not in known]
    notices = [f"Not used: {listed(extra)} (not in the model)."] if extra else []
    return _finish(raw, Frame(values, schema), id, None, notices, missing)


def _finish(
    raw: RawColumns,
    frame: Frame,
    id: str | None,
    labels: list[str] | None,
    notices: list[str],
    missing: str,
) -> FileData:
    """Add the row names, and handle missing values."""
    ids = raw.ids if id is None else _cells(raw, id)
    rows = np.arange(raw.n_rows)
    data = FileData(frame, rows, ids, labels, raw.source, notices)
    incomplete = _incomplete_rows(frame.values)
    if missing == "handle" or not incomplete.any():
        return data
    if missing == "error":
        raise ValueError(_missing_value(raw, data, incomplete))
    return _drop_rows(data, incomplete)


def _check_column(raw: RawColumns, option: str, name: str | None) -> None:
    known = raw.all_names
    if name is not None and name not in known:
        raise UnknownNameError(
            f"{option}: {raw.source} has no column {name!r}; {hint(name, known)}"
        )


def _cells(raw: RawColumns, name: str) -> list[str]:
    """Return a column as text."""
    if name in raw.texts:
        return raw.texts[name]
    values = _numeric_column(raw, raw.names.index(name))
    return [f"{value:.15g}" for value in values]


def _numeric_column(raw: RawColumns, position: int) -> np.ndarray:
    values = raw.numbers[:, position]
    return values.toarray().ravel() if sp.issparse(values) else values


def _numbers(
    raw: RawColumns, others: Collection[str | None], notices: list[str]
) -> tuple[Any, list[Column]]:
    """Return the numeric columns that are features: all but the others and those without values."""
    used = np.array([name not in others for name in raw.names], dtype=bool)
    if not sp.issparse(raw.numbers):
        empty = used & np.isnan(raw.numbers).all(axis=0)
        used &= ~empty
        if empty.any():
            names = [raw.names[i] for i in np.flatnonzero(empty)]
            notices.append(f"Not used: {listed(names)} (every cell is empty).")
    positions = np.flatnonzero(used)
    return raw.numbers[:, positions], [Column(raw.names[i]) for i in positions]


def _categories(
    texts: dict[str, list[str]], notices: list[str]
) -> tuple[list[np.ndarray], list[Column]]:
    """Encode the text columns that have few levels."""
    codes = []
    columns = []
    unused = []
    for name, cells in texts.items():
        levels = sorted({cell for cell in cells if not is_missing(cell)})
        if 2 <= len(levels) <= MOST_LEVELS:
            column = Column(name, CATEGORY, tuple(levels))
            columns.append(column)
            codes.append(_codes(cells, column))
        else:
            unused.append(name)
    if columns:
        described = [f"{column.name} ({', '.join(column.levels)})" for column in columns]
        notices.append(f"Read as categories: {listed(described)}.")
    if unused:
        reason = f"text, but not 2 to {MOST_LEVELS} different values"
        notices.append(f"Not used: {listed(unused)} ({reason}).")
    return codes, columns


def _codes(cells: Sequence[str], column: Column) -> np.ndarray:
    """Return the code of every cell; NaN for missing values."""
    code_of = {level: float(code) for code, level in enumerate(column.levels)}
    return np.array([code_of.get(cell, np.nan) for cell in cells])


def _beside(numbers: Any, codes: list[np.ndarray]) -> Any:
    block = np.column_stack(codes)
    if sp.issparse(numbers):
        return sp.hstack([numbers, block]).tocsr()
    return np.hstack([numbers, block])


def _check_kind(raw: RawColumns, column: Column, positions: dict[str, int]) -> None:
    """Refuse a file in which a column of the model is missing or of another kind."""
    is_text = column.name in raw.texts
    if not is_text and column.name not in positions:
        raise ValueError(f"{raw.source}: column {column.name!r} is missing; the model needs it")
    if is_text and column.kind != CATEGORY:
        raise ValueError(f"{raw.source}: column {column.name!r} is text; the model needs numbers")
    if not is_text and column.kind == CATEGORY:
        levels = ", ".join(column.levels)
        raise ValueError(
            f"{raw.source}: column {column.name!r} is numeric; the model needs text ({levels})"
        )


def _values_for(raw: RawColumns, column: Column, positions: dict[str, int]) -> np.ndarray:
    """Return the values of one of the model's columns."""
    if column.kind == CATEGORY:
        cells = raw.texts[column.name]
        _check_levels(raw, column, cells)
        return _codes(cells, column)
    return _numeric_column(raw, positions[column.name])


def _check_levels(raw: RawColumns, column: Column, cells: Sequence[str]) -> None:
    for row, cell in enumerate(cells):
        if cell not in column.levels and not is_missing(cell):
            levels = ", ".join(column.levels)
            raise ValueError(
                f"{raw.place(row, column.name)}: {cell!r} is not one of the model's "
                f"categories ({levels})"
            )


def _missing_value(raw: RawColumns, data: FileData, incomplete: np.ndarray) -> str:
    """Return the message about the first missing value."""
    row = int(incomplete.argmax())
    values = data.frame.values[[row]]
    if sp.issparse(values):
        values = values.toarray()
    column = data.names[int(np.isnan(values).argmax())]
    return (
        f"{raw.place(row, column)}: no value; missing values occur in {incomplete.sum()} of "
        f"{len(incomplete)} rows. Use --missing drop to drop these rows, or --missing handle to "
        "let the forest handle them"
    )


def _drop_rows(data: FileData, incomplete: np.ndarray) -> FileData:
    kept = np.flatnonzero(~incomplete)
    if not len(kept):
        raise ValueError(
            f"{data.source}: every row has a missing value, so --missing drop leaves none"
        )
    notice = f"Dropped {incomplete.sum()} of {len(incomplete)} rows (missing values)."
    return replace(
        data,
        frame=Frame(data.frame.values[kept], data.frame.schema),
        rows=kept,
        ids=_pick(data.ids, kept),
        labels=_pick(data.labels, kept),
        notices=[*data.notices, notice],
    )


def _pick(texts: list[str] | None, rows: np.ndarray) -> list[str] | None:
    return None if texts is None else [texts[row] for row in rows]


def _incomplete_rows(values: Any) -> np.ndarray:
    """Return which rows have a missing value."""
    if not sp.issparse(values):
        return np.isnan(values).any(axis=1)
    is_nan = np.isnan(values.data).astype(float)
    gaps = sp.csr_matrix((is_nan, values.indices, values.indptr), shape=values.shape)
    return np.asarray(gaps.sum(axis=1)).ravel() > 0
