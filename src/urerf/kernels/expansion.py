"""Expand a column in a few orthonormal functions of its values.

A function takes one value per *level*: per distinct value of an ordered column, per category of a
nominal one. So all sums over rows are sums over levels, weighted by their number of rows.
"""

from functools import partial

import numpy as np

from ._jit import inlined, jit, leaf
from .rng import derive, random_unit

# Polynomials of an ordered column. With degree 4, the pair test finds exactly the three columns of
# each simulation among 10,000 noise columns (`urerf bench accuracy`). The time of the test grows
# with the square of the degree; faster waves than cos(2 pi t) are left to `relevance.waves`.
DEGREE = 4

# Largest mean fourth power of a polynomial of degree 2 or more. Polynomials above it live on a few
# rows, such as the largest counts of a Poisson column, and their correlations are far from
# Gaussian. Without ties, all are below 3. Chosen by the rate of false positives on counts and rare
# values (test_false_positives_stay_at_the_nominal_rate).
MAX_FOURTH_MOMENT = 6.0

# Smallest part of a function that the ones before it must leave over, as a root mean square. It
# only separates rounding errors from the new direction of a column with enough levels.
MIN_REMAINDER = 1e-3

# A category with fewer rows is rare. Rare categories share one level: none of them has enough rows
# to show that it depends on anything.
RARE = 5

# Moments of the functions that the null distribution of the pair test needs; see `moments_of`.
SIZE = 0
SKEW = 1
TILT = 2
FOURTH = 3
SIXTH = 4
N_MOMENTS = 5


@partial(leaf, fastmath={"reassoc", "contract"})
def _dot(weight, f, g):
    """Return the weighted sum of f * g; the order of the sum is free, for speed."""
    total = 0.0
    for k in range(weight.size):
        total += weight[k] * f[k] * g[k]
    return total


@partial(leaf, fastmath={"reassoc", "contract"})
def _dot3(weight, f, g, h):
    """Return the weighted sum of f * g * h; the order of the sum is free, for speed."""
    total = 0.0
    for k in range(weight.size):
        total += weight[k] * f[k] * g[k] * h[k]
    return total


@inlined
def ordered_levels(values, order, keep, level, count):
    """Find the distinct values of the kept rows, ascending; return how many there are.

    Writes the level of every row (-1 for rows that are not kept) and the rows of every level.
    ``order`` sorts the values.
    """
    n_levels = 0
    last = np.nan
    level[:] = -1
    for k in range(order.size):
        row = order[k]
        if not keep[row]:
            continue
        if n_levels == 0 or values[row] != last:
            count[n_levels] = 0
            n_levels += 1
            last = values[row]
        level[row] = n_levels - 1
        count[n_levels - 1] += 1
    return n_levels


@inlined
def nominal_levels(codes, keep, n_first, level, count, code_of):
    """Find the categories of the kept rows; return how many levels there are.

    The ``n_first`` most frequent categories come first, then all others by their code. The rare
    categories are one level, with the code -1, unless it would be rare itself: then they join the
    level before it. ``code_of`` receives the code of every level.
    """
    n_codes = 0
    for row in range(codes.size):
        if keep[row] and codes[row] >= n_codes:
            n_codes = int(codes[row]) + 1
    rows_of = np.zeros(n_codes + 1, np.int64)
    for row in range(codes.size):
        if keep[row]:
            rows_of[np.int64(codes[row])] += 1
    level_of = np.full(n_codes + 1, -1)
    n_levels = 0
    for k in range(n_first + n_codes):
        code = k - n_first
        if k < n_first:
            code = _most_frequent(rows_of, level_of)
        if code < 0 or level_of[code] >= 0 or rows_of[code] < RARE:
            continue
        level_of[code] = n_levels
        code_of[n_levels] = code
        count[n_levels] = rows_of[code]
        n_levels += 1
    n_rare = 0
    for code in range(n_codes):
        if level_of[code] < 0:
            n_rare += rows_of[code]
    rare_level = n_levels - 1
    if n_rare >= RARE or (n_levels == 0 and n_rare > 0):
        code_of[n_levels] = -1
        count[n_levels] = 0
        rare_level = n_levels
        n_levels += 1
    if n_rare > 0:
        count[rare_level] += n_rare
    for row in range(codes.size):
        level[row] = -1
        if keep[row]:
            place = level_of[np.int64(codes[row])]
            level[row] = place if place >= 0 else rare_level
    return n_levels


