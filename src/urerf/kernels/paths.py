"""The nearest rows by shortest path: Dijkstra's algorithm, which stops after k rows.

The search works on scratch space for all rows, but touches only rows that it reaches, and cleans up
after itself. Its queue is a binary heap of rows with the shortest on top; ``place[row]`` is where a
row is in the heap, so that a shorter path moves it instead of adding it again.
"""

from typing import NamedTuple

import numpy as np

from .._typing import Array
from ._jit import inlined, jit
from .rng import mix

_NEVER = np.int32(-1)  # a row that was not reached
_DONE = np.int32(-2)  # a row whose shortest path is known
_TAKEN = np.int32(-3)  # a row that was not reached, and fills a list


class Search(NamedTuple):
    """Scratch space of a search among n rows; all rows are `_NEVER` between searches."""

    length: Array
    """The shortest path to a row so far."""
    place: Array
    heap: Array
    touched: Array


def empty_search(n):
    """Allocate the space of a search among n rows."""
    return Search(
        length=np.empty(n, np.float64),
        place=np.full(n, _NEVER),
        heap=np.empty(n, np.int32),
        touched=np.empty(n, np.int32),
    )


@inlined
def _rise(row, at, length, place, heap):
    """Move a row up from its place in the heap until no longer path is above it."""
    while at > 0:
        above = (at - 1) // 2
        if length[heap[above]] <= length[row]:
            break
        heap[at] = heap[above]
        place[heap[at]] = at
        at = above
    heap[at] = row
    place[row] = at


@inlined
def _pop(size, length, place, heap):
    """Take the row with the shortest path off a heap of ``size`` rows."""
    top = heap[0]
    row = heap[size - 1]
    at = 0
    # Invariant: the heap is in order, but for the hole at ``at`` into which ``row`` belongs.
    while True:
        below = 2 * at + 1
        if below >= size - 1:
            break
        if below + 1 < size - 1 and length[heap[below + 1]] < length[heap[below]]:
            below += 1
        if length[heap[below]] >= length[row]:
            break
        heap[at] = heap[below]
        place[heap[at]] = at
        at = below
    heap[at] = row
    place[row] = at
    place[top] = _DONE
    return top


@inlined
def _insert(row, long, bits, count, ids, lengths, hashes):
    """Insert a row into the sorted list of the best; return how many are in it."""
    k = ids.size
    at = min(count, k - 1)
    if count == k and (long > lengths[at] or (long == lengths[at] and bits <= hashes[at])):
        return count
    while at > 0:
        before = lengths[at - 1]
        if before < long or (before == long and hashes[at - 1] > bits):
            break
        ids[at] = ids[at - 1]
        lengths[at] = lengths[at - 1]
        hashes[at] = hashes[at - 1]
        at -= 1
    ids[at] = row
    lengths[at] = long
    hashes[at] = bits
    return min(count + 1, k)


@inlined
def _fill(itself, stamp, count, place, ids, lengths):
    """Complete the list with random rows that no path reaches."""
    n = np.uint64(place.size)
    half = np.uint64(32)
    counter = np.uint64(0)
    first = count
    while count < ids.size:
        bits = mix(mix(stamp) + counter) >> half
        row = np.int64((bits * n) >> half)
        counter += np.uint64(1)
        if place[row] == _NEVER and row != itself:
            place[row] = _TAKEN
            ids[count] = row
            lengths[count] = np.inf
            count += 1
    for x in range(first, count):
        place[ids[x]] = _NEVER


@jit
def nearest_by_path(
    starts, start_lengths, indptr, indices, edges, selves, stamps, search, out_ids, out_lengths
):
    """Find the k rows with the shortest paths from every query, shortest first.

    Query q begins at the rows ``starts[q]`` after ``start_lengths[q]`` (inf for none); ``indptr``,
    ``indices`` and ``edges`` are a CSR graph with stored edges both ways. ``selves[q]`` is the row
    to leave out, -1 for none. Equal lengths go to the larger hash of (stamps[q], row). Rows that no
    path reaches are drawn at random, at length inf, if there are fewer than k others.
    """
    length = search.length
    place = search.place
    heap = search.heap
    touched = search.touched
    k = out_ids.shape[1]
    hashes = np.empty(k, np.uint64)
    for q in range(starts.shape[0]):
        ids = out_ids[q]
        lengths = out_lengths[q]
        itself = selves[q]
        n_touched = 0
        size = 0
        count = 0
        row = np.int32(-1)
        # Invariant: the heap holds the rows reached whose shortest path is not known yet.
        while True:
            if row < 0:
                first = 0
                last = starts.shape[1]
            else:
                first = indptr[row]
                last = indptr[row + 1]
            for x in range(first, last):
                if row < 0:
                    end = starts[q, x]
                    long = start_lengths[q, x]
                else:
                    end = indices[x]
                    long = length[row] + edges[x]
                if long == np.inf or place[end] == _DONE:
                    continue
                if place[end] == _NEVER:
                    length[end] = long
                    touched[n_touched] = end
                    n_touched += 1
                    _rise(end, size, length, place, heap)
                    size += 1
                elif long < length[end]:
                    length[end] = long
                    _rise(end, place[end], length, place, heap)
            if size == 0 or (count == k and length[heap[0]] > lengths[k - 1]):
                break
            row = _pop(size, length, place, heap)
            size -= 1
            if row != itself:
                bits = mix(stamps[q] + np.uint64(row))
                count = _insert(row, length[row], bits, count, ids, lengths, hashes)
        if count < k:
            _fill(itself, stamps[q], count, place, ids, lengths)
        for x in range(n_touched):
            place[touched[x]] = _NEVER
