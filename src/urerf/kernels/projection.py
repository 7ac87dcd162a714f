"""Sparse random projections: the p x d matrix A of +1 and -1 (section "Node-Wise Feature Generation").

A candidate is one column of A, kept as the list of its non-zeros: ``columns[begin[j]:begin[j + 1]]`` with ``weights``.
Every cell of A is non-zero with probability ``density``, independently, so there are density * p * d of them on
average, as in the paper, and a candidate can combine several columns even when d = 1. A candidate left empty gets one
non-zero, so that each looks at something.
"""

import math

import numpy as np

from ._jit import jit
from .rng import random_below, random_bits, random_unit

AXIS, OBLIQUE = 0, 1


@jit
def grown(array, used, more):
    """Return the array with room for ``more`` entries after the first ``used``."""
    if used + more <= array.size:
        return array
    larger = np.empty(max(2 * array.size, used + more), array.dtype)
    for i in range(used):
        larger[i] = array[i]
    return larger


@jit
def _sample_axis(key, d, deck, columns):
    """Draw d distinct columns (Fisher-Yates); ``deck`` is 0..p-1 before and after."""
    for j in range(d):
        other = j + random_below(key, j, deck.size - j)
        deck[j], deck[other] = deck[other], deck[j]
        columns[j] = deck[j]
    for j in range(d - 1, -1, -1):  # undo the swaps, last first
        other = j + random_below(key, j, deck.size - j)
        deck[j], deck[other] = deck[other], deck[j]


@jit
def sample_projections(key, kind, d, density, deck, begin, columns, weights):
    """Draw the d candidates of one node; return (columns, weights), which may have been enlarged.

    ``deck`` is 0..p-1. AXIS: d distinct columns as they are. OBLIQUE: see the module.
    """
    p = deck.size
    begin[0] = 0
    if kind == AXIS:
        _sample_axis(key, d, deck, columns)
        for j in range(d):
            begin[j + 1] = j + 1
            weights[j] = np.float32(1.0)
        return columns, weights
    log_empty = math.log1p(-density) if density < 1.0 else -np.inf
    used, counter = 0, 0
    for j in range(d):
        column = -1
        while True:
            # How many empty cells come before the next non-zero: geometric.
            jump = math.log(1.0 - random_unit(key, counter)) / log_empty
            counter += 1
            if jump >= p - 1 - column:
                if used > begin[j]:
                    break
                column = random_below(key, counter, p)  # an empty candidate: one non-zero, anywhere
                counter += 1
                jump = float(p)
            else:
                column += 1 + int(jump)
            columns, weights = grown(columns, used, 1), grown(weights, used, 1)
            columns[used] = column
            weights[used] = np.float32(1.0) if random_bits(key, counter) & np.uint64(1) else np.float32(-1.0)
            counter += 1
            used += 1
            if jump == p:
                break
        begin[j + 1] = used
    return columns, weights


@jit
def project(table, rows, columns, weights, out):
    """Write the values of one candidate for the given rows: the sum of weight times column, in float32."""
    column = table[columns[0]]
    weight = weights[0]
    for i in range(rows.size):
        out[i] = weight * column[rows[i]]
    for c in range(1, columns.size):
        column = table[columns[c]]
        weight = weights[c]
        for i in range(rows.size):
            out[i] += weight * column[rows[i]]
