"""Test for weak dependence among many columns.

Dozens of columns that hardly depend on each other, such as columns in which three clusters differ
by half a standard deviation, have no significant pair. But all their pairs are a little stronger
than chance, and that adds up: the matrix of T - 1, where T = (n - 1) r^2 and r is the rank
correlation of two columns, has a leading eigenvalue above that of independent columns, and its
eigenvector points at the columns.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse.linalg import eigsh
from scipy.special import gammaincc

from .._typing import Array, BoolArray, Float32Array
from .basis import Basis
from .evidence import FALSE_DISCOVERIES, ColumnEvidence, named_below
from .null import interpolated
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
# Share of values that a column must have: the null eigenvalue is that of columns that share rows.
MIN_PRESENT = 0.5
# Smallest number of columns that are a crowd.
MIN_CROWD = 5
# Weights below this share of the largest one hardly change the sum, and are left out to save time.
NEGLIGIBLE = 1e-3
# Rounds in which the columns found are compared with all others again.
ROUNDS = 3


def spectral_evidence(
    linear: Float32Array,
    basis: Basis,
    single: BoolArray,
    level: float,
    alpha: float,
) -> ColumnEvidence:
    """Test whether many of the columns that have no partner depend on each other weakly.

    At `level` for a table; if it is significant, p-values below `alpha` name its columns.
    ``linear`` holds T of all pairs, ``single`` says which columns have no partner. The strength of
    a column is the root mean square of its correlations with the columns found; its partner is one
    of these.
    """
    evidence = ColumnEvidence.nothing(basis.n_columns)
    tested = suitable_columns(basis) & single
    columns = np.flatnonzero(tested)
    if columns.size < MIN_COLUMNS or linear.size == 0:
        return evidence
    matrix = linear[np.ix_(columns, columns)]
    np.minimum(matrix - 1, CLIP, out=matrix)
    np.fill_diagonal(matrix, 0)
    value, vector = leading_eigenvector(matrix)
    # How many rows two columns share on average, at least, if their gaps are independent. Fewer
    # rows mean a larger eigenvalue by chance.
    share_present = basis.is_present[columns].mean(axis=1)
    smallest_share = float(share_present.min())
    n_shared = basis.n_rows * smallest_share**2
    table_p_value = eigenvalue_tail(value, n_shared, columns.size)
    if table_p_value >= level:
        evidence.p_value[columns] = table_p_value
        return evidence
    first = basis.of_columns(columns)[:, 0]
    adjusted = _named(matrix, first, value, vector)
    in_crowd = adjusted < FALSE_DISCOVERIES
    if in_crowd.sum() < MIN_CROWD:
        return evidence
    crowd = columns[in_crowd]
    with_crowd = matrix[:, in_crowd]
    n_others = np.maximum(crowd.size - in_crowd, 1)  # a column of the crowd is not its own partner
    excess = with_crowd.sum(axis=1) / n_others
    statistic = linear[np.ix_(columns, crowd)]
    statistic[with_crowd == 0] = -np.inf
    best = statistic.argmax(axis=1)
    mean_square = excess / basis.n_rows
    squared_correlation = np.clip(mean_square, 0, 1)
    evidence.p_value[columns] = named_below(alpha, adjusted)
    evidence.strength[columns] = np.sqrt(squared_correlation)
    evidence.partner[columns] = crowd[best]
    return evidence


def suitable_columns(basis: Basis) -> BoolArray:
    """Return which columns can be tested: spread over many rows, and with enough values."""
    share_present = basis.is_present.mean(axis=1)
    has_enough = share_present >= MIN_PRESENT
    return basis.is_spread & has_enough


def leading_eigenvector(matrix: Float32Array) -> tuple[float, Array]:
    """Return the largest eigenvalue of a symmetric matrix and its eigenvector, mostly positive."""
    p = len(matrix)
    equal_weight = p**-0.5
    start = np.full(p, equal_weight)
    exact = matrix.astype(np.float64)
    values, vectors = eigsh(exact, k=1, which="LA", v0=start, tol=1e-4)
    vector = vectors[:, 0]
    if vector.sum() < 0:
        vector = -vector
    return float(values[0]), vector


def eigenvalue_tail(value: float, n_rows: float, n_columns: int) -> float:
    """Return the probability of so large an eigenvalue if all columns are independent."""
    mean, deviation = null_of_eigenvalue(n_rows, n_columns)
    scale = np.sqrt(VARIANCE * n_columns)
    scaled = value / scale
    standard = (scaled - mean) / deviation
    return tracy_widom_tail(standard)


def tracy_widom_tail(standard: float) -> float:
    """Return the upper tail of the Tracy-Widom distribution, scaled to mean 0 and variance 1.

    By the gamma distribution of Chiani (2014, Journal of Multivariate Analysis 129), whose shape
    is 46.446: accurate to a few percent down to tails of 1e-4.
    """
    shape = 46.446
    deviation = np.sqrt(shape)
    y = shape + deviation * standard
    return float(gammaincc(shape, max(y, 0.0)))


def null_of_eigenvalue(n_rows: float, n_columns: int) -> tuple[float, float]:
    """Return mean and standard deviation of the eigenvalue over sqrt(2 p), interpolated."""
    means = interpolated(MEANS.T, COLUMNS, [n_columns])
    deviations = interpolated(DEVIATIONS.T, COLUMNS, [n_columns])
    by_rows = np.column_stack([means[0], deviations[0]])
    at_rows = interpolated(by_rows, ROWS, [n_rows])
    mean, deviation = at_rows[0]
    return mean, deviation


def _named(
    matrix: Float32Array,
    first: Array,
    value: float,
    vector: Array,
) -> Array:
    """Return the adjusted p-value of each column; ``first`` holds the first functions.

    A column x that is independent of all others has sum(v_j * (T_xj - 1)) = x'Kx - trace(K), with
    K = sum(v_j f_j f_j') / n. Given the others, its mean is 0, and its second and third cumulants
    are 2 trace(K^2) and 8 trace(K^3). If v is the eigenvector of all columns, the entry of x itself
    is this sum divided by (value + sqrt(value^2 - 8 p)) / 2. The columns found are then compared
    with all others again, with equal weights.
    """
    p = len(matrix)
    edge = 4 * VARIANCE * p
    beyond_edge = max(value**2 - edge, 0.0)
    factor = (value + np.sqrt(beyond_edge)) / 2
    sums = factor * vector
    tail = _tail_of_sums(sums, first, vector)
    adjusted, _ = step_up(tail)
    for _ in range(ROUNDS):
        crowd = adjusted < FALSE_DISCOVERIES
        if crowd.sum() < MIN_CROWD:
            return adjusted
        sums = matrix[:, crowd].sum(axis=1)
        equal_weights = crowd * 1.0
        tail = _tail_of_sums(sums, first, equal_weights)
        adjusted, _ = step_up(tail)
    return adjusted


def _tail_of_sums(sums: Array, first: Float32Array, weights: Array) -> Array:
    """Return the upper tail of sums of T - 1, by a gamma distribution with three right moments."""
    n_rows = first.shape[1]
    size = np.abs(weights)
    negligible = NEGLIGIBLE * size.max()
    counts = size > negligible
    functions = first[counts]
    used_weights = weights[counts]
    kernel = (functions.T * used_weights) @ functions / n_rows
    square = kernel @ kernel
    second_cumulant = 2 * np.trace(square)
    third_cumulant = 8 * np.sum(square * kernel)
    scale = third_cumulant / (2 * second_cumulant)
    shape = second_cumulant / scale**2
    y = sums / scale + shape
    return gammaincc(shape, np.maximum(y, 0))


# Mean and standard deviation of the leading eigenvalue over sqrt(2 p), for tables of ROWS rows
# (down) and COLUMNS independent columns (across), by
# `python -m urerf.lab.null_distributions eigenvalue`.
ROWS = (20, 30, 50, 100, 300, 1000, 2000)
COLUMNS = (20, 50, 100, 200, 500, 1000, 2000, 4000)
MEANS = np.array(
    [
        [1.8927, 2.2396, 2.5031, 2.8411, 3.4436, 4.1058, 5.0297, 6.3525],  # 20
        [1.8739, 2.1654, 2.3567, 2.5683, 2.9709, 3.4079, 4.0391, 4.9020],  # 30
        [1.8830, 2.0992, 2.2260, 2.3592, 2.5897, 2.8513, 3.2162, 3.7497],  # 50
        [1.8782, 2.0529, 2.1260, 2.1836, 2.2894, 2.4223, 2.6035, 2.8675],  # 100
        [1.8802, 2.0157, 2.0492, 2.0624, 2.0981, 2.1409, 2.2009, 2.2878],  # 300
        [1.8734, 2.0113, 2.0234, 2.0288, 2.0289, 2.0404, 2.0572, 2.0834],  # 1000
        [1.8569, 2.0008, 2.0186, 2.0170, 2.0138, 2.0195, 2.0259, 2.0417],  # 2000
    ]
)
DEVIATIONS = np.array(
    [
        [0.3430, 0.2251, 0.1841, 0.1465, 0.1097, 0.0964, 0.0766, 0.0724],  # 20
        [0.3291, 0.2260, 0.1647, 0.1195, 0.0771, 0.0698, 0.0605, 0.0379],  # 30
        [0.3429, 0.2179, 0.1436, 0.0956, 0.0547, 0.0386, 0.0253, 0.0228],  # 50
        [0.3572, 0.1924, 0.1205, 0.0772, 0.0387, 0.0254, 0.0176, 0.0137],  # 100
        [0.3321, 0.1901, 0.1045, 0.0582, 0.0275, 0.0170, 0.0110, 0.0074],  # 300
        [0.3536, 0.1831, 0.1003, 0.0604, 0.0250, 0.0142, 0.0081, 0.0069],  # 1000
        [0.3481, 0.1776, 0.1036, 0.0547, 0.0249, 0.0138, 0.0084, 0.0050],  # 2000
    ]
)
