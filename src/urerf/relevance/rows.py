"""Which rows are examined, and signs that they are not independent.

The tests assume independent rows. Rows that belong together can be declared: of each group, one row
is examined, so that those examined are independent; rows in order are examined in blocks (see
`blocks`). If nothing is declared, copies of rows and dependence along the order are noticed.
"""

from __future__ import annotations

import hashlib
import math

import numpy as np
from scipy.special import ndtr, pdtrc

from .._typing import Array, BoolArray, IntArray
from .basis import Basis
from .blocks import block_length

# Rows examined: the time of the tests grows with them. Among 1000 columns, 2000 rows are enough to
# find a pair with sum(C ** 2) = 0.03; the weakest column of the simulations has 0.1, on the torus
# (see `pairs`). More rows would only reveal dependence that is too weak to tell neighbors.
MAX_ROWS = 2000

# Up to this many rows they are chosen by a permutation, as 8 bytes per row allow. `rng.choice` does
# not permute all rows, but draws different ones, so it is not used below.
MAX_PERMUTED = 10_000_000

# Level at which rows that follow each other are called alike, over all columns.
ORDER_LEVEL = 0.01

# Probability below which as many copies of rows are implausible.
IMPLAUSIBLE = 1e-3
# Columns in which copies are looked for first: rows that differ in these are not copies.
GLANCE = 100
# Rows per distinct row up to which copies can be told from rare values. With more, as in a table of
# a few categories, only their pattern tells.
FEW_COPIES = 3.0
# Distinct rows with the same number of copies that make a pattern, and by how many times they must
# exceed what sampling allows.
MIN_PATTERN = 10
EXCESS = 10.0


def rows_examined(
    n: int,
    seed: int,
    groups: IntArray | None = None,
    ordered: bool = False,
) -> IntArray:
    """Return which of n rows are examined, in the order in which the tests see them.

    One row of each group, if ``groups`` has the number of the group of every row. If the rows are
    ``ordered``, blocks of consecutive rows; see `blocks.block_length`.
    """
    rng = np.random.default_rng(seed)
    if ordered:
        return _blocks_examined(n, rng)
    if n > MAX_PERMUTED and groups is None:
        return rng.choice(n, MAX_ROWS, replace=False)
    rows = rng.permutation(n)
    if groups is not None:
        group_of_row = groups[rows]
        _, first = np.unique(group_of_row, return_index=True)
        rows = rows[np.sort(first)]
    return rows[:MAX_ROWS]


def _blocks_examined(n: int, rng: np.random.Generator) -> IntArray:
    n_rows = min(n, MAX_ROWS)
    length = block_length(n_rows)
    if n < length:
        return np.arange(n)
    n_blocks = n // length
    n_chosen = n_rows // length
    chosen = rng.choice(n_blocks, n_chosen, replace=False)
    start = np.sort(chosen) * length
    rows_of_blocks = start[:, None] + np.arange(length)
    return rows_of_blocks.ravel()


def order_notices(basis: Basis, rows: IntArray, names: list[str]) -> list[str]:
    """Return a notice if rows that follow each other in the table are alike.

    ``rows`` holds the places in the table of the rows examined. The statistic is the correlation
    of the first function of a column with that of the next row.
    """
    suitable = basis.is_spread
    if not suitable.any():
        return []
    share_present = basis.is_present.mean(axis=1)
    share = np.maximum(share_present, 1 / basis.n_rows)  # at least one row
    standard = _correlation_with_next(basis, rows) / share
    standard[~suitable] = -np.inf
    best = int(standard.argmax())
    tail = ndtr(-standard[best])
    n_tests = suitable.sum()
    p_value = tail * n_tests
    if p_value >= ORDER_LEVEL:
        return []
    notice = (
        f"rows that follow each other are alike, most of all in {names[best]}, but the tests "
        "assume independent rows; if they are in order of time, use --ordered (in Python: "
        "ordered=True); if they belong to groups, such as patients, use --group (in Python: "
        "groups); if the table is only sorted, ignore this"
    )
    return [notice]


def _correlation_with_next(basis: Basis, rows: IntArray) -> Array:
    """Return the correlation of the first function with that of the next row, times sqrt(n)."""
    order = np.argsort(rows)
    first = basis.functions[:, 0]
    standard = np.empty(first.shape[:2])
    scale = math.sqrt(basis.n_rows)
    for block, functions in enumerate(first):
        in_order = functions[:, order]
        own = in_order[:, :-1]
        following = in_order[:, 1:]
        products = np.einsum("ij,ij->i", following, own)
        standard[block] = products / scale
    by_column = standard.ravel()
    return by_column[: basis.n_columns]