@inlined
def _most_frequent(rows_of, level_of):
    """Return the most frequent category without a level, the first of equal ones; -1 if none."""
    best = -1
    for code in range(rows_of.size - 1):
        if level_of[code] < 0 and (best < 0 or rows_of[code] > rows_of[best]):
            best = code
    return best


@inlined
def legendre(count, n_levels, f):
    """Write the Legendre polynomials of the mid-ranks of ordered levels; return their number."""
    n_rows = 0
    for k in range(n_levels):
        n_rows += count[k]
    degree = min(DEGREE, f.shape[0])
    before = 0
    for k in range(n_levels):
        u = (2 * before + count[k]) / n_rows - 1.0
        before += count[k]
        f[0, k] = u
        previous = 1.0
        for d in range(1, degree):
            f[d, k] = ((2 * d + 1) * u * f[d - 1, k] - d * previous) / (d + 1)
            previous = f[d - 1, k]
    return degree


@inlined
def indicators(n_levels, code_of, seed, f):
    """Write the indicators of all levels but the last; return their number.

    If there are more levels than functions, the functions are random numbers per level: a random
    projection of the indicators. They depend on the seed of the column and on the codes. (With the
    same seed for all columns, these would depend on each other: codes follow the first appearance
    of a level, so that they are equal in the first rows of all columns.)
    """
    n_functions = min(f.shape[0], n_levels - 1)
    if n_functions == n_levels - 1:
        for d in range(n_functions):
            for k in range(n_levels):
                f[d, k] = 1.0 if d == k else 0.0
        return n_functions
    for k in range(n_levels):
        key = derive(np.uint64(seed), code_of[k] + 1)
        for d in range(n_functions):
            f[d, k] = random_unit(key, d)
    return n_functions


@inlined
def orthonormalize(f, weight, polynomials):
    """Make functions orthonormal, with mean 0; return how many are left.

    ``weight`` is the share of the rows of every level. The series of polynomials ends before the
    first degree that adds no new direction (the column has too few levels) or that lives on a few
    rows, where it varies too much by chance.
    """
    n_levels = weight.size
    square = np.empty(n_levels)
    one = np.ones(n_levels)
    kept = 0
    for d in range(f.shape[0]):
        g = f[d]
        mean = _dot(weight, g, one)
        for k in range(n_levels):
            g[k] -= mean
        before = np.sqrt(_dot(weight, g, g))
        for _ in range(2):  # once more removes what rounding has left over
            for e in range(kept):
                overlap = _dot(weight, g, f[e])
                for k in range(n_levels):
                    g[k] -= overlap * f[e, k]
        norm = np.sqrt(_dot(weight, g, g))
        if norm <= MIN_REMAINDER * before:
            if polynomials:
                break
            continue
        for k in range(n_levels):
            f[kept, k] = g[k] / norm
            square[k] = f[kept, k] * f[kept, k]
        if polynomials and kept > 0 and _dot(weight, square, square) > MAX_FOURTH_MOMENT:
            break
        kept += 1
    return kept


@jit
def moments_of(f, weight, prefixes, moments):
    """Describe the first functions f, for every number of them in ``prefixes``.

    ``moments[k]`` receives the number of functions; the squared norm of their third moments, the
    tensor E[f_a f_b f_c]; the squared norm of its trace E[f_a |f|^2]; and E|f|^4 and E|f|^6.
    """
    third = _third_moments(f, weight)
    square = np.zeros(weight.size)
    done = 0
    for k in range(prefixes.size):
        size = min(prefixes[k], f.shape[0])
        skew = 0.0
        tilt = 0.0
        for a in range(size):
            trace = 0.0
            for b in range(size):
                trace += third[a, b, b]
                for c in range(size):
                    skew += third[a, b, c] * third[a, b, c]
            tilt += trace * trace
        for a in range(done, size):
            for j in range(weight.size):
                square[j] += f[a, j] * f[a, j]
        done = size
        moments[k, SIZE] = size
        moments[k, SKEW] = skew
        moments[k, TILT] = tilt
        moments[k, FOURTH] = _dot(weight, square, square)
        moments[k, SIXTH] = _dot3(weight, square, square, square)


