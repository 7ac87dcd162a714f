"""Grow one tree to flat arrays (Algorithm "BuildTree") and send rows down it.

Nodes stand in preorder, so the left child of node i is i + 1. ``child[i]`` is the right child, or
-1 - l for the l-th leaf counted from the left. Rows stand in leaf order, so every node owns one run
of them. ``direction[i]`` says what node i cuts: the run begin[direction]:begin[direction + 1] of
``columns`` and ``weights``; -1 for a leaf.

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

import numpy as np

from ._jit import inlined, jit
from .bins import BINNED_ROWS, cut_unsorted, room_for_bins
from .fast_bic import x_log_x
from .projection import AT_ONCE, AXIS, DIRECTION, grown, project, project_sorted, sample_projections
from .rng import derive, random_below, random_unit
from .sort import COUNTERS, sort_values
from .split import FAST_BIC, choose_cut, choose_fast_bic_cut, cut_at_random

PEEL_SHARE = 0.02
PEEL_LEAST = 20_000
PRESORT_SHARE = 4
UNSORTED_ROWS = 256
POOL = 32
APPLY_ROWS = 128
SIDE_BY_SIDE = 8


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
def _cut_candidate(z, is_sorted, settings, other, min_leaf, beat, ask, scratch):
    """Cut a candidate's values; return (score, cut, whether they are sorted now, whether to ask bins again).

    The score is inf if no cut scores below ``beat``. Bins that could not rule a candidate out will
    hardly rule out the others of its node.
    """
    criterion = settings[2]
    score = settings[3]
    floor = settings[10]
    spare, left, right, counters, nlogn, bins = scratch
    known = False
    here = np.inf
    cut = np.float32(0.0)
    ask_now = z.size > BINNED_ROWS or (ask and z.size >= UNSORTED_ROWS and beat < np.inf)
    if criterion == FAST_BIC and ask_now and not is_sorted:
        known, here, cut = cut_unsorted(z, score, min_leaf, left, right, nlogn, floor, beat, bins)
        ask = known
    if not known:
        if not is_sorted:
            sort_values(z, spare, counters)
        if other is None:
            here, cut = choose_fast_bic_cut(z, score, min_leaf, left, right, nlogn, floor, beat)
        else:
            here, cut = choose_cut(z, criterion, score, min_leaf, left, right, nlogn, floor, beat)
    return here, cut, is_sorted or not known, ask


@inlined
def _best_candidate(
    table, rows, order, times, key, candidates, settings, other, min_leaf, values, scratch
):
    """Cut every candidate on the given rows; return (cut, candidate, whether ``values`` are its values row by row).

    The candidate is -1 where none can be cut. With random cuts, where no candidate's two components
    beat one, the last one that can be cut is cut at random.
    """
    begin, columns, weights = candidates
    random_cuts = settings[9]
    z = values[: rows.size]
    d = begin.size - 1
    best = 0.0 if random_cuts else np.inf
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
            project_sorted(table[columns[low]], order[columns[low]], times, weights[low], values)
        else:
            project(table, rows, columns[low:high], weights[low:high], z)
        here, cut, is_sorted, ask = _cut_candidate(
            z, from_order, settings, other, min_leaf, best, ask, scratch
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
    while random_cuts and winner < 0 and j >= 0:
        if in_order != j:
            project(
                table, rows, columns[begin[j] : begin[j + 1]], weights[begin[j] : begin[j + 1]], z
            )
            sort_values(z, scratch[0], scratch[3])
            in_order = j
        best_cut, found = cut_at_random(z, min_leaf, random_unit(key, np.int64(0)))
        winner = j if found else -1
        j = j - 1
    return best_cut, winner, winner == d - 1 and in_order < 0


@inlined
def _choose_split(
    table, rows, order, times, key, candidates, settings, other, values, scratch, screen
):
    """Choose candidate and cut of a node; return (cut, candidate or -1, whether ``values`` are its, values looked at).

    A node of more than ``screen.size * 2`` rows ranks its candidates on that many rows, drawn at
    random, and cuts the winner on all of them: which column wins is then an estimate, where it is
    cut is exact. If the winner cannot be cut on all rows, all candidates are.
    """
    begin, columns, weights = candidates
    n = rows.size
    min_leaf = settings[5]
    d = begin.size - 1
    first = 0
    last = d
    work = 0
    screening = n > 2 * screen.size > 0
    if screening:
        _screening_rows(derive(key, np.int64(2)), rows, screen)
    while True:  # once, or up to three times after screening
        some = screen if screening else rows
        few = max(1, min_leaf * screen.size // n) if screening else min_leaf
        work += some.size * (last - first)
        these = begin[first : last + 1], columns, weights
        cut, j, there = _best_candidate(
            table,
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
def _append(columns, weights, used, some_columns, some_weights):
    """Write more entries after the first ``used``; return (columns, weights), which may have been enlarged."""
    more = some_columns.size
    columns = grown(columns, used, more)
    weights = grown(weights, used, more)
    for i in range(more):
        columns[used + i] = some_columns[i]
        weights[used + i] = some_weights[i]
    return columns, weights


@jit
def _grow_nodes(table, order, rows, key, chance, kind, settings, other, space, tree):
    """Grow a tree whose candidates are drawn in every node; return (nodes, columns, weights).

    ``tree`` is filled: (child, cut, size, begin); here node i has the run begin[i]:begin[i + 1],
    empty for a leaf. Other arguments are those of `grow_tree`, with the kind of candidates apart:
    settings of one type for all kinds are compiled once. ``other`` is None where the criterion is
    Fast-BIC: the code of the other criteria, which is long to compile, is then left out.
    """
    _, d, _, _, min_split, _, max_depth, density, peel_work, _, _, peel_chain = settings
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
    weights = np.empty(64, np.float32)
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
        if n >= min_split and depth < max_depth:
            cand_columns, cand_weights = sample_projections(
                node_key, kind, d, density, chance, deck, cand_begin, cand_columns, cand_weights
            )
            candidates = cand_begin, cand_columns, cand_weights
            best_cut, winner, there, work = _choose_split(
                table,
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
                    table, node_rows, cand_columns[low:high], cand_weights[low:high], values[:n]
                )
            left_rows = _partition(node_rows, values, best_cut, spare)
            peels = peels + 1 if min(left_rows, n - left_rows) < PEEL_SHARE * n else 0
            peel_work -= max(work, PEEL_LEAST) if peels > 0 else 0
            winner = -1 if peels > 0 and (peel_work < 0 or peels > peel_chain) else winner
        if winner < 0:
            child[node] = -1 - leaves
            cut[node] = np.float32(0.0)
            begin[node + 1] = begin[node]
            leaves += 1
            continue
        columns, weights = _append(
            columns, weights, begin[node], cand_columns[low:high], cand_weights[low:high]
        )
        begin[node + 1] = begin[node] + high - low
        cut[node] = best_cut
        # Right first, so that the left child is grown next and stands right after its parent.
        middle = first + left_rows
        right = derive(node_key, np.int64(1))
        left = derive(node_key, np.int64(0))
        waiting = _push(stack, stack_key, waiting, middle, last, depth + 1, node, peels, right)
        waiting = _push(stack, stack_key, waiting, first, middle, depth + 1, -1, peels, left)
    return nodes, columns, weights


def _grow(table, order, rows, key, chance, kind, settings, screen_rows):
    """Grow a tree whose candidates are drawn in every node; return (child, cut, size, begin, columns, weights)."""
    m = rows.size
    space = _work_space(len(table), settings[1], m, order.shape[1], screen_rows)
    tree = (
        np.empty(2 * m, np.int32),
        np.empty(2 * m, np.float32),
        np.empty(2 * m, np.int32),
        np.empty(2 * m + 1, np.int64),
    )
    other = None if settings[2] == FAST_BIC else True
    nodes, columns, weights = _grow_nodes(
        table, order, rows.copy(), key, chance, kind, settings, other, space, tree
    )
    child, cut, size, begin = tree
    used = begin[nodes]
    kept = (
        child[:nodes],
        cut[:nodes],
        size[:nodes],
        begin[: nodes + 1],
        columns[:used],
        weights[:used],
    )
    return tuple(array.copy() for array in kept)


@jit
def _project_run(table, first, last, begin, columns, weights, seen):
    """Write the values of the rows first..last - 1 in all directions to seen (directions x rows), as `project` does."""
    size = np.uint64(last - first)
    first = np.uint64(first)
    for j in range(begin.size - 1):
        column = np.uint64(columns[begin[j]])
        weight = weights[begin[j]]
        for i in range(size):
            seen[j, i] = weight * table[column, first + i]
        for c in range(begin[j] + 1, begin[j + 1]):
            column = np.uint64(columns[c])
            weight = weights[c]
            for i in range(size):
                seen[j, i] += weight * table[column, first + i]


def _grow_on_pool(table, rows, key, chance, settings, screen_rows):
    """Grow a tree on random directions drawn once; see the head of this file."""
    p = table.shape[0]
    pool = max(POOL, settings[1])
    begin = np.empty(pool + 1, np.int64)
    columns = np.empty(4 * pool, np.int32)
    weights = np.empty(4 * pool, np.float32)
    deck = np.arange(p, dtype=np.int32)
    branch = np.uint64(derive(key, 5))
    columns, weights = sample_projections(
        branch, DIRECTION, pool, settings[7], chance, deck, begin, columns, weights
    )
    seen = np.empty((pool, rows.size), np.float32)
    used, at = np.unique(columns[: begin[pool]], return_inverse=True)
    some = np.empty((used.size, rows.size), np.float32)
    for column, out in zip(used, some):  # one by one: the table may be on disk, and large
        np.take(table[column], rows, out=out, mode="clip")
    _project_run(some, 0, rows.size, begin, at.astype(np.int32), weights, seen)
    order = np.empty((pool, 0), np.int32)
    everyone = np.arange(rows.size, dtype=np.int32)
    child, cut, size, run, winner, _ = _grow(
        seen, order, everyone, key, np.ones(pool), AXIS, settings, screen_rows
    )
    direction = np.full(child.size, -1, np.int32)
    direction[child >= 0] = winner[run[:-1][child >= 0]]
    return (
        child,
        cut,
        size,
        direction,
        begin,
        columns[: begin[pool]].copy(),
        weights[: begin[pool]].copy(),
    )


def grow_tree(table, order, rows, key, chance, settings, screen_rows):
    """Grow a tree on the given rows of ``table`` (columns x rows, float32).

    ``order`` sorts every column, or has no rows; ``chance`` is the chance of each column to be
    drawn; ``settings`` is (kind, d, criterion, score, min_split, min_leaf, max_depth, density,
    peel_work, random_cuts, floor, peel_chain).

    Returns (child, cut, size, direction, begin, columns, weights): for each node its right child or
    leaf number, its cut, how many rows it holds, and its direction; for each direction the run of
    its columns and weights.

    Python, not a kernel: a kernel that calls another is compiled together with all that is below
    it.
    """
    if settings[0] == DIRECTION:
        return _grow_on_pool(table, rows, key, chance, settings, screen_rows)
    child, cut, size, run, columns, weights = _grow(
        table, order, rows, key, chance, settings[0], settings, screen_rows
    )
    inner = child >= 0
    direction = np.where(inner, np.cumsum(inner, dtype=np.int32) - 1, -1).astype(np.int32)
    begin = np.concatenate([[0], run[1:][inner]]).astype(np.int64)
    return child, cut, size, direction, begin, columns, weights


@jit
def _walk(table, child, cut, direction, begin, columns, weights, leaf):
    """Send rows down, looking at columns node by node."""
    for i in range(leaf.size):
        node = 0
        while child[node] >= 0:
            value = np.float32(0.0)
            for c in range(begin[direction[node]], begin[direction[node] + 1]):
                value += weights[c] * table[columns[c], i]
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
def _project_and_walk(table, child, cut, direction, begin, columns, weights, leaf, seen, node):
    """Project rows on all directions, a block at a time, and send them down."""
    for first in range(0, leaf.size, APPLY_ROWS):
        last = min(first + APPLY_ROWS, leaf.size)
        _project_run(table, first, last, begin, columns, weights, seen)
        _walk_projected(seen, child, cut, direction, leaf[first:last], node)


def apply_tree(table, child, cut, direction, begin, columns, weights, leaf):
    """Write the leaf number of every row of ``table`` (columns x rows): left is value < cut.

    Where nodes share directions, rows are projected on all of them first.
    """
    directions = begin.size - 1
    if directions >= child.size // 2:
        _walk(table, child, cut, direction, begin, columns, weights, leaf)
    else:
        seen = np.empty((directions, APPLY_ROWS), np.float32)
        node = np.empty(SIDE_BY_SIDE, np.int32)
        _project_and_walk(table, child, cut, direction, begin, columns, weights, leaf, seen, node)
