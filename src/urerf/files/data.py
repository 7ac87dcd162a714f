"""From the columns of a file to a `Frame`, with row names, labels and what the user should know."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from urerf._messages import listed, plural
from urerf.convert import Levels, is_number, match, plain
from urerf.kinds import (
    DECLARED,
    ROW_NAMES,
    Wording,
    first_few,
    naming_column,
    not_used,
    recognize,
    summary,
)
from urerf.schema import CATEGORY, ID, IGNORE, NUMBER, ORDINAL, Column, Frame, Schema

from .options import LABEL, ColumnOptions, ModelColumns
from .table import RawTable, texts_of

ON_COMMAND_LINE = Wording(
    keep="keep it with --number {quoted}",
    absent="treat them as missing with",
    missing="--na {value}",
    order="give it as --ordinal {quoted}=LOWEST,...,HIGHEST",
    dates="if that is wrong, use --datetime {quoted}={order}",
)
# Text with digits and without letters, as numbers in a form that is not known.
MEASURED = re.compile(r"[^A-Za-z\d]*+\d[^A-Za-z]*+")
MANY_LEVELS = 100  # more levels than codes and groups such as 20-29 usually have


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
    notices : list of str
        What the user should know: how columns were read, which are not used and why, rows that
        were dropped.
    """

    frame: Frame
    rows: np.ndarray
    ids: list[str] | None
    labels: list[str] | None
    source: str
    notices: list[str] = field(default_factory=list)

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

    def keys(self) -> np.ndarray:
        """Return what rows are called in results: their names, or else their numbers."""
        if self.ids is None:
            return self.rows
        return np.array(self.ids, dtype=object)


def select(raw: RawTable, options: ColumnOptions, missing: str) -> FileData:
    """Recognize the columns of a file that a model is fitted on."""
    recognizer = Recognizer(raw, options)
    labels = None
    if options.label is not None:
        labels = texts_of(_column(raw, options.label))
    blocks = []
    if raw.matrix is not None:
        blocks.append(recognizer.recognize_matrix())
    if raw.columns:
        blocks.append(recognizer.recognize_columns())
    values = blocks[0]
    if len(blocks) > 1:
        values = sp.hstack(blocks).tocsr() if sp.issparse(values) else np.hstack(blocks)
    columns = list(recognizer.columns.values())
    told = [notice for notices in recognizer.notices.values() for notice in notices]
    notices = [
        *raw.notices,
        *not_used(columns, ON_COMMAND_LINE),
        *summary(columns),
        *first_few(told),
    ]
    _check_features(raw, columns, notices)
    ids = raw.ids
    name = options.id[0] if options.id else naming_column(columns)
    if name is not None:
        ids = texts_of(_column(raw, name))
    return _finish(raw, Frame(values, Schema(tuple(columns))), ids, labels, notices, missing)


def _column(raw: RawTable, name: str) -> Any:
    """Return the values of a column, of the matrix or of its own."""
    if name in raw.columns:
        return raw.columns[name]
    values = raw.matrix[:, raw.names.index(name)]
    return values.toarray().ravel() if sp.issparse(values) else values


