"""Straight distances between rows, in the columns and units of the trees."""

import numpy as np

from ._jit import jit


@jit
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
    n_fitted = fitted.shape[0]
    has_levels = step.max() > 0.0
    for i in range(ids.shape[0]):
        point = points[i]
        for x in range(ids.shape[1]):
            row = ids[i, x] - first
            if row < 0 or row >= n_fitted:
                continue
            other = fitted[np.uint64(row)]
            total = 0.0
            if has_levels:
                for c in range(n_columns):
                    difference = np.float64(point[c]) - np.float64(other[c])
                    if step[c] == 0.0:
                        total += abs(difference)
                    elif difference != 0.0:
                        total += step[c]
            else:
                for c in range(n_columns):
                    difference = np.float64(point[c]) - np.float64(other[c])
                    total += difference * difference
            out[i, x] = total
