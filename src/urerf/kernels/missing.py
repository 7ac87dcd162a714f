"""Fill missing values with the mean of the most similar rows that have them."""

import numpy as np

from ._jit import jit

# Donors whose mean fills a gap: as many as scikit-learn's KNNImputer uses by default.
NEAREST = 5


@jit
def _distances(row, donors, feature_weights, out):
    """Write the mean squared difference to every donor, over the columns that both have.

    It is inf if they share no column.
    """
    p, n_donors = donors.shape
    shared = np.zeros(n_donors)
    out[:] = 0.0
    for c in range(p):
        if np.isnan(row[c]):
            continue
        weight = feature_weights[c] * feature_weights[c]
        for j in range(n_donors):
            difference = np.float64(row[c]) - donors[c, j]
            if not np.isnan(difference):
                out[j] += weight * difference * difference
                shared[j] += weight
    for j in range(n_donors):
        if shared[j] > 0.0:
            out[j] /= shared[j]
        else:
            out[j] = np.inf


@jit
def _mean_of_nearest(distance, values, best):
    """Return the mean value of the `NEAREST` donors that have one; 0 if no donor does.

    Of donors at the same distance, the first ones count.
    """
    kept = 0
    # Invariant: best[:kept] are the nearest donors so far, by distance.
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
    if kept == 0:
        return 0.0
    total = 0.0
    for x in range(kept):
        total += values[best[x]]
    return total / kept


@jit
def fill_missing(matrix, donors, feature_weights):
    """Fill NaN in ``matrix`` (columns x rows) in place.

    ``donors`` (columns x rows) may have NaN as well. A missing value becomes the mean of the column
    over the `NEAREST` donors that have it, nearest in the other columns, which count by the square
    of their ``feature_weights``. Without such a donor it becomes 0, the median of a column.
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
                mean = _mean_of_nearest(distance, donors[c], best)
                matrix[c, i] = np.float32(mean)
