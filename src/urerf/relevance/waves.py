"""Test every pair of columns for fast waves: one column as a wavy function of the other.

Polynomials of degree 4 cannot follow a curve that goes up and down ten times, such as t against
cos(10 t). Here a column is expanded in cosines of its ranks, and these are compared with the first
two functions of every other column, as in `pairs`.
"""

from __future__ import annotations

from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np
from scipy.special import gammaincc

from .._threads import run
from ..kernels.expansion import N_MOMENTS, SIZE, moments_of
from ..kernels.pair_scores import MIN_ROWS, null_of_pairs
from .basis import Array, Basis, Float32, Index, Mask
from .pairs import step_up

# Highest degree: a column that swings 16 times. A higher degree would need more rows to be found.
DEGREE = 32
# Rows per cosine: with fewer, the highest cosines follow single rows.
ROWS_PER_DEGREE = 5
# Functions of the other column.
OTHER = 2
# Up to this much work, (DEGREE * columns) * (OTHER * columns) * rows, all pairs are compared: 560
# columns of 1000 rows. For more columns the test is not run: it would take longer than all others.
MAX_WORK = 2e10
# Share of the values of a column that must be distinct, so that the cosines are orthogonal.
MIN_DISTINCT = 0.9
# Columns expanded at a time.
CHUNK = 16
# Standard deviations above its mean that the statistic must have for a pair to be looked at again:
# one in 200 pairs of independent columns.
PROMISING = 3.0


class WaveEvidence(NamedTuple):
    """What the test found for p columns."""

    p_value: Array  # (p,), adjusted for all pairs of columns
    strength: Array  # (p,)
    partner: Index  # (p,), best partner, or -1

    @classmethod
    def nothing(cls, p: int) -> WaveEvidence:
        """Return what is found if there is nothing to test."""
        return cls(np.ones(p), np.zeros(p), np.full(p, -1))