@inlined
def _third_moments(f, weight):
    """Return E[f_a f_b f_c]."""
    n = f.shape[0]
    third = np.empty((n, n, n))
    for a in range(n):
        for b in range(a, n):
            for c in range(b, n):
                total = _dot3(weight, f[a], f[b], f[c])
                third[a, b, c] = total
                third[a, c, b] = total
                third[b, a, c] = total
                third[b, c, a] = total
                third[c, a, b] = total
                third[c, b, a] = total
    return third


@jit
def _describe(f, count, level, polynomials, prefixes, functions, column, moments):
    """Make the functions of levels orthonormal, and write them and their moments."""
    n_levels = f.shape[1]
    n_kept = 0
    for k in range(n_levels):
        n_kept += count[k]
    weight = np.empty(n_levels)
    for k in range(n_levels):
        weight[k] = count[k] / n_kept
    n_functions = orthonormalize(f, weight, polynomials)
    moments_of(f[:n_functions], weight, prefixes, moments)
    for d in range(n_functions):
        for row in range(level.size):
            if level[row] >= 0:
                functions[d, column, row] = f[d, level[row]]


@jit
def expand_ordered(values, order, keep, prefixes, functions, column, moments):
    """Write the functions of an ordered column at its kept rows, and their moments.

    ``order`` sorts the values. ``functions[:, column]`` is 0 beforehand.
    """
    n_slots, _, n_rows = functions.shape
    level = np.empty(n_rows, np.int64)
    count = np.empty(n_rows + 1, np.int64)
    n_levels = ordered_levels(values, order, keep, level, count)
    if n_levels >= 2:
        f = np.empty((n_slots, n_levels))
        n_functions = legendre(count, n_levels, f)
        _describe(f[:n_functions], count, level, True, prefixes, functions, column, moments)


@jit
def expand_nominal(codes, keep, seed, prefixes, functions, column, moments):
    """Write the functions of a category at its kept rows, and their moments.

    ``functions[:, column]`` is 0 beforehand; the seed is that of the random numbers per level.
    """
    n_slots, _, n_rows = functions.shape
    level = np.empty(n_rows, np.int64)
    count = np.empty(n_rows + 1, np.int64)
    code_of = np.empty(n_rows + 1, np.int64)
    n_levels = nominal_levels(codes, keep, n_slots, level, count, code_of)
    if n_levels >= 2:
        f = np.empty((n_slots, n_levels))
        n_functions = indicators(n_levels, code_of, seed, f)
        _describe(f[:n_functions], count, level, False, prefixes, functions, column, moments)


@jit
def correlate(f, n_shared, correlations):
    """Write the correlations of the functions of two columns, f[:, 0] and f[:, 1]."""
    n_slots, _, n_rows = f.shape
    weight = np.full(n_rows, 1.0 / max(n_shared, 1))
    for a in range(n_slots):
        for b in range(n_slots):
            correlations[a, b] = _dot(weight, f[a, 0], f[b, 1])


def expand(values, order, keep, seed, prefixes, functions, column, moments):
    """Write the functions of one column at its kept rows, and their moments.

    The seed is 0 for an ordered column, and positive for a category. This is Python and not a
    kernel, so that categories are compiled only for tables that have some.
    """
    if seed > 0:
        expand_nominal(values, keep, seed, prefixes, functions, column, moments)
    else:
        expand_ordered(values, order, keep, prefixes, functions, column, moments)


def shared_functions(values, orders, seeds, prefixes, moments):
    """Expand two columns on the rows that both have; return the functions and these rows.

    ``values`` and ``orders`` are (2, rows), the functions (slots, 2, rows); ``moments[side]``
    receives the moments.
    """
    keep = ~np.isnan(values).any(axis=0)
    functions = np.zeros((prefixes[-1], 2, values.shape[1]), np.float32)
    for side in range(2):
        expand(
            values[side],
            orders[side],
            keep,
            seeds[side],
            prefixes,
            functions,
            side,
            moments[side],
        )
    return functions, keep


def shared_pair(values, orders, seeds, prefixes, correlations, moments):
    """Compare two columns on the rows that both have; return the number of these rows.

    ``correlations`` receives those of their functions; see `shared_functions` for the rest.
    """
    functions, keep = shared_functions(values, orders, seeds, prefixes, moments)
    n_shared = np.count_nonzero(keep)
    correlate(functions, n_shared, correlations)
    return n_shared
