"""Compare columns whose rows are in order, such as time, by blocks of rows.

The tests assume independent rows. The rows of a time series are not: two random walks that have
nothing to do with each other have high correlations. Here the rows are cut into blocks, and what
is compared is how two columns change *within* blocks: each function (see `basis`) has the mean 0
and the norm 1 in each block. For random walks, blocks are then independent, and for other series
nearly so. If two columns are independent, all ways to match the blocks of one with the blocks of
the other are equally likely. That gives the variance of each correlation, and the *effective*
number of rows: that of independent rows with the same variance.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._threads import run_blocks
from .._typing import Array, BoolArray, Float32Array, IntArray
from ..kernels.pair_scores import MIN_ROWS
from .basis import CHUNK, Basis
from .null import Tails, tails

# Rows of a block in a table of at most 320 rows, and number of blocks in a larger one. A block must
# be long enough that blocks are nearly independent once their means are subtracted: for random
# walks they are at any length, for an autocorrelation of .9 their correlation is .1 at 8 rows.
# More and shorter blocks are better evidence.
BLOCK_ROWS = 8
N_BLOCKS = 40
# Blocks in which both columns must vary. With fewer, hardly any pair can be significant.
MIN_BLOCKS = 10
# Norm of a function within a block below which it is constant there, up to rounding.
TINY = 1e-3
# Variance over all matchings, per squared number of blocks, that is only rounding: functions are
# float32, so it is below 1e-14. It is above 1e-4 even for independent rows.
NO_VARIANCE = 1e-9


def block_length(n_rows: int) -> int:
    """Return the number of rows per block.

    >>> block_length(100), block_length(2000)
    (8, 50)
    """
    return max(BLOCK_ROWS, n_rows // N_BLOCKS)


def within_blocks(functions: Array, keep: BoolArray, length: int) -> Array:
    """Return functions, (..., rows), with mean 0 and norm 1 in each block, on the rows to keep."""
    kept = _by_block(keep, length)
    values = _by_block(functions, length) * kept
    n_kept = kept.sum(axis=-1, keepdims=True)
    total = values.sum(axis=-1, keepdims=True)
    mean = total / np.maximum(n_kept, 1)
    centered = (values - mean) * kept
    squares = np.square(centered)
    squared_norm = squares.sum(axis=-1, keepdims=True)
    norm = np.sqrt(squared_norm)
    varies = norm > TINY
    scaled = centered / np.maximum(norm, TINY)
    result = scaled * varies
    return result.reshape(functions.shape)


def _by_block(rows: Array, length: int) -> Array:
    """Return an array of shape (..., rows) as one of shape (..., blocks, rows per block)."""
    leading = rows.shape[:-1]
    return rows.reshape(*leading, -1, length)


def basis_within_blocks(basis: Basis, length: int) -> Float32Array:
    """Return the functions of all columns within blocks, for the search over all pairs."""
    result = np.empty_like(basis.functions)
    n_blocks, _, width, n_rows = basis.functions.shape
    every = np.ones((width, n_rows), dtype=bool)
    scale = np.sqrt(length)
    for block in range(n_blocks):
        keep = every
        if basis.present is not None:
            keep = basis.present[block] > 0
        functions = within_blocks(basis.functions[block], keep, length)
        result[block] = functions * scale
    return result


class _Compared(NamedTuple):
    """Two columns, compared by blocks."""

    correlations: Array  # (slots, slots), as `n_rows` independent rows would have to show them
    n_rows: int  # effective number of rows
    dof: Array  # (prefixes,), effective number of correlations


def tails_by_blocks(
    basis: Basis,
    partner: IntArray,
    length: int,
    n_jobs: int | None,
) -> tuple[Tails, IntArray]:
    """Return the p-values of each column with its partners, and their effective numbers of rows.

    All are (p, k). With fewer effective rows than `MIN_ROWS`, p-values are 1.
    """
    p, k = partner.shape
    n_slots = basis.functions.shape[1]
    correlations = np.zeros((p, k, n_slots, n_slots))
    n_rows = np.zeros((p, k), dtype=np.intp)
    dof = np.zeros((p, k, len(basis.prefixes)))

    def compare(columns: slice) -> None:
        for column in range(columns.start, columns.stop):
            for place, other in enumerate(partner[column]):
                if column == other:
                    continue
                pair = np.array([column, other])
                compared = _compare(basis, pair, length)
                if compared is not None:
                    correlations[column, place] = compared.correlations
                    n_rows[column, place] = compared.n_rows
                    dof[column, place] = compared.dof

    run_blocks(compare, p, CHUNK, n_jobs)
    every = np.arange(p)
    column = every[:, None].repeat(k, axis=1)
    own_moments = basis.moments[column]
    partner_moments = basis.moments[partner]
    moments = np.stack([own_moments, partner_moments])
    # Pairs with fewer rows get other p-values below: here, they only must not divide by 0.
    at_least_two = np.maximum(n_rows, 2)
    found = tails(correlations, moments, at_least_two, basis.prefixes, dof)
    enough = n_rows >= MIN_ROWS
    smallest = np.where(enough, found.smallest, 1.0)
    mean = np.where(enough, found.mean, 1.0)
    return Tails(smallest, mean), n_rows


def _compare(basis: Basis, pair: IntArray, length: int) -> _Compared | None:
    """Correlate the functions of two columns; None if they cannot be compared."""
    present = basis.is_present[pair]
    rows = _rows_of_either(present, length)
    functions = basis.of_columns(pair)[:, :, rows]
    functions = functions.astype(np.float64)
    first_present = present[0, rows]
    second_present = present[1, rows]
    first = within_blocks(functions[0], first_present, length)
    second = within_blocks(functions[1], second_present, length)
    first, second = _active(first, second, length)
    n_blocks = first.shape[1]
    if n_blocks < MIN_BLOCKS:
        return None
    covariance = _covariance(first, second)
    variance = covariance.diagonal()
    variance = variance.reshape(len(first), len(second))
    # Without variance, the blocks of a function are all the same, such as those of a counter.
    rounding = NO_VARIANCE * n_blocks**2
    comparable = variance > rounding
    if not comparable[0, 0]:
        return None
    usable_variance = np.where(comparable, variance, np.inf)
    deviation = np.sqrt(usable_variance)
    products = np.tensordot(first, second, axes=([1, 2], [1, 2]))  # over all rows
    standard = products / deviation
    # A correlation of n independent rows has the variance 1 / (n - 1), here variance / norms.
    first_norm = np.square(first[0]).sum()
    second_norm = np.square(second[0]).sum()
    norms = first_norm * second_norm
    n_less_one = norms / variance[0, 0]
    n_rows = int(n_less_one + 1.5)
    scale = np.sqrt(max(n_rows - 1, 1))
    correlations = standard / scale
    dof = _effective_dof(covariance, deviation, basis.prefixes)
    return _Compared(correlations, n_rows, dof)


def _active(first: Array, second: Array, length: int) -> tuple[Array, Array]:
    """Return the functions by blocks, (a, blocks, length), where both columns vary.

    Which blocks these are tells nothing here: two rare events in the same hour may be chance. The
    mean over blocks is subtracted at each place, as it is not a matter of how blocks are matched.
    """
    first = _by_block(first, length)
    second = _by_block(second, length)
    first_varies = first[0].any(axis=1)
    second_varies = second[0].any(axis=1)
    both_vary = first_varies & second_varies
    first = first[:, both_vary]
    second = second[:, both_vary]
    if both_vary.any():
        first = first - first.mean(axis=1, keepdims=True)
        second = second - second.mean(axis=1, keepdims=True)
    return first, second


def _covariance(first: Array, second: Array) -> Array:
    """Return the covariance of the sums of products of functions over all matchings of blocks."""
    n_blocks = first.shape[1]
    products_first = np.tensordot(first, first, axes=([1], [1]))  # (a, place, a, place)
    products_second = np.tensordot(second, second, axes=([1], [1]))  # (b, place, b, place)
    by_function = np.tensordot(products_first, products_second, axes=([1, 3], [1, 3]))
    by_product = by_function.transpose(0, 2, 1, 3)  # (a, b, a, b)
    n_products = len(first) * len(second)
    total = by_product.reshape(n_products, n_products)
    return total / (n_blocks - 1)


def _effective_dof(covariance: Array, deviation: Array, prefixes: IntArray) -> Array:
    """Return the number of independent correlations whose squares vary as much, per prefix."""
    scale = np.outer(deviation, deviation)
    correlation = covariance / scale
    shape = deviation.shape + deviation.shape
    squared = np.square(correlation)
    squared = squared.reshape(shape)
    is_compared = np.isfinite(deviation)
    dof = np.zeros(len(prefixes))
    for place, size in enumerate(prefixes):
        n_compared = is_compared[:size, :size].sum()
        total = squared[:size, :size, :size, :size].sum()
        dof[place] = n_compared**2 / total
    return dof


def _rows_of_either(present: BoolArray, length: int) -> IntArray:
    """Return the rows in which at least one of two columns has a value, in whole blocks.

    Gaps count as the mean of the block of their column alone. If only rows that both columns have
    counted, a block would share more of them with its own partner than with any other.
    """
    in_either = present.any(axis=0)
    rows = np.flatnonzero(in_either)
    n_blocks = rows.size // length
    return rows[: n_blocks * length]
