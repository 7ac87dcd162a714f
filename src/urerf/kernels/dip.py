"""The dip of a sample: how far it is from any distribution with a single mode.

After J. A. Hartigan and P. M. Hartigan, "The dip test of unimodality", Annals of Statistics 13
(1985), section 3.
"""

import numpy as np

from ._jit import inlined, inner, leaf


@inner
def _hull(x, first, last, sign, hull):
    """Write the points where a hull touches the distribution function; return their number.

    With sign 1 it is the greatest convex minorant, which lies below the points (x[i], i), before
    the steps; with sign -1 the least concave majorant, above the points (x[i], i + 1), after them.
    """
    size = 0
    for i in range(first, last + 1):
        while size > 1:
            a = hull[size - 2]
            b = hull[size - 1]
            if sign * ((b - a) * (x[i] - x[b])) < sign * ((i - b) * (x[b] - x[a])):
                break
            size -= 1
        hull[size] = i
        size += 1
    return size


@inner
def _height(x, hull, piece, value):
    """Return the height of a hull at a value, on the piece that begins with that touching point."""
    a = hull[piece]
    b = hull[piece + 1]
    if x[b] == x[a]:
        return np.float64(b)
    return a + (b - a) * (value - x[a]) / (x[b] - x[a])


@inlined
def _widest(x, lower, n_lower, upper, n_upper):
    """Return the largest distance of the hulls, and the new ends: touching points around it."""
    distance = -1.0
    left = 0
    right = n_upper - 1
    piece = 0
    for k in range(n_lower):
        value = x[lower[k]]
        while piece < n_upper - 2 and x[upper[piece + 1]] < value:
            piece += 1
        gap = _height(x, upper, piece, value) + 1.0 - lower[k]
        if gap > distance:
            distance = gap
            left = k
            right = piece + 1
    piece = 0
    for k in range(n_upper):
        value = x[upper[k]]
        while piece < n_lower - 2 and x[lower[piece + 1]] <= value:
            piece += 1
        gap = upper[k] + 1.0 - _height(x, lower, piece, value)
        if gap > distance:
            distance = gap
            left = piece
            right = k
    return distance, left, right


@leaf
def dip_of_sorted(x, lower, upper):
    """Do the work of `dip`; ``lower`` and ``upper`` are scratch space, int64, one per value.

    Loop invariant: a distribution with its mode in [x[first], x[last]] is at least ``largest`` / 2
    away (in steps of 1 / n) outside of this interval.
    """
    n = x.size
    first = np.int64(0)
    last = np.int64(n - 1)
    largest = 1.0
    while last > first and x[last] > x[first]:
        n_lower = _hull(x, first, last, 1.0, lower)
        n_upper = _hull(x, first, last, -1.0, upper)
        distance, left, right = _widest(x, lower, n_lower, upper, n_upper)
        if distance <= largest:
            break
        piece = 0
        for i in range(first, lower[left] + 1):
            while piece < n_lower - 2 and lower[piece + 1] < i:
                piece += 1
            largest = max(largest, i + 1.0 - _height(x, lower, piece, x[i]))
        piece = 0
        for i in range(first, last + 1):
            while piece < n_upper - 2 and upper[piece + 1] < i:
                piece += 1
            if i >= upper[right]:
                largest = max(largest, _height(x, upper, piece, x[i]) + 1.0 - i)
        if lower[left] == first and upper[right] == last:
            break
        first = lower[left]
        last = upper[right]
    return largest / (2.0 * n)


def dip(x):
    """Return the dip of sorted values: at least 1 / (2 n), at most 1 / 4."""
    lower = np.empty(x.size, np.int64)
    upper = np.empty(x.size, np.int64)
    return dip_of_sorted(x, lower, upper)
