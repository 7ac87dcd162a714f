"""From the columns of a file that a model is fitted on to a `Frame`."""

from __future__ import annotations

import re
import shlex
from typing import Any

import numpy as np
import scipy.sparse as sp

from urerf._messages import listed
from urerf.kinds.convert import as_levels, naming, plain
from urerf.kinds.notices import (
    DECLARED,
    ROW_NAMES,
    AboutColumn,
    Wording,
    about_columns,
    not_used,
    summary,
)
from urerf.kinds.recognize import naming_column, recognize
from urerf.schema import CATEGORY, ID, IGNORE, NUMBER, Column, Frame, Schema

from .._typing import Array
from .data import FileData, finish
from .number_formats import are_codes
from .options import GROUP, LABEL, ColumnOptions, named_columns
from .table import RawTable
from .totals import total_notice

ON_COMMAND_LINE = Wording(
    number="--number {quoted}",
    category="--categorical {quoted}",
    separator=" ",
    keep="keep {them} with {kinds}",
    group="declare them with --group {quoted}",
    leave_out="leave it out with --ignore {quoted}",
    absent="treat them as missing with",
    missing="--na {quoted}={value}",
    missing_everywhere="--na {value}",
    order="give it as --ordinal {quoted}=LOWEST,...,HIGHEST",
    declare="--{kind} {quoted}",
    dates="if that is wrong, use --datetime {quoted}={order}",
)
# Text with digits and without letters, as numbers in a form that is not known.
MEASURED = re.compile(r"[^A-Za-z\d]*+\d[^A-Za-z]*+")
UNUSUAL_SEPARATOR = re.compile(r"[\^~:!&#]")  # not looked for, since it occurs within cells
MANY_LEVELS = 100  # more levels than codes and groups such as 20-29 usually have


def select(raw: RawTable, options: ColumnOptions, missing: str) -> FileData:
    """Recognize the columns of a file that a model is fitted on."""
    recognizer = Recognizer(raw, options)
    labels = raw.texts(options.label)
    groups = raw.texts(options.group)
    blocks = []
    if raw.matrix is not None:
        blocks.append(recognizer.recognize_matrix())
    if raw.columns:
        blocks.append(recognizer.recognize_columns())
    values = blocks[0]
    if len(blocks) > 1:
        is_sparse = sp.issparse(values)
        values = sp.hstack(blocks).tocsr() if is_sparse else np.hstack(blocks)
    columns = list(recognizer.columns.values())
    name = naming_column(columns)
    if options.id:
        name = named_columns("--id", options.id[0], raw.all_names, raw.source)[0]
    ids = raw.texts(name) or raw.ids
    others = [column for column in columns if column.name != name]
    notices = [
        *raw.notices,
        *_row_names(columns, name),
        *not_used(others, ON_COMMAND_LINE),
        *summary(columns),
        *about_columns(recognizer.about.values(), ON_COMMAND_LINE),
    ]
    _check_features(raw, columns, notices)
    notices += total_notice(values, columns)
    schema = Schema(tuple(columns))
    frame = Frame(values, schema)
    return finish(raw, frame, ids, labels, notices, missing, groups)


def _row_names(columns: list[Column], name: str | None) -> list[str]:
    """Return one line about the column that names the rows, if nobody declared it."""
    for column in columns:
        if column.name == name and column.reason not in (DECLARED, ROW_NAMES):
            return [f"Row names: {name} ({column.reason})."]
    return []


