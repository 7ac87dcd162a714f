"""From the columns of new rows, of a data frame, an array or a file, to those of a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .._messages import listed
from .._typing import Array
from ..kinds.convert import (
    Plain,
    as_levels,
    is_number,
    naming,
    plain,
    to_boolean,
    to_codes,
    to_datetime,
    to_number,
)
from ..schema import BOOLEAN, CATEGORY, DATETIME, NUMBER, Column, Schema


def match_columns(
    schema: Schema,
    n_rows: int,
    cells_of: Callable[[int], Any],
    source: str = "X",
) -> tuple[Array, list[str]]:
    """Return new rows in the columns of a model, and what to tell about levels it does not know.

    ``cells_of`` returns the cells of the column at a position of the schema; it is called for
    features only. ``source`` is what error messages call the table.
    """
    values = np.full((n_rows, len(schema.columns)), np.nan)
    notices = []
    for i, column in enumerate(schema.columns):
        if not column.is_feature:
            continue
        with naming(f"{source}: column {column.name!r}"):
            given = plain(cells_of(i))
            values[:, i], unknown = match(column, given)
        if unknown:
            codes = as_levels(given).codes
            n_given = (codes >= 0).sum()
            n_known = np.isfinite(values[:, i]).sum()
            n_unknown = n_given - n_known
            cells_have = "cell has a level" if n_unknown == 1 else "cells have levels"
            notices.append(
                f"{column.name}: {n_unknown:,} {cells_have} the model does not know: "
                f"{listed(unknown)}"
            )
    return values, notices


def match(column: Column, given: Plain) -> tuple[Array, list[str]]:
    """Return new values of a model's column, and the levels that the model does not know.

    Such levels become NaN. Values that cannot be meant are refused: the column would be missing, or
    in other units.

    >>> match(Column("color", CATEGORY, ("red", "blue")), plain(np.array(["blue", "teal"])))
    (array([ 1., nan]), ['teal'])
    """
    if column.kind == CATEGORY or column.levels:
        codes, unknown = to_codes(given, column.levels)
        if given.kind == NUMBER:
            _check_numbers_are_levels(unknown, column.levels)
        return codes, unknown
    if column.kind == DATETIME:
        dates = to_datetime(given, column.day_first)
        is_filled = not np.isnan(dates.days).all()
        if is_filled and dates.is_duration != column.is_duration:
            words = ("durations", "dates") if dates.is_duration else ("dates", "durations")
            raise ValueError("holds {}; the model was fitted on {}".format(*words))
        return dates.days, []
    if given.kind == DATETIME:
        is_missing = np.isnan(given.values)
        if not is_missing.all():
            raise ValueError("holds dates; the model was fitted on numbers")
    if column.kind == BOOLEAN:
        return to_boolean(given), []
    return to_number(given), []


def _check_numbers_are_levels(unknown: Sequence[str], levels: Sequence[str]) -> None:
    """Refuse numbers where all levels are words, or where one is the number, written otherwise."""
    level_of = {float(level): level for level in levels if is_number(level)}
    if unknown and levels and not level_of:
        raise ValueError(f"holds numbers; the model was fitted on levels such as {levels[0]!r}")
    for number in unknown:
        if level := level_of.get(float(number)):
            raise ValueError(
                f"holds the number {number}; the model was fitted on the text {level!r}: read the "
                "column as text"
            )
