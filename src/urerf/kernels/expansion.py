"""Expand a column in a few orthonormal functions of its values.

A function takes one value per *level*: per distinct value of an ordered column, per category of a
nominal one. So all sums over rows are sums over levels, weighted by their number of rows.
"""

import math
from functools import partial

import numpy as np

from ._jit import inlined, inner, leaf
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


@partial(inner, fastmath={"reassoc", "contract"})
def _dot(weight, f, g):
    """Return the weighted sum of f * g; the order of the sum is free, for speed."""
    total = 0.0
    for k in range(weight.size):
        total += weight[k] * f[k] * g[k]
    return total


@partial(inner, fastmath={"reassoc", "contract"})
def _dot3(weight, f, g, h):
    """Return the weighted sum of f * g * h; the order of the sum is free, for speed."""
    total = 0.0
    for k in range(weight.size):
        total += weight[k] * f[k] * g[k] * h[k]
    return total


@leaf
def _ordered_levels(values, order, keep, level, count):
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


@leaf
def _fill_nominal_levels(codes, keep, n_first, level, count, code_of, rows_of, level_of):
    """Do the work of `nominal_levels`.

    ``rows_of`` is 0 and ``level_of`` is -1, both one longer than there are codes.
    """
    n_codes = rows_of.size - 1
    for row in range(codes.size):
        if keep[row]:
            rows_of[np.int64(codes[row])] += 1
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


def nominal_levels(codes, keep, n_first, level, count, code_of):
    """Find the categories of the kept rows; return how many levels there are.

    The ``n_first`` most frequent categories come first, then all others by their code. The rare
    categories are one level, with the code -1, unless it would be rare itself: then they join the
    level before it. ``code_of`` receives the code of every level.
    """
    largest_code = int(np.max(codes, initial=-1, where=keep))
    n_codes = largest_code + 1
    rows_of = np.zeros(n_codes + 1, np.int64)
    level_of = np.full(n_codes + 1, -1)
    return _fill_nominal_levels(codes, keep, n_first, level, count, code_of, rows_of, level_of)


@inlined
def _most_frequent(rows_of, level_of):
    """Return the most frequent category without a level, the first of equal ones; -1 if none."""
    best = -1
    for code in range(rows_of.size - 1):
        if level_of[code] < 0 and (best < 0 or rows_of[code] > rows_of[best]):
            best = code
    return best


@leaf
def _legendre(count, n_rows, f):
    """Write the Legendre polynomials of the mid-ranks of ordered levels; return their number.

    ``count`` has the rows of every level, ``n_rows`` in total.
    """
    degree = min(DEGREE, f.shape[0])
    before = 0
    for k in range(count.size):
        u = (2 * before + count[k]) / n_rows - 1.0
        before += count[k]
        f[0, k] = u
        previous = 1.0
        for d in range(1, degree):
            f[d, k] = ((2 * d + 1) * u * f[d - 1, k] - d * previous) / (d + 1)
            previous = f[d - 1, k]
    return degree


@leaf
def _indicators(code_of, seed, f):
    """Write the indicators of all levels but the last; return their number.

    If there are more levels than functions, the functions are random numbers per level: a random
    projection of the indicators. They depend on the seed of the column and on the codes. (With the
    same seed for all columns, these would depend on each other: codes follow the first appearance
    of a level, so that they are equal in the first rows of all columns.)
    """
    n_levels = code_of.size
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


@leaf
def _orthonormalize(f, weight, polynomials, square, one):
    """Make functions orthonormal, with mean 0; return how many are left.

    ``weight`` is the share of the rows of every level. The series of polynomials ends before the
    first degree that adds no new direction (the column has too few levels) or that lives on a few
    rows, where it varies too much by chance. ``square`` is scratch space, ``one`` is 1, both one
    per level.
    """
    n_levels = weight.size
    kept = 0
    for d in range(f.shape[0]):
        g = f[d]
        mean = _dot(weight, g, one)
        for k in range(n_levels):
            g[k] -= mean
        before = math.sqrt(_dot(weight, g, g))
        for _ in range(2):  # once more removes what rounding has left over
            for e in range(kept):
                overlap = _dot(weight, g, f[e])
                for k in range(n_levels):
                    g[k] -= overlap * f[e, k]
        norm = math.sqrt(_dot(weight, g, g))
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


