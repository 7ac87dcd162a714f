"""What every reader returns: numeric columns, text columns, and the line of each row."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp

# Cells that stand for a missing value, in lower case.
MISSING = frozenset(["", "na", "n/a", "nan", "null", "none", "?", "-"])


@dataclass(eq=False)
class RawColumns:
    """The columns of a file as they were read, before any is selected or encoded.

    Attributes
    ----------
    source : str
        Name of the file, for messages.
    names : list of str
        Names of the numeric columns.
    numbers : ndarray or CSR matrix of shape (rows, columns)
        The numeric columns; NaN for missing values.
    texts : dict of str to list of str
        The text columns.
    ids : list of str or None
        Row names, if the format stores them.
    lines : ndarray or None
        Line number of each row; None for formats without lines.
    """

    source: str
    names: list[str]
    numbers: Any
    texts: dict[str, list[str]] = field(default_factory=dict)
    ids: list[str] | None = None
    lines: np.ndarray | None = None

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.numbers.shape[0])

    def positions(self) -> dict[str, int]:
        """Return the position of every numeric column."""
        return {name: i for i, name in enumerate(self.names)}

    @property
    def all_names(self) -> list[str]:
        """Names of all columns, the numeric ones first."""
        return [*self.names, *self.texts]

    def place(self, row: int, column: str) -> str:
        """Return the position of a cell for an error message."""
        line = f"row {row}" if self.lines is None else f"line {self.lines[row]}"
        return f"{self.source}: {line}, column {column!r}"


def is_missing(cell: str) -> bool:
    """Return whether a cell stands for a missing value."""
    return cell.strip().lower() in MISSING


def stack(columns: Sequence[np.ndarray], n_rows: int) -> np.ndarray:
    """Return columns side by side, as an array of shape (n_rows, columns); there may be none."""
    if not columns:
        return np.empty((n_rows, 0))
    return np.column_stack(columns)


def join(parts: Sequence[RawColumns]) -> RawColumns:
    """Append the rows of files that have the same columns.

    Error messages about a cell then count rows over all files.
    """
    first = parts[0]
    if len(parts) == 1:
        return first
    for part in parts[1:]:
        _check_same_columns(first, part)
    numbers = [in_order(part, first.names) for part in parts]
    joined = sp.vstack(numbers).tocsr() if sp.issparse(first.numbers) else np.vstack(numbers)
    texts = {}
    for name in first.texts:
        texts[name] = [cell for part in parts for cell in part.texts[name]]
    ids = None
    if first.ids is not None:
        ids = [name for part in parts for name in part.ids or ()]
    source = f"{first.source} and {len(parts) - 1} more"
    return RawColumns(source, first.names, joined, texts, ids)


def in_order(raw: RawColumns, names: Sequence[str]) -> Any:
    """Return the values of numeric columns, in the order of the names."""
    positions = raw.positions()
    return raw.numbers[:, [positions[name] for name in names]]


def _check_same_columns(first: RawColumns, other: RawColumns) -> None:
    _check_same_names("numeric", first, first.names, other, other.names)
    _check_same_names("text", first, first.texts, other, other.texts)


def _check_same_names(
    kind: str,
    first: RawColumns,
    names: Collection[str],
    other: RawColumns,
    other_names: Collection[str],
) -> None:
    different = sorted(set(names) ^ set(other_names))
    if different:
        raise ValueError(
            f"{other.source}: column {different[0]!r} is {kind} in only one of {first.source} "
            f"and {other.source}; files that are read together must have the same columns"
        )
