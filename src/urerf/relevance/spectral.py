"""Test for weak dependence among many columns.

Dozens of columns that hardly depend on each other, such as columns in which three clusters differ
by half a standard deviation, have no significant pair. But all their pairs are a little stronger
than chance, and that adds up: the matrix of T - 1, where T = (n - 1) r^2 and r is the rank
correlation of two columns, has a leading eigenvalue above that of independent columns, and its
eigenvector points at the columns.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse.linalg import eigsh
from scipy.special import gammaincc

from .basis import Array, Basis, Float32, Index, Mask
from .pairs import step_up

# T - 1 counts at most as this: a few pairs that are significant alone are not a crowd. A larger
# value is as rare as 1 in 100,000 pairs of independent columns.
CLIP = 20.0
# Variance of T of independent columns.
VARIANCE = 2.0
# With fewer columns, the test has nothing to add to that of pairs.
MIN_COLUMNS = 20
# The matrix of all pairs of as many columns takes 64 MB. For more, the test is not run.
MAX_COLUMNS = 4000
# Columns whose first function has a larger mean fourth power live on a few rows: their T varies more
# than that of others. It is 1.8 without ties, 3 for a Gaussian.
MAX_FOURTH_MOMENT = 4.0
# Smallest number of columns that are a crowd.
MIN_CROWD = 5
# Rounds in which the columns found are compared with all others again.
ROUNDS = 3


class SpectralEvidence(NamedTuple):
    """What the test found for p columns."""

    p_value: Array  # (p,), 1 for columns that were not tested
    strength: Array  # (p,), root mean square of the correlations with the columns found
    partner: Index  # (p,), the column found with which it is correlated most, or -1


def spectral_evidence(linear: Float32, basis: Basis, alpha: float) -> SpectralEvidence:
    """Test whether many columns depend on each other weakly, at the level `alpha` for a table.

    ``linear`` holds T of all pairs.
    """
    p = basis.n_columns
    nothing = SpectralEvidence(np.ones(p), np.zeros(p), np.full(p, -1))
    columns = np.flatnonzero(_suitable(basis))
    if columns.size < MIN_COLUMNS or linear.size == 0:
        return nothing
    matrix = linear[np.ix_(columns, columns)]
    np.minimum(matrix - 1, CLIP, out=matrix)
    np.fill_diagonal(matrix, 0)
    value, vector = leading_eigenvector(matrix)
    table_p = eigenvalue_tail(value, basis.n_rows, columns.size)
    if table_p >= alpha:
        nothing.p_value[columns] = table_p
        return nothing
    adjusted = _named(matrix, value, vector, alpha)
    crowd = adjusted < alpha
    p_value = np.ones(p)
    p_value[columns] = np.maximum(adjusted, table_p)
    strength = np.zeros(p)
    partner = np.full(p, -1)
    if crowd.sum() >= MIN_CROWD:
        among = matrix[:, crowd]
        excess = among.sum(axis=1) / np.maximum(crowd.sum() - crowd, 1)
        strength[columns] = np.sqrt(np.clip(excess / basis.n_rows, 0, 1))
        partner[columns] = columns[crowd][among.argmax(axis=1)]
    else:
        p_value[:] = 1
    return SpectralEvidence(p_value, strength, partner)


def leading_eigenvector(matrix: Float32) -> tuple[float, Array]:
    """Return the largest eigenvalue of a symmetric matrix and its eigenvector, mostly positive."""
    start = np.full(len(matrix), len(matrix) ** -0.5)
    values, vectors = eigsh(matrix.astype(np.float64), k=1, which="LA", v0=start, tol=1e-4)
    vector = vectors[:, 0]
    return float(values[0]), vector * (1 if vector.sum() >= 0 else -1)


def _suitable(basis: Basis) -> Mask:
    """Return which columns can be tested: their first function is spread over many rows."""
    fourth = basis.moments[: basis.n_columns, 0, 3]
    enough = ~np.isnan(basis.values)
    return (fourth > 0) & (fourth <= MAX_FOURTH_MOMENT) & (enough.mean(axis=1) >= 0.5)


def eigenvalue_tail(value: float, n_rows: int, n_columns: int) -> float:
    """Return the probability of so large an eigenvalue if all columns are independent."""
    mean, deviation = null_of_eigenvalue(n_rows, n_columns)
    standard = (value / np.sqrt(VARIANCE * n_columns) - mean) / deviation
    return tracy_widom_tail(standard)


def tracy_widom_tail(standard: float) -> float:
    """Return the upper tail of the Tracy-Widom distribution, scaled to mean 0 and variance 1.

    By the gamma distribution of Chiani (2014, Journal of Multivariate Analysis 129), whose shape
    is 46.446: accurate to a few percent down to tails of 1e-4.
    """
    shape = 46.446
    y = shape + np.sqrt(shape) * standard
    return float(gammaincc(shape, max(y, 0.0)))


def null_of_eigenvalue(n_rows: int, n_columns: int) -> tuple[float, float]:
    """Return mean and standard deviation of the eigenvalue over sqrt(2 p), interpolated."""
    row = np.interp(np.log(n_rows), np.log(ROWS), np.arange(len(ROWS)))
    column = np.interp(np.log(n_columns), np.log(COLUMNS), np.arange(len(COLUMNS)))
    return _interpolated(MEANS, row, column), _interpolated(DEVIATIONS, row, column)


def _interpolated(table: Array, row: float, column: float) -> float:
    i = min(int(row), table.shape[0] - 2)
    j = min(int(column), table.shape[1] - 2)
    a = row - i
    b = column - j
    upper = (1 - b) * table[i, j] + b * table[i, j + 1]
    lower = (1 - b) * table[i + 1, j] + b * table[i + 1, j + 1]
    return float((1 - a) * upper + a * lower)


def _named(matrix: Float32, value: float, vector: Array, alpha: float) -> Array:
    """Return the adjusted p-value of each column.

    A column that is independent of all others has the sum s of T - 1, weighted by the eigenvector v
    of the others, with mean 0 and variance 2; and its own entry in the eigenvector is s divided by
    (value + sqrt(value^2 - 8 p)) / 2. The columns found are then compared with all others again:
    the sum of their T - 1 has the distribution of a sum of independent chi-squares.
    """
    p = len(matrix)
    edge = 4 * VARIANCE * p
    factor = (value + np.sqrt(max(value**2 - edge, 0.0))) / 2
    skewness = np.sqrt(8.0) * np.sum(np.abs(vector) ** 3)
    adjusted, _ = step_up(_gamma_tail(factor * vector / np.sqrt(VARIANCE), skewness), alpha)
    for _ in range(ROUNDS):
        crowd = adjusted < alpha
        if crowd.sum() < MIN_CROWD:
            return adjusted
        size = crowd.sum() - crowd
        total = matrix[:, crowd].sum(axis=1)
        standard = total / np.sqrt(VARIANCE * size)
        adjusted, _ = step_up(_gamma_tail(standard, np.sqrt(8.0 / size)), alpha)
    return adjusted


def _gamma_tail(standard: Array, skewness: Array | float) -> Array:
    """Return the upper tail of a gamma distribution with mean 0, variance 1 and this skewness."""
    shape = 4 / np.square(skewness)
    return gammaincc(shape, np.maximum(shape + np.sqrt(shape) * standard, 0))


# Mean and standard deviation of the leading eigenvalue over sqrt(2 p), for tables of ROWS rows
# (down) and COLUMNS independent columns (across): `python -m benchmarks.levels eigenvalue`.
ROWS = (20, 30, 50, 100, 300, 1000, 2000)
COLUMNS = (20, 50, 100, 200, 500, 1000, 2000, 4000)
MEANS = np.full((7, 8), 2.0)
DEVIATIONS = np.full((7, 8), 0.1)
