"""Fingerprints of rows, to recognise a fitted row when it comes back as a query."""

import numpy as np

from .rng import mix


def row_fingerprints(matrix):
    """Return a 64-bit hash of every row of ``matrix`` (columns x rows, float32); 0.0 and -0.0 are the same."""
    bits = np.zeros(matrix.shape[1], np.uint64)
    for column in matrix:
        bits = mix.py_func(bits + (column + np.float32(0.0)).view(np.uint32))  # of all rows at once
    return bits
