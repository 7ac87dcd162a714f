"""Fingerprints of rows, to recognise a fitted row when it comes back as a query."""

import numpy as np

from ._jit import jit
from .rng import mix


@jit
def row_fingerprints(table):
    """Return a 64-bit hash of every row of ``table`` (columns x rows, float32); 0.0 and -0.0 are the same."""
    bits = np.zeros(table.shape[1], np.uint64)
    chunk = np.empty(table.shape[1], np.float32)
    for c in range(table.shape[0]):
        for i in range(table.shape[1]):
            chunk[i] = table[c, i] + np.float32(0.0)
        for i, word in enumerate(chunk.view(np.uint32)):
            bits[i] = mix(bits[i] + np.uint64(word))
    return bits
