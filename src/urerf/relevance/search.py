"""Search all pairs of columns for the best partners of each column.

Columns are compared in blocks. A table that is too large is screened: with fewer functions, and if
need be with fewer rows. Only the best partners are then compared in full (`pairs`).
"""

from __future__ import annotations

import math
from functools import partial
from threading import Lock
from typing import NamedTuple

import numpy as np

from .._threads import run
from .._typing import Float32Array, IntArray
from ..kernels.pair_scores import SharedSums, merge_best, scan, unite_pairs
from .basis import Basis

# Up to this many operations, the squared number of functions times rows, all pairs are compared in
# full; beyond it they are screened first. One core takes 1 to 2 s at the limit, as for 10,000
# columns of 1000 rows (docs/design/relevance.md, Cost).
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
    search = _Search(basis, level, keep_linear)
    tasks = [partial(search.scan_block, block) for block in range(search.n_blocks)]
    run(tasks, n_jobs)
    p = basis.n_columns
    return Found(
        partner=search.partner[:p],
        group=search.group[:p],
        linear=search.linear[:p, :p],
    )


class _Search:
    """All pairs of columns, compared in blocks by threads that share what they have found.

    Partners that others have found rule out most pairs early. That changes the time, but not the
    result: the best partners do not depend on the order in which pairs are compared.
    """

    def __init__(self, basis: Basis, level: float, keep_linear: bool) -> None:
        self.basis = basis
        self.prefixes, self.n_rows = _screen(basis)
        self.n_blocks, _, self.width, _ = basis.functions.shape
        self.n_columns = self.n_blocks * self.width
        p = basis.n_columns
        n_others = p - 1
        self.n_partners = max(1, min(PARTNERS, n_others))
        self.bound = math.inf
        if level > 0:
            n_pairs = max(p * n_others / 2, 1)
            n_tests = n_pairs * len(self.prefixes)
            self.bound = 2 * math.log(n_tests / level)
        # Best scores and partners so far, worst first: at first each column stands for itself.
        self.every = np.arange(self.n_columns)
        itself = self.every[:, None]
        self.partner = itself.repeat(self.n_partners, axis=1)
        self.score = np.full(self.partner.shape, -1.0)
        self.group = self.every.copy()
        n_linear = self.n_columns if keep_linear else 0
        self.linear = np.zeros((n_linear, n_linear), dtype=np.float32)
        self.lock = Lock()

    def scan_block(self, block: int) -> None:
        """Compare a block of columns with itself and all later ones."""
        start = block * self.width
        nobody = self.n_columns  # of equal scores, every column comes before it
        with self.lock:
            worst = self.score[start:, :1].copy()
        score = worst.repeat(self.n_partners, axis=1)
        partner = np.full(score.shape, nobody)
        group = self.every.copy()
        n_slots = int(self.prefixes[-1])
        left = self._matrix(block)
        best = (score, partner)
        for other in range(block, self.n_blocks):
            right = self._matrix(other)
            products = left @ right.T
            by_slot = products.reshape(n_slots, self.width, n_slots, self.width)
            sums = _sums(self.basis, (block, other), left, right)
            first_columns = (start, other * self.width)
            scan(
                by_slot,
                sums,
                self.n_rows,
                first_columns,
                self.prefixes,
                self.basis.moments,
                self.bound,
                best,
                group,
                self.linear,
            )
        with self.lock:
            score_so_far = self.score[start:]
            partner_so_far = self.partner[start:]
            merge_best(score_so_far, partner_so_far, score, partner, nobody)
            unite_pairs(self.group, self.every, group)

    def _matrix(self, block: int) -> Float32Array:
        """Return the functions of a block, one per row, on the first rows of the table."""
        n_slots = self.prefixes[-1]
        functions = self.basis.functions[block, :n_slots]
        one_per_row = functions.reshape(-1, self.basis.n_rows)
        return one_per_row[:, : self.n_rows]


def _screen(basis: Basis) -> tuple[IntArray, int]:
    """Return the numbers of functions and of rows with which all pairs are compared."""
    n_slots = basis.functions.shape[1]
    n_functions = n_slots * basis.n_columns
    work = n_functions**2 * basis.n_rows
    if work <= SCREEN_WORK:
        return basis.prefixes, basis.n_rows
    prefixes = basis.prefixes[:SCREEN_PREFIXES]
    n_functions = prefixes[-1] * basis.n_columns
    affordable = int(SCREEN_WORK / n_functions**2)
    n_rows = max(SCREEN_ROWS, affordable)
    return prefixes, min(basis.n_rows, n_rows)


def _sums(
    basis: Basis,
    blocks: tuple[int, int],
    left: Float32Array,
    right: Float32Array,
) -> SharedSums | None:
    """Return sums over the rows that the columns of two blocks share; None if no value is missing.

    Functions are 0 where a value is missing.
    """
    if basis.present is None:
        return None
    n_rows = left.shape[1]
    block, other = blocks
    first = basis.present[block, :, :n_rows]
    second = basis.present[other, :, :n_rows]

    def sums(functions: Float32Array, present: Float32Array) -> Float32Array:
        width = len(present)
        products = functions @ present.T
        return products.reshape(-1, width, width)

    return SharedSums(
        n_rows=first @ second.T,
        first=sums(left, second),
        first_squares=sums(left * left, second),
        second=sums(right, first),
        second_squares=sums(right * right, first),
    )
