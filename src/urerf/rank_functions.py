"""Columns as orthonormal functions of their ranks: Legendre polynomials, made orthonormal on the ranks a column has.

Neither the scale nor the distribution of a column matters to its ranks. `urerf.relevance` compares
the functions of two columns.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.polynomial import legendre
from numpy.typing import NDArray

from ._threads import run

DEGREE = 4  # Legendre polynomials of a column
MAX_KURTOSIS = 6.0  # of a polynomial of degree 2 or more; on untied ranks all are below 3
BLOCK = 256  # columns a matrix product; fixed, so that n_jobs does not change a bit
PART = 32  # columns expanded at a time; they fit into the cache

Array = NDArray[np.floating]
Index = NDArray[np.intp]


@dataclass(frozen=True)
class Basis:
    """All columns as functions of their ranks, in blocks of columns; the last block is filled up with empty columns."""

    functions: NDArray[
        np.float32
    ]  # (blocks, DEGREE, columns of a block, n): mean 0, mean square 1, or all 0
    size: NDArray[np.float32]  # (DEGREE, columns) how many functions up to a degree are not 0
    skew: NDArray[
        np.float32
    ]  # ... squared length of the tensor of their third moments, E f_a f_b f_c
    tilt: NDArray[np.float32]  # ... squared length of its trace, E f_a |f|^2

    @classmethod
    def of(cls, values: Array, n_jobs: int | None) -> Basis:
        """Expand the columns, which are the rows of `values`."""
        p, n = values.shape
        width = min(BLOCK, p)
        blocks = -(-p // width)
        functions = np.zeros((blocks, DEGREE, width, n), dtype=np.float32)
        moments = np.zeros((3, DEGREE, blocks, width), dtype=np.float32)
        parts = [(k, slice(i, i + PART)) for k in range(blocks) for i in range(0, width, PART)]
        columns = np.split(values, range(PART, p, PART))
        work = zip(columns, parts)
        run(
            [partial(_expand, v, functions[k, :, i], moments[:, :, k, i]) for v, (k, i) in work],
            n_jobs,
        )
        return cls(functions, *moments.reshape(3, DEGREE, -1))

    def null(self, i: Index, j: Index, degree: int = DEGREE) -> tuple[Array, Array]:
        """Degrees of freedom of the pairs (i, j), 0 if i is j or one is constant, and n times their squared skewness.

        Skewness is that of the sum over rows of w . (f_i f_j), in the mean square over all
        directions w.
        """
        size = self.size[degree - 1]
        skew = self.skew[degree - 1]
        tilt = self.tilt[degree - 1]
        dof = size[i] * size[j] * (i != j)
        third = 6 * skew[i] * skew[j] + 9 * tilt[i] * tilt[j]
        return dof, third / (np.maximum(dof, 1) * (dof + 2) * (dof + 4))


def _expand(values: Array, functions: NDArray[np.float32], moments: NDArray[np.float32]) -> None:
    """Write the orthonormal functions of some columns and their size, skew and tilt.

    A degree without a new direction (fewer distinct values than degrees) or with a peak on a few
    rows ends the series of its column, because chance moves such a peak too far.
    """
    count, n = values.shape
    q, r = np.linalg.qr(legendre.legvander(2 * _mid_ranks(values) / n - 1, DEGREE))
    pivot = np.diagonal(r, axis1=1, axis2=2)[:, 1:] / math.sqrt(n)
    f = (
        np.ascontiguousarray(q[:, :, 1:].transpose(0, 2, 1))
        * (np.sign(pivot) * math.sqrt(n))[:, :, None]
    )
    flat = np.square(f * f).mean(axis=2) <= MAX_KURTOSIS
    flat[:, 0] = True  # a rare value is judged by the skewness it has
    good = np.logical_and.accumulate(flat & (np.abs(pivot) > 1e-3), axis=1)
    f *= good[:, :, None]
    third = np.stack([(f * f[:, [a]]) @ f.transpose(0, 2, 1) for a in range(DEGREE)], axis=1) / n
    functions[:, :count] = f.transpose(1, 0, 2)
    for d in range(DEGREE):
        lower = third[:, : d + 1, : d + 1, : d + 1]
        moments[0, d, :count] = good[:, : d + 1].sum(axis=1)
        moments[1, d, :count] = np.square(lower).sum(axis=(1, 2, 3))
        moments[2, d, :count] = np.square(np.trace(lower, axis1=2, axis2=3)).sum(axis=1)


def _mid_ranks(values: Array) -> Array:
    """Rank every row from 1/2 to n - 1/2; equal values share the mean of their ranks.

    >>> _mid_ranks(np.array([[3.0, 1.0, 3.0, 7.0]]))
    array([[2. , 0.5, 2. , 3.5]])
    """
    order = np.argsort(values, axis=1)
    ordered = np.take_along_axis(values, order, axis=1)
    new = np.pad(
        ordered[:, 1:] != ordered[:, :-1], ((0, 0), (1, 1)), constant_values=True
    )  # a run of equals starts
    place = np.arange(new.shape[1])
    first = np.maximum.accumulate(np.where(new, place, 0), axis=1)[:, :-1]
    after = np.minimum.accumulate(np.where(new, place, place[-1])[:, ::-1], axis=1)[:, -2::-1]
    ranks = np.empty(values.shape)
    np.put_along_axis(ranks, order, (first + after) / 2, axis=1)
    return ranks
