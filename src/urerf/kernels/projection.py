"""Sparse random projections: the p x d matrix A of +1 and -1 ("Node-Wise Feature Generation").

A candidate of a node is one column of A, stored as the list of its non-zeros. Every entry of A is
non-zero with probability ``density``, independently, so there are density * p * d of them on
average, as in the paper, and a candidate can combine several columns even if d = 1. An empty
candidate gets one non-zero, so that each candidate looks at something (at a density of 1 / p that
makes 1.37 non-zeros per candidate).

A column that is drawn is kept with the probability ``feature_weights``, which is 1 for all columns
in the paper. DIRECTION is ours: a candidate is a random direction in the space of the columns that
were drawn, with Gaussian coefficients.
"""

import math
from typing import NamedTuple

import numpy as np

from .._typing import Array
from ._jit import inlined, inner, leaf
from .rng import derive, random_below, random_bits, random_unit
from .settings import AXIS, OBLIQUE

# Branch of a node's stream for the angles of Gaussian coefficients; `urerf.kernels.node` and
# `urerf.kernels.tree` use the others.
_ANGLES = 4


class Projections(NamedTuple):
    """Sparse projections: the j-th has the non-zeros begin[j]:begin[j + 1]."""

    begin: Array
    columns: Array
    coefficients: Array


def empty_projections(count):
    """Allocate room for so many projections; the non-zeros are enlarged when needed."""
    room = 4 * count
    return Projections(
        begin=np.empty(count + 1, np.int64),
        columns=np.empty(room, np.int32),
        coefficients=np.empty(room, np.float32),
    )


def enlarged(projections):
    """Return projections with twice the room for non-zeros; what was drawn is not copied."""
    room = 2 * projections.columns.size
    columns = np.empty(room, np.int32)
    coefficients = np.empty(room, np.float32)
    return projections._replace(columns=columns, coefficients=coefficients)


@inlined
def _sample_axis(key, feature_weights, deck, projections):
    """Draw distinct columns by Fisher and Yates; ``deck`` is 0..p-1 before and after."""
    begin = projections.begin
    columns = projections.columns
    coefficients = projections.coefficients
    p = deck.size
    d = begin.size - 1
    drawn = 0
    reached = 0
    # Invariant: deck[:reached] are the columns seen so far, drawn of which were kept.
    while drawn < d:
        j = np.int64(reached)
        other = j + random_below(key, j, p - j)
        deck[j], deck[other] = deck[other], deck[j]
        reached += 1
        column = deck[j]
        may_skip = feature_weights[column] < 1.0 and p - j > d - drawn
        if may_skip and random_unit(key, p + j) >= feature_weights[column]:
            continue
        columns[drawn] = column
        coefficients[drawn] = np.float32(1.0)
        drawn += 1
        begin[drawn] = drawn
    for last in range(reached - 1, -1, -1):  # undo the swaps, last first
        other = last + random_below(key, last, p - last)
        deck[last], deck[other] = deck[other], deck[last]


@inlined
def _coefficient(key, counter, projection):
    """Return +1 or -1, or a Gaussian number for a direction, by Box and Muller."""
    if projection == OBLIQUE:
        is_odd = random_bits(key, counter) & np.uint64(1)
        return np.float32(1.0) if is_odd else np.float32(-1.0)
    unit = random_unit(key, counter)
    other = random_unit(derive(key, np.int64(_ANGLES)), counter)
    radius = math.sqrt(-2.0 * math.log(1.0 - unit))
    angle = 2.0 * math.pi * other
    return np.float32(radius * math.cos(angle))


def sample_projections(key, projection, density, feature_weights, deck, projections):
    """Draw the candidates of a node; return them in arrays that may have been enlarged.

    As many are drawn as ``projections.begin`` has room for. ``deck`` is 0..p-1. AXIS draws distinct
    columns; the others are described at the top of this file.
    """
    while not fill_projections(key, projection, density, feature_weights, deck, projections):
        projections = enlarged(projections)
    return projections


@leaf
def fill_projections(key, projection, density, feature_weights, deck, projections):
    """Do what `sample_projections` does; return whether there was room for all non-zeros.

    If there was not, the same call with more room starts again with the same random numbers.
    """
    begin = projections.begin
    columns = projections.columns
    coefficients = projections.coefficients
    p = deck.size
    begin[0] = 0
    if projection == AXIS:
        _sample_axis(key, feature_weights, deck, projections)
        return True
    log_empty = math.log1p(-density) if density < 1.0 else -np.inf
    used = np.int64(0)
    counter = np.int64(0)
    # Invariant: used non-zeros are written, and counter random numbers are spent.
    for j in range(begin.size - 1):
        column = -1
        alone = False
        while True:
            # The number of empty entries before the next non-zero is geometric.
            jump = math.log(1.0 - random_unit(key, counter)) / log_empty
            counter += 1
            if jump < p - 1 - column:
                column += 1 + int(jump)
            elif used > begin[j]:
                break
            else:  # an empty candidate: one non-zero, anywhere
                column = random_below(key, counter, p)
                alone = True
                counter += 1
            if feature_weights[column] < 1.0:
                counter += 1
                if random_unit(key, counter - 1) >= feature_weights[column]:
                    column = p if alone else column  # skipped: look for another one
                    continue
            if used == columns.size:
                return False
            columns[used] = column
            coefficients[used] = _coefficient(key, counter, projection)
            counter += 1
            used += 1
            if alone:
                break
        begin[j + 1] = used
    return True


@inner
def project(matrix, rows, columns, coefficients, out):
    """Write the projection of the given rows: the sum of coefficient times column, in float32."""
    column = matrix[columns[0]]
    coefficient = coefficients[0]
    for i in range(rows.size):
        out[i] = coefficient * column[np.uint32(rows[i])]
    for c in range(1, columns.size):
        column = matrix[columns[c]]
        coefficient = coefficients[c]
        for i in range(rows.size):
            out[i] += coefficient * column[np.uint32(rows[i])]
