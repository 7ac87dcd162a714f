"""Fast-BIC of values that are not sorted: bins tell which cuts cannot win, and only the others are looked at.

Values are put into bins of equal width; a bin keeps how many there are, their sum and their sum of
squares. Bins are runs of the sorted values, so the bounds of `urerf.kernels.fast_bic` hold for
their cuts, for one pass over the values:

- A candidate none of whose cuts can beat the best so far is passed over: most candidates of a node
  are.
- In a node of more than `BINNED_ROWS` rows only the values of the bins that may hold the best cut
  are sorted. The cut is the exact one, but for rounding: sums are added up bin by bin, not value by
  value.

Where neither helps, as in a long tail that leaves nearly all values in one bin, the values are
sorted after all.
"""

import math

import numpy as np

from ._jit import inlined, jit
from .fast_bic import bound_run, constant_part, cut_run
from .settings import GAIN
from .sort import sort_values
from .split import between, bic_one

BINS = 256
VALUES_A_BIN = 16
BINNED_ROWS = 4096
WORTH_IT = 4


@inlined
def bin_values(z, where, counts, sums, squares):
    """Put values into bins; return (bins, SS, middle), 0 bins where all values are equal or some are not finite.

    where[i] is the bin of z[i]. For the values of all bins below b, sums[b] and squares[b] are the
    sums of the values minus the middle of their range, and counts[b] is how many there are.
    """
    n = z.size
    low = z[0]
    high = z[0]
    for i in range(n):
        low = min(low, z[i])
        high = max(high, z[i])
    bins = max(1, min(n // VALUES_A_BIN, BINS))
    lowest = np.float64(low)
    width = np.float64(high) - np.float64(low)
    middle = 0.5 * (np.float64(low) + high)
    if not 0.0 < width < np.inf:
        return 0, 0.0, middle
    a_unit = bins / width
    for b in range(bins + 1):
        counts[b] = 0
        sums[b] = 0.0
        squares[b] = 0.0
    for i in range(n):
        here = np.uint64(max(min(np.int64((z[i] - lowest) * a_unit), bins - 1), 0))
        d = z[i] - middle
        after = here + np.uint64(1)
        where[i] = here
        counts[after] += 1
        sums[after] += d
        squares[after] += d * d
    for b in range(bins):
        counts[b + 1] += counts[b]
        sums[b + 1] += sums[b]
        squares[b + 1] += squares[b]
    return bins, max(squares[bins] - sums[bins] * sums[bins] / n, 0.0), middle


@inlined
def _bound_bins(n, bins, min_samples_leaf, spread, counts, sums, squares, nlogn, floor, bounds):
    """Fill bounds[b] for the cuts after the values of bin b; return the lowest."""
    log_n = math.log(n)
    least = floor / n
    unit = 1.0 / spread
    lowest = np.inf
    total = sums[bins]
    total_sq = squares[bins]
    for b in range(bins):
        above = total - sums[b + 1]
        above_sq = total_sq - squares[b + 1]
        bound = bound_run(
            counts[b],
            counts[b + 1],
            sums[b],
            squares[b],
            above,
            above_sq,
            n,
            log_n,
            min_samples_leaf,
            unit,
            nlogn,
            least,
        )
        bounds[b] = bound if counts[b] < counts[b + 1] else np.inf
        lowest = min(lowest, bounds[b])
    return lowest


@inlined
def _collect(z, where, bounds, limit, counts, wanted, out):
    """Copy the values of every bin whose bound is at most ``limit`` to out; return how many, -1 if too many."""
    few = 0
    for b in range(bounds.size):
        wanted[b] = bounds[b] <= limit
        few += (counts[b + 1] - counts[b]) * wanted[b]
    if WORTH_IT * few > z.size:
        return -1
    at = np.uint64(0)
    for i in range(z.size):
        out[at] = z[i]  # stays only if its bin is wanted: no branch to mispredict
        at += np.uint64(wanted[np.uint64(where[i])])
    return few


@inlined
def _search_bins(
    z, bins, middle, min_samples_leaf, spread, sums, squares, nlogn, floor, limit, best, scratch
):
    """Return (whether all is known, best score, the values on both sides of the cut), bounds being in ``sums``.

    The bins of the lowest bound, ``limit``, first, then all that may still win.
    """
    where, counts, wanted, some, spare, counters = scratch
    n = z.size
    bounds = sums[bins + 1 : 2 * bins + 1]
    log_n = math.log(n)
    least = floor / n
    unit = 1.0 / spread
    low = np.float32(0.0)
    high = np.float32(0.0)
    none = np.int64(-1)
    for _ in range(2):
        few = _collect(z, where, bounds, limit, counts, wanted, some)
        first = 0
        if few < 0:
            return False, best, low, high
        sort_values(some[:few], spare, counters)
        some[few] = np.inf
        for b in range(bins):
            if not wanted[b]:
                continue
            start = counts[b]
            size = counts[b + 1] - counts[b]
            run = some[first : first + size + 1]
            first += size
            if bounds[b] < best:
                best, at = cut_run(
                    run,
                    start,
                    b,
                    bins,
                    n,
                    log_n,
                    middle,
                    min_samples_leaf,
                    unit,
                    sums,
                    squares,
                    nlogn,
                    least,
                    best,
                    none,
                )
                if (
                    at >= 0
                ):  # after the last value of a bin, the next one may be in a bin that was passed over
                    low = run[at - start - 1]
                    high = run[at - start] if at - start < size else np.float32(np.inf)
            bounds[b] = np.inf
        limit = best
    if high == np.inf:
        for i in range(n):
            high = min(high, z[i]) if z[i] > low else high
    return True, best, low, high


def room_for_bins(n, spare, counters):
    """Return what `cut_unsorted` writes to, of up to n values; the last two are what `sort_values` needs."""
    marks = np.empty(n, np.uint8), np.empty(BINS + 1, np.int64), np.empty(BINS, np.uint8)
    return (*marks, np.empty(n + 1, np.float32), spare, counters)


@jit
def cut_unsorted(z, score, min_samples_leaf, sums, squares, nlogn, floor, beat, scratch):
    """Cut values by Fast-BIC as `urerf.kernels.split.choose_cut` does; return (whether all is known, score, cut).

    Where it is not known, the values must be sorted. ``scratch`` is that of `room_for_bins`.
    """
    n = z.size
    bins, spread, middle = bin_values(z, scratch[0], scratch[1], sums, squares)
    if bins == 0 or not spread > 0.0:
        return False, np.inf, np.float32(0.0)
    one = bic_one(spread, n) if score == GAIN else 0.0
    constant = constant_part(n, spread, nlogn)
    limit = _bound_bins(
        n, bins, min_samples_leaf, spread, scratch[1], sums, squares, nlogn, floor, sums[bins + 1 :]
    )
    best = beat + one - constant
    if limit > best + 1e-6 * n:  # a bit is left for rounding
        return True, np.inf, np.float32(0.0)
    if n <= BINNED_ROWS:
        return False, np.inf, np.float32(0.0)
    known, best, low, high = _search_bins(
        z, bins, middle, min_samples_leaf, spread, sums, squares, nlogn, floor, limit, best, scratch
    )
    return known, (best + constant - one if low < high else np.inf), between(low, high)
