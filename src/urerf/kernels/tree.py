"""Grow one tree to flat arrays (Algorithm "BuildTree") and send rows down it.

Nodes stand in preorder, so the left child of node i is i + 1. ``child[i]`` is the right child, or
-1 - l for the l-th leaf counted from the left. Rows stand in leaf order, so every node owns one run
of them. ``direction[i]`` says what node i cuts: the run begin[direction]:begin[direction + 1] of
``columns`` and ``coefficients``; -1 for a leaf.

Sparse candidates are drawn afresh in every node, as in the paper, so every inner node has a
direction of its own. Random directions (DIRECTION, ours) combine many columns, which would make
looking at a value cost as many steps: a tree draws `POOL` of them once, projects its rows on all,
and grows on these as if they were columns.

**Peeling.** On a Gaussian column the best cut takes a few extreme points off, so a node that sees
only noise stays nearly whole until a column with structure is drawn: that is what makes the paper's
forest robust, and what makes its trees deep. A cut with less than ``PEEL_SHARE`` of the rows on one
side counts as peeling. A node that was peeled ``peel_chain`` times in a row is not peeled again but
becomes a leaf, and so does every node that would be peeled after the tree has looked at
``peel_work`` values for such cuts in all. A cut counts for at least ``PEEL_LEAST`` values, so that
a tree of many small clusters does not peel every one of them.
"""

from typing import NamedTuple

import numpy as np

from ._jit import inlined, jit
from .bins import BINNED_ROWS, cut_unsorted, room_for_bins
from .fast_bic import x_log_x
from .projection import AT_ONCE, grown, project, project_sorted, sample_projections
from .rng import derive, random_below, random_unit
from .settings import AXIS, DIRECTION, FAST_BIC
from .sort import COUNTERS, sort_values
from .split import choose_cut, choose_fast_bic_cut, cut_at_random

PEEL_SHARE = 0.02
PEEL_LEAST = 20_000
PRESORT_SHARE = 4
UNSORTED_ROWS = 256
POOL = 32
APPLY_ROWS = 128
SIDE_BY_SIDE = 8


class Tree(NamedTuple):
    """One tree; see the head of this file."""

    child: np.ndarray
    cut: np.ndarray
    size: np.ndarray
    direction: np.ndarray
    begin: np.ndarray
    columns: np.ndarray
    coefficients: np.ndarray

    @classmethod
    def empty(cls) -> "Tree":
        """Return a tree without nodes and directions, with arrays of the right types."""
        types = ("int32", "float32", "int32", "int32", "int64", "int32", "float32")
        return cls(*(np.empty(0, dtype) for dtype in types))


@inlined
def _partition(rows, values, cut, spare):
    """Move rows with value < cut to the front, keeping both sides in order; return how many there are."""
    left = np.uint64(0)
    right = np.uint64(0)
    for i in range(rows.size):
        row = rows[i]
        low = np.uint64(values[i] < cut)
        # one of the two is overwritten: no branch to mispredict
        rows[left] = row
        spare[right] = row
        left += low
        right += np.uint64(1) - low
    for i in range(right):
        rows[left + i] = spare[i]
    return np.int64(left)


@inlined
def _screening_rows(key, rows, out):
    """Pick out.size rows, one at random from each of as many equal runs, so that they stay in order."""
    n = rows.size
    m = out.size
    begin = 0
    for i in range(m):
        end = (i + 1) * n // m
        out[i] = rows[begin + random_below(key, i, end - begin)]
        begin = end


