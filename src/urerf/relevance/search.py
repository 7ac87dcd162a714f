"""Search all pairs of columns for the best partners of each column.

Columns are compared in blocks. A table that is too large is screened: with fewer functions, and if
need be with fewer rows. Only the best partners are then compared in full (`pairs`).
"""

from __future__ import annotations

import math
from contextlib import closing
from functools import partial
from typing import NamedTuple

import numpy as np

from .._threads import in_order
from .._typing import Array, Float32Array, IntArray
from ..kernels.pair_scores import merge_best, scan, unite_pairs
from .basis import Basis

# Up to this many operations, the squared number of functions times rows, all pairs are compared in
# full; beyond it they are screened first. One core takes 3 s at the limit, and 5 s for
# 10,000 columns of 1000 rows (docs/design/relevance.md, Cost).
SCREEN_WORK = 2e11
# The screen uses fewer functions, which loses less than fewer rows would: it misses only columns
# whose every dependence is wavier than a parabola.
SCREEN_PREFIXES = 2
# If that is not enough it also uses fewer rows, but never fewer than this. With 500 rows, all
# columns of the simulations are still found among 10,000 (`urerf bench accuracy`).
SCREEN_ROWS = 500

# Best partners of each column that are compared in full. They give the pairs that are reported, and
# the chance that a column of a manifold meets another one that was found: more would only be needed
# if more than four noise columns scored higher than all columns of the manifold.
PARTNERS = 4


class _Best(NamedTuple):
    """Best scores of each column so far, worst first, and their columns, both (columns, k)."""

    score: Array
    partner: IntArray

    @classmethod
    def start(cls, first: int, n_columns: int, k: int) -> _Best:
        """Start without any partner: each column stands for itself, with a score of -1."""
        score = np.full((n_columns - first, k), -1.0)
        column = np.arange(first, n_columns)[:, None]
        return cls(score, column.repeat(k, axis=1))


class Found(NamedTuple):
    """What the search found for p columns."""

    partner: IntArray  # (p, k), the best partners
    group: IntArray  # (p,), an earlier column of the same group, or itself (`unite_pairs`)
    linear: Float32Array  # (p, p), T of first functions, if it was asked for


def search_pairs(
    basis: Basis,
    level: float,
    n_jobs: int | None,
    keep_linear: bool,
) -> Found:
    """Compare all pairs; those below `level` join groups."""
    p = basis.n_columns
    n_blocks, _, width, _ = basis.functions.shape
    n_columns = n_blocks * width
    n_partners = max(1, min(PARTNERS, p - 1))
    prefixes, n_rows = _screen(basis)
    bound = math.inf
    if level > 0:
        n_pairs = max(p * (p - 1) / 2, 1)
        bound = 2 * math.log(n_pairs * len(prefixes) / level)
    n_linear = n_columns if keep_linear else 0
    linear = np.zeros((n_linear, n_linear), dtype=np.float32)
    best = _Best.start(0, n_columns, n_partners)
    every = np.arange(n_columns)
    group = every.copy()
    tasks = [
        partial(_scan_block, basis, block, prefixes, n_rows, n_partners, bound, linear)
        for block in range(n_blocks)
    ]
    with closing(in_order(tasks, n_jobs)) as results:
        for block, found in enumerate(results):
            start = block * width
            best_of_block, group_of_block = found
            merge_best(best.score[start:], best.partner[start:], *best_of_block)
            unite_pairs(group, every, group_of_block)
    if keep_linear:
        linear = linear[:p, :p]
    return Found(best.partner[:p], group[:p], linear)


def _screen(basis: Basis) -> tuple[IntArray, int]:
    """Return the numbers of functions and of rows with which all pairs are compared."""
    n_slots = basis.functions.shape[1]
    n_functions = n_slots * basis.n_columns
    if n_functions**2 * basis.n_rows <= SCREEN_WORK:
        return basis.prefixes, basis.n_rows
    prefixes = basis.prefixes[:SCREEN_PREFIXES]
    n_functions = prefixes[-1] * basis.n_columns
    affordable = int(SCREEN_WORK / n_functions**2)
    n_rows = max(SCREEN_ROWS, affordable)
    return prefixes, min(basis.n_rows, n_rows)


def _scan_block(
    basis: Basis,
    block: int,
    prefixes: IntArray,
    n_rows: int,
    n_partners: int,
    bound: float,
    linear: Float32Array,
) -> tuple[_Best, IntArray]:
    """Compare a block with itself and all later ones; return the best partners and the groups."""
    n_blocks, _, width, _ = basis.functions.shape
    n_columns = n_blocks * width
    n_slots = int(prefixes[-1])
    start = block * width
    best = _Best.start(start, n_columns, n_partners)
    group = np.arange(n_columns)
    left = _matrix(basis, block, n_slots, n_rows)
    for other in range(block, n_blocks):
        right = _matrix(basis, other, n_slots, n_rows)
        products = left @ right.T
        scan(
            products.reshape(n_slots, width, n_slots, width),
            _sums(basis, (block, other), left, right),
            n_rows,
            (start, other * width),
            prefixes,
            basis.moments,
            bound,
            best,
            group,
            linear,
        )
    return best, group


def _matrix(
    basis: Basis,
    block: int,
    n_slots: int,
    n_rows: int,
) -> Float32Array:
    """Return the functions of a block, one per row, on the first rows of the table."""
    functions = basis.functions[block, :n_slots]
    return functions.reshape(-1, basis.n_rows)[:, :n_rows]


def _sums(
    basis: Basis,
    blocks: tuple[int, int],
    left: Float32Array,
    right: Float32Array,
) -> tuple[Float32Array, ...] | None:
    """Return what `scan` needs to know about the rows that the columns of two blocks share.

    The number of shared rows, and the sums and sums of squares of the functions of either block
    over these; None if no value is missing.
    """
    if basis.present is None:
        return None
    n_rows = left.shape[1]
    block, other = blocks
    first = basis.present[block, :, :n_rows]
    second = basis.present[other, :, :n_rows]

    def sums(functions: Float32Array, present: Float32Array) -> Float32Array:
        width = len(present)
        return (functions @ present.T).reshape(-1, width, width)

    return (
        first @ second.T,
        sums(left, second),
        sums(left * left, second),
        sums(right, first),
        sums(right * right, first),
    )
