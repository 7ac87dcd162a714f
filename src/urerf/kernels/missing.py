"""Find what may fill missing values: the values of the most similar rows that have them."""

import numpy as np

from ._jit import jit

# Donors that may fill a gap: as many as scikit-learn's KNNImputer uses by default.
NEAREST = 5
# Squared difference of two different levels of a category of width 1: the expected square of the
# difference of two random numbers in [0, 1), which trees read in place of levels.
MISMATCH = 1.0 / 6.0
# Donors whose distances are summed at a time: 16 kB of sums, half of a first-level cache.
BLOCK_DONORS = 1024


@jit
def _add_numbers(value, donors, weight, out, shared):
    """Add the weighted squares of the differences to the donors' numbers, where there are any."""
    for j in range(out.size):
        difference = value - np.float64(donors[j])
        known = difference == difference
        out[j] += weight * (difference * difference) if known else 0.0
        shared[j] += weight if known else 0.0


@jit
def _add_levels(value, donors, width, weight, out, shared):
    """Add the weighted `MISMATCH` of the donors of another level."""
    mismatch = weight * (MISMATCH * (width * width))
    for j in range(out.size):
        donor = np.float64(donors[j])
        known = donor == donor
        out[j] += mismatch if known and donor != value else 0.0
        shared[j] += weight if known else 0.0


@jit
def _distances(row, donors, feature_weights, level_width, out, shared):
    """Write the mean squared difference to every donor, over the columns that both have.

    It is inf if they share no column.
    """
    p, n_donors = donors.shape
    # A block of donors at a time: its sums stay in the first-level cache.
    for first in range(0, n_donors, BLOCK_DONORS):
        last = min(first + BLOCK_DONORS, n_donors)
        sums = out[first:last]
        weights = shared[first:last]
        sums[:] = 0.0
        weights[:] = 0.0
        for c in range(p):
            value = np.float64(row[c])
            if np.isnan(value):
                continue
            weight = feature_weights[c] * feature_weights[c]
            width = level_width[c]
            if width > 0.0:
                _add_levels(value, donors[c, first:last], width, weight, sums, weights)
            else:
                _add_numbers(value, donors[c, first:last], weight, sums, weights)
        for j in range(sums.size):
            sums[j] = sums[j] / weights[j] if weights[j] > 0.0 else np.inf


@jit
def _nearest_values(distance, values, best, out):
    """Write the values of the `NEAREST` donors that have one, nearest first; return their number.

    Of donors at the same distance, the first ones count.
    """
    kept = 0
    limit = np.inf
    # Invariant: best[:kept] are the nearest donors so far, by distance; others have to be nearer
    # than the limit.
    for j in range(values.size):
        if not distance[j] < limit or np.isnan(values[j]):
            continue
        at = min(kept, NEAREST - 1)
        while at > 0 and distance[j] < distance[best[at - 1]]:
            best[at] = best[at - 1]
            at -= 1
        best[at] = j
        kept = min(kept + 1, NEAREST)
        if kept == NEAREST:
            limit = distance[best[NEAREST - 1]]
    for x in range(kept):
        out[x] = values[best[x]]
    return kept


@jit
def _find(matrix, rows, donors, feature_weights, level_width, start, column, value, count, space):
    row, distance, shared, best = space
    p = matrix.shape[0]
    for i in range(rows.size):
        for c in range(p):
            row[c] = matrix[c, rows[i]]
        _distances(row, donors, feature_weights, level_width, distance, shared)
        cell = start[i]
        for c in range(p):
            if np.isnan(row[c]):
                column[cell] = c
                count[cell] = _nearest_values(distance, donors[c], best, value[cell])
                cell += 1


def find_donor_values(
    matrix, rows, donors, feature_weights, level_width, start, column, value, count
):
    """Write what may fill the missing cells of some rows of ``matrix`` (columns x rows).

    Cell by cell, the missing ones of rows[i] being start[i] to start[i + 1]: ``column``, up to
    `NEAREST` values in ``value`` and their number in ``count``. They are those of the nearest
    ``donors`` (columns x donors, which may have gaps too) that have a value there. Donors are
    compared in the columns that both have, which count by the square of their
    ``feature_weights``; levels of a category (a column with ``level_width`` > 0) are equal or not.
    """
    p, n_donors = donors.shape
    row = np.empty(p, np.float32)
    distance = np.empty(n_donors)
    shared = np.empty(n_donors)
    best = np.empty(NEAREST, np.int64)
    space = (row, distance, shared, best)
    _find(matrix, rows, donors, feature_weights, level_width, start, column, value, count, space)