def without_copies(values: Array, features: BoolArray) -> tuple[IntArray, list[str]]:
    """Return which rows to examine, and a notice if copies of rows are left out.

    ``values`` is (columns, rows). Copies are left out if they are implausible under the values of
    single columns. In tables of a few categories copies are natural, and all rows are kept.
    """
    n_rows = values.shape[1]
    every_row = np.arange(n_rows)
    columns = np.flatnonzero(features)
    first_columns = _table(values, columns[:GLANCE])
    first, _ = _distinct(first_columns)
    if len(first) == n_rows:
        return every_row, []
    table = _table(values, columns)
    first, n_copies = _distinct(table)
    n_distinct = len(first)
    if n_distinct == n_rows or n_distinct < 2:
        return every_row, []
    if _are_natural(table, first, n_copies):
        return every_row, []
    n_left_out = n_rows - n_distinct
    notice = (
        f"{n_left_out:,} of {n_rows:,} rows examined are copies of other rows, more than chance "
        "explains; the tests count each row once"
    )
    return np.sort(first), [notice]


def _table(values: Array, columns: IntArray) -> Array:
    """Return columns as a table, (rows, columns), in which equal rows have equal bytes."""
    table = np.ascontiguousarray(values[columns].T)
    return table + 0.0  # -0.0 becomes 0.0


def _distinct(table: Array) -> tuple[IntArray, IntArray]:
    """Return the first row of each set of equal rows, and how many there are."""
    digests = []
    for row in table:
        digest = hashlib.blake2b(row.tobytes(), digest_size=16)
        digests.append(digest.digest())
    number = np.array(digests, dtype="V16")
    _, first, n_copies = np.unique(number, return_index=True, return_counts=True)
    return first, n_copies


def _are_natural(table: Array, first: IntArray, n_copies: IntArray) -> bool:
    """Return whether copies of rows are plausible if all rows are independent."""
    n_rows = len(table)
    n_distinct = len(first)
    n_pairs = _n_pairs(n_rows)
    if n_rows <= FEW_COPIES * n_distinct:
        # Rows are equal at most as often as their rarest values, whatever the columns have to do
        # with each other. Rows of common values, such as zeros, are equal by nature.
        distinct = table[first]
        n_equal_values = [_n_equal_values(column) for column in distinct.T]
        rarest = min(n_equal_values)
        most = (rarest + 1) * n_pairs / _n_pairs(n_distinct)
        has_rare_value = _has_own_value(distinct)
        n_equal_rare = _n_pairs(n_copies[has_rare_value])
        tail = pdtrc(n_equal_rare - 1, most)
        if tail < IMPLAUSIBLE:
            return False
    n_equal = _n_pairs(n_copies)
    # In independent columns, the shares of pairs with equal values multiply.
    log_shares = []
    for column in table.T:
        share = (_n_equal_values(column) + 1) / n_pairs
        log_shares.append(math.log(share))
    log_share = min(sum(log_shares), 0.0)
    by_chance = n_pairs * math.exp(log_share)
    tail = pdtrc(n_equal - 1, by_chance)
    if tail >= IMPLAUSIBLE:
        return True
    return not _has_pattern(n_copies)


def _has_own_value(table: Array) -> BoolArray:
    """Return which rows have a value that no other row of the table has.

    >>> _has_own_value(np.array([[0.0, 0.0], [0.0, 0.3], [0.4, 0.0]]))
    array([False,  True,  True])
    """
    has_own = np.zeros(len(table), dtype=bool)
    for column in table.T:
        _, value, count = np.unique(column, return_inverse=True, return_counts=True)
        is_unique = count == 1
        has_own |= is_unique[value]
    return has_own


def _n_pairs(count: IntArray | int) -> float:
    """Return the number of pairs among as many rows, added up."""
    count = np.asarray(count, dtype=np.float64)
    pairs = count * (count - 1) / 2
    return float(pairs.sum())


def _n_equal_values(column: Array) -> float:
    """Return the number of pairs of equal values; missing values are equal to each other."""
    _, count = np.unique(column, return_counts=True)
    return _n_pairs(count)


def _has_pattern(n_copies: IntArray) -> bool:
    """Return whether the numbers of copies are too regular for a sample of independent rows.

    In a sample, the expected number of distinct rows with k copies, times k!, is a sequence of
    moments, so its square is at most the product of the numbers before and after it. If all rows
    appear twice, there is nothing before and after 2.

    >>> _has_pattern(np.full(50, 2)), _has_pattern(np.array([120, 3, 18, 44]))
    (True, False)
    """
    number = np.bincount(n_copies, minlength=3)
    number = np.append(number, 0)
    for k in range(2, len(number) - 1):
        before = number[k - 1] + 1
        after = number[k + 1] + 1
        ratio = number[k] ** 2 / (before * after) * k / (k + 1)
        if number[k] >= MIN_PATTERN and ratio > EXCESS:
            return True
    return False
