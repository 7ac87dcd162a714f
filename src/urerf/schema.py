"""What is known about the columns of a table: name, kind, levels, and why a column is not used.

Files, the estimator, the model file and the report share this record, so that none of them has to
read a meaning out of a column's name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:  # the command line has to start quickly, and NumPy is slow to import
    from ._typing import Array

NUMBER = "number"
ORDINAL = "ordinal"
CATEGORY = "category"
DATETIME = "datetime"
BOOLEAN = "boolean"
ID = "id"
IGNORE = "ignore"
KINDS = (NUMBER, ORDINAL, CATEGORY, DATETIME, BOOLEAN, ID, IGNORE)

KIND_WORDS = {
    NUMBER: ("number", "numbers"),
    ORDINAL: ("ordinal", "ordinals"),
    CATEGORY: ("category", "categories"),
    BOOLEAN: ("true or false", "true or false"),
    DATETIME: ("date or time", "dates or times"),
    ID: ("id", "ids"),
    IGNORE: ("not used", "not used"),
}
"""What one column of a kind is called, and several, in the order in which they are counted."""

FEATURES = (NUMBER, ORDINAL, CATEGORY, DATETIME, BOOLEAN)
"""Kinds that trees may use."""

WITH_LEVELS = (ORDINAL, CATEGORY)
"""Kinds whose values are codes of levels."""


@dataclass(frozen=True)
class Column:
    """One column of a table.

    Attributes
    ----------
    name : str
        Its name.
    kind : str
        One of `KINDS`.
    levels : tuple of str
        Levels of an ordinal, in their order, or of a category, in the order of their first
        appearance, so that renaming levels changes nothing: level i has the code i. Empty for
        ordinals that are numbers already.
    reason : str
        For an id or an ignored column: why it is not used as a feature, as in "every value is
        different".
    day_first : bool or None
        For dates that are text such as 1/2/2020: whether the day comes first, so that new rows are
        read alike. None for all other columns.
    is_duration : bool
        For times that are text: whether they are times of day or durations, such as 23:59 and
        26:05:00, which have no date. Durations of other types are numbers.
    """

    name: str
    kind: str = NUMBER
    levels: tuple[str, ...] = ()
    reason: str = ""
    day_first: bool | None = field(default=None, repr=False)
    is_duration: bool = field(default=False, repr=False)

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"kind: must be one of {', '.join(KINDS)}, got {self.kind!r}")
        if self.levels and self.kind not in WITH_LEVELS:
            raise ValueError(f"levels: column {self.name!r} is a {self.kind} and has none")

    @property
    def is_feature(self) -> bool:
        """Whether trees may use the column."""
        return self.kind in FEATURES


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

    @property
    def kinds(self) -> list[str]:
        """Kinds of the columns."""
        return [column.kind for column in self.columns]

    @property
    def is_feature(self) -> list[bool]:
        """Whether trees may use each column."""
        return [column.is_feature for column in self.columns]

    @property
    def n_levels(self) -> list[int]:
        """Number of levels of every category; 0 for all other columns."""
        return [len(column.levels) if column.kind == CATEGORY else 0 for column in self.columns]

    def to_json(self) -> list[dict[str, Any]]:
        """Return the schema as lists and dicts that JSON can hold."""
        return [asdict(column) | {"levels": list(column.levels)} for column in self.columns]

    @classmethod
    def from_json(cls, entries: Any) -> Schema:
        """Return the schema that `to_json` described; raise ValueError for anything else."""
        if not isinstance(entries, list):
            raise ValueError("schema: must be a list of columns")
        return cls(tuple(_column_from_json(entry) for entry in entries))


class Frame(NamedTuple):
    """Values with their schema.

    ``values`` is (rows, columns), float64 or CSR, with NaN for missing values: numbers as they are,
    codes for ordinals and categories, 0 and 1 for booleans, days since 1970 for dates and times.
    Columns that are not features hold only NaN. ``row_names`` are what rows are called in results,
    one per row; None if they have only numbers.
    """

    values: Any
    schema: Schema
    row_names: Array | None = None


def _column_from_json(entry: Any) -> Column:
    names = {part.name for part in fields(Column)}
    if not isinstance(entry, dict) or set(entry) | {"is_duration"} != names:
        raise ValueError(f"schema: {entry!r} does not describe a column")
    name = entry["name"]
    levels = entry["levels"]
    if not isinstance(name, str) or not isinstance(entry["reason"], str):
        raise ValueError(f"schema: {name!r} is not a column name, or its reason is not text")
    if not isinstance(levels, list) or not all(isinstance(level, str) for level in levels):
        raise ValueError(f"schema: column {name!r} has levels that are not text")
    if not isinstance(entry["day_first"], (bool, type(None))):
        raise ValueError(f"schema: column {name!r} has a wrong day_first")
    is_duration = entry.get("is_duration", False)  # models that were saved earlier do not have it
    if not isinstance(is_duration, bool):
        raise ValueError(f"schema: column {name!r} has a wrong is_duration")
    return Column(
        name,
        entry["kind"],
        tuple(levels),
        entry["reason"],
        entry["day_first"],
        is_duration,
    )
