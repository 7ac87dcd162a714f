"""Counter-based random numbers: one stream per (seed, tree, node).

A stream is a 64-bit key. Its i-th number is a hash of key and i (SplitMix64), so there is no state:
the numbers of a node do not depend on the thread that grows it or on what was grown before. The key
of a child is a hash of its parent's key and its side, so the key of a node depends only on its path
from the root.
"""

import numpy as np

from ._jit import inner, leaf

# The constants of SplitMix64 (Steele, Lea and Flood, 2014).
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX2 = np.uint64(0x94D049BB133111EB)


@leaf
def mix(x):
    """Scramble 64 bits: the finalizer of SplitMix64."""
    x = np.uint64(x)
    x = (x ^ (x >> np.uint64(30))) * _MIX1
    x = (x ^ (x >> np.uint64(27))) * _MIX2
    return x ^ (x >> np.uint64(31))


@inner
def random_bits(key, counter):
    """Return number ``counter`` of the stream ``key``, 64 bits."""
    steps = np.uint64(counter) + np.uint64(1)
    return mix(key + steps * _GOLDEN)


@inner
def random_below(key, counter, n):
    """Return a uniform integer in [0, n), n < 2**32."""
    half = np.uint64(32)
    high_bits = random_bits(key, counter) >> half
    return np.int64((high_bits * np.uint64(n)) >> half)


@inner
def random_unit(key, counter):
    """Return a uniform float in [0, 1), with the 53 bits of a float64."""
    bits = random_bits(key, counter) >> np.uint64(11)
    return np.float64(bits) * 2.0**-53


@leaf
def derive(key, branch):
    """Return the key of a branch of the stream ``key``: a tree of a forest, a child of a node."""
    steps = np.uint64(branch) + np.uint64(1)
    return mix(mix(key) + steps * _GOLDEN)


@leaf
def _fill_bootstrap(key, times, rows):
    """Draw rows with replacement; ``times`` is zero, one entry per row to draw from."""
    n = times.size
    for i in range(rows.size):
        times[random_below(key, i, n)] += 1
    at = 0
    for row in range(n):
        for _ in range(times[row]):
            rows[at] = row
            at += 1


@leaf
def _fill_sample(key, n, rows):
    """Draw rows without replacement by selection sampling (Knuth, algorithm S)."""
    m = rows.size
    at = 0
    for row in range(n):
        if random_unit(key, row) * (n - row) < m - at:
            rows[at] = row
            at += 1


def sample_rows(key, n, m, bootstrap):
    """Draw m of n rows, ascending; with ``bootstrap`` a row may be drawn repeatedly."""
    rows = np.empty(m, np.int32)
    if bootstrap:
        times = np.zeros(n, np.int32)
        _fill_bootstrap(key, times, rows)
    else:
        _fill_sample(key, n, rows)
    return rows
