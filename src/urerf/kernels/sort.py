"""Sort float32 values in place: insertion sort for a few, radix sort for many.

Radix sort works on the bits, mapped so that unsigned order is numeric order, in four passes of
8-bit digits: three of 11 bits are no quicker.
"""

import numpy as np

from ._jit import inlined, jit

COUNTERS = 4 << 8
_FEW = 48
_SIGN = np.uint32(0x80000000)
_ALL = np.uint32(0xFFFFFFFF)
_DIGIT = np.uint32(0xFF)


@inlined
def _insertion_sort(z):
    for i in range(1, z.size):
        value = z[i]
        j = i
        while j > 0 and z[j - 1] > value:
            z[j] = z[j - 1]
            j -= 1
        z[j] = value


@inlined
def _pass(source, target, counts, shift):
    """Move source to target, ordered by one digit, stably; counts holds where each digit begins."""
    for i in range(source.size):
        digit = (source[i] >> shift) & _DIGIT
        target[counts[digit]] = source[i]
        counts[digit] += 1


@inlined
def _radix_sort(keys, other, counts):
    for c in range(COUNTERS):
        counts[c] = 0
    for i in range(keys.size):
        key = keys[i]
        # Negative numbers: all bits flipped; others: the sign bit. Then unsigned order is numeric
        # order.
        key ^= _ALL if key & _SIGN else _SIGN
        keys[i] = key
        for p in range(4):
            counts[(p << 8) + ((key >> np.uint32(p << 3)) & _DIGIT)] += 1
    source = keys
    target = other
    for p in range(4):
        begin = 0
        for digit in range(p << 8, (p + 1) << 8):
            here = counts[digit]
            counts[digit] = begin
            begin += here
        _pass(source, target, counts[p << 8 : (p + 1) << 8], np.uint32(p << 3))
        source, target = target, source
    for i in range(keys.size):
        key = keys[i]
        keys[i] = key ^ (_SIGN if key & _SIGN else _ALL)


@jit
def sort_values(z, scratch, counts):
    """Sort float32 ``z`` ascending, in place.

    ``scratch`` holds as many float32 as ``z``; ``counts`` is int32 of length `COUNTERS`.
    """
    if z.size <= _FEW:
        _insertion_sort(z)
    else:
        _radix_sort(z.view(np.uint32), scratch[: z.size].view(np.uint32), counts)
