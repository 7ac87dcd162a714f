"""The parameter ``column_kinds``: which kinds of columns the user declared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .._checks import is_int
from .._messages import UnknownNameError, count, hint
from .convert import level_text
from .recognize import check_kind

AUTO = "auto"


def check_column_kinds(column_kinds: Any) -> None:
    """Raise unless the parameter is "auto", or a dict from names or positions to kinds."""
    if isinstance(column_kinds, str) and column_kinds == AUTO:
        return
    if not isinstance(column_kinds, Mapping):
        raise TypeError(
            "column_kinds: must be 'auto' or a dict from column names or positions to kinds, "
            f"got {column_kinds!r}"
        )
    for key, kind in column_kinds.items():
        if not isinstance(key, str) and not is_int(key):
            raise TypeError(
                f"column_kinds: {key!r} is neither a column name nor a position; names are text, "
                f"such as {str(key)!r}"
            )
        check_kind(key, _kind(key, kind))


def declared_kinds(column_kinds: Any, names: Sequence[str]) -> dict[int, Any]:
    """Return the declared kinds by position: one of `urerf.schema.KINDS`, or levels as text.

    >>> declared_kinds({"size": ["S", "M", "L"], 2: "id"}, ["color", "size", "key"])
    {1: ('S', 'M', 'L'), 2: 'id'}
    """
    if isinstance(column_kinds, str):
        return {}
    position_of = {name: i for i, name in enumerate(names)}
    declared: dict[int, Any] = {}
    for key, kind in column_kinds.items():
        position = _position(key, position_of, len(names))
        if position in declared:
            raise ValueError(f"column_kinds: column {names[position]!r} is declared twice")
        declared[position] = _kind(key, kind)
    return declared


def _position(key: Any, position_of: Mapping[str, int], n_columns: int) -> int:
    if is_int(key):
        named = position_of.get(str(key), key)
        if named != key:
            raise ValueError(
                f"column_kinds: {key} may be the position or the name of a column, and these "
                f"differ; name the column as text, such as {str(key)!r}"
            )
        if not 0 <= key < n_columns:
            raise ValueError(
                f"column_kinds: position {key} is out of range; X has "
                f"{count(n_columns, 'column')}, the last one at {n_columns - 1}"
            )
        return int(key)
    if key not in position_of:
        raise UnknownNameError(
            f"column_kinds: X has no column {key!r}; {hint(key, list(position_of))}"
        )
    return position_of[key]


def _kind(key: Any, kind: Any) -> Any:
    """Return a kind, or a tuple of levels as text."""
    if isinstance(kind, str):
        return kind
    if isinstance(kind, np.ndarray):
        kind = kind.tolist()
    if not isinstance(kind, (list, tuple)):
        raise TypeError(
            f"column_kinds: the kind of {key!r} must be a text, or a list of levels in their "
            f"order, got {kind!r}"
        )
    return tuple(level_text(level) for level in kind)


def to_json(column_kinds: Any) -> Any:
    """Return the parameter as JSON can hold it: a dict becomes pairs, as positions are not text."""
    if isinstance(column_kinds, str):
        return column_kinds
    pairs = []
    for key, kind in column_kinds.items():
        column = int(key) if is_int(key) else str(key)
        pairs.append([column, _kind_to_json(key, kind)])
    return pairs


def _kind_to_json(key: Any, kind: Any) -> Any:
    kind = _kind(key, kind)
    return kind if isinstance(kind, str) else list(kind)


def from_json(stored: Any) -> Any:
    """Return the parameter that `to_json` described; raise ValueError for anything else.

    >>> from_json(to_json({"size": ("S", "L"), 0: "id"}))
    {'size': ['S', 'L'], 0: 'id'}
    """
    if isinstance(stored, str):
        return stored
    if not isinstance(stored, list) or not all(
        isinstance(pair, list) and len(pair) == 2 for pair in stored
    ):
        raise ValueError("column_kinds: must be a list of pairs")
    return dict(stored)
