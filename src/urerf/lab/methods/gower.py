"""Gower's distance between rows of numbers, ordinals and categories: the usual comparison.

Gower (1971), "A general coefficient of similarity and some of its properties". Written out here,
because the package of that name is wrong for columns whose largest value is 0 and for missing
values.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from scipy.stats import rankdata
from sklearn.preprocessing import scale

from urerf.schema import CATEGORY, ORDINAL, Column, Frame, Schema

from ..._typing import Array, FloatArray, IntArray
from .common import nearest_in_blocks, ties_by_seed
from .distances import euclidean


def as_frame(X: Any) -> Frame:
    """Return X with its kinds; all columns of an array are numbers."""
    if isinstance(X, Frame):
        return X
    values = np.asarray(X, dtype=float)
    names = [str(i) for i in range(values.shape[1])]
    return Frame(values, Schema.of_numbers(names))


def scaled(values: Array, column: Column) -> Array:
    """Return a column in which 1 is the largest difference; the codes of a category stay."""
    if column.kind == CATEGORY:
        return values
    if column.kind == ORDINAL:
        values = rankdata(values, nan_policy="omit")
    known = values[~np.isnan(values)]
    span = np.ptp(known) if len(known) else 0.0
    return values / span if span else values


def gower_distances(frame: Frame, rows: slice = slice(None)) -> FloatArray:
    """Return Gower's distances between some rows and all rows.

    It is the mean over the columns that both rows have: of the differences of numbers relative to
    the range of the column, of the differences of ranks for ordinals, and of 0 or 1 for categories,
    whether the levels are equal. Rows that share no column are at distance 1.

    Examples
    --------
    >>> schema = Schema((Column("size"), Column("color", CATEGORY, ("blue", "red"))))
    >>> values = np.array([[1.0, 0.0], [5.0, 1.0], [3.0, np.nan]])
    >>> gower_distances(Frame(values, schema))
    array([[0. , 1. , 0.5],
           [1. , 0. , 0.5],
           [0.5, 0.5, 0. ]])
    """
    n = len(frame.values)
    n_rows = len(frame.values[rows])
    total = np.zeros((n_rows, n))
    shared = np.zeros(total.shape)
    for values, column in zip(frame.values.T, frame.schema.columns):
        if not column.is_feature:
            continue
        all_values = scaled(values, column)
        difference = all_values[rows, None] - all_values
        is_known = ~np.isnan(difference)
        step = np.abs(difference)
        if column.kind == CATEGORY:
            step = step > 0.0
        total += np.where(is_known, step, 0.0)
        shared += is_known
    mean = total / np.maximum(shared, 1.0)
    return np.where(shared > 0.0, mean, 1.0)


@ties_by_seed
def gower(X: Any, k: int, **settings: Any) -> IntArray:
    """Return the nearest rows by Gower's distance."""
    frame = as_frame(X)
    distances = partial(gower_distances, frame)
    return nearest_in_blocks(distances, len(frame.values), k)


def indicators(frame: Frame) -> FloatArray:
    """Return standardized numbers, and one column of 0 and 1 per level of each category.

    A missing number is the mean of its column; a missing level is 0 in all columns.
    """
    parts = []
    for values, column in zip(frame.values.T, frame.schema.columns):
        if column.kind == CATEGORY:
            codes = np.arange(len(column.levels))
            parts.append(values[:, None] == codes)
        elif column.is_feature:
            parts.append(np.nan_to_num(scale(values)))
    return np.column_stack(parts)


def one_hot(X: Any, k: int, **settings: Any) -> IntArray:
    """Return the nearest rows by Euclidean distance among `indicators`."""
    return euclidean(indicators(as_frame(X)), k, **settings)