@inlined
def _cut_candidate(z, is_sorted, settings, other, min_samples_leaf, beat, ask, scratch):
    """Cut a candidate's values; return (score, cut, whether they are sorted now, whether to ask bins again).

    The score is inf if no cut scores below ``beat``. Bins that could not rule a candidate out will
    hardly rule out the others of its node.
    """
    criterion = settings.criterion
    score = settings.split_score
    floor = settings.floor
    spare, left, right, counters, nlogn, bins = scratch
    known = False
    here = np.inf
    cut = np.float32(0.0)
    ask_now = z.size > BINNED_ROWS or (ask and z.size >= UNSORTED_ROWS and beat < np.inf)
    if criterion == FAST_BIC and ask_now and not is_sorted:
        known, here, cut = cut_unsorted(
            z, score, min_samples_leaf, left, right, nlogn, floor, beat, bins
        )
        ask = known
    if not known:
        if not is_sorted:
            sort_values(z, spare, counters)
        if other is None:
            here, cut = choose_fast_bic_cut(
                z, score, min_samples_leaf, left, right, nlogn, floor, beat
            )
        else:
            here, cut = choose_cut(
                z, criterion, score, min_samples_leaf, left, right, nlogn, floor, beat
            )
    return here, cut, is_sorted or not known, ask


@inlined
def _best_candidate(
    matrix, rows, order, times, key, candidates, settings, other, min_samples_leaf, values, scratch
):
    """Cut every candidate on the given rows; return (cut, candidate, whether ``values`` are its values row by row).

    The candidate is -1 where none can be cut. With random cuts, where no candidate's two components
    beat one, the last one that can be cut is cut at random.
    """
    begin, columns, coefficients = candidates
    random_flat_nodes = settings.random_flat_nodes
    z = values[: rows.size]
    d = begin.size - 1
    best = 0.0 if random_flat_nodes else np.inf
    best_cut = np.float32(0.0)
    winner = -1
    in_order = -1
    presorted = PRESORT_SHARE * rows.size > order.shape[1] > 0
    ask = True
    if presorted:
        for i in range(rows.size):
            times[rows[i]] += 1
    for j in range(d):
        low = begin[j]
        high = begin[j + 1]
        from_order = presorted and high - low == 1
        if from_order:
            project_sorted(
                matrix[columns[low]], order[columns[low]], times, coefficients[low], values
            )
        else:
            project(matrix, rows, columns[low:high], coefficients[low:high], z)
        here, cut, is_sorted, ask = _cut_candidate(
            z, from_order, settings, other, min_samples_leaf, best, ask, scratch
        )
        in_order = j if is_sorted else -1
        if here < best:
            best = here
            best_cut = cut
            winner = j
    if presorted:
        for i in range(rows.size):
            times[rows[i]] = 0
    j = d - 1
    while random_flat_nodes and winner < 0 and j >= 0:
        if in_order != j:
            project(
                matrix,
                rows,
                columns[begin[j] : begin[j + 1]],
                coefficients[begin[j] : begin[j + 1]],
                z,
            )
            sort_values(z, scratch[0], scratch[3])
            in_order = j
        best_cut, found = cut_at_random(z, min_samples_leaf, random_unit(key, np.int64(0)))
        winner = j if found else -1
        j = j - 1
    return best_cut, winner, winner == d - 1 and in_order < 0