def wave_evidence(basis: Basis, n_jobs: int | None = None) -> WaveEvidence:
    """Test all pairs of columns."""
    p = basis.n_columns
    degree = min(DEGREE, basis.n_rows // ROWS_PER_DEGREE)
    others = int((basis.size > 0).sum()) - 1
    if degree * OTHER * p * p * basis.n_rows > MAX_WORK or others < 1 or degree <= 4:
        return WaveEvidence.nothing(p)
    wavy = np.flatnonzero(_distinct(basis))
    if len(wavy) == 0:
        return WaveEvidence.nothing(p)
    partner, score = _best_partners(basis, wavy, degree, n_jobs)
    wavy = wavy[score > PROMISING]
    partner = partner[score > PROMISING]
    tail, strength = _compare(basis, wavy, partner, degree)
    p_column = np.where(basis.size > 0, 1.0, np.inf)
    best = np.zeros(p)
    of_column = np.full(p, -1)
    for column, other, t, s in zip(wavy, partner, tail, strength):
        for i, j in ((column, other), (other, column)):
            if t < p_column[i]:
                p_column[i] = t
                best[i] = s
                of_column[i] = j
    p_value, _ = step_up(p_column * 2 * others, pairs=True)
    return WaveEvidence(p_value, best, of_column)


def _distinct(basis: Basis) -> Mask:
    """Return which columns are ordered, have enough values, and nearly all of them distinct."""
    ordered = np.take_along_axis(basis.values, basis.order, axis=1)
    n_present = (~np.isnan(ordered)).sum(axis=1)
    steps = (ordered[:, 1:] > ordered[:, :-1]).sum(axis=1) + 1
    return ~basis.nominal & (n_present >= MIN_ROWS) & (steps >= MIN_DISTINCT * n_present)


@lru_cache
def _cosines(n: int, degree: int) -> Float32:
    """Return the cosines of the ranks 0 to n - 1, (degree, n)."""
    angle = np.pi * (np.arange(n) + 0.5) / n
    waves = np.sqrt(2) * np.cos(np.arange(1, degree + 1)[:, None] * angle)
    return waves.astype(np.float32)


def _waves(basis: Basis, column: int, keep: Mask, degree: int) -> Float32:
    """Return the cosines of a column on the rows to keep, 0 on the others."""
    order = basis.order[column]
    kept = order[keep[order]]
    waves = np.zeros((degree, basis.n_rows), dtype=np.float32)
    waves[:, kept] = _cosines(len(kept), degree)
    return waves


def _best_partners(
    basis: Basis, wavy: Index, degree: int, n_jobs: int | None
) -> tuple[Index, Array]:
    """Return the column that is most like a wavy function of each column, and how much it is."""
    p = basis.n_columns
    other = basis.of_columns(np.arange(p))[:, :OTHER]
    size = np.minimum(basis.size, OTHER)
    dof = np.maximum(degree * size, 1)
    flat = np.ascontiguousarray(other.reshape(-1, basis.n_rows))
    present = ~np.isnan(basis.values)
    partner = np.empty(len(wavy), dtype=np.intp)
    score = np.empty(len(wavy))

    def search(start: int) -> None:
        chunk = wavy[start : start + CHUNK]
        waves = [_waves(basis, column, present[column], degree) for column in chunk]
        products = np.concatenate(waves) @ flat.T
        products = products.reshape(len(chunk), degree, p, OTHER)
        squares = np.einsum("cdpo,cdpo->cp", products, products)
        standard = (squares / basis.n_rows - dof) / np.sqrt(2 * dof)
        standard[:, size == 0] = -np.inf
        standard[np.arange(len(chunk)), chunk] = -np.inf
        best = standard.argmax(axis=1)
        partner[start : start + CHUNK] = best
        score[start : start + CHUNK] = standard[np.arange(len(chunk)), best]

    run([partial(search, start) for start in range(0, len(wavy), CHUNK)], n_jobs)
    return partner, score


def _compare(basis: Basis, wavy: Index, partner: Index, degree: int) -> tuple[Array, Array]:
    """Return the p-value and the strength of each pair, on the rows that both columns have."""
    n_pairs = len(wavy)
    statistic = np.zeros((n_pairs, 1))
    moments = np.zeros((2, n_pairs, 1, N_MOMENTS))
    n_rows = np.zeros(n_pairs, dtype=np.intp)
    for place, (column, other) in enumerate(zip(wavy, partner)):
        keep = ~(np.isnan(basis.values[column]) | np.isnan(basis.values[other]))
        n = int(keep.sum())
        if n < max(MIN_ROWS, ROWS_PER_DEGREE * degree):
            continue
        waves = _waves(basis, column, keep, degree)[:, keep]
        size = min(int(basis.size[other]), OTHER)
        functions = basis.of_columns(int(other))[:size, keep].astype(np.float64)
        functions -= functions.mean(axis=1, keepdims=True)
        orthonormal = np.linalg.qr(functions.T)[0].T * np.sqrt(n)
        statistic[place] = (n - 1) * np.square(waves @ orthonormal.T / n).sum()
        n_rows[place] = n
        moments[0, place] = _moments_of_cosines(basis.n_rows, degree)
        weight = np.full(n, 1 / n)
        moments_of(np.ascontiguousarray(orthonormal), weight, np.array([OTHER]), moments[1, place])
    shape = np.empty(statistic.shape)
    y = np.empty(statistic.shape)
    null_of_pairs(statistic, moments, n_rows, shape, y)
    tail = np.where(shape > 0, gammaincc(np.maximum(shape, 1e-9), y), 1)[:, 0]
    by_chance = moments[0, :, 0, SIZE] * moments[1, :, 0, SIZE]
    largest = np.maximum(moments[1, :, 0, SIZE] * (n_rows - 1) - by_chance, 1)
    share = (statistic[:, 0] - by_chance) / largest
    return tail, np.sqrt(np.clip(share, 0, 1))


@lru_cache
def _moments_of_cosines(n: int, degree: int) -> Array:
    moments = np.zeros((1, N_MOMENTS))
    waves = _cosines(n, degree).astype(np.float64)
    moments_of(waves, np.full(n, 1 / n), np.array([degree]), moments)
    return moments
