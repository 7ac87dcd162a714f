"""Test every pair of columns for fast waves: one column as a wavy function of the other.

Polynomials of degree 4 cannot follow a curve that goes up and down ten times, such as t against
cos(10 t). Here a column is expanded in cosines of its ranks, and these are compared with the first
two functions of every other column, as in `pairs`.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from .._threads import run_blocks
from .._typing import Array, BoolArray, Float32Array, IntArray
from ..kernels.expansion import DEGREE as POLYNOMIALS
from ..kernels.expansion import N_MOMENTS, SIZE, moments_of
from ..kernels.pair_scores import MIN_ROWS
from .basis import Basis
from .evidence import ColumnEvidence
from .null import gamma_tail, n_correlations
from .pairs import step_up

# Highest degree: a column that swings 16 times. A higher degree would need more rows to be found.
DEGREE = 32
# Rows per cosine: with fewer, the highest cosines follow single rows.
ROWS_PER_DEGREE = 5
# Functions of the other column.
OTHER = 2
# Up to this many operations, (DEGREE * columns) * (OTHER * columns) * rows, all pairs are compared:
# 560 columns of 1000 rows. For more columns the test is not run: it would take longer than all
# others.
MAX_WORK = 2e10
# Share of the values of a column that must be distinct, so that the cosines are orthogonal.
MIN_DISTINCT = 0.9
# Columns expanded at a time.
CHUNK = 16
# Standard deviations above its mean that the statistic must have for a pair to be looked at again:
# one in 200 pairs of independent columns.
PROMISING = 3.0


def wave_evidence(basis: Basis, n_jobs: int | None = None) -> ColumnEvidence:
    """Test all pairs of columns."""
    p = basis.n_columns
    varied = basis.size > 0
    n_varied = int(varied.sum())
    n_others = n_varied - 1
    largest_degree = basis.n_rows // ROWS_PER_DEGREE
    degree = min(DEGREE, largest_degree)
    n_cosines = degree * p
    n_functions = OTHER * p
    work = n_cosines * n_functions * basis.n_rows
    adds_waves = degree > POLYNOMIALS
    if work > MAX_WORK or n_others < 1 or not adds_waves:
        return ColumnEvidence.nothing(p)
    is_wave = _distinct(basis)
    wavy = np.flatnonzero(is_wave)
    if len(wavy) == 0:
        return ColumnEvidence.nothing(p)
    partner, score = _best_partners(basis, wavy, degree, n_jobs)
    promising = score > PROMISING
    wavy = wavy[promising]
    partner = partner[promising]
    tail, strength = _compare(basis, wavy, partner, degree)
    evidence = ColumnEvidence.nothing(p)
    evidence.p_value[~varied] = np.inf
    for place, (column, other) in enumerate(zip(wavy, partner)):
        for one, its_partner in ((column, other), (other, column)):
            if tail[place] < evidence.p_value[one]:
                evidence.p_value[one] = tail[place]
                evidence.strength[one] = strength[place]
                evidence.partner[one] = its_partner
    n_tests = 2 * n_others  # either column may be the wave
    adjusted_tail = evidence.p_value * n_tests
    p_value, _ = step_up(adjusted_tail, pairs=True)
    return evidence._replace(p_value=p_value)


def _distinct(basis: Basis) -> BoolArray:
    """Return which columns are ordered, have enough values, and nearly all of them distinct."""
    ordered = np.take_along_axis(basis.values, basis.order, axis=1)
    n_present = basis.is_present.sum(axis=1)
    is_step = ordered[:, 1:] > ordered[:, :-1]
    n_distinct = is_step.sum(axis=1) + 1
    is_distinct = n_distinct >= MIN_DISTINCT * n_present
    has_enough = n_present >= MIN_ROWS
    return ~basis.nominal & has_enough & is_distinct


@lru_cache
def _cosines(n: int, degree: int) -> Float32Array:
    """Return the cosines of the ranks 0 to n - 1, (degree, n)."""
    middle_of_rank = np.arange(n) + 0.5
    angle = np.pi * middle_of_rank / n
    degrees = np.arange(1, degree + 1)
    multiples = np.outer(degrees, angle)
    waves = np.cos(multiples)
    normal = np.sqrt(2) * waves
    return normal.astype(np.float32)


def _waves(
    basis: Basis,
    column: int,
    keep: BoolArray,
    degree: int,
) -> Float32Array:
    """Return the cosines of a column on the rows to keep, 0 on the others."""
    order = basis.order[column]
    is_kept = keep[order]
    kept = order[is_kept]
    waves = np.zeros((degree, basis.n_rows), dtype=np.float32)
    waves[:, kept] = _cosines(len(kept), degree)
    return waves


def _best_partners(
    basis: Basis,
    wavy: IntArray,
    degree: int,
    n_jobs: int | None,
) -> tuple[IntArray, Array]:
    """Return the column that is most like a wavy function of each column, and how much it is."""
    p = basis.n_columns
    size = np.minimum(basis.size, OTHER)
    dof = np.maximum(degree * size, 1)
    variance = 2 * dof
    deviation = np.sqrt(variance)
    every = np.arange(p)
    functions = basis.of_columns(every)[:, :OTHER]
    one_per_row = functions.reshape(-1, basis.n_rows)
    others = np.ascontiguousarray(one_per_row)
    partner = np.empty(len(wavy), dtype=np.intp)
    score = np.empty(len(wavy))

    def search(chunk: slice) -> None:
        columns = wavy[chunk]
        waves = []
        for column in columns:
            present = basis.is_present[column]
            waves.append(_waves(basis, column, present, degree))
        products = np.concatenate(waves) @ others.T
        products = products.reshape(len(columns), degree, p, OTHER)
        squares = np.einsum("cdpo,cdpo->cp", products, products)
        statistic = squares / basis.n_rows
        excess = statistic - dof
        standard = excess / deviation
        standard[:, size == 0] = -np.inf
        place = np.arange(len(columns))
        standard[place, columns] = -np.inf  # a column is not its own partner
        best = standard.argmax(axis=1)
        partner[chunk] = best
        score[chunk] = standard[place, best]

    run_blocks(search, len(wavy), CHUNK, n_jobs)
    return partner, score


def _compare(
    basis: Basis,
    wavy: IntArray,
    partner: IntArray,
    degree: int,
) -> tuple[Array, Array]:
    """Return the p-value and the strength of each pair, on the rows that both columns have."""
    n_pairs = len(wavy)
    statistic = np.zeros((n_pairs, 1))
    moments = np.zeros((2, n_pairs, 1, N_MOMENTS))
    n_rows = np.zeros(n_pairs, dtype=np.intp)
    least_rows = max(MIN_ROWS, ROWS_PER_DEGREE * degree)
    for place, (column, other) in enumerate(zip(wavy, partner)):
        keep = basis.is_present[column] & basis.is_present[other]
        n = int(keep.sum())
        if n < least_rows:
            continue
        on_all_rows = _waves(basis, column, keep, degree)
        waves = on_all_rows[:, keep]
        functions = _orthonormal(basis, int(other), keep)
        correlations = waves @ functions.T / n
        squares = np.square(correlations)
        statistic[place] = (n - 1) * squares.sum()
        n_rows[place] = n
        moments[0, place] = _moments_of_cosines(basis.n_rows, degree)
        _put_moments(functions, OTHER, moments[1, place])
    tail = gamma_tail(statistic, moments, n_rows)[:, 0]
    by_chance = n_correlations(moments)[:, 0]
    n_functions = moments[1, :, 0, SIZE]
    of_determined = n_functions * (n_rows - 1)
    largest_excess = np.maximum(of_determined - by_chance, 1)
    excess = statistic[:, 0] - by_chance
    share = np.clip(excess / largest_excess, 0, 1)
    return tail, np.sqrt(share)


def _orthonormal(basis: Basis, column: int, keep: BoolArray) -> Array:
    """Return the first functions of a column, orthonormal on the rows to keep."""
    n_functions = int(basis.size[column])
    size = min(n_functions, OTHER)
    first = basis.of_columns(column)[:size, keep]
    functions = first.astype(np.float64)
    mean = functions.mean(axis=1, keepdims=True)
    functions -= mean
    orthogonal, _ = np.linalg.qr(functions.T)
    norm = np.sqrt(functions.shape[1])
    return orthogonal.T * norm


@lru_cache
def _moments_of_cosines(n: int, degree: int) -> Array:
    moments = np.zeros((1, N_MOMENTS))
    waves = _cosines(n, degree).astype(np.float64)
    _put_moments(waves, degree, moments)
    return moments


def _put_moments(functions: Array, size: int, moments: Array) -> None:
    """Write the moments of the first ``size`` functions, over rows of equal weight."""
    n = functions.shape[1]
    weight = np.full(n, 1 / n)
    contiguous = np.ascontiguousarray(functions)
    prefixes = np.array([size])
    moments_of(contiguous, weight, prefixes, moments)
