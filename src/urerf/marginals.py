"""What a column shows on its own, without a partner: how its values lie, and whether that sets it apart from others."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit

PART = 32  # columns sorted at a time; they fit into the cache
MIN_BULK = 8  # columns from which on one can stand out from the others

Array = NDArray[np.floating]
Mask = NDArray[np.bool_]


def kurtosis(values: Array) -> Array:
    """Excess kurtosis of the columns.

    >>> print(kurtosis(np.array([[0.0, 1.0, 2.0, 3.0], [-9.0, 0.0, 0.0, 9.0]])))
    [-1.36 -1.  ]
    """
    z = values / np.maximum(np.abs(values).max(axis=1, keepdims=True), np.finfo(float).tiny)
    z -= z.mean(axis=1, keepdims=True)
    return (z**4).mean(axis=1) / np.maximum(np.square(z).mean(axis=1) ** 2, 1e-300) - 3.0


def stands_out(values: Array, among: Mask, alpha: float) -> Mask:
    """Columns whose values fall into two groups more clearly than those of the other columns `among` which they are.

    The others are the null: the median over columns of the share of variance that the best cut
    explains, and its spread, inside and towards the upper end. Where more than 5 % of the columns
    stand out they are of several kinds, and none does.
    """
    columns = np.flatnonzero(among)
    share = np.array(
        [
            cut
            for k in range(0, columns.size, PART)
            for cut in _best_cut(values[columns[k : k + PART]])
        ]
    )
    columns = columns[share > 0]
    share = share[share > 0]
    out = np.zeros(len(values), dtype=bool)
    count = columns.size
    few = max(1, columns.size // 20)
    if count > MIN_BULK:
        above = share - np.median(share)
        upper = np.sort(above)[-1 - few] / ndtri((count - few - 0.5) / count)
        spread = max(upper, 1.4826 * np.median(np.abs(above)))
        # A median deviation is as uncertain as a standard deviation of 0.37 as many values.
        out[columns] = above > spread * stdtrit(0.37 * count, 1 - alpha / count)
    return out & (out.sum() <= few)


def _best_cut(values: Array) -> Array:
    """Share of the variance between the two groups of the best cut, or 0 for counts: a value on over 5 % of the rows.

    The outer 5 % on either side are drawn in, so that a far value is no group.

    >>> print(_best_cut(np.array([[0.0, 1.0, 8.0, 9.0], [4.0, 1.0, 2.0, 3.0]])).round(3))
    [0.985 0.8 ]
    """
    n = values.shape[1]
    z = np.sort(values, axis=1)
    counts = (z[:, 1 + n // 20 :] == z[:, : -1 - n // 20]).any(axis=1)
    z = np.clip(z, z[:, [n // 20]], z[:, [-1 - n // 20]])
    z = z / np.maximum(np.abs(z[:, [0, -1]]).max(axis=1, keepdims=True), np.finfo(float).tiny)
    z -= z.mean(axis=1, keepdims=True)
    left = np.arange(1, n)
    between = (np.cumsum(z, axis=1)[:, :-1] ** 2 * (n / (left * (n - left)))).max(axis=1)
    return np.where(counts, 0, between / np.maximum(np.square(z).sum(axis=1), 1e-24))