@inlined
def _choose_split(
    matrix, rows, order, times, key, candidates, settings, other, values, scratch, screen
):
    """Choose candidate and cut of a node; return (cut, candidate or -1, whether ``values`` are its, values looked at).

    A node of more than ``screen.size * 2`` rows ranks its candidates on that many rows, drawn at
    random, and cuts the winner on all of them: which column wins is then an estimate, where it is
    cut is exact. If the winner cannot be cut on all rows, all candidates are.
    """
    begin, columns, coefficients = candidates
    n = rows.size
    min_samples_leaf = settings.min_samples_leaf
    d = begin.size - 1
    first = 0
    last = d
    work = 0
    screening = n > 2 * screen.size > 0
    if screening:
        _screening_rows(derive(key, np.int64(2)), rows, screen)
    while True:  # once, or up to three times after screening
        some = screen if screening else rows
        few = max(1, min_samples_leaf * screen.size // n) if screening else min_samples_leaf
        work += some.size * (last - first)
        these = begin[first : last + 1], columns, coefficients
        cut, j, there = _best_candidate(
            matrix,
            some,
            order,
            times,
            derive(key, np.int64(3)),
            these,
            settings,
            other,
            few,
            values,
            scratch,
        )
        if not screening and (j >= 0 or last - first == d):
            return cut, (first + j if j >= 0 else -1), there, work
        first, last = (j, j + 1) if screening and j >= 0 else (0, d)
        screening = False


def _work_space(p, d, m, n, screen_rows):
    """Allocate, once a tree, all that a node writes to: m rows drawn of n, d candidates of p columns."""
    sorting = np.empty(m, np.float32)
    counters = np.empty(COUNTERS, np.int32)
    bins = room_for_bins(m, sorting, counters)
    scratch = sorting, np.empty(m + 2), np.empty(m + 2), counters, x_log_x(m), bins
    rows = np.empty(m, np.int32), np.empty(screen_rows, np.int32), np.zeros(n, np.int32)
    nonzeros = np.empty(4 * d, np.int32), np.empty(4 * d, np.float32)
    candidates = (np.arange(p, dtype=np.int32), np.empty(d + 1, np.int64), *nonzeros)
    stack = np.empty((m + 1, 5), np.int64), np.empty(m + 1, np.uint64)
    return np.empty(m + AT_ONCE, np.float32), scratch, rows, candidates, stack


@inlined
def _push(stack, stack_key, waiting, first, last, depth, parent, peels, key):
    """Let a node wait to be grown: its rows, its depth, whose right child it is or -1, cuts in a row that peeled."""
    stack[waiting, 0] = first
    stack[waiting, 1] = last
    stack[waiting, 2] = depth
    stack[waiting, 3] = parent
    stack[waiting, 4] = peels
    stack_key[waiting] = key
    return waiting + 1


@inlined
def _append(columns, coefficients, used, some_columns, some_weights):
    """Write more entries after the first ``used``; return (columns, coefficients), which may have been enlarged."""
    more = some_columns.size
    columns = grown(columns, used, more)
    coefficients = grown(coefficients, used, more)
    for i in range(more):
        columns[used + i] = some_columns[i]
        coefficients[used + i] = some_weights[i]
    return columns, coefficients


@jit
def _grow_nodes(matrix, order, rows, key, feature_weights, kind, settings, other, space, tree):
    """Grow a tree whose candidates are drawn in every node; return (nodes, columns, coefficients).

    ``tree`` is filled: (child, cut, size, begin); here node i has the run begin[i]:begin[i + 1],
    empty for a leaf. Other arguments are those of `grow_tree`, with the kind of candidates apart:
    settings of one type for all kinds are compiled once. ``other`` is None where the criterion is
    Fast-BIC: the code of the other criteria, which is long to compile, is then left out.
    """
    d = settings.max_features
    density = settings.density
    peel_work = settings.peel_work
    (
        values,
        scratch,
        (spare, screen, times),
        (deck, cand_begin, cand_columns, cand_weights),
        stacks,
    ) = space
    child, cut, size, begin = tree
    stack, stack_key = stacks
    columns = np.empty(64, np.int32)
    coefficients = np.empty(64, np.float32)
    begin[0] = 0
    nodes = 0
    leaves = 0
    waiting = _push(stack, stack_key, 0, 0, rows.size, 0, -1, 0, key)
    while waiting > 0:
        waiting -= 1
        first = stack[waiting, 0]
        last = stack[waiting, 1]
        depth = stack[waiting, 2]
        parent = stack[waiting, 3]
        node_key = stack_key[waiting]
        peels = stack[waiting, 4]
        n = last - first
        node = nodes
        winner = -1
        nodes += 1
        if parent >= 0:
            child[parent] = node
        size[node] = n
        node_rows = rows[first:last]
        left_rows = 0
        if n >= settings.min_samples_split and depth < settings.max_depth:
            cand_columns, cand_weights = sample_projections(
                node_key,
                kind,
                d,
                density,
                feature_weights,
                deck,
                cand_begin,
                cand_columns,
                cand_weights,
            )
            candidates = cand_begin, cand_columns, cand_weights
            best_cut, winner, there, work = _choose_split(
                matrix,
                node_rows,
                order,
                times,
                node_key,
                candidates,
                settings,
                other,
                values,
                scratch,
                screen,
            )
        if winner >= 0:
            low = cand_begin[winner]
            high = cand_begin[winner + 1]
            if not there:
                project(
                    matrix, node_rows, cand_columns[low:high], cand_weights[low:high], values[:n]
                )
            left_rows = _partition(node_rows, values, best_cut, spare)
            peels = peels + 1 if min(left_rows, n - left_rows) < PEEL_SHARE * n else 0
            peel_work -= max(work, PEEL_LEAST) if peels > 0 else 0
            winner = -1 if peels > 0 and (peel_work < 0 or peels > settings.peel_chain) else winner
        if winner < 0:
            child[node] = -1 - leaves
            cut[node] = np.float32(0.0)
            begin[node + 1] = begin[node]
            leaves += 1
            continue
        columns, coefficients = _append(
            columns, coefficients, begin[node], cand_columns[low:high], cand_weights[low:high]
        )
        begin[node + 1] = begin[node] + high - low
        cut[node] = best_cut
        # Right first, so that the left child is grown next and stands right after its parent.
        middle = first + left_rows
        right = derive(node_key, np.int64(1))
        left = derive(node_key, np.int64(0))
        waiting = _push(stack, stack_key, waiting, middle, last, depth + 1, node, peels, right)
        waiting = _push(stack, stack_key, waiting, first, middle, depth + 1, -1, peels, left)
    return nodes, columns, coefficients


def _grow(matrix, order, rows, key, feature_weights, kind, settings):
    """Grow a tree whose candidates are drawn in every node; return (child, cut, size, begin, columns, coefficients)."""
    m = rows.size
    space = _work_space(
        len(matrix), settings.max_features, m, order.shape[1], settings.screening_rows
    )
    tree = (
        np.empty(2 * m, np.int32),
        np.empty(2 * m, np.float32),
        np.empty(2 * m, np.int32),
        np.empty(2 * m + 1, np.int64),
    )
    other = None if settings.criterion == FAST_BIC else True
    nodes, columns, coefficients = _grow_nodes(
        matrix, order, rows.copy(), key, feature_weights, kind, settings, other, space, tree
    )
    child, cut, size, begin = tree
    used = begin[nodes]
    kept = (
        child[:nodes],
        cut[:nodes],
        size[:nodes],
        begin[: nodes + 1],
        columns[:used],
        coefficients[:used],
    )
    return tuple(array.copy() for array in kept)


@jit
def _project_run(matrix, first, last, begin, columns, coefficients, seen):
    """Write the values of the rows first..last - 1 in all directions to seen (directions x rows), as `project` does."""
    size = np.uint64(last - first)
    first = np.uint64(first)
    for j in range(begin.size - 1):
        column = np.uint64(columns[begin[j]])
        weight = coefficients[begin[j]]
        for i in range(size):
            seen[j, i] = weight * matrix[column, first + i]
        for c in range(begin[j] + 1, begin[j + 1]):
            column = np.uint64(columns[c])
            weight = coefficients[c]
            for i in range(size):
                seen[j, i] += weight * matrix[column, first + i]


def _grow_on_pool(matrix, rows, key, feature_weights, settings):
    """Grow a tree on random directions drawn once; see the head of this file."""
    p = matrix.shape[0]
    pool = max(POOL, settings.max_features)
    begin = np.empty(pool + 1, np.int64)
    columns = np.empty(4 * pool, np.int32)
    coefficients = np.empty(4 * pool, np.float32)
    deck = np.arange(p, dtype=np.int32)
    branch = np.uint64(derive(key, 5))
    columns, coefficients = sample_projections(
        branch,
        DIRECTION,
        pool,
        settings.density,
        feature_weights,
        deck,
        begin,
        columns,
        coefficients,
    )
    seen = np.empty((pool, rows.size), np.float32)
    used, at = np.unique(columns[: begin[pool]], return_inverse=True)
    some = np.empty((used.size, rows.size), np.float32)
    for column, out in zip(used, some):  # one by one: the matrix may be on disk, and large
        np.take(matrix[column], rows, out=out, mode="clip")
    _project_run(some, 0, rows.size, begin, at.astype(np.int32), coefficients, seen)
    order = np.empty((pool, 0), np.int32)
    everyone = np.arange(rows.size, dtype=np.int32)
    child, cut, size, run, winner, _ = _grow(
        seen, order, everyone, key, np.ones(pool), AXIS, settings
    )
    direction = np.full(child.size, -1, np.int32)
    direction[child >= 0] = winner[run[:-1][child >= 0]]
    return Tree(
        child,
        cut,
        size,
        direction,
        begin,
        columns[: begin[pool]].copy(),
        coefficients[: begin[pool]].copy(),
    )


def grow_tree(matrix, order, rows, key, feature_weights, settings):
    """Grow a tree on the given rows of ``matrix`` (columns x rows, float32).

    ``order`` sorts every column, or has no rows; ``feature_weights`` is the feature_weights of each column to be
    drawn; ``settings`` are `urerf.kernels.settings.Settings`.

    Returns (child, cut, size, direction, begin, columns, coefficients): for each node its right child or
    leaf number, its cut, how many rows it holds, and its direction; for each direction the run of
    its columns and coefficients.

    Python, not a kernel: a kernel that calls another is compiled together with all that is below
    it.
    """
    if settings.projection == DIRECTION:
        return _grow_on_pool(matrix, rows, key, feature_weights, settings)
    child, cut, size, run, columns, coefficients = _grow(
        matrix, order, rows, key, feature_weights, settings.projection, settings
    )
    inner = child >= 0
    direction = np.where(inner, np.cumsum(inner, dtype=np.int32) - 1, -1).astype(np.int32)
    begin = np.concatenate([[0], run[1:][inner]]).astype(np.int64)
    return Tree(child, cut, size, direction, begin, columns, coefficients)


@jit
def _walk(matrix, child, cut, direction, begin, columns, coefficients, leaf):
    """Send rows down, looking at columns node by node."""
    for i in range(leaf.size):
        node = 0
        while child[node] >= 0:
            value = np.float32(0.0)
            for c in range(begin[direction[node]], begin[direction[node] + 1]):
                value += coefficients[c] * matrix[columns[c], i]
            node = node + 1 if value < cut[node] else child[node]
        leaf[i] = -1 - child[node]


@inlined
def _walk_projected(seen, child, cut, direction, leaf, node):
    """Send rows down whose values in all directions are known.

    A few rows go side by side, a step each, until all are in leaves: a step waits for memory, and
    steps of different rows wait together.
    """
    few = np.uint64(node.size)
    for first in range(np.uint64(0), np.uint64(leaf.size), few):
        rows = min(few, np.uint64(leaf.size) - first)
        walking = child[0] >= 0
        for i in range(rows):
            node[i] = 0
        while walking:
            walking = False
            for i in range(rows):
                here = np.uint32(node[i])
                right = child[here]
                j = np.uint32(max(direction[here], 0))
                below = np.int32(here + np.uint32(1)) if seen[j, first + i] < cut[here] else right
                node[i] = below if right >= 0 else np.int32(here)
                walking |= right >= 0
        for i in range(rows):
            leaf[first + i] = -1 - child[np.uint32(node[i])]


@jit
def _project_and_walk(
    matrix, child, cut, direction, begin, columns, coefficients, leaf, seen, node
):
    """Project rows on all directions, a block at a time, and send them down."""
    for first in range(0, leaf.size, APPLY_ROWS):
        last = min(first + APPLY_ROWS, leaf.size)
        _project_run(matrix, first, last, begin, columns, coefficients, seen)
        _walk_projected(seen, child, cut, direction, leaf[first:last], node)


def apply_tree(matrix, tree, leaf):
    """Write the leaf number of every row of ``matrix`` (columns x rows): left is value < cut.

    Where nodes share directions, rows are projected on all of them first.
    """
    child, cut, _, direction, begin, columns, coefficients = tree
    directions = begin.size - 1
    if directions >= child.size // 2:
        _walk(matrix, child, cut, direction, begin, columns, coefficients, leaf)
    else:
        seen = np.empty((directions, APPLY_ROWS), np.float32)
        node = np.empty(SIDE_BY_SIDE, np.int32)
        _project_and_walk(
            matrix, child, cut, direction, begin, columns, coefficients, leaf, seen, node
        )
