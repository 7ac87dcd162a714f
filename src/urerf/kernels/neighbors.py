"""Add up how alike two rows are over all trees, and keep the k best: neighbours without an n x n matrix.

In a tree, two rows are as alike as the weight of the smallest node that holds both (their lowest
common ancestor). Weights are integers that fall from leaf to root, so sums are exact in any order.
The paper's 0-1 similarity is the case where leaves weigh 1 and all other nodes 0.

The index of a tree lists the fitted rows in leaf order, ``members[t]``; a node owns the run
begin[node]:end[node]. Inside the index rows have *places*: their rank in the leaf order of the
first tree. Rows that are alike have places near each other, so that what one row adds up, and what
the next one in that order does, stays in the cache. ``original[place]`` is the row, ``place[row]``
its place.
"""

import numpy as np

from ._jit import inlined, jit
from .rng import mix

_TIE_BITS = np.uint64(40)
_TIE_MASK = np.uint64((1 << 40) - 1)


@jit
def _fill_index(child, leaf, original, members, begin, end, parent, leaf_node, start):
    nodes = child.size
    parent[0] = -1
    for node in range(nodes):
        if child[node] >= 0:
            parent[node + 1] = node
            parent[child[node]] = node
        else:
            leaf_node[-1 - child[node]] = node
    for i in range(leaf.size):
        start[leaf[i] + 1] += 1
    for x in range(1, start.size):
        start[x] += start[x - 1]
    for x in range(leaf_node.size):
        begin[leaf_node[x]] = start[x]
        end[leaf_node[x]] = start[x + 1]
    for place in range(leaf.size):
        x = leaf[original[place]]
        members[start[x]] = place
        start[x] += 1
    # Children stand after their parent, so going backwards they are ready first.
    for node in range(nodes - 1, -1, -1):
        if child[node] >= 0:
            begin[node] = begin[node + 1]
            end[node] = end[child[node]]


def index_tree(child, leaf, original, members, begin, end, parent):
    """Build the index of one tree from the leaf number of every fitted row.

    Fills members (places in leaf order, ascending within a leaf), and for each node its run and its
    parent (-1 for the root); returns the node of every leaf.
    """
    leaves = (child.size + 1) // 2
    leaf_node = np.empty(leaves, np.int32)
    _fill_index(
        child,
        leaf,
        original,
        members,
        begin,
        end,
        parent,
        leaf_node,
        np.zeros(leaves + 1, np.int32),
    )
    return leaf_node


@jit
def node_levels(parent, rows, deep):
    """Return how many cuts are above each node of all trees, counted below the last node of ``deep`` rows or more.

    Nodes stand tree after tree, parents before children; ``parent`` counts from the tree's first
    node.
    """
    level = np.zeros(parent.size, np.int32)
    first = 0
    for node in range(parent.size):
        if parent[node] < 0:
            first = node
        elif rows[node] < deep:
            level[node] = level[first + parent[node]] + 1
    return level


@jit
def _add_run(members, begin, end, weight, sums, touched, met):
    for at in range(np.uint32(begin), np.uint32(end)):
        j = np.uint32(members[at])
        before = sums[j]
        touched[met] = (
            # stays only if this is the first time: no branch, which would be mispredicted half the
            # time
            j
        )
        met += np.uint64(before == 0)
        sums[j] = before + weight
    return met


@jit
def add_similarities(leaf, index, sums, touched):
    """Add the weights of a row, in ``leaf[t]`` of tree t, with every fitted row to ``sums``, which is zero before.

    Returns how many places were met; ``touched`` lists them. Climbs from the leaf while nodes weigh
    anything: the rows that a node adds to its child are those left and right of the child's run.
    """
    members, _, _, first_node, first_leaf, leaf_node, begin, end, parent, weight, _ = index
    met = np.uint64(0)
    for t in range(leaf.size):
        first = first_node[t]
        node = leaf_node[first_leaf[t] + leaf[t]]
        low = high = begin[first + node]
        while node >= 0 and weight[first + node] > 0:
            new_low = begin[first + node]
            new_high = end[first + node]
            met = _add_run(members[t], new_low, low, weight[first + node], sums, touched, met)
            met = _add_run(members[t], high, new_high, weight[first + node], sums, touched, met)
            low = new_low
            high = new_high
            node = parent[first + node]
    return met


@jit
def signature(leaf, seed):
    """Return a hash of a row's leaves in all trees: it breaks ties by what a row is, not by where it stands."""
    h = mix(seed)
    for t in range(leaf.size):
        h = mix(h + np.uint64(leaf[t]))
    return h


@jit
def _gather_leaves(leaves, rows, some):
    """Write the leaves (trees x rows) of some rows as (rows x trees)."""
    for t in range(leaves.shape[0]):
        for r in range(rows.size):
            some[r, t] = leaves[t, np.uint64(rows[r])]


@jit
def _sink(keys, ids, size):
    """Restore the heap of the first ``size`` keys (smallest on top) after its top was replaced."""
    at = 0
    while True:
        child = 2 * at + 1
        if child >= size:
            return
        if child + 1 < size and keys[child + 1] < keys[child]:
            child += 1
        if keys[at] <= keys[child]:
            return
        keys[at], keys[child] = keys[child], keys[at]
        ids[at], ids[child] = ids[child], ids[at]
        at = child


@inlined
def _at_least(sums, touched, met, least, wanted, some):
    """List the touched places whose sum is ``least`` or more in ``some``; return how many there are.

    Where that is less than ``wanted``, the next try is half of it, and so on until all are listed.
    """
    while True:
        few = np.uint64(0)
        for at in range(met):
            j = np.uint32(touched[at])
            some[few] = j  # stays only if it is counted, as above
            few += np.uint64(sums[j] >= least)
        if few >= wanted or least <= 1:
            return few
        least //= 2


