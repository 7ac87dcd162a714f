"""Counter-based random numbers: one stream per (seed, tree, node).

A stream is a 64-bit key. Its i-th number is a hash of key and i (SplitMix64), so no state is
carried: a node's numbers do not depend on which thread grows it or on what was grown before. The
key of a child is a hash of its parent's key and its side, so a node's key depends on its path from
the root alone.
"""

import numpy as np

from ._jit import jit

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX2 = np.uint64(0x94D049BB133111EB)


@jit
def mix(x):
    """Scramble 64 bits: the finaliser of SplitMix64."""
    x = np.uint64(x)
    x = (x ^ (x >> np.uint64(30))) * _MIX1
    x = (x ^ (x >> np.uint64(27))) * _MIX2
    return x ^ (x >> np.uint64(31))


@jit
def random_bits(key, counter):
    """Return the ``counter``-th number, 64 bits, of the stream ``key``."""
    return mix(key + (np.uint64(counter) + np.uint64(1)) * _GOLDEN)


@jit
def random_below(key, counter, n):
    """Return a uniform integer in [0, n), n < 2**32."""
    return np.int64(((random_bits(key, counter) >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))


@jit
def random_unit(key, counter):
    """Return a uniform float in [0, 1)."""
    return np.float64(random_bits(key, counter) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@jit
def derive(key, branch):
    """Return the key of a stream that hangs off ``key``: a tree of a forest, a child of a node."""
    return mix(mix(key) + (np.uint64(branch) + np.uint64(1)) * _GOLDEN)


@jit
def _fill_sample(key, n, replace, times, rows):
    m = rows.size
    if replace:
        for i in range(m):
            times[random_below(key, i, n)] += 1
        at = 0
        for row in range(n):
            for _ in range(times[row]):
                rows[at] = row
                at += 1
    else:
        at = 0
        for row in range(n):
            if random_unit(key, row) * (n - row) < m - at:
                rows[at] = row
                at += 1


def sample_rows(key, n, m, replace):
    """Draw m of n rows, ascending.

    With replacement a row may stand there more than once; without, it is selection sampling (Knuth,
    algorithm S).
    """
    rows = np.empty(m, np.int32)
    _fill_sample(key, n, replace, np.zeros(n if replace else 0, np.int32), rows)
    return rows
