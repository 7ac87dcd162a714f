"""Straight distances between rows, in the columns and units of the trees."""

import numpy as np

from ._jit import jit


@jit
def squared_lengths(points, fitted, step, first, ids, out):
    """Write the squared straight distance of every point to the fitted rows ``ids[point]``.

    ``fitted`` has the fitted rows from number ``first`` on; what belongs to other rows is left as
    it is. Values are (rows, columns), float32. Two levels of a category are ``step[column]`` apart,
    squared; it is 0 for columns of numbers. Sums are taken column by column, so that they are the
    same bits for any block of rows.
    """
    n_columns = np.uint64(points.shape[1])
    n_ids = np.uint64(ids.shape[1])
    n_fitted = np.uint64(fitted.shape[0])
    for i in range(np.uint64(ids.shape[0])):
        for x in range(n_ids):
            row = np.uint64(ids[i, x] - first)  # a row before the first becomes a huge number
            if row >= n_fitted:
                continue
            total = 0.0
            for c in range(n_columns):
                difference = np.float64(points[i, c]) - np.float64(fitted[row, c])
                if step[c] == 0.0:
                    total += difference * difference
                elif difference != 0.0:
                    total += step[c]
            out[i, x] = total