@jit
def _keep_best(sums, touched, met, least, some, myself, stamp, original, keys, ids):
    """Fill ids with the best of the touched places, best first; return how many there are (at most k).

    ``least`` is a guess of the k-th best sum: it spares a look at most places, and does not change
    the result. A key holds the sum and, below it, a hash of the querying row's signature and the
    other row's number: the tie-break.
    """
    k = keys.size
    kept = 0
    for x in range(k):
        keys[x] = 0  # an empty place is worse than any row
    for at in range(_at_least(sums, touched, met, least, k + 1, some)):  # one may be the row itself
        j = np.uint32(some[at])
        if j == myself or np.uint64(sums[j]) < keys[0] >> _TIE_BITS:
            continue
        key = (np.uint64(sums[j]) << _TIE_BITS) | (mix(stamp + np.uint64(original[j])) & _TIE_MASK)
        if key > keys[0]:
            keys[0] = key
            ids[0] = j
            _sink(keys, ids, k)
            kept += 1
    for last in range(k - 1, 0, -1):  # the worst to the end, again and again
        keys[0], keys[last] = keys[last], keys[0]
        ids[0], ids[last] = ids[last], ids[0]
        _sink(keys, ids, last)
    return min(kept, k)


@jit
def _fill_at_random(sums, place, myself, stamp, k, kept, ids):
    """Complete ids with the places of rows that no tree puts near the querying one: drawn at random, no row twice."""
    counter = np.uint64(0)
    while kept < k:
        n = np.uint64(place.size)
        j = place[np.int64(((mix(mix(stamp) + counter) >> np.uint64(32)) * n) >> np.uint64(32))]
        counter += np.uint64(1)
        if sums[j] == 0 and j != myself:
            sums[j] = -1  # taken
            ids[kept] = j
            kept += 1


@jit
def _equal(some, others):
    t = 0
    while t < some.size and some[t] == others[t]:
        t += 1
    return t == some.size


@jit
def _find_nearest(
    rows, leaf, selves, index, seed, sums, touched, some, keys, ids, out_ids, out_sums
):
    original = index[1]
    place = index[2]
    k = ids.size
    met = np.uint64(0)
    stamp = np.uint64(0)
    least = np.int64(0)
    for r in range(rows.size):
        row = rows[r]
        myself = place[selves[row]] if selves[row] >= 0 else -1
        if r == 0 or not _equal(leaf[r], leaf[r - 1]):
            for at in range(met):
                sums[np.uint32(touched[at])] = 0
            stamp = signature(leaf[r], seed)
            met = add_similarities(leaf[r], index, sums, touched)
        kept = _keep_best(sums, touched, met, least, some, myself, stamp, original, keys, ids)
        if kept < k:
            _fill_at_random(sums, place, myself, stamp, k, kept, ids)
        for x in range(k):
            out_ids[row, x] = original[ids[x]]
            out_sums[row, x] = max(sums[ids[x]], 0)
            if x >= kept:
                sums[ids[x]] = 0
        least = out_sums[row, k - 1] * 7 // 8  # the next row is most often like this one


def nearest(leaves, rows, selves, index, seed, out_ids, out_sums):
    """Write the k most alike fitted rows of the given querying rows, best first, and their sums, to out[row].

    ``selves[row]`` is the fitted row to leave out (-1: none). Ties go to the larger hash of
    (signature, row). A row in the same leaves as the one before it, as equal rows are, has the same
    sums: they are not added up again.
    """
    n = index[1].size
    k = out_ids.shape[1]
    leaf, sums, touched = _room(leaves, rows, n)
    some = np.empty(n + 1, np.int32)
    keys = np.empty(k, np.uint64)
    ids = np.empty(k, np.int64)
    _find_nearest(
        rows, leaf, selves, index, seed, sums, touched, some, keys, ids, out_ids, out_sums
    )


def _room(leaves, rows, n):
    """Return the leaves of some rows, and where to add up and to list the fitted rows they meet."""
    some = np.empty((rows.size, leaves.shape[0]), np.int32)
    _gather_leaves(leaves, rows, some)
    return some, np.zeros(n, np.int32), np.empty(n + 1, np.int32)


@jit
def _fill_similarities(some, index, sums, touched, out):
    for r in range(out.shape[0]):
        add_similarities(some[r], index, sums, touched)
        for j in range(sums.size):
            out[r, index[1][j]] = sums[j]
            sums[j] = 0


def similarity_rows(leaves, first_row, index, out):
    """Write the summed weights of the rows from ``first_row`` on with all fitted rows."""
    rows = np.arange(first_row, first_row + out.shape[0])
    some, sums, touched = _room(leaves, rows, out.shape[1])
    _fill_similarities(some, index, sums, touched, out)


@jit
def counted_rows(leaves, first_row, index, counts, counts_fitted, out, both):
    """As `similarity_rows`, over the trees where both rows count; ``both`` gets the number of such trees."""
    members, original, _, first_node, first_leaf, leaf_node, begin, end, parent, weight, _ = index
    for r in range(out.shape[0]):
        i = first_row + r
        for t in range(leaves.shape[0]):
            if not counts[t, i]:
                continue
            for j in range(both.shape[1]):
                both[r, j] += counts_fitted[t, j]
            first = first_node[t]
            node = leaf_node[first_leaf[t] + leaves[t, i]]
            low = high = begin[first + node]
            while node >= 0 and weight[first + node] > 0:
                for at in range(begin[first + node], end[first + node]):
                    j = original[members[t, at]]
                    if (at < low or at >= high) and counts_fitted[t, j]:
                        out[r, j] += weight[first + node]
                low = begin[first + node]
                high = end[first + node]
                node = parent[first + node]
