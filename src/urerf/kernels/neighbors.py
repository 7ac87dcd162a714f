"""Sum the similarity of two rows over all trees and find the k best, without an n x n matrix.

In a tree, two rows are as similar as the weight of the smallest node that holds both, their lowest
common ancestor. Weights are integers that decrease from leaf to root, so sums are exact in any
order. The paper's 0-1 similarity is the case in which leaves weigh 1 and all other nodes 0.

The index of a tree lists the fitted rows in leaf order, ``members[t]``; a node owns the run
begin[node]:end[node]. Inside the index rows have *places*: their rank in the leaf order of the
first tree. Similar rows have places close to each other, so what one row reads and writes stays in
the cache for the next row in that order. ``original[place]`` is the row, ``place[row]`` its place.
`urerf.ranking.index.Index` has all arrays.
"""

from typing import NamedTuple

import numpy as np

from .._typing import Array
from ._jit import inlined, inner, leaf
from .best import empty_best, keep_best
from .rng import mix


class Tally(NamedTuple):
    """The sums of one querying row, by place; all zero between rows."""

    sums: Array
    touched: Array
    """The places whose sum is not zero."""
    runs: Array
    """The leaves of the row, as `_find_runs` writes them: int32, (trees, 4)."""


def empty_tally(n, n_trees):
    """Allocate the sums of n fitted rows."""
    return Tally(
        sums=np.zeros(n, np.int32),
        touched=np.empty(n + 1, np.int32),
        runs=np.empty((n_trees, 4), np.int32),
    )


@inner
def _add_run(members, begin, end, weight, sums, touched, count):
    """Add the weight to the sums of a run of places; return the new count of touched places."""
    for at in range(np.uint32(begin), np.uint32(end)):
        place = np.uint32(members[at])
        before = sums[place]
        # Stays only if the place is new: a branch would be mispredicted half the time.
        touched[count] = place
        count += np.uint64(before == 0)
        sums[place] = before + weight
    return count


@inner
def _add_run_unlisted(members, begin, end, weight, sums):
    """Add the weight to the sums of a run of places."""
    for at in range(np.uint32(begin), np.uint32(end)):
        sums[np.uint32(members[at])] += weight


@inlined
def _list_touched(sums, touched):
    """List the places whose sum is not zero; return how many there are."""
    count = np.uint64(0)
    for place in range(np.uint32(sums.size)):
        touched[count] = place  # stays only if it is counted, as in `_add_run`
        count += np.uint64(sums[place] != 0)
    return count


@inner
def _find_runs(leaf, index, runs):
    """Write begin, end and weight of a row's leaf in every tree, and the parent if it weighs.

    The parent is -1 if it weighs nothing. A row without any value is in no leaf, and its run is
    empty. Nodes of large forests are read from memory: the reads for all trees wait together here,
    and would wait one after the other between the runs.
    """
    first_node = index.first_node
    first_leaf = index.first_leaf
    leaf_node = index.leaf_node
    begin = index.begin
    end = index.end
    parent = index.parent
    weight = index.weight
    for t in range(leaf.size):
        low = np.int32(0)
        high = np.int32(0)
        leaf_weight = np.int32(0)
        above = np.int32(-1)
        if leaf[t] >= 0:
            first = first_node[t]
            node = first + leaf_node[first_leaf[t] + leaf[t]]
            low = begin[node]
            high = end[node]
            leaf_weight = weight[node]
            above = parent[node]
            if above >= 0 and weight[first + above] == 0:
                above = np.int32(-1)
        runs[t, 0] = low
        runs[t, 1] = high
        runs[t, 2] = leaf_weight
        runs[t, 3] = above


@inner
def add_similarities(leaf, index, tally):
    """Sum the similarity of a row, in ``leaf[t]`` of tree t, with every fitted row.

    Returns the number of touched places. Climbs from the leaf while nodes weigh anything: the rows
    that a node adds to its child are those left and right of the child's run.

    If the trees visit more places than there are, touched places are not listed while visiting,
    which takes half of the time, but found at the end.
    """
    first_node = index.first_node
    begin = index.begin
    end = index.end
    parent = index.parent
    weight = index.weight
    sums = tally.sums
    touched = tally.touched
    runs = tally.runs
    count = np.uint64(0)
    is_listed = True
    _find_runs(leaf, index, runs)
    for t in range(leaf.size):
        members = index.members[t]
        first = first_node[t]
        low = np.int64(runs[t, 0])
        high = low
        new_low = low
        new_high = np.int64(runs[t, 1])
        node_weight = runs[t, 2]
        node = np.int64(runs[t, 3])
        # Invariant: the members low:high are added, new_low:new_high are those of the next node.
        while True:
            if is_listed:
                count = _add_run(members, new_low, low, node_weight, sums, touched, count)
                count = _add_run(members, high, new_high, node_weight, sums, touched, count)
            else:
                _add_run_unlisted(members, new_low, low, node_weight, sums)
                _add_run_unlisted(members, high, new_high, node_weight, sums)
            low = new_low
            high = new_high
            if node < 0 or weight[first + node] == 0:
                break
            new_low = np.int64(begin[first + node])
            new_high = np.int64(end[first + node])
            node_weight = weight[first + node]
            node = np.int64(parent[first + node])
        is_listed = is_listed and (high - low) * leaf.size <= sums.size
    return count if is_listed else _list_touched(sums, touched)


@inner
def signature(leaf, seed):
    """Return a hash of a row's leaves: ties are broken by what a row is, not by its position."""
    h = mix(seed)
    for t in range(leaf.size):
        h = mix(h + np.uint64(leaf[t]))
    return h


