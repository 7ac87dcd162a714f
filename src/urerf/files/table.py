"""What every reader returns: the columns of a file, before any is recognized."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp

from urerf.kinds.convert import Levels, Plain, as_levels, merged, number_text, plain
from urerf.schema import IGNORE, NUMBER

from .._typing import Array
from .options import Roles


@dataclass(eq=False)
class RawTable:
    """The columns of a file as they were read.

    Attributes
    ----------
    source : str
        Name of the file, for messages.
    columns : dict of str to values
        The columns in their order; values as `urerf.kinds.recognize.recognize` takes them.
    n_rows : int
        Number of rows.
    matrix : ndarray, CSR matrix or None
        The table of a format that has only numbers, without column names. Such columns are not
        examined: they are all numbers.
    names : list of str
        Names of the columns of the matrix.
    ids : list of str or None
        Row names, if the format stores them.
    lines : ndarray or None
        Line number of each row; None for formats without lines.
    notices : list of str
        What the user should know.
    day_first : bool or None
        How dates such as 1/2/2020 are probably written in this file.
    unit_of_lines : str
        What ``lines`` are called in messages: a line of a text file or a row of a sheet.
    row_names : str or None
        Column without a name at the beginning, which names the rows if all are different.
    roles : dict of str to role
        What the user says about columns.
    """

    source: str
    columns: dict[str, Any]
    n_rows: int
    matrix: Any = None
    names: list[str] = field(default_factory=list)
    ids: list[str] | None = None
    lines: Array | None = None
    notices: list[str] = field(default_factory=list)
    day_first: bool | None = None
    unit_of_lines: str = "line"
    row_names: str | None = None
    roles: dict[str, Any] = field(default_factory=dict)

    @property
    def all_names(self) -> list[str]:
        """Names of all columns."""
        return [*self.names, *self.columns]

    def values(self, name: str) -> Any:
        """Return the values of a column."""
        if name in self.columns:
            return self.columns[name]
        position = self.names.index(name)
        values = self.matrix[:, position]
        if sp.issparse(values):
            return values.toarray().ravel()
        return values

    def texts(self, name: str | None) -> list[str] | None:
        """Return a column as text, None if there is no such column."""
        if name is None:
            return None
        return texts_of(self.values(name))

    def place(self, row: int, column: str) -> str:
        """Return the position of a cell for an error message."""
        line = f"row {row}"
        if self.lines is not None:
            line = f"{self.unit_of_lines} {self.lines[row]}"
        return f"{self.source}: {line}, column {column!r}"


def keep_declared(raw: RawTable, roles: Roles) -> list[str]:
    """Keep only those columns beside the matrix that the user names; return the others."""
    raw.roles = roles.resolve(raw.all_names, raw.source)
    others = [name for name in raw.columns if name not in raw.roles]
    unused = []
    for name in raw.columns:
        role = raw.roles.get(name, IGNORE)
        if role == IGNORE:
            unused.append(name)
    for name in unused:
        del raw.columns[name]
    return others


def texts_of(values: Any) -> list[str]:
    """Return a column as text; missing values become empty."""
    dtype = getattr(values, "dtype", None)
    if dtype is not None and dtype.kind in "iu":
        return [str(value) for value in values.tolist()]
    column = plain(values)
    if column.kind == NUMBER:
        numbers = column.values.tolist()
        return ["" if number != number else number_text(number) for number in numbers]
    levels = as_levels(column)
    texts = [*levels.levels, ""]
    return [texts[code] for code in levels.codes.tolist()]


def join(parts: Sequence[RawTable]) -> RawTable:
    """Append the rows of files that have the same columns.

    Error messages about a cell then count rows over all files.
    """
    first = parts[0]
    if len(parts) == 1:
        return first
    for part in parts[1:]:
        _check_same_names(first, part)
    columns = {name: _append(name, parts) for name in first.columns}
    ids = None
    if all(part.ids is not None for part in parts):
        ids = [name for part in parts for name in part.ids or ()]
    notices = []
    for part in parts:
        notices += [f"{part.source}: {notice}" for notice in part.notices]
    source = f"{first.source} and {len(parts) - 1} more"
    n_rows = sum(part.n_rows for part in parts)
    matrix = _append_matrices(parts)
    return RawTable(
        source,
        columns,
        n_rows,
        matrix=matrix,
        names=first.names,
        ids=ids,
        notices=notices,
        day_first=first.day_first,
        roles=first.roles,
    )


def _check_same_names(first: RawTable, other: RawTable) -> None:
    different = sorted(set(first.all_names) ^ set(other.all_names))
    is_first_matrix = first.matrix is not None
    is_other_matrix = other.matrix is not None
    if different or is_first_matrix != is_other_matrix:
        detail = "formats"
        if different:
            detail = f"column {different[0]!r} is in only one of them"
        raise ValueError(
            f"{other.source}: does not have the columns of {first.source} ({detail}); files that "
            "are read together must have the same columns"
        )


def _append_matrices(parts: Sequence[RawTable]) -> Any:
    if parts[0].matrix is None:
        return None
    matrices = [part.matrix for part in parts]
    if any(map(sp.issparse, matrices)):
        sparse = [sp.csr_matrix(matrix) for matrix in matrices]
        return sp.vstack(sparse).tocsr()
    return np.vstack(matrices)


def _append(name: str, parts: Sequence[RawTable]) -> Any:
    """Return one column of all files."""
    given = [part.columns[name] for part in parts]
    types = {getattr(values, "dtype", None) for values in given}
    if len(types) == 1 and None not in types:
        return np.concatenate(given)
    columns = [plain(values) for values in given]
    filled = [i for i, column in enumerate(columns) if not _is_empty(column)]
    kinds = {columns[i].kind for i in filled}
    if not any(column.is_text for column in columns):
        kind = NUMBER if len(kinds) > 1 else columns[0].kind
        numbers = np.concatenate([column.values for column in columns])
        return Plain(kind, numbers)
    if len(kinds) > 1:
        first = filled[0]
        first_kind = columns[first].kind
        other = next(i for i in filled if columns[i].kind != first_kind)
        raise ValueError(
            f"{parts[other].source}: column {name!r} is not of the same kind in all files (text "
            "in one, numbers in another)"
        )
    levels: list[str] = []
    codes = []
    for text in map(as_levels, columns):
        moved = text.codes + len(levels)
        codes.append(np.where(text.codes < 0, -1, moved))
        levels += text.levels
    all_codes = np.concatenate(codes)
    appended = Levels(all_codes, tuple(levels))
    return merged(appended)


def _is_empty(column: Plain) -> bool:
    if column.is_text:
        return False
    return bool(np.isnan(column.values).all())
