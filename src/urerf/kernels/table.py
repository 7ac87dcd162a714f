"""Fingerprints of rows, to recognize a fitted row when it is queried."""

import numpy as np

from .rng import mix


def row_fingerprints(matrix):
    """Return a 64-bit hash of every row of ``matrix`` (columns x rows, float32).

    0.0 and -0.0 have the same hash.
    """
    bits = np.zeros(matrix.shape[1], np.uint64)
    for column in matrix:
        words = (column + np.float32(0.0)).view(np.uint32)
        bits = mix.py_func(bits + words)  # NumPy, of all rows at once
    return bits
