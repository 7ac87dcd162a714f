"""Keep the k best of the rows that a querying row has met, in order.

Most rows are ruled out by a guess of the k-th best sum. The best of the others are moved to the
front (quickselect) and sorted, which takes half of the time of a heap.
"""

from typing import NamedTuple

import numpy as np

from .._typing import Array
from ._jit import inlined, inner
from .rng import mix

# A ranking key is a sum of weights, below 2**24, above 40 bits of hash that break ties.
_TIE_BITS = np.uint64(40)
_TIE_MASK = np.uint64((1 << 40) - 1)
# Keys are collected until there are ROOM * k + SPARE_ROOM, then all but the best k are dropped: few
# rows have that many keys above the guess of the k-th best, so this seldom happens.
ROOM = 3
SPARE_ROOM = 64


class Best(NamedTuple):
    """The k best places of one querying row, and room to find them."""

    k: int
    keys: Array
    """The ranking keys of the best places so far, and of others that may be better."""
    places: Array
    """The places of these keys."""
    shortlist: Array
    """Places that may be among the k best."""


def empty_best(n, k):
    """Allocate the k best of n fitted rows."""
    room = ROOM * k + SPARE_ROOM
    return Best(
        k=k,
        keys=np.empty(room, np.uint64),
        places=np.empty(room, np.int64),
        shortlist=np.empty(n + 1, np.int32),
    )


@inner
def _move_largest(keys, places, size, k):
    """Move the k largest of the first ``size`` keys to the front, each with its place.

    Returns the smallest of them.
    """
    low = 0
    high = size
    # Invariant: all keys before ``low`` are larger than those from ``low`` on, and all keys before
    # ``high`` are larger than those from ``high`` on; low <= k <= high.
    while low < k < high:
        last = high - 1
        middle = (low + last) // 2
        pivot = keys[middle]
        place = places[middle]
        keys[middle] = keys[last]
        places[middle] = places[last]
        at = low
        for x in range(low, last):
            # Without a branch, which would be mispredicted half the time.
            key = keys[x]
            is_larger = key > pivot
            keys[x] = keys[at]
            keys[at] = key
            places[x], places[at] = places[at], places[x]
            at += is_larger
        keys[last] = keys[at]
        places[last] = places[at]
        keys[at] = pivot
        places[at] = place
        if at < k:
            low = at + 1
        else:
            high = at
    smallest = keys[0]
    for x in range(1, k):
        smallest = min(smallest, keys[x])
    return smallest


@inner
def _sort_descending(keys, places, size):
    """Sort the first ``size`` keys, largest first, each with its place: a Shell sort."""
    gap = size // 2
    while gap > 0:
        for x in range(gap, size):
            key = keys[x]
            place = places[x]
            at = x
            while at >= gap and keys[at - gap] < key:
                keys[at] = keys[at - gap]
                places[at] = places[at - gap]
                at -= gap
            keys[at] = key
            places[at] = place
        gap = 1 if gap == 2 else gap * 5 // 11


@inlined
def _list_at_least(sums, touched, count, least, wanted, shortlist):
    """List the touched places whose sum is at least ``least``; return how many there are.

    If there are fewer than ``wanted``, ``least`` is halved, until there are or all are listed.
    """
    while True:
        listed = np.uint64(0)
        for at in range(count):
            place = np.uint32(touched[at])
            shortlist[listed] = place  # stays only if it is counted, as in `_add_run`
            listed += np.uint64(sums[place] >= least)
        if listed >= wanted or least <= 1:
            return listed
        least //= 2


@inner
def keep_best(tally, count, least, itself, stamp, original, best):
    """Fill best.places with the best of the touched places, in order; return how many (at most k).

    ``least`` is a guess of the k-th best sum: it saves looking at most places and does not change
    the result. ``itself`` is the place to leave out, ``stamp`` the row's `signature`. A key is the
    sum and, in lower bits, a hash of the stamp and the other row's number, which breaks ties.
    """
    sums = tally.sums
    keys = best.keys
    places = best.places
    shortlist = best.shortlist
    k = best.k
    wanted = k + 1  # one may be the row itself
    listed = _list_at_least(sums, tally.touched, count, least, wanted, shortlist)
    size = 0
    worst = np.uint64(0)
    # Invariant: the first ``size`` keys hold the best k so far; no key up to ``worst`` is needed.
    for at in range(listed):
        place = np.uint32(shortlist[at])
        total = np.uint64(sums[place])
        if place == itself or total < worst >> _TIE_BITS:
            continue
        row = np.uint64(original[place])
        keys[size] = (total << _TIE_BITS) | (mix(stamp + row) & _TIE_MASK)
        places[size] = place
        size += keys[size] > worst
        if size == keys.size:
            worst = _move_largest(keys, places, size, k)
            size = k
    if size > k:
        _move_largest(keys, places, size, k)
        size = k
    _sort_descending(keys, places, size)
    return size