@leaf
def row_signatures(leaves, seed, out):
    """Write the `signature` of every row of ``leaves``, (trees, rows)."""
    for i in range(out.size):
        out[i] = signature(leaves[:, i], seed)


@leaf
def _gather_leaves(leaves, rows, out):
    """Write the leaves (trees x rows) of the given rows as (rows x trees)."""
    for t in range(leaves.shape[0]):
        for r in range(rows.size):
            out[r, t] = leaves[t, np.uint64(rows[r])]


@inlined
def _fill_at_random(sums, place_of, itself, stamp, kept, places):
    """Complete the places with random ones of sum zero, none twice."""
    n = np.uint64(place_of.size)
    half = np.uint64(32)
    counter = np.uint64(0)
    while kept < places.size:
        bits = mix(mix(stamp) + counter) >> half
        row = np.int64((bits * n) >> half)
        place = place_of[row]
        counter += np.uint64(1)
        if sums[place] == 0 and place != itself:
            sums[place] = -1  # taken
            places[kept] = place
            kept += 1


@inlined
def _equal(one, other):
    """Whether two rows of leaves are the same."""
    t = 0
    while t < one.size and one[t] == other[t]:
        t += 1
    return t == one.size


@leaf
def _find_nearest(leaf, selves, index, seed, tally, best, out_ids, out_sums):
    """Do the work of `nearest`; leaf[r] are the leaves of querying row r."""
    original = index.original
    place_of = index.place
    sums = tally.sums
    touched = tally.touched
    k = best.k
    places = best.places[:k]
    count = np.uint64(0)
    stamp = np.uint64(0)
    least = np.int64(0)
    for r in range(selves.size):
        itself = place_of[selves[r]] if selves[r] >= 0 else -1
        if r == 0 or not _equal(leaf[r], leaf[r - 1]):
            for at in range(count):
                sums[np.uint32(touched[at])] = 0
            stamp = signature(leaf[r], seed)
            count = add_similarities(leaf[r], index, tally)
        kept = keep_best(tally, count, least, itself, stamp, original, best)
        if kept < k:
            _fill_at_random(sums, place_of, itself, stamp, kept, places)
        for x in range(k):
            out_ids[r, x] = original[places[x]]
            out_sums[r, x] = max(sums[places[x]], 0)
            if x >= kept:
                sums[places[x]] = 0
        least = out_sums[r, k - 1] * 7 // 8  # the next row is most often similar to this one


def nearest(leaves, rows, selves, index, seed, k):
    """Find the k most similar fitted rows of the given querying rows, best first.

    Returns their sums and their numbers, (rows, k). ``leaves`` is (trees, querying rows);
    ``selves`` are the fitted rows to leave out, one for each of ``rows``, -1 for none. Ties go to
    the larger hash of (signature, row). Successive rows in the same leaves, as equal rows are,
    share their sums.
    """
    n = index.original.size
    sums = np.empty((rows.size, k), np.int32)
    ids = np.empty((rows.size, k), np.int32)
    leaf = _leaves_of(leaves, rows)
    tally = empty_tally(n, len(leaves))
    best = empty_best(n, k)
    _find_nearest(leaf, selves, index, seed, tally, best, ids, sums)
    return sums, ids


def _leaves_of(leaves, rows):
    """Return the leaves of the given rows, (rows x trees)."""
    n_trees = leaves.shape[0]
    leaf = np.empty((rows.size, n_trees), np.int32)
    _gather_leaves(leaves, rows, leaf)
    return leaf


@leaf
def _fill_similarities(leaf, index, tally, out):
    original = index.original
    sums = tally.sums
    for r in range(out.shape[0]):
        add_similarities(leaf[r], index, tally)
        for place in range(sums.size):
            out[r, original[place]] = sums[place]
            sums[place] = 0


def similarity_rows(leaves, first_row, index, out):
    """Write the summed weights of the rows from ``first_row`` on with all fitted rows."""
    n_rows, n_fitted = out.shape
    rows = np.arange(first_row, first_row + n_rows)
    leaf = _leaves_of(leaves, rows)
    tally = empty_tally(n_fitted, len(leaves))
    _fill_similarities(leaf, index, tally, out)


@leaf
def _add_counted(leaf, index, t, counts_fitted, out):
    """Add the similarities of a row in one tree with the fitted rows that count there."""
    if leaf < 0:  # a row without any value is in no leaf
        return
    first = index.first_node[t]
    begin = index.begin
    end = index.end
    node = index.leaf_node[index.first_leaf[t] + leaf]
    low = begin[first + node]
    high = low
    # Invariant: the members low:high are added.
    while node >= 0 and index.weight[first + node] > 0:
        new_low = begin[first + node]
        new_high = end[first + node]
        for at in range(new_low, new_high):
            row = index.original[index.members[t, at]]
            if (at < low or at >= high) and counts_fitted[row]:
                out[row] += index.weight[first + node]
        low = new_low
        high = new_high
        node = index.parent[first + node]


@leaf
def counted_rows(leaves, first_row, index, counts, counts_fitted, out, both):
    """Do what `similarity_rows` does, over the trees in which both rows count.

    ``both`` becomes the number of such trees.
    """
    for r in range(out.shape[0]):
        i = first_row + r
        for t in range(leaves.shape[0]):
            if counts[t, i]:
                for j in range(both.shape[1]):
                    both[r, j] += counts_fitted[t, j]
                _add_counted(leaves[t, i], index, t, counts_fitted[t], out[r])
