"""Find a last row that contains the sums of all others, as tables of reports have."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from typing import Any

import numpy as np
import scipy.sparse as sp

from urerf._messages import listed
from urerf.schema import NUMBER, Column

# Rows above the sums, and values in them that are not zero: fewer add up to a row by chance.
FEWEST_ROWS = 4
FEWEST_VALUES = 3
# Printed sums are rounded.
ROUNDING = 1e-4


def total_notice(values: Any, columns: Sequence[Column]) -> list[str]:
    """Return one line if the last row is the sum of all others in most columns of numbers.

    >>> sales = np.array([[3.0], [4.0], [5.0], [6.0], [18.0]])
    >>> total_notice(sales, [Column("sales")])
    ['The last row seems to contain totals (sales); if so, remove it from the file.']
    """
    numbers = [i for i, column in enumerate(columns) if column.kind == NUMBER]
    if sp.issparse(values) or len(values) <= FEWEST_ROWS or not numbers:
        return []
    table = values[:, numbers]
    above = table[:-1]
    last = table[-1]
    sums = np.nansum(above, axis=0)
    is_nonzero = np.nan_to_num(above) != 0
    n_values = is_nonzero.sum(axis=0)
    difference = np.abs(last - sums)
    is_equal = difference <= ROUNDING * np.abs(sums)
    is_sum = is_equal & (n_values >= FEWEST_VALUES)
    n_sums = is_sum.sum()
    if 2 * n_sums <= len(numbers):
        return []
    names = [columns[i].name for i in compress(numbers, is_sum)]
    totals = listed(names)
    return [f"The last row seems to contain totals ({totals}); if so, remove it from the file."]