class Recognizer:
    """Recognizes the columns of a file, one after the other."""

    def __init__(self, raw: RawTable, options: ColumnOptions) -> None:
        self.raw = raw
        self.orders = options.day_first(raw.all_names, raw.source)
        self.columns: dict[str, Column] = {}
        self.about: dict[str, AboutColumn] = {}

    def values(self, name: str, day_first: bool | None = None) -> Array:
        """Return the values of a column; remember its kind and the notices about it."""
        role = self.raw.roles.get(name)
        cells = self.raw.values(name)
        may_name_rows = role is None and name == self.raw.row_names
        if may_name_rows and _all_different(cells):
            self.columns[name] = Column(name, ID, reason=ROW_NAMES)
            return np.full(self.raw.n_rows, np.nan)
        if role in (LABEL, GROUP):
            role = IGNORE
        if day_first is None:
            day_first = self.orders.get(name, self.raw.day_first)
        with naming(f"{self.raw.source}: column {name!r}"):
            one = recognize(name, cells, role, wording=ON_COMMAND_LINE, day_first=day_first)
        self.columns[name] = one.column
        self.about[name] = one.about
        return one.values

    def recognize_matrix(self) -> Any:
        """Return the values of a format without column names: numbers, unless declared."""
        raw = self.raw
        self.columns = {name: Column(name) for name in raw.names}
        declared = [name for name in raw.names if name in raw.roles]
        if not declared:
            return raw.matrix
        if sp.issparse(raw.matrix):
            return self._sparse_matrix(declared)
        values = raw.matrix.astype(np.float64)
        for name in declared:
            position = raw.names.index(name)
            values[:, position] = self.values(name)
        return values

    def _sparse_matrix(self, declared: list[str]) -> Any:
        """Return the sparse matrix with zeros in the columns that are not used."""
        for name in declared:
            self.values(name)
            kind = self.columns[name].kind
            if kind not in (NUMBER, ID, IGNORE):
                raise ValueError(
                    f"{self.raw.source}: column {name!r} of a sparse matrix must be a number"
                )
        matrix = self.raw.matrix
        is_used = [column.is_feature for column in self.columns.values()]
        ones = np.array(is_used, dtype=matrix.dtype)
        used = matrix @ sp.diags_array(ones)
        return sp.csr_matrix(used)

    def recognize_columns(self) -> Array:
        """Return the values of columns that have names."""
        names = list(self.raw.columns)
        values = np.empty((self.raw.n_rows, len(names)))
        for i, name in enumerate(names):
            values[:, i] = self.values(name)
            kind = self.columns[name].kind
            if kind in (NUMBER, CATEGORY):
                self.raw.columns[name] = None  # not needed any more; gives back memory
        self._read_dates_alike(values, names)
        return values

    def _read_dates_alike(self, values: Array, names: list[str]) -> None:
        """Read dates of which day and month could be exchanged like the other dates of the file."""
        ambiguous = []
        known = set()
        for i, name in enumerate(names):
            order = self.columns[name].day_first
            if order is None:
                continue
            if self.about[name].texts:
                ambiguous.append(i)
            else:
                known.add(order)
        if len(known) == 1:
            for i in ambiguous:
                values[:, i] = self.values(names[i], *known)


def _all_different(cells: Any) -> bool:
    """Return whether a column is text or whole numbers, without repetitions or gaps."""
    column = plain(cells)
    if column.is_text:
        codes, levels, _ = column.values
        return len(levels) == len(codes)
    numbers = column.values
    is_whole = numbers == np.floor(numbers)
    if not is_whole.all():
        return False
    different = np.unique(numbers)
    return len(different) == len(numbers)


def _check_features(raw: RawTable, columns: list[Column], notices: list[str]) -> None:
    """Refuse a table in which no column is left, or which lost all its measurements."""
    features = [column for column in columns if column.is_feature]
    if not features:
        told = [f"{raw.source}: no usable column is left.", *notices]
        if len(columns) == 1 and (match := UNUSUAL_SEPARATOR.search(columns[0].name)):
            mark = match[0]
            told.append(f"If {mark} separates columns, use --sep {shlex.quote(mark)}.")
        raise ValueError(" ".join(told))
    if any(column.kind != CATEGORY for column in features):
        return
    lost = [column.name for column in columns if _looks_measured(column, raw)]
    if lost:
        look = "looks" if len(lost) == 1 else "look"
        raise ValueError(
            f"{raw.source}: no column could be read as numbers, although {listed(lost)} "
            f"{look} like numbers; say how they are written with "
            "--decimal, --thousands or --sep, or declare them with --categorical or --ignore"
        )


def _looks_measured(column: Column, raw: RawTable) -> bool:
    """Return whether nearly all cells have digits and no letters, and most are different."""
    if column.reason in (DECLARED, ROW_NAMES):
        return False
    levels = column.levels
    if column.kind == ID:
        cells = plain(raw.values(column.name))
        levels = as_levels(cells).levels
    sample = levels[:1000]
    n_digits = sum(MEASURED.fullmatch(level) is not None for level in sample)
    is_varied = 2 * len(levels) > raw.n_rows or len(levels) > MANY_LEVELS
    are_measured = n_digits > 0.8 * len(sample) > 0
    return is_varied and are_measured and not are_codes(sample)
