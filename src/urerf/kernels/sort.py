"""Sort float32 values in place: insertion sort for a few, radix sort for many.

Radix sort works on the bits, mapped so that unsigned order is numeric order; 8-bit digits while the counters would
outweigh the values, 11-bit digits (three passes, not four) from ``_WIDE`` values on.
"""

import numpy as np

from ._jit import inlined, jit

_FEW = 48
_WIDE = 4096
_SIGN = np.uint32(0x80000000)
_ALL = np.uint32(0xFFFFFFFF)


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
def _pass(source, target, counts, shift, mask):
    """Move source to target, ordered by one digit, stably; counts holds where each digit begins."""
    for i in range(source.size):
        digit = (source[i] >> shift) & mask
        target[counts[digit]] = source[i]
        counts[digit] += 1


@jit
def _radix_sort(keys, other, counts, bits, passes):
    size = 1 << bits
    mask = np.uint32(size - 1)
    for c in range(passes * size):
        counts[c] = 0
    for i in range(keys.size):
        key = keys[i]
        # Negative numbers: all bits flipped; others: the sign bit. Then unsigned order is numeric order.
        key ^= _ALL if key & _SIGN else _SIGN
        keys[i] = key
        for p in range(passes):
            counts[p * size + ((key >> np.uint32(p * bits)) & mask)] += 1
    source, target = keys, other
    for p in range(passes):
        begin = 0
        for digit in range(p * size, (p + 1) * size):
            here = counts[digit]
            counts[digit] = begin
            begin += here
        _pass(source, target, counts[p * size : (p + 1) * size], np.uint32(p * bits), mask)
        source, target = target, source
    for i in range(keys.size):
        key = source[i]
        keys[i] = key ^ (_SIGN if key & _SIGN else _ALL)


@jit
def sort_values(z, scratch, counts):
    """Sort float32 ``z`` ascending, in place.

    ``scratch`` holds as many float32 as ``z``; ``counts`` is int32 of length 3 * 2048.
    """
    if z.size <= _FEW:
        _insertion_sort(z)
    elif z.size < _WIDE:
        _radix_sort(z.view(np.uint32), scratch[: z.size].view(np.uint32), counts, 8, 4)
    else:
        _radix_sort(z.view(np.uint32), scratch[: z.size].view(np.uint32), counts, 11, 3)


COUNTERS = 3 << 11
