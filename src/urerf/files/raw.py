"""What a reader hands on: columns of numbers, columns of text, and where each row stands in its file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp

# Cells that say "no value", compared in lower case.
MISSING = frozenset(["", "na", "n/a", "nan", "null", "none", "?", "-"])


@dataclass(eq=False)
class Raw:
    """A table as it was read, before anything is decided about it.

    Attributes
    ----------
    source : str
        Name of the file, for messages.
    names, numbers :
        The columns of numbers, (rows, columns), dense or CSR; NaN where there is no value.
    texts : dict
        The other columns.
    ids : list of str or None
        Names of the rows, where the format has a place for them.
    lines : ndarray or None
        The line of the file each row stands on; None for files that have no lines.
    """

    source: str
    names: list[str]
    numbers: Any
    texts: dict[str, list[str]] = field(default_factory=dict)
    ids: list[str] | None = None
    lines: np.ndarray | None = None

    @property
    def n_rows(self) -> int:
        """Rows of the table."""
        return int(self.numbers.shape[0])

    def place(self, row: int, column: str) -> str:
        """Say where a cell is."""
        at = f"row {row}" if self.lines is None else f"line {self.lines[row]}"
        return f"{self.source}: {at}, column {column!r}"


def is_missing(cell: str) -> bool:
    """Tell whether a cell says "no value"."""
    return cell.strip().lower() in MISSING


def stack(columns: Sequence[np.ndarray], n_rows: int) -> np.ndarray:
    """Put columns side by side, (rows, columns); there may be none."""
    return np.column_stack(columns) if len(columns) else np.empty((n_rows, 0))


def join(parts: Sequence[Raw]) -> Raw:
    """Put tables with the same columns one below the other; a message about a cell then counts rows over all files."""
    first = parts[0]
    if len(parts) == 1:
        return first
    for part in parts[1:]:
        for kind, here, there in (
            ("of numbers", first.names, part.names),
            ("of text", [*first.texts], [*part.texts]),
        ):
            if odd := sorted(set(here) ^ set(there)):
                raise ValueError(
                    f"{part.source}: column {odd[0]!r} is {kind} in one of {first.source} and {part.source} only; "
                    "files that are read together must have the same columns"
                )
    numbers = [part.numbers[:, [part.names.index(name) for name in first.names]] for part in parts]
    whole = sp.vstack(numbers).tocsr() if sp.issparse(first.numbers) else np.vstack(numbers)
    texts = {name: [cell for part in parts for cell in part.texts[name]] for name in first.texts}
    ids = None if first.ids is None else [name for part in parts for name in part.ids or ()]
    return Raw(f"{first.source} and {len(parts) - 1} more", first.names, whole, texts, ids)
