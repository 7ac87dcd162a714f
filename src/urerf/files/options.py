"""What the user says about a file and its columns."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from urerf._messages import UnknownNameError, hint
from urerf.kinds.recognize import naming_column
from urerf.schema import CATEGORY, DATETIME, ID, IGNORE, NUMBER, ORDINAL, Schema

LABEL = "label"
GROUP = "group"
# Orders of day and month that `--datetime COLUMN=ORDER` accepts.
DAY_FIRST = {"dmy": True, "mdy": False}


class DeclaredTwiceError(UnknownNameError):
    """A column in two options; wrong usage, as an unknown name is."""


@dataclass(frozen=True)
class ReadOptions:
    """How to read a file; None stands for "find out".

    Attributes
    ----------
    header : bool or None
        Whether the first line of the table contains column names.
    sep, decimal, thousands, encoding : str or None
        Separator of columns, decimal mark, thousands separator (empty for none), and character
        encoding of text.
    na : sequence of str
        Cells that stand for missing values, in addition to those that are known.
    skip : int
        Number of lines to skip at the top.
    sheet : str or None
        Name of the sheet, or its number from 1; the first one by default.
    max_size : float or None
        Largest unpacked size of a compressed file, in bytes.
    """

    header: bool | None = None
    sep: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    encoding: str | None = None
    na: Sequence[str] = ()
    skip: int = 0
    sheet: str | None = None
    max_size: float | None = None

    def __post_init__(self) -> None:
        marks = {"--decimal": self.decimal, "--thousands": self.thousands}
        for option, mark in marks.items():
            if not mark:
                continue
            if len(mark) != 1 or mark.isalnum() or mark in "\r\n-+()":
                raise UnknownNameError(
                    f"{option}: must be one character that is not a letter or a digit, got {mark!r}"
                )
        if self.thousands and self.thousands == self.decimal:
            raise UnknownNameError(
                f"--thousands: must not be the decimal mark, got {self.thousands!r}"
            )


class Roles(Protocol):
    """Says what columns are for, once their names are known."""

    def resolve(self, names: Sequence[str], source: str) -> dict[str, Any]:
        """Return the kind of the columns it declares, or their role: "label", "group", levels."""


@dataclass(frozen=True)
class ColumnOptions:
    """What the user declares about columns; the names are checked when the file is read.

    ``ordinal`` may give the order of the levels, as in ``size=S,M,L`` (with quotes around levels
    that contain commas), and ``datetime`` the order of day and month, as in ``day=dmy``.
    """

    id: Sequence[str] = ()
    label: str | None = None
    group: str | None = None
    ignore: Sequence[str] = ()
    number: Sequence[str] = ()
    categorical: Sequence[str] = ()
    ordinal: Sequence[str] = ()
    datetime: Sequence[str] = ()

    def resolve(self, names: Sequence[str], source: str) -> dict[str, Any]:
        """Return the declared columns.

        >>> ColumnOptions(ordinal=("size=S,M,L",), id=("name",)).resolve(["size", "name"], "x.csv")
        {'size': ('S', 'M', 'L'), 'name': 'id'}
        """
        declared = list(self._with_values(names, source))
        label = () if self.label is None else (self.label,)
        group = () if self.group is None else (self.group,)
        for option, kind, columns in (
            ("--number", NUMBER, self.number),
            ("--categorical", CATEGORY, self.categorical),
            ("--id", ID, self.id),
            ("--ignore", IGNORE, self.ignore),
            ("--label", LABEL, label),
            ("--group", GROUP, group),
        ):
            for name in columns:
                check_column(option, name, names, source)
                declared.append((option, name, kind))
        roles: dict[str, Any] = {}
        options: dict[str, str] = {}
        for option, name, kind in declared:
            first_option = options.setdefault(name, option)
            if first_option != option:
                raise DeclaredTwiceError(f"{option}: column {name!r} is also in {first_option}")
            roles[name] = kind
        return roles

    def _with_values(self, names: Sequence[str], source: str) -> Iterator[tuple[str, str, Any]]:
        for text in self.ordinal:
            name, levels = split_option("--ordinal", text, names, source)
            cells = next(csv.reader([levels]), [])
            order = tuple(level.strip() for level in cells)
            yield "--ordinal", name, order if levels else ORDINAL
        for text in self.datetime:
            name, _ = split_option("--datetime", text, names, source)
            yield "--datetime", name, DATETIME

    def day_first(self, names: Sequence[str], source: str) -> dict[str, bool]:
        """Return the columns of dates for which the order of day and month is declared."""
        orders = {}
        for text in self.datetime:
            name, order = split_option("--datetime", text, names, source)
            in_lower_case = order.lower()
            if in_lower_case in DAY_FIRST:
                orders[name] = DAY_FIRST[in_lower_case]
            elif order:
                raise UnknownNameError(
                    f"--datetime: the order of {name!r} must be dmy or mdy, got {order!r}"
                )
        return orders


@dataclass(frozen=True)
class ModelColumns:
    """The columns that a model needs; all others are ignored."""

    schema: Schema
    id: str | None = None

    def resolve(self, names: Sequence[str], source: str) -> dict[str, Any]:
        """Return how to read the columns of the model."""
        if self.id is not None:
            check_column("--id", self.id, names, source)
        roles: dict[str, Any] = dict.fromkeys(names, IGNORE)
        for column in self.schema.columns:
            if column.name in roles and column.is_feature:
                roles[column.name] = column.levels or column.kind
        name = self.naming
        if name in roles:
            roles[name] = ID
        return roles

    @property
    def naming(self) -> str | None:
        """Column with row names: the declared one, or else that of the fitted rows."""
        return self.id or naming_column(self.schema.columns)


def check_column(option: str, name: str, names: Sequence[str], source: str) -> None:
    """Raise `UnknownNameError` unless the file has the column."""
    if name not in names:
        advice = hint(name, list(names))
        raise UnknownNameError(f"{option}: {source} has no column {name!r}; {advice}")


def split_option(
    option: str,
    text: str,
    names: Sequence[str],
    source: str,
) -> tuple[str, str]:
    """Split COLUMN=VALUE; the name of the column may itself contain ``=``."""
    if text in names:
        return text, ""
    for i, character in enumerate(text):
        if character != "=":
            continue
        name = text[:i]
        if name in names:
            value = text[i + 1 :]
            return name, value
    name, _, _ = text.partition("=")
    check_column(option, name, names, source)
    return text, ""
