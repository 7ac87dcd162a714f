"""Expand each column in orthonormal polynomials of its ranks.

Ranks depend neither on the scale nor on the distribution of a column. The polynomials are Legendre
polynomials of the mid-ranks, made orthonormal on the ranks that occur in the column. A column with
k distinct values has at most k - 1 of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.polynomial import legendre
from numpy.typing import NDArray

from .._threads import run

# Polynomials per column. The pair test with degree 4 finds exactly the three columns of each
# simulation among 10,000 noise columns (`urerf bench accuracy`). A higher degree would resolve
# faster waves than cos(2 pi t), but the time of the test grows with its square.
DEGREE = 4

# Largest mean fourth power of a polynomial of degree 2 or more. Polynomials above it live on a few
# rows, such as the largest counts of a Poisson column, and their correlations are far from
# Gaussian. Without ties, all are below 3. Chosen by the rate of false positives on counts and rare
# values (test_false_positives_stay_at_the_nominal_rate).
MAX_FOURTH_MOMENT = 6.0

# Smallest part of a polynomial that the lower degrees must leave over, as a root mean square. It
# only separates rounding errors from the new direction of a column with enough distinct values.
MIN_REMAINDER = 1e-3

# Columns per matrix product: large enough for full BLAS speed. It does not depend on `n_jobs`, so
# that the result does not either.
BLOCK = 256

# Columns expanded at a time, so that they stay in the cache: 2000 rows of 32 columns are 0.5 MB.
CHUNK = 32

Array = NDArray[np.floating]
Float32 = NDArray[np.float32]
Index = NDArray[np.intp]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Basis:
    """The polynomials of all columns, in blocks of columns; zeros fill up the last block.

    Attributes
    ----------
    functions : ndarray of shape (n_blocks, DEGREE, columns per block, n_rows)
        Each has mean 0 and mean square 1, or is 0 where a column has no polynomial of that degree.
    size : ndarray of shape (DEGREE, n_blocks * columns per block)
        Number of polynomials of a column up to each degree.
    skew : ndarray of the same shape
        Squared norm of their third moments, the tensor E[f_a f_b f_c].
    tilt : ndarray of the same shape
        Squared norm of its trace, E[f_a |f|^2].
    n_columns : int
        Number of columns without the filling.
    """

    functions: Float32
    size: Float32
    skew: Float32
    tilt: Float32
    n_columns: int

    @classmethod
    def of(cls, values: Array, n_jobs: int | None) -> Basis:
        """Expand columns, given as the rows of `values`."""
        n_columns, n_rows = values.shape
        width = min(BLOCK, n_columns)
        n_blocks = -(-n_columns // width)
        functions = np.zeros((n_blocks, DEGREE, width, n_rows), dtype=np.float32)
        moments = np.zeros((3, DEGREE, n_blocks, width), dtype=np.float32)
        tasks = []
        for start in range(0, n_columns, CHUNK):
            chunk = values[start : start + CHUNK]
            block, first = divmod(start, width)
            place = slice(first, first + len(chunk))
            task = partial(
                _expand,
                chunk,
                functions[block, :, place],
                moments[:, :, block, place],
            )
            tasks.append(task)
        run(tasks, n_jobs)
        size, skew, tilt = moments.reshape(3, DEGREE, -1)
        return cls(functions, size, skew, tilt, n_columns)

    @property
    def n_rows(self) -> int:
        """Return the number of rows."""
        return self.functions.shape[3]

    @property
    def varied(self) -> Mask:
        """Return which columns are not constant."""
        return self.size[0, : self.n_columns] > 0

    def of_columns(self, columns: Index | int) -> Float32:
        """Return the functions of columns, of shape (..., DEGREE, n_rows)."""
        width = self.functions.shape[2]
        return self.functions[columns // width, :, columns % width]

    def null(self, i: Index, j: Index, degree: int = DEGREE) -> tuple[Array, Array]:
        """Describe the statistic of pairs (i, j) of independent columns.

        Returns its degrees of freedom, 0 if i is j or if one of them is constant, and n times the
        squared skewness of the sum over rows of w . (f_i f_j), averaged over all directions w.
        """
        size = self.size[degree - 1]
        skew = self.skew[degree - 1]
        tilt = self.tilt[degree - 1]
        dof = size[i] * size[j] * (i != j)
        third = 6 * skew[i] * skew[j] + 9 * tilt[i] * tilt[j]
        n_terms = np.maximum(dof, 1) * (dof + 2) * (dof + 4)
        return dof, third / n_terms


def _expand(values: Array, functions: Float32, moments: Float32) -> None:
    """Write the polynomials of some columns, and their size, skew and tilt."""
    polynomials, kept = _polynomials(values)
    functions[:] = polynomials.transpose(1, 0, 2)
    third = _third_moments(polynomials)
    size, skew, tilt = moments
    size[:] = np.cumsum(kept, axis=1).T
    for d in range(DEGREE):
        lower = third[:, : d + 1, : d + 1, : d + 1]
        trace = np.trace(lower, axis1=2, axis2=3)
        skew[d] = np.square(lower).sum(axis=(1, 2, 3))
        tilt[d] = np.square(trace).sum(axis=1)


def _polynomials(values: Array) -> tuple[Array, Mask]:
    """Return the polynomials (columns, DEGREE, n_rows), and which of them are not 0.

    The series of a column ends before the first degree that adds no new direction (the column has
    too few distinct values) or that lives on a few rows, where it varies too much by chance.
    """
    n_rows = values.shape[1]
    scale = math.sqrt(n_rows)
    ranks = 2 * _mid_ranks(values) / n_rows - 1
    raw = legendre.legvander(ranks, DEGREE)
    q, r = np.linalg.qr(raw)
    diagonal = np.diagonal(r, axis1=1, axis2=2)
    remainder = diagonal[:, 1:] / scale  # without the constant, degree 0
    orthogonal = q[:, :, 1:].transpose(0, 2, 1)
    factor = np.sign(remainder) * scale
    polynomials = np.ascontiguousarray(orthogonal) * factor[:, :, None]
    squared = polynomials * polynomials
    fourth = np.square(squared).mean(axis=2)
    spread_out = fourth <= MAX_FOURTH_MOMENT
    spread_out[:, 0] = True  # the skewness in the null accounts for rare values
    new = np.abs(remainder) > MIN_REMAINDER
    kept = np.logical_and.accumulate(spread_out & new, axis=1)
    polynomials *= kept[:, :, None]
    return polynomials, kept


def _third_moments(polynomials: Array) -> Array:
    """Return E[f_a f_b f_c] for each column, of shape (columns, DEGREE, DEGREE, DEGREE)."""
    transposed = polynomials.transpose(0, 2, 1)
    planes = []
    for degree in range(DEGREE):
        products = polynomials * polynomials[:, [degree]]
        planes.append(products @ transposed)
    n_rows = polynomials.shape[2]
    return np.stack(planes, axis=1) / n_rows


def _mid_ranks(values: Array) -> Array:
    """Rank each row of `values` from 1/2 to n - 1/2; ties share the mean of their ranks.

    >>> _mid_ranks(np.array([[3.0, 1.0, 3.0, 7.0]]))
    array([[2. , 0.5, 2. , 3.5]])
    """
    n_values, n_rows = values.shape
    order = np.argsort(values, axis=1)
    ordered = np.take_along_axis(values, order, axis=1)
    starts_run = np.ones((n_values, n_rows + 1), dtype=bool)  # of equal values; one after the last
    np.not_equal(ordered[:, 1:], ordered[:, :-1], out=starts_run[:, 1:-1])
    place = np.arange(n_rows + 1)
    starts = np.where(starts_run, place, 0)
    start = np.maximum.accumulate(starts, axis=1)[:, :-1]
    next_starts = np.where(starts_run, place, n_rows)
    end = np.minimum.accumulate(next_starts[:, ::-1], axis=1)[:, -2::-1]
    ranks = np.empty(values.shape)
    np.put_along_axis(ranks, order, (start + end) / 2, axis=1)
    return ranks
