"""Fingerprints of rows, to recognise a fitted row when it comes back as a query."""

import numpy as np

from ._jit import jit
from .rng import mix

_MINUS_ZERO = np.uint32(0x80000000)


@jit
def _hash_words(words, bits):
    for c in range(words.shape[0]):
        for i in range(words.shape[1]):
            word = words[c, i]
            bits[i] = mix(bits[i] + np.uint64(np.uint32(0) if word == _MINUS_ZERO else word))


def row_fingerprints(table):
    """Return a 64-bit hash of every row of ``table`` (columns x rows, float32); 0.0 and -0.0 are the same."""
    bits = np.zeros(table.shape[1], np.uint64)
    _hash_words(table.view(np.uint32), bits)
    return bits
