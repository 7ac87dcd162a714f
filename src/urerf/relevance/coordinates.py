"""Columns without a partner that may be coordinates of their own, next to columns that have one.

The height of a Swiss roll depends on nothing else, yet the manifold has it. Such a column is kept
with a lower weight if it fills an interval as a coordinate does, without the tails that noise has,
or is a category with levels of similar size, or if its distribution stands out from those of many
others. This is only asked once a table is known to have structure: in a table of independent
columns, it would be a false alarm.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri, stdtr

from .._threads import row_blocks
from .._typing import Array, BoolArray
from .basis import CHUNK

# Columns that must be exceeded for one to stand out from them: the null distribution is fitted to
# them, and with fewer its spread is too uncertain.
MIN_BULK = 8

# One in 20: the columns that may stand out, and the rows that are clipped at either end. Noise of
# several distributions has larger groups that differ from the rest
# (test_noise_of_several_kinds_does_not_stand_out).
ONE_IN = 20

# Excess kurtosis below which a column fills an interval. It is -1.2 for a uniform column (below
# -0.9 in all of 2000 samples of 300 rows) and 0 for a Gaussian one (below -0.6 in 0.2 % of them).
# It separates the height of a Swiss roll from noise (test_weighting, `urerf bench other`).
FLAT = -0.6
# Effective number of levels relative to their number, from which a category has levels of similar
# size. Chosen so that a category of two levels is judged like a boolean: the rarer level must have
# 25 % of the rows, with FLAT 24.5 %.
EVEN = 0.8

# Standard deviation of a Gaussian in units of its median absolute deviation.
MAD_TO_SD = 1.4826
# Efficiency of the median absolute deviation: it is as uncertain as a standard deviation of 37 %
# as many values.
MAD_EFFICIENCY = 0.37


def distribution_p_values(values: Array, tested: BoolArray) -> Array:
    """Return how unusual it is that the values of a column fall into two groups so clearly.

    The statistic is the share of the variance that the best cut explains. The tested columns are
    their own null distribution: its center is their median, its spread the larger of that around
    the median and that of the upper tail. Not more than 5 % of the columns can be significant: if
    more stand out, they are the upper tail. P-values are adjusted for the number of columns, and 1
    for columns that are not tested.
    """
    has_gaps = np.isnan(values).any(axis=1)
    is_compared = tested & ~has_gaps
    columns = np.flatnonzero(is_compared)
    share = np.empty(columns.size)
    for chunk in row_blocks(columns.size, CHUNK):
        columns_of_chunk = columns[chunk]
        share[chunk] = _best_cut(values[columns_of_chunk])
    has_cut = share > 0
    columns = columns[has_cut]
    p_value = np.ones(len(values))
    if columns.size > MIN_BULK:
        p_value[columns] = _p_values(share[has_cut])
    return p_value


def fills_interval(values: Array) -> bool:
    """Return whether the values of a column are spread over an interval, without tails.

    >>> fills_interval(np.array([0.0, 1.0, 2.0, 3.0])), fills_interval(np.array([-9.0, 0, 0, 0, 9]))
    (True, False)
    """
    z = _centered(values)
    fourth = (z**4).mean()
    variance = np.square(z).mean()
    squared_variance = max(variance**2, 1e-300)
    kurtosis_of_gaussian = 3.0
    excess_kurtosis = fourth / squared_variance - kurtosis_of_gaussian
    return bool(excess_kurtosis < FLAT)


def has_even_levels(codes: Array) -> bool:
    """Return whether a column of codes has levels of similar size, whatever the codes.

    >>> has_even_levels(np.array([0.0, 1, 2, 2, 1])), has_even_levels(np.array([0.0, 0, 0, 0, 1]))
    (True, False)
    """
    _, count = np.unique(codes, return_counts=True)
    n_levels = count.size
    squares = np.square(count)
    n_effective = count.sum() ** 2 / squares.sum()
    is_even = bool(n_effective >= EVEN * n_levels)
    return n_levels > 1 and is_even


def _p_values(share: Array) -> Array:
    """Compare each share with a Gaussian fitted to all of them; adjust for their number."""
    count = share.size
    above = share - np.median(share)
    # As many may be unusual. The next largest share, over its expectation, is the spread of the
    # tail: a share below it has a p-value above 1.
    few = max(1, count // ONE_IN)
    ordered = np.sort(above)
    largest = ordered[-1 - few]
    quantile = (count - few - 0.5) / count
    expected = ndtri(quantile)
    median_deviation = np.median(np.abs(above))
    spread_of_tail = largest / expected
    spread_of_all = MAD_TO_SD * median_deviation
    spread = max(spread_of_tail, spread_of_all)
    dof = MAD_EFFICIENCY * count
    with np.errstate(divide="ignore", invalid="ignore"):
        tail = stdtr(dof, -above / spread)
    adjusted = tail * count
    return np.where(above > 0, adjusted, 1.0)


def _best_cut(values: Array) -> Array:
    """Return the share of the variance between the two groups of the best cut.

    It is 0 for counts: columns with a value on more than 5 % of the rows. The outer 5 % on either
    side are clipped, so that a few outliers are not a group.

    >>> print(_best_cut(np.array([[0.0, 1.0, 8.0, 9.0], [4.0, 1.0, 2.0, 3.0]])).round(3))
    [0.985 0.8 ]
    """
    n_rows = values.shape[1]
    outer = n_rows // ONE_IN
    ordered = np.sort(values, axis=1)
    later = ordered[:, 1 + outer :]
    earlier = ordered[:, : -1 - outer]
    is_repeated = later == earlier
    are_counts = is_repeated.any(axis=1)
    low = ordered[:, [outer]]
    high = ordered[:, [-1 - outer]]
    clipped = np.clip(ordered, low, high)
    z = _centered(clipped)
    n_left = np.arange(1, n_rows)
    n_right = n_rows - n_left
    sums = np.cumsum(z, axis=1)
    left_sum = sums[:, :-1]
    between = left_sum**2 * (n_rows / (n_left * n_right))
    best = between.max(axis=1)
    squares = np.square(z)
    total = np.maximum(squares.sum(axis=1), 1e-24)
    share = best / total
    share[are_counts] = 0
    return share


def _centered(values: Array) -> Array:
    """Scale each column so that no power of it overflows, then subtract its mean."""
    magnitude = np.abs(values)
    largest = magnitude.max(axis=-1, keepdims=True)
    scale = np.maximum(largest, np.finfo(float).tiny)
    z = values / scale
    mean = z.mean(axis=-1, keepdims=True)
    return z - mean
