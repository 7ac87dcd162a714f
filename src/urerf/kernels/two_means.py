"""Two-means: the cut of sorted values with the smallest within-cluster sum of squares."""

import numpy as np

from ._jit import inlined, jit


@jit
def prefix_sums(z, sums, squares):
    """Fill sums[s], squares[s] with the sums of the first s values; return SS of all values.

    Sums run over z minus its middle value, in double precision, so that a shift of z does not cost
    digits.
    """
    n = z.size
    middle = np.float64(z[n // 2])
    sums[0] = 0.0
    squares[0] = 0.0
    for i in range(n):
        d = z[i] - middle
        sums[i + 1] = sums[i] + d
        squares[i + 1] = squares[i] + d * d
    spread = squares[n] - sums[n] * sums[n] / n
    return max(spread, 0.0)


@inlined
def within(s, n, sums, squares):
    """Return SS_1 and SS_2 of the cut after the s-th of n values, after `prefix_sums`."""
    below = sums[s]
    above = sums[n] - below
    left = squares[s] - below * below / s
    right = squares[n] - squares[s] - above * above / (n - s)
    return max(left, 0.0), max(right, 0.0)


@inlined
def cut_two_means(z, min_samples_leaf, sums, squares):
    """Return the smallest SS_1 + SS_2 and its s, after `prefix_sums`; s is 0 if there is no cut."""
    n = z.size
    best = np.inf
    at = 0
    for s in range(min_samples_leaf, n - min_samples_leaf + 1):
        if z[s - 1] < z[s]:
            left, right = within(s, n, sums, squares)
            if left + right < best:
                best = left + right
                at = s
    return best, at
