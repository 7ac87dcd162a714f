"""Columns as the page stores them: with few bytes per value, and only as many as the page holds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from urerf.columns import cells_of
from urerf.schema import BOOLEAN, CATEGORY, Frame

from .._typing import Array

# Bytes of all columns that are stored, before they are compressed. With the neighbors of 200,000
# rows, a page is then below 30 MB.
MOST_BYTES = 8_000_000
# Columns that are stored at most: nobody looks through more of them, and each takes time to open.
MOST_COLUMNS = 200
# How many times farther from 0 than wide a column must be to be stored with an offset: dates of ten
# years are about five times as far, and float32 would be off by minutes.
FAR = 2.0
# Whole numbers up to this one are exact as float32.
EXACT_FLOAT32 = 1 << 24


class StoredColumn(NamedTuple):
    """A column of the table in the page."""

    position: int
    """Which column of the table it is."""
    offset: float
    """What was subtracted from the values, so that float32 keeps their digits."""
    values: Array
    levels: list[str] | None
    """What the values stand for; None for numbers."""


def stored_columns(frame: Frame, ranked: Iterable[int]) -> list[StoredColumn]:
    """Return the first of the ranked columns, as many as the page holds; one at least."""
    stored: list[StoredColumn] = []
    n_bytes = 0
    for i in ranked:
        column = _stored(frame, int(i))
        n_bytes += column.values.nbytes
        if stored and (n_bytes > MOST_BYTES or len(stored) == MOST_COLUMNS):
            break
        stored.append(column)
    return stored


def _stored(frame: Frame, i: int) -> StoredColumn:
    column = frame.schema.columns[i]
    values = cells_of(frame.values, i)
    levels = list(column.levels) or None
    if column.kind == BOOLEAN:
        levels = ["false", "true"]
    elif column.kind == CATEGORY:
        values, levels = by_frequency(values, column.levels)
    offset = column_offset(values)
    return StoredColumn(i, offset, compact(values - offset), levels)


def by_frequency(codes: Array, levels: Sequence[str]) -> tuple[Array, list[str]]:
    """Return codes and levels with the most frequent level first: the page has few colors.

    >>> by_frequency(np.array([0.0, 1.0, np.nan, 1.0]), ["a", "b"])
    (array([ 1.,  0., nan,  0.]), ['b', 'a'])
    """
    is_present = ~np.isnan(codes)
    present = codes[is_present].astype(int)
    n_rows = np.bincount(present, minlength=len(levels))
    order = np.argsort(-n_rows, kind="stable")
    rank = np.argsort(order)
    result = codes.copy()
    result[is_present] = rank[present]
    return result, [levels[i] for i in order]


def column_offset(values: Array) -> float:
    """Return the offset of a column: 0, or about its smallest value if all are far from 0.

    >>> column_offset(np.array([0.0, 1.0])), column_offset(np.array([18262.5, 18300.0, np.nan]))
    (0.0, 18262.0)
    """
    present = values[~np.isnan(values)]
    if not len(present):
        return 0.0
    low = float(present.min())
    high = float(present.max())
    farthest = max(abs(low), abs(high))
    is_far = farthest > FAR * (high - low)
    return float(np.floor(low)) if is_far else 0.0


def compact(values: Array) -> Array:
    """Return whole numbers exactly, in one or two bytes if they fit, and others as float32.

    >>> compact(np.array([3.0, np.nan])), compact(np.array([0.5])).dtype
    (array([  3, 255], dtype=uint8), dtype('float32'))
    >>> compact(np.array([319034126.0])).dtype
    dtype('float64')
    """
    is_missing = np.isnan(values)
    present = values[~is_missing]
    is_whole = bool((present == np.floor(present)).all())
    low = float(present.min(initial=0.0))
    high = float(present.max(initial=0.0))
    for dtype in (np.uint8, np.uint16):
        largest = np.iinfo(dtype).max  # stands for missing values
        if is_whole and low >= 0 and high < largest:
            return np.where(is_missing, largest, values).astype(dtype)
    if is_whole and max(-low, high) > EXACT_FLOAT32:
        return values
    return values.astype(np.float32)
