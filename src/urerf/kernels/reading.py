"""What a tree reads in place of levels and of missing values: drawn anew for every tree."""

import numpy as np

from ._jit import jit
from .rng import derive, random_below, random_unit


@jit
def level_number(key, column, code, width):
    """Return the random number in [0, width) that stands for a level of a column in one tree."""
    return np.float32(width * random_unit(derive(key, np.int64(column)), np.int64(code)))


@jit
def read_levels(codes, categories, level_width, key, out):
    """Replace the codes (columns x rows) of the given columns by the numbers of their levels."""
    n = codes.shape[1]
    for x in range(categories.size):
        c = categories[x]
        column_key = derive(key, np.int64(c))
        for i in range(n):
            code = codes[c, i]
            if not np.isnan(code):
                unit = random_unit(column_key, np.int64(code))
                out[c, i] = np.float32(level_width[c] * unit)


@jit
def read_gaps(
    rows,
    start,
    column,
    value,
    count,
    fingerprint,
    n_levels,
    level_width,
    key,
    level_key,
    out,
):
    """Fill the missing cells of the given rows, each from one of its donors.

    ``out`` is (columns x rows). The draw depends on the row's fingerprint, so that equal rows are
    filled alike, wherever they are. All cells of a row come from the donor of the same rank, which
    mostly is the same donor. A cell without donors becomes 0, the median of a column of numbers, or
    a level of its own.
    """
    for i in range(rows.size):
        row = rows[i]
        row_key = derive(key, np.int64(fingerprint[row] >> np.uint64(1)))
        for cell in range(start[row], start[row + 1]):
            c = column[cell]
            filled = np.float32(0.0)
            if count[cell] > 0:
                filled = value[cell, random_below(row_key, np.int64(0), count[cell])]
            elif n_levels[c] > 0:
                filled = np.float32(n_levels[c])
            if n_levels[c] > 0:
                filled = level_number(level_key, c, filled, level_width[c])
            out[c, i] = filled
