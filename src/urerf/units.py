"""In which units columns are measured, and how far apart the levels of a category are.

The width of a column of numbers is the distance between its 1 % and 99 % quantiles. Columns are
measured in units of their widths: a population and an age then count alike. Columns whose widths
are alike, such as the lengths of parts of a body or the pixels of an image, are measured in one
unit, so that a difference counts the same in each of them, except those of few values.
"""

from __future__ import annotations

import numpy as np

from ._typing import Array

# Largest ratio of the widths of wide and narrow columns that may share one unit. It is 4 for the
# pixels of digits, 4.2 for gene expressions, and mostly larger for lengths, weights and prices in
# one table.
LARGEST_RATIO = 4.5
# With fewer columns, like widths are often chance: 23 of 67 public tables gain by one unit, and 29
# lose. With at least 8, digits, gene expressions and glass gain .01 to .04 in label agreement, on
# which this was chosen; 10 others with 15 labels change by -.014 to +.014, by -.001 on average
# (docs/design/ranking.md).
LEAST_ALIKE = 8
# A column with at most this many values (yes or no, a grade, a group) counts or names something
# and has no unit to share: next to scores from 0 to 99, a 1 or 2 would not count at all. With 8,
# pixels at the edge of an image would be such columns (digits .963 -> .958).
FEW_VALUES = 5
TOO_LARGE = "X: has values too large for float64 once centered; rescale its columns"


def centers_and_widths(values: Array, is_number: Array) -> tuple[Array, Array]:
    """Return the median and the width of every column of numbers; 0 and 1 for categories.

    Both are 0 for empty columns, the width also for constant ones. Values are measured from the
    center: after a shift without rounding, widths are equal to the bit.
    """
    centers = np.zeros(len(is_number))
    widths = np.ones(len(is_number))
    with np.errstate(over="ignore", invalid="ignore"):
        for c in np.flatnonzero(is_number):
            known = present(values[:, c])
            if len(known):
                centers[c] = np.median(known)
            widths[c] = _width(known - centers[c])
    if not np.isfinite([centers, widths]).all():
        raise ValueError(TOO_LARGE)
    return centers, widths


def _width(values: Array) -> float:
    """Return the distance between the 1 % and 99 % quantiles; if they are equal, the span."""
    if not len(values):
        return 0.0
    low, high = np.quantile(values, [0.01, 0.99])
    if high > low:
        return float(high - low)
    return float(np.ptp(values))


def units_of(widths: Array, values: Array, n_levels: Array) -> Array:
    """Return the unit of every column: the typical width where they share one, or its own width.

    A column that is much wider than the others does not share their unit, in which it would decide
    everything. Nor does a column of few values, which would not count at all.
    """
    varies = widths > 0.0
    own_unit = np.where(varies, widths, 1.0)
    varying = widths[varies]
    if len(varying) < LEAST_ALIKE or n_levels.any():
        return own_unit
    if not have_like_widths(varying):
        return own_unit
    shared_unit = np.median(varying)
    units = np.maximum(shared_unit, widths / LARGEST_RATIO)
    for c, column in enumerate(values.T):
        different = np.unique(present(column))
        if len(different) <= FEW_VALUES:
            units[c] = own_unit[c]
    return units


def have_like_widths(widths: Array) -> bool:
    """Return whether columns may have been measured in the same unit, by their widths.

    A tenth of the columns may be much wider or narrower than the others, as pixels at the edge of
    an image are.

    Examples
    --------
    >>> import numpy as np
    >>> have_like_widths(np.array([3.4, 2.2, 5.7, 2.3]))  # four lengths
    True
    >>> have_like_widths(np.array([26.3, 8.0, 57.0, 3300.0]))  # three lengths and a weight
    False
    """
    low, high = np.quantile(widths, [0.1, 0.9])
    return bool(high <= LARGEST_RATIO * low)


def present(column: Array) -> Array:
    """Return the values of a column that are not missing."""
    is_missing = np.isnan(column)
    return column[~is_missing]


def level_widths(values: Array, n_levels: Array) -> Array:
    """Return the width of the numbers that stand for the levels of each category; 0 for numbers.

    A column of numbers has a width of 1. Two levels drawn from an interval of that width differ by
    a third of it on average, less than two numbers often do. The more levels there are, the more it
    says that two rows share one. So the width is 1 for a single level and grows by 1 whenever the
    number of levels is 4 times as large. What counts is their effective number, to which rare
    levels hardly add.
    """
    widths = np.zeros(len(n_levels))
    for c in np.flatnonzero(n_levels):
        known = present(values[:, c])
        widths[c] = 1.0
        if len(known):
            effective = _effective_number(known)
            widths[c] += np.log2(effective) / 2.0
    return widths


def _effective_number(codes: Array) -> float:
    """Return the inverse of the probability that two rows have the same level."""
    counts = np.bincount(codes.astype(np.int64))
    n_equal = np.square(counts.astype(np.float64)).sum()
    same = n_equal / len(codes) ** 2
    return 1.0 / same
