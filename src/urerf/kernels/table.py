"""Fingerprints of rows, to recognize a fitted row when it is queried."""

import numpy as np

from .rng import mix

# The bits of NumPy's NaN; other programs write other ones.
MISSING = np.float32(np.nan).view(np.uint32)


def row_fingerprints(matrix):
    """Return a 64-bit hash of every row of ``matrix`` (columns x rows, float32).

    0.0 and -0.0 have the same hash, and so have all missing values.
    """
    bits = np.zeros(matrix.shape[1], np.uint64)
    for column in matrix:
        without_negative_zero = column + np.float32(0.0)
        words = without_negative_zero.view(np.uint32)
        words[np.isnan(column)] = MISSING
        bits = mix.py_func(bits + words)  # NumPy, of all rows at once
    return bits