class Recognizer:
    """Recognizes the columns of a file, one after the other."""

    def __init__(self, raw: RawTable, options: ColumnOptions) -> None:
        self.raw = raw
        self.roles = options.resolve(raw.all_names, raw.source)
        self.orders = options.day_first(raw.all_names, raw.source)
        self.columns: dict[str, Column] = {}
        self.notices: dict[str, tuple[str, ...]] = {}

    def values(self, name: str, day_first: bool | None = None) -> np.ndarray:
        """Return the values of a column; remember its kind and the notices about it."""
        role = self.roles.get(name)
        if day_first is None:
            day_first = self.orders.get(name, self.raw.day_first)
        cells = _column(self.raw, name)
        if role == LABEL:
            return self._left_out(Column(name, IGNORE, reason=DECLARED))
        if role is None and name == self.raw.row_names and _all_different(cells):
            return self._left_out(Column(name, ID, reason=ROW_NAMES))
        with naming(self.raw.source):
            one = recognize(name, cells, role, wording=ON_COMMAND_LINE, day_first=day_first)
        self.columns[name] = one.column
        if one.notices:
            self.notices[name] = one.notices
        return one.values

    def _left_out(self, column: Column) -> np.ndarray:
        self.columns[column.name] = column
        return np.full(self.raw.n_rows, np.nan)

    def recognize_matrix(self) -> Any:
        """Return the values of a format without column names: numbers, unless declared."""
        raw = self.raw
        self.columns = {name: Column(name) for name in raw.names}
        declared = [name for name in raw.names if name in self.roles]
        values = raw.matrix
        if sp.issparse(values):
            return self._sparse_matrix(declared)
        if declared:
            values = values.astype(np.float64)
        for name in declared:
            values[:, raw.names.index(name)] = self.values(name)
        return values

    def _sparse_matrix(self, declared: list[str]) -> Any:
        used = np.ones(len(self.raw.names))
        for name in declared:
            self.values(name)
            if not self.columns[name].is_feature:
                used[self.raw.names.index(name)] = 0.0
            elif self.columns[name].kind != NUMBER:
                raise ValueError(
                    f"{self.raw.source}: column {name!r} of a sparse matrix must be a number"
                )
        if used.all():
            return self.raw.matrix
        return sp.csr_matrix(self.raw.matrix @ sp.diags_array(used))

    def recognize_columns(self) -> np.ndarray:
        """Return the values of columns that have names."""
        names = list(self.raw.columns)
        values = np.empty((self.raw.n_rows, len(names)))
        for i, name in enumerate(names):
            values[:, i] = self.values(name)
            if self.columns[name].kind in (NUMBER, CATEGORY):
                self.raw.columns[name] = None  # not needed any more; gives back memory
        known = {
            column.day_first
            for column in self.columns.values()
            if column.day_first is not None and column.name not in self.notices
        }
        if len(known) == 1:  # ambiguous dates are read like the others of the file
            order = known.pop()
            for i, name in enumerate(names):
                if name in self.notices and self.columns[name].day_first == (not order):
                    values[:, i] = self.values(name, order)
        return values


def _all_different(cells: Any) -> bool:
    """Return whether a column is text or whole numbers, without repetitions or gaps."""
    column = plain(cells)
    if column.is_text:
        return len(column.values.levels) == len(column.values.codes)
    numbers = column.values
    is_whole = bool((numbers == np.floor(numbers)).all())
    return is_whole and len(np.unique(numbers)) == len(numbers)


def _check_features(raw: RawTable, columns: list[Column], notices: list[str]) -> None:
    """Refuse a table in which no column is left, or which lost all its measurements."""
    features = [column for column in columns if column.is_feature]
    if not features:
        raise ValueError(f"{raw.source}: no usable column is left. {' '.join(notices)}".strip())
    if any(column.kind != CATEGORY for column in features):
        return
    lost = [column.name for column in columns if _looks_measured(column, raw)]
    if lost:
        raise ValueError(
            f"{raw.source}: no column could be read as numbers, although {listed(lost)} "
            f"{'looks' if len(lost) == 1 else 'look'} like numbers; say how they are written with "
            "--decimal, --thousands or --sep, or declare them with --categorical or --ignore"
        )


def _looks_measured(column: Column, raw: RawTable) -> bool:
    """Return whether nearly all cells have digits and no letters, and most are different."""
    if column.reason in (DECLARED, ROW_NAMES):
        return False
    values = raw.columns.get(column.name)
    levels = values.levels if isinstance(values, Levels) else column.levels
    sample = levels[:1000]
    n_digits = sum(MEASURED.fullmatch(level) is not None for level in sample)
    is_varied = 2 * len(levels) > raw.n_rows or len(levels) > MANY_LEVELS
    return is_varied and n_digits > 0.8 * len(sample) > 0


