"""Sort float32 values in place, and find places among sorted ones.

Insertion sort for a few values, radix sort for many. Radix sort works on the bits, mapped so that
unsigned order is numeric order, in four passes of 8-bit digits; three passes of 11 bits were no
faster.
"""

import numpy as np

from ._jit import inlined, inner

# 32 bits are sorted by four digits of 8 bits, from the lowest to the highest.
_PASSES = 4
_DIGITS = 256
COUNTERS = _PASSES * _DIGITS
# Up to this many values, insertion sort is faster than clearing the counters of a radix sort.
_FEW = 48
# Bits of a float32 as an integer: its sign, all of them, and one digit.
_SIGN = np.uint32(0x80000000)
_ALL = np.uint32(0xFFFFFFFF)
_DIGIT = np.uint32(0xFF)


@inlined
def _insertion_sort(z):
    # Invariant: z[:i] is sorted.
    for i in range(1, z.size):
        value = z[i]
        j = i
        while j > 0 and z[j - 1] > value:
            z[j] = z[j - 1]
            j -= 1
        z[j] = value


@inlined
def _count_digits(keys, counters):
    """Map floats to keys whose unsigned order is numeric order; count the digits of each pass."""
    for c in range(COUNTERS):
        counters[c] = 0
    for i in range(keys.size):
        key = keys[i]
        # Flip all bits of a negative number, only the sign bit of others.
        key ^= _ALL if key & _SIGN else _SIGN
        keys[i] = key
        for p in range(_PASSES):
            digit = (key >> np.uint32(8 * p)) & _DIGIT
            counters[_DIGITS * p + digit] += 1


@inlined
def _pass(source, target, starts, shift):
    """Move source to target, stably ordered by one digit; ``starts`` says where a digit begins."""
    for i in range(source.size):
        digit = (source[i] >> shift) & _DIGIT
        target[starts[digit]] = source[i]
        starts[digit] += 1


@inlined
def _radix_sort(keys, spare, counters):
    _count_digits(keys, counters)
    source = keys
    target = spare
    # Invariant: source is sorted by its lowest p digits.
    for p in range(_PASSES):
        starts = counters[_DIGITS * p : _DIGITS * (p + 1)]
        start = 0
        for digit in range(_DIGITS):
            count = starts[digit]
            starts[digit] = start
            start += count
        _pass(source, target, starts, np.uint32(8 * p))
        source, target = target, source
    # The number of passes is even, so the sorted keys are back in keys.
    for i in range(keys.size):
        key = keys[i]
        keys[i] = key ^ (_SIGN if key & _SIGN else _ALL)


@inner
def sort_values(z, spare, counters):
    """Sort float32 ``z`` ascending, in place.

    ``spare`` is float32 and as long as ``z`` or longer; ``counters`` is int32 of length `COUNTERS`.
    """
    if z.size <= _FEW:
        _insertion_sort(z)
    else:
        keys = z.view(np.uint32)
        other = spare[: z.size].view(np.uint32)
        _radix_sort(keys, other, counters)


@inlined
def count_below(z, value):
    """Return how many of the sorted values are below ``value``, by bisection."""
    low = 0
    high = z.size
    # Invariant: z[:low] < value <= z[high:].
    while low < high:
        middle = (low + high) // 2
        if z[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low


@inlined
def between(low, high):
    """Return the float32 midpoint, moved so that low < cut <= high."""
    cut = np.float32(0.5 * low + 0.5 * high)
    return cut if low < cut else high