@leaf
def _fill_moments(f, weight, prefixes, third, square, moments):
    """Do the work of `moments_of`; ``third`` receives the third moments, ``square`` is zero."""
    _fill_third_moments(f, weight, third)
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
def _fill_third_moments(f, weight, third):
    """Write E[f_a f_b f_c]."""
    n = f.shape[0]
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


def moments_of(f, weight, prefixes, moments):
    """Describe the first functions f, for every number of them in ``prefixes``.

    ``moments[k]`` receives the number of functions; the squared norm of their third moments, the
    tensor E[f_a f_b f_c]; the squared norm of its trace E[f_a |f|^2]; and E|f|^4 and E|f|^6.
    """
    n = len(f)
    third = np.empty((n, n, n))
    square = np.zeros(weight.size)
    _fill_moments(f, weight, prefixes, third, square, moments)


@leaf
def _write_functions(f, level, functions, column):
    """Write the functions of the levels at the rows of these; other rows have the level -1."""
    for d in range(f.shape[0]):
        for row in range(level.size):
            if level[row] >= 0:
                functions[d, column, row] = f[d, level[row]]


@leaf
def _correlate(f, weight, correlations):
    """Write the correlations of the functions of two columns, f[:, 0] and f[:, 1]."""
    n_slots = f.shape[0]
    for a in range(n_slots):
        for b in range(n_slots):
            correlations[a, b] = _dot(weight, f[a, 0], f[b, 1])


def expand(values, order, keep, seed, prefixes, functions, column, moments):
    """Write the functions of one column at its kept rows, and their moments.

    ``order`` sorts the values. The seed is 0 for an ordered column, and positive for a category,
    whose random numbers per level depend on it. ``functions[:, column]`` is 0 beforehand.

    This is Python and not a kernel, because a kernel is compiled together with all that it calls:
    so each part is compiled once, and categories only for tables that have some.
    """
    n_slots, _, n_rows = functions.shape
    level = np.empty(n_rows, np.int64)
    count = np.empty(n_rows + 1, np.int64)
    is_ordered = bool(seed == 0)
    if is_ordered:
        n_levels = _ordered_levels(values, order, keep, level, count)
    else:
        code_of = np.empty(n_rows + 1, np.int64)
        n_levels = nominal_levels(values, keep, n_slots, level, count, code_of)
    if n_levels < 2:
        return
    f = np.empty((n_slots, n_levels))
    count = count[:n_levels]
    n_kept = count.sum()
    if is_ordered:
        n_functions = _legendre(count, n_kept, f)
    else:
        n_functions = _indicators(code_of[:n_levels], seed, f)
    weight = count / n_kept
    square = np.empty(n_levels)
    one = np.ones(n_levels)
    n_functions = _orthonormalize(f[:n_functions], weight, is_ordered, square, one)
    orthonormal = f[:n_functions]
    moments_of(orthonormal, weight, prefixes, moments)
    _write_functions(orthonormal, level, functions, column)


def shared_functions(values, orders, seeds, prefixes, moments):
    """Expand two columns on the rows that both have; return the functions and these rows.

    ``values`` and ``orders`` are (2, rows), the functions (slots, 2, rows); ``moments[side]``
    receives the moments.
    """
    n_rows = values.shape[1]
    n_slots = prefixes[-1]
    is_missing = np.isnan(values)
    keep = ~is_missing.any(axis=0)
    functions = np.zeros((n_slots, 2, n_rows), np.float32)
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
    n_shared = int(np.count_nonzero(keep))
    n_rows = values.shape[1]
    equal_weight = 1.0 / max(n_shared, 1)
    weight = np.full(n_rows, equal_weight)
    _correlate(functions, weight, correlations)
    return n_shared
