"""Put values into bins of equal width, in place of sorting them.

Bins are runs of the sorted values, and two passes over the values give the number of values in each
and their sums. That is all that the bounds of `urerf.kernels.fast_bic` need, so that most
candidates are ruled out without being sorted. For the others, values are moved to their bins, and
only the bins that may hold the best cut are sorted.
"""

import numpy as np

from ._jit import inlined, inner

# The number of a bin fits into a byte.
BINS = 256
# Fewer values per bin would cost more bounds than they avoid logarithms; with more, the bounds of a
# sample of 512 rows rule out too little.
VALUES_PER_BIN = 8
_NOT_SIGN = np.int32(0x7FFFFFFF)
_SIGN_BIT = np.int32(31)


@inlined
def _in_order(bits):
    """Map the bits of a float32 to integers in the order of the numbers, and back."""
    return bits ^ ((bits >> _SIGN_BIT) & _NOT_SIGN)


@inlined
def _range(z):
    """Return the smallest and the largest value.

    Integers are compared, because LLVM makes vector code of that and not of floats, among which
    there might be NaN. Here NaN is larger than all numbers, or smaller if its sign is negative.
    """
    keys = z.view(np.int32)
    low = _in_order(keys[0])
    high = low
    for i in range(keys.size):
        key = _in_order(keys[i])
        low = min(low, key)
        high = max(high, key)
    lowest = np.int32(_in_order(low)).view(np.float32)
    highest = np.int32(_in_order(high)).view(np.float32)
    return np.float64(lowest), np.float64(highest)


@inner
def bin_values(z, bin_of, begin, sums, squares):
    """Put values into bins; return (bins, SS, middle), with an SS of 0 if there is nothing to cut.

    That is, if all values are equal or some are not finite. bin_of[i] becomes the bin of z[i]. For
    the values in all bins below b, sums[b] and squares[b] become the sums of the values minus the
    middle of their range, and begin[b] their number.
    """
    n = z.size
    low, high = _range(z)
    bins = max(1, min(n // VALUES_PER_BIN, BINS))
    width = high - low
    middle = 0.5 * (low + high)
    if not 0.0 < width < np.inf:
        return bins, 0.0, middle
    per_unit = bins / width
    last = np.int32(bins - 1)
    for i in range(n):
        number = np.int32((z[i] - low) * per_unit)
        bin_of[i] = max(min(number, last), np.int32(0))
    for b in range(bins + 1):
        begin[b] = 0
        sums[b] = 0.0
        squares[b] = 0.0
    for i in range(n):
        after = np.uint64(bin_of[i]) + np.uint64(1)
        d = z[i] - middle
        begin[after] += 1
        sums[after] += d
        squares[after] += d * d
    for b in range(bins):
        begin[b + 1] += begin[b]
        sums[b + 1] += sums[b]
        squares[b + 1] += squares[b]
    spread = squares[bins] - sums[bins] * sums[bins] / n
    return bins, max(spread, 0.0), middle


@inner
def place_values(z, bins, bin_of, begin, counters, placed):
    """Copy values to ``placed``, bin after bin; ``counters`` has room for the bins."""
    for b in range(bins):
        counters[b] = begin[b]
    # Invariant: counters[b] is where the next value of bin b goes.
    for i in range(z.size):
        own = np.uint64(bin_of[i])
        at = np.uint64(counters[own])
        placed[at] = z[i]
        counters[own] = at + np.uint64(1)
