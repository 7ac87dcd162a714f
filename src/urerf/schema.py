"""What is known about the columns of a table: their names, their kinds and, for categories, levels.

Files, the estimator, the model file and the report share this record, so that none of them has to
read a meaning out of a column's name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

NUMBER = "number"
CATEGORY = "category"
KINDS = (NUMBER, CATEGORY)


@dataclass(frozen=True)
class Column:
    """One column: its name, kind and, for a category, its levels in the order of their codes."""

    name: str
    kind: str = NUMBER
    levels: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"kind: must be one of {', '.join(KINDS)}, got {self.kind!r}")
        if self.levels and self.kind != CATEGORY:
            raise ValueError(f"levels: column {self.name!r} is a {self.kind} and has none")


@dataclass(frozen=True)
class Schema:
    """The columns of a table, in order.

    Examples
    --------
    >>> schema = Schema((Column("age"), Column("color", CATEGORY, ("blue", "red"))))
    >>> schema.names
    ['age', 'color']
    >>> Schema.from_json(schema.to_json()) == schema
    True
    """

    columns: tuple[Column, ...]

    @classmethod
    def of_numbers(cls, names: Sequence[str]) -> Schema:
        """Return the schema of a table in which every column holds numbers."""
        return cls(tuple(Column(name) for name in names))

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return [column.name for column in self.columns]

    def to_json(self) -> list[dict[str, Any]]:
        """Return the schema as lists and dicts that JSON can hold."""
        return [
            {"name": column.name, "kind": column.kind, "levels": list(column.levels)}
            for column in self.columns
        ]

    @classmethod
    def from_json(cls, entries: Any) -> Schema:
        """Return the schema that `to_json` described; raise ValueError for anything else."""
        if not isinstance(entries, list):
            raise ValueError("schema: must be a list of columns")
        return cls(tuple(_column_from_json(entry) for entry in entries))


class Frame(NamedTuple):
    """Values (rows x columns; codes for categories, NaN for missing) with their schema."""

    values: Any
    schema: Schema


def _column_from_json(entry: Any) -> Column:
    if not isinstance(entry, dict) or set(entry) != {"name", "kind", "levels"}:
        raise ValueError(f"schema: {entry!r} does not describe a column")
    name = entry["name"]
    levels = entry["levels"]
    if not isinstance(name, str):
        raise ValueError(f"schema: {name!r} is not a column name")
    if not isinstance(levels, list) or not all(isinstance(level, str) for level in levels):
        raise ValueError(f"schema: column {name!r} has levels that are not text")
    return Column(name, entry["kind"], tuple(levels))
