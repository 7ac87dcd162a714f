"""Tell pairs that lie on a curve, on a surface or in clusters from pairs that are only correlated.

Gaussian columns with correlation r, and monotone functions of them, have the correlations
H diag(r, r^2, ...) H' of their polynomials. A pair that deviates from that has a shape.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.polynomial import hermite_e, legendre
from scipy.special import chdtrc, ndtr

from .._typing import Array, BoolArray, IntArray
from ..kernels.expansion import DEGREE
from .pairs import PairEvidence

# Part of sum(C ** 2) that a Gaussian correlation does not explain, above which a pair has a shape.
# Each manifold of the tests has a pair at 0.25 (sphere, 200 rows), 0.33 (torus, 1000 rows) or
# more; Gaussian pairs of any correlation stay below 0.11 with 200 rows and 0.02 with 1000.
# Between them, 0.25 favors not demoting (test_curvature_of_manifolds_and_of_correlated_columns).
CURVED = 0.25

# Level at which a Gaussian pair may exceed that by chance, over all dependent pairs of the table.
# With few rows the threshold alone would not do: at 64 rows, one pair in 100 exceeds it.
BY_CHANCE = 0.01

# sum(C ** 2) above which a pair lies on one monotone curve. It is 4 for (4t, 6t), about 2.7 at a
# Gaussian correlation of .95 and 3.7 at .99, so noise must be nearly identical to count as a curve.
RIGID = 3.0

# Columns that make a monotone curve a shape. Two may be copies, such as a date and the number of
# its day, which must not demote all measurements.
MIN_ON_CURVE = 3

# Degree of the Hermite expansion: 24 holds 99.7 % of the squared norm of each polynomial, and more
# of what matters, since the k-th term of a pair is weighted by r ** k.
HERMITE = 24

# Correlations of a pair that are free once that of the ranks is given.
N_FREE = DEGREE**2 - 1


class ShapeEvidence(NamedTuple):
    """What the shape of the pairs says about the groups of columns; masks of shape (p,)."""

    shaped: BoolArray  # in a group with a shape
    tied: BoolArray  # in a group with a dependent pair whose shape ties conceal


def shape_evidence(pairs: PairEvidence) -> ShapeEvidence:
    """Find the groups with a curved pair, or with three or more columns on one curve.

    Two columns on a monotone curve may be copies, such as a date and the number of its day, and are
    not a shape.
    """
    column, partner = pairs.dependent()
    correlations = pairs.correlations[pairs.significant]
    n_rows = pairs.n_rows[pairs.significant]
    tied = pairs.tied[column] | pairs.tied[partner]
    curved = _is_curved(correlations, n_rows) & ~tied
    group = pairs.group
    group_of_pair = group[column]
    shaped = np.isin(group, group_of_pair[curved])
    is_rigid = _squared_norm(correlations) > RIGID
    on_curve = is_rigid & ~tied
    columns_on_curve = np.union1d(column[on_curve], partner[on_curve])
    groups_on_curve = group[columns_on_curve]
    count = np.bincount(groups_on_curve, minlength=group.size)
    enough_on_curve = count[group] >= MIN_ON_CURVE
    shaped |= enough_on_curve
    with_ties = np.isin(group, group_of_pair[tied])
    return ShapeEvidence(shaped, with_ties)


def _is_curved(correlations: Array, n_rows: IntArray) -> BoolArray:
    """Return which pairs have a shape, and not by chance."""
    curvature = _curvature(correlations, n_rows)
    statistic = n_rows * curvature + N_FREE
    tail = chdtrc(N_FREE, statistic)
    n_pairs = len(curvature)
    p_value = tail * n_pairs
    has_shape = curvature > CURVED
    is_significant = p_value < BY_CHANCE
    return has_shape & is_significant


def _curvature(correlations: Array, n_rows: IntArray | int) -> Array:
    """Return the part of sum(C ** 2) that a Gaussian correlation does not explain."""
    correlations = correlations[:, :DEGREE, :DEGREE]
    h = _hermite_of_legendre()
    of_ranks = correlations[:, 0, 0]
    angle = np.pi / 6 * of_ranks
    r = 2 * np.sin(angle)  # Gaussian columns
    orders = np.arange(1, HERMITE + 1)
    powers = r[:, None] ** orders
    gaussian = np.einsum("ak,pk,bk->pab", h, powers, h)
    deviation = correlations - gaussian
    by_chance = N_FREE / n_rows
    return _squared_norm(deviation) - by_chance


def _squared_norm(matrices: Array) -> Array:
    squares = np.square(matrices)
    return squares.sum(axis=(1, 2))


@lru_cache
def _hermite_of_legendre() -> Array:
    """Expand the Legendre polynomials of a Gaussian's rank in Hermite polynomials."""
    z, weight = hermite_e.hermegauss(100)
    orders = range(1, HERMITE + 1)
    norm = [math.sqrt(math.factorial(k)) for k in orders]
    hermite = hermite_e.hermevander(z, HERMITE)
    hermite = hermite[:, 1:] / norm  # without the constant
    degrees = np.arange(1, DEGREE + 1)
    scale = np.sqrt(2 * degrees + 1)
    ranks = 2 * ndtr(z) - 1
    polynomials = legendre.legvander(ranks, DEGREE)
    polynomials = polynomials[:, 1:] * scale
    weighted = polynomials * weight[:, None] / weight.sum()
    return weighted.T @ hermite
