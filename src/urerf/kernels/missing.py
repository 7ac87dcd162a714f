"""Fill what is missing in a matrix: with the mean of the rows nearest to it that have it."""

import numpy as np

from ._jit import jit

NEAREST = 5


@jit
def _distances(row, donors, feature_weights, out):
    """Write the mean squared difference to every donor over the columns that both have; inf where they share none."""
    p, r = donors.shape
    shared = np.zeros(r)
    out[:] = 0.0
    for c in range(p):
        if np.isnan(row[c]):
            continue
        weight = feature_weights[c] * feature_weights[c]
        for j in range(r):
            difference = np.float64(row[c]) - donors[c, j]
            if not np.isnan(difference):
                out[j] += weight * difference * difference
                shared[j] += weight
    for j in range(r):
        out[j] = out[j] / shared[j] if shared[j] > 0.0 else np.inf


@jit
def _mean_of_nearest(distance, values, best):
    """Return the mean of the values, where there are any, of the `NEAREST` donors; 0 if no donor has the value.

    Of donors that are equally near the first count.
    """
    kept = 0
    total = 0.0
    for j in range(values.size):
        if np.isnan(values[j]) or not distance[j] < np.inf:
            continue
        at = min(kept, NEAREST - 1)
        if kept == NEAREST and not distance[j] < distance[best[at]]:
            continue
        while at > 0 and distance[j] < distance[best[at - 1]]:
            best[at] = best[at - 1]
            at -= 1
        best[at] = j
        kept = min(kept + 1, NEAREST)
    for x in range(kept):
        total += values[best[x]]
    return total / kept if kept > 0 else 0.0


@jit
def fill_missing(matrix, donors, feature_weights):
    """Fill NaN in ``matrix`` (columns x rows) in place, from ``donors`` (columns x rows, which may have NaN as well).

    A missing value becomes the mean of that column over the `NEAREST` donors that have it, nearest
    in the other columns, each counting by its ``feature_weights``; 0, the median of a matrix's column, where
    there is no such donor.
    """
    p, n = matrix.shape
    row = np.empty(p, np.float32)
    distance = np.empty(donors.shape[1])
    best = np.empty(NEAREST, np.int64)
    for i in range(n):
        gaps = 0
        for c in range(p):
            row[c] = matrix[c, i]
            gaps += np.isnan(row[c])
        if gaps == 0:
            continue
        _distances(row, donors, feature_weights, distance)
        for c in range(p):
            if np.isnan(row[c]):
                matrix[c, i] = np.float32(_mean_of_nearest(distance, donors[c], best))