def select_for_model(raw: RawTable, model: ModelColumns, missing: str) -> FileData:
    """Pick the columns that a model was fitted on, by name, and encode categories as it did."""
    schema = model.schema
    available = set(raw.all_names)
    absent = [c.name for c in schema.columns if c.is_feature and c.name not in available]
    if absent:
        raise ValueError(
            f"{raw.source}: {plural(len(absent), 'column')} {listed(list(map(repr, absent)))} "
            f"{'is' if len(absent) == 1 else 'are'} missing; the model needs "
            f"{'it' if len(absent) == 1 else 'them'}"
        )
    notices = list(raw.notices)
    known = {model.id, *schema.names}
    extra = [name for name in raw.all_names if name not in known]
    if extra:
        notices.append(f"Not used: {listed(extra)} (not in the model).")
    if sp.issparse(raw.matrix) and raw.names == schema.names:
        values = raw.matrix
    else:
        values = np.full((raw.n_rows, len(schema.columns)), np.nan)
        for i, column in enumerate(schema.columns):
            if column.is_feature:
                values[:, i] = _matched(raw, column, notices)
    ids = raw.ids
    if model.naming in available:
        ids = texts_of(_column(raw, str(model.naming)))
    return _finish(raw, Frame(values, schema), ids, None, notices, missing)


def _matched(raw: RawTable, column: Column, notices: list[str]) -> np.ndarray:
    """Return the values of one of the model's columns."""
    cells = plain(_column(raw, column.name))
    if column.levels and not cells.is_text and cells.kind == NUMBER:
        words = [level for level in column.levels if not is_number(level)]
        if len(words) == len(column.levels) and not np.isnan(cells.values).all():
            raise ValueError(
                f"{raw.source}: column {column.name!r} is numeric; the model needs text "
                f"({listed(words)})"
            )
    if cells.is_text and column.kind in (NUMBER, ORDINAL) and not column.levels:
        bad = [level for level in cells.values.levels if not is_number(level)]
        if bad:
            raise ValueError(
                f"{raw.source}: column {column.name!r} is text ({bad[0]!r}); "
                "the model needs numbers"
            )
    with naming(f"{raw.source}: column {column.name!r}"):
        found = match(column, cells)
    if found.unknown:
        cells_have = "cell has a level" if found.n_unknown == 1 else "cells have levels"
        notices.append(
            f"{column.name}: {found.n_unknown:,} {cells_have} the model does not know: "
            f"{listed(found.unknown)}"
        )
    return found.values


@contextlib.contextmanager
def naming(source: str) -> Iterator[None]:
    """Within this block, an error names the file."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{source}: {error}") from None


def _finish(
    raw: RawTable,
    frame: Frame,
    ids: list[str] | None,
    labels: list[str] | None,
    notices: list[str],
    missing: str,
) -> FileData:
    """Handle missing values."""
    rows = np.arange(raw.n_rows)
    data = FileData(frame, rows, ids, labels, raw.source, notices)
    incomplete = _incomplete_rows(frame)
    if missing == "handle" or not incomplete.any():
        return data
    if missing == "error":
        raise ValueError(_missing_value(raw, data, incomplete))
    return _drop_rows(data, incomplete)


def _missing_value(raw: RawTable, data: FileData, incomplete: np.ndarray) -> str:
    """Return the message about the first missing value."""
    row = int(incomplete.argmax())
    values = data.frame.values[[row]]
    if sp.issparse(values):
        values = values.toarray()
    features = np.array(data.frame.schema.is_feature)
    column = data.names[int((np.isnan(values[0]) & features).argmax())]
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


def _incomplete_rows(frame: Frame) -> np.ndarray:
    """Return which rows have a missing value in a column that is a feature."""
    values = frame.values
    if not sp.issparse(values):
        incomplete = np.zeros(len(values), dtype=bool)
        for i in np.flatnonzero(frame.schema.is_feature):
            incomplete |= np.isnan(values[:, i])
        return incomplete
    is_nan = np.isnan(values.data).astype(float)
    gaps = sp.csr_matrix((is_nan, values.indices, values.indptr), shape=values.shape)
    return np.asarray(gaps.sum(axis=1)).ravel() > 0
