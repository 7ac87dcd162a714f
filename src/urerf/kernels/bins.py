"""Fast-BIC of values that are not sorted: bins rule out most cuts, and only the rest are searched.

Values are put into bins of equal width; a bin has a count, a sum and a sum of squares. Bins are
runs of the sorted values, so one pass over the values gives the bounds of `urerf.kernels.fast_bic`
for all cuts:

- A candidate none of whose cuts can beat the best so far is skipped, as most candidates of a node
  are.
- In a node of more than `BINNED_ROWS` rows, only the values of the bins that may hold the best cut
  are sorted. The cut is exact except for rounding: sums are added up bin by bin, not value by
  value.

If neither helps, as in a long tail that leaves nearly all values in one bin, the values are sorted
after all.
"""

import numpy as np

from ._jit import inlined, inner
from .fast_bic import bic_one, bound_run, constant_part, cut_run, describe
from .settings import GAIN
from .sort import between, sort_values

# The number of a bin fits into a byte.
BINS = 256
# Fewer values per bin would cost more bounds than they avoid logarithms.
VALUES_PER_BIN = 16
# Smaller nodes are sorted: `urerf bench shortcuts` compares the two.
BINNED_ROWS = 4096
# Sorting only the values of the wanted bins pays if they are at most one in so many.
WORTH_IT = 4
# Slack per value for the rounding of sums by bins, before a candidate is ruled out.
ROUNDING = 1e-6


@inner
def bin_values(z, bin_of, bin_start, sums, squares):
    """Put values into bins; return (bins, SS, middle), with 0 bins if there is nothing to cut.

    That is, if all values are equal or some are not finite. bin_of[i] becomes the bin of z[i]. For
    the values in all bins below b, sums[b] and squares[b] become the sums of the values minus the
    middle of their range, and bin_start[b] their number.
    """
    n = z.size
    low = z[0]
    high = z[0]
    for i in range(n):
        low = min(low, z[i])
        high = max(high, z[i])
    bins = max(1, min(n // VALUES_PER_BIN, BINS))
    lowest = np.float64(low)
    width = np.float64(high) - np.float64(low)
    middle = 0.5 * (np.float64(low) + high)
    if not 0.0 < width < np.inf:
        return 0, 0.0, middle
    per_unit = bins / width
    for b in range(bins + 1):
        bin_start[b] = 0
        sums[b] = 0.0
        squares[b] = 0.0
    for i in range(n):
        number = int((z[i] - lowest) * per_unit)
        number = max(min(number, bins - 1), 0)
        d = z[i] - middle
        after = np.uint64(number) + np.uint64(1)
        bin_of[i] = number
        bin_start[after] += 1
        sums[after] += d
        squares[after] += d * d
    for b in range(bins):
        bin_start[b + 1] += bin_start[b]
        sums[b + 1] += sums[b]
        squares[b + 1] += squares[b]
    spread = squares[bins] - sums[bins] * sums[bins] / n
    return bins, max(spread, 0.0), middle


@inlined
def _bound_bins(bins, values, scratch):
    """Fill bounds[b] for the cuts after the values of bin b; return the lowest."""
    bin_start = scratch.bin_start
    sums = scratch.sums
    squares = scratch.squares
    bounds = scratch.bounds
    nlogn = scratch.nlogn
    lowest = np.inf
    for b in range(bins):
        start = bin_start[b]
        end = bin_start[b + 1]
        bound = bound_run(
            start, end, sums[b], squares[b], sums[b + 1], squares[b + 1], values, nlogn
        )
        bounds[b] = bound if start < end else np.inf
        lowest = min(lowest, bounds[b])
    return lowest


@inner
def _pick_values(z, bins, limit, scratch):
    """Copy the values of all bins whose bound is at most ``limit``; return how many.

    They go to scratch.picked, and their bins are marked in scratch.bin_wanted. If they are too many
    for that to pay, nothing is copied and -1 is returned.
    """
    bin_of = scratch.bin_of
    bin_start = scratch.bin_start
    wanted = scratch.bin_wanted
    bounds = scratch.bounds
    picked = scratch.picked
    count = 0
    for b in range(bins):
        size = bin_start[b + 1] - bin_start[b]
        wanted[b] = bounds[b] <= limit
        count += size * wanted[b]
    if WORTH_IT * count > z.size:
        return -1
    at = np.uint64(0)
    for i in range(z.size):
        picked[at] = z[i]  # stays only if its bin is wanted: no branch to mispredict
        at += np.uint64(wanted[np.uint64(bin_of[i])])
    return count


@inlined
def _search_bins(z, bins, values, limit, best, scratch):
    """Return (whether the result is known, best score, the values on both sides of the cut).

    Searches the bins of the lowest bound, ``limit``, first, then all that may still win.
    """
    bin_start = scratch.bin_start
    wanted = scratch.bin_wanted
    sums = scratch.sums
    squares = scratch.squares
    bounds = scratch.bounds
    nlogn = scratch.nlogn
    picked = scratch.picked
    low = np.float32(0.0)
    high = np.float32(0.0)
    none = np.int64(-1)
    for _ in range(2):
        count = _pick_values(z, bins, limit, scratch)
        if count < 0:
            return False, best, low, high
        sort_values(picked[:count], scratch.spare, scratch.counters)
        picked[count] = np.inf
        first = 0
        # Invariant: the values of the next wanted bin begin at picked[first].
        for b in range(bins):
            if not wanted[b]:
                continue
            start = bin_start[b]
            size = bin_start[b + 1] - start
            run = picked[first : first + size + 1]
            first += size
            if bounds[b] < best:
                best, s = cut_run(run, start, sums[b], squares[b], values, nlogn, best, none)
                if s >= 0:
                    low = run[s - start - 1]
                    # The value after the last one of a bin may be in a bin that was skipped.
                    high = run[s - start] if s - start < size else np.float32(np.inf)
            bounds[b] = np.inf
        limit = best
    if high == np.inf:
        for i in range(z.size):
            high = min(high, z[i]) if z[i] > low else high
    return True, best, low, high


@inner
def cut_unsorted(z, rule, beat, scratch):
    """Cut values by Fast-BIC as `urerf.kernels.split.choose_cut` does, without sorting them.

    Returns (whether the result is known, score, cut). If it is not known, the values must be
    sorted.
    """
    n = z.size
    sums = scratch.sums
    squares = scratch.squares
    bins, spread, middle = bin_values(z, scratch.bin_of, scratch.bin_start, sums, squares)
    if bins == 0 or not spread > 0.0:
        return False, np.inf, np.float32(0.0)
    values = describe(n, rule, spread, middle, sums[bins], squares[bins])
    one = bic_one(spread, n) if rule.split_score == GAIN else 0.0
    constant = constant_part(n, spread, scratch.nlogn)
    limit = _bound_bins(bins, values, scratch)
    best = beat + one - constant
    if limit > best + ROUNDING * n:
        return True, np.inf, np.float32(0.0)
    if n <= BINNED_ROWS:
        return False, np.inf, np.float32(0.0)
    known, best, low, high = _search_bins(z, bins, values, limit, best, scratch)
    score = best + constant - one if low < high else np.inf
    return known, score, between(low, high)
