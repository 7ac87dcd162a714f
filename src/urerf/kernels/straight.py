"""Straight distances between rows, in the columns and units of the trees."""

import numpy as np

from ._jit import leaf


@leaf
def straight_lengths(points, fitted, step, first, ids, out):
    """Write the straight distance of every point to the fitted rows ``ids[point]``.

    Among numbers it is the square of the Euclidean distance. With categories it is Gower's: the sum
    of absolute differences, where two levels are ``step[column]`` apart, which is 0 for columns of
    numbers.

    ``fitted`` has the fitted rows from number ``first`` on; what belongs to other rows is left as
    it is. Values are (rows, columns), float32. Sums are taken column by column, so that they are
    the same bits for any block of rows.
    """
    n_columns = np.uint64(points.shape[1])
    n_ids = np.uint64(ids.shape[1])
    n_fitted = np.uint64(fitted.shape[0])
    has_levels = False
    for c in range(n_columns):
        has_levels |= step[c] > 0.0
    for i in range(np.uint64(ids.shape[0])):
        for x in range(n_ids):
            row = np.uint64(ids[i, x] - first)  # a row before the first becomes a huge number
            if row >= n_fitted:
                continue
            total = 0.0
            for c in range(n_columns):
                difference = np.float64(points[i, c]) - np.float64(fitted[row, c])
                if step[c] > 0.0:
                    total += step[c] if difference != 0.0 else 0.0
                elif has_levels:
                    total += abs(difference)
                else:
                    total += difference * difference
            out[i, x] = total
