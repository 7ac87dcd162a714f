"""Sparse random projections: the p x d matrix A of +1 and -1 (section "Node-Wise Feature Generation").

A candidate is one column of A, kept as the list of its non-zeros: ``columns[begin[j]:begin[j +
1]]`` with ``coefficients``. Every cell of A is non-zero with probability ``density``, independently, so
there are density * p * d of them on average, as in the paper, and a candidate can combine several
columns even when d = 1. A candidate left empty gets one non-zero, so that each looks at something
(at density 1 / p that makes 1.37 a candidate).

Columns have a chance, 1 for all in the paper: a column that is drawn is kept with its chance, else
passed over. DIRECTION is ours: a candidate is a random direction in the space of the columns drawn,
its coefficients are Gaussian.
"""

import math

import numpy as np

from ._jit import inlined, jit
from .rng import derive, random_below, random_bits, random_unit
from .settings import AXIS, OBLIQUE

AT_ONCE = 4


@jit
def grown(array, used, more):
    """Return the array with room for ``more`` entries after the first ``used``."""
    if used + more <= array.size:
        return array
    larger = np.empty(max(2 * array.size, used + more), array.dtype)
    for i in range(used):
        larger[i] = array[i]
    return larger


@inlined
def _sample_axis(key, d, feature_weights, deck, columns):
    """Draw d distinct columns (Fisher-Yates), passing over some by feature_weights; ``deck`` is 0..p-1 before and after."""
    p = deck.size
    drawn = 0
    reached = 0
    while drawn < d:
        j = reached
        other = j + random_below(key, j, p - j)
        deck[j], deck[other] = deck[other], deck[j]
        reached += 1
        # Passed over only while enough are left.
        if (
            feature_weights[deck[j]] < 1.0
            and p - j > d - drawn
            and random_unit(key, p + j) >= feature_weights[deck[j]]
        ):
            continue
        columns[drawn] = deck[j]
        drawn += 1
    for j in range(reached - 1, -1, -1):  # undo the swaps, last first
        other = j + random_below(key, j, p - j)
        deck[j], deck[other] = deck[other], deck[j]


@inlined
def _weight(key, counter, kind):
    """Return +1 or -1, or, for a direction, a Gaussian number (Box-Muller)."""
    if kind == OBLIQUE:
        return np.float32(1.0) if random_bits(key, counter) & np.uint64(1) else np.float32(-1.0)
    radius = math.sqrt(-2.0 * math.log(1.0 - random_unit(key, counter)))
    return np.float32(
        radius * math.cos(2.0 * math.pi * random_unit(derive(key, np.int64(4)), counter))
    )


@jit
def sample_projections(key, kind, d, density, feature_weights, deck, begin, columns, coefficients):
    """Draw the d candidates of one node; return (columns, coefficients), which may have been enlarged.

    ``deck`` is 0..p-1, ``feature_weights`` the feature_weights of each column. AXIS: d distinct columns as they are.
    Others: see above.
    """
    p = deck.size
    begin[0] = 0
    if kind == AXIS:
        _sample_axis(key, d, feature_weights, deck, columns)
        for j in range(d):
            begin[j + 1] = j + 1
            coefficients[j] = np.float32(1.0)
        return columns, coefficients
    log_empty = math.log1p(-density) if density < 1.0 else -np.inf
    used = np.int64(0)
    counter = np.int64(0)
    one = np.int64(1)
    for j in range(d):
        column = -1
        alone = False
        while True:
            # How many empty cells come before the next non-zero: geometric.
            jump = math.log(1.0 - random_unit(key, counter)) / log_empty
            counter += 1
            if jump < p - 1 - column:
                column += 1 + int(jump)
            elif used > begin[j]:
                break
            else:
                # an empty candidate: one non-zero, anywhere
                column = random_below(key, counter, p)
                alone = True
                counter += 1
            if feature_weights[column] < 1.0:
                counter += 1
                if random_unit(key, counter - 1) >= feature_weights[column]:
                    column = p if alone else column  # look for another one
                    continue
            columns = grown(columns, used, one)
            coefficients = grown(coefficients, used, one)
            columns[used] = column
            coefficients[used] = _weight(key, counter, kind)
            counter += 1
            used += 1
            if alone:
                break
        begin[j + 1] = used
    return columns, coefficients


@jit
def project(matrix, rows, columns, coefficients, out):
    """Write the values of one candidate for the given rows: the sum of weight times column, in float32."""
    column = matrix[columns[0]]
    weight = coefficients[0]
    for i in range(rows.size):
        out[i] = weight * column[np.uint32(rows[i])]
    for c in range(1, columns.size):
        column = matrix[columns[c]]
        weight = coefficients[c]
        for i in range(rows.size):
            out[i] += weight * column[np.uint32(rows[i])]


@jit
def project_sorted(column, order, times, weight, out):
    """Write the values of one column times +1 or -1, ascending; ``order`` sorts the column, ``times`` counts rows.

    Reads all fitted rows to find those of a node, which is quicker than sorting while the node
    holds a good part of them: long chains of nodes that lose a few rows each are what costs where
    columns are noise. ``out`` has room for `AT_ONCE` values more than the node holds.
    """
    n = order.size
    at = np.uint64(0)
    first, step = (0, 1) if weight > 0.0 else (n - 1, -1)
    for i in range(n):
        row = np.uint32(order[np.uint64(first + step * i)])
        value = weight * column[row]
        more = np.uint64(times[row])
        for extra in range(
            np.uint64(AT_ONCE)
        ):  # few rows are there more often: written without asking
            out[at + extra] = value
        if more > AT_ONCE:
            for extra in range(np.uint64(AT_ONCE), more):
                out[at + extra] = value
        at += more
