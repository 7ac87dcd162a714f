"""The memory that cutting values needs: allocated once per tree, reused for every candidate."""

from typing import NamedTuple

import numpy as np

from .._typing import Array
from .bins import BINS
from .fast_bic import BLOCK, x_log_x
from .sort import COUNTERS


class Scratch(NamedTuple):
    """Room to cut up to n values, whichever way they are cut."""

    begin: Array
    """Where runs of values begin: int64, one per run and one for the end."""
    sums: Array
    """Sums of the first values: float64, n + 1."""
    squares: Array
    """Sums of squares of the first values: float64, n + 1."""
    bounds: Array
    """Lower bounds of the BIC in runs of cuts: float64, one per run."""
    nlogn: Array
    """The table of i log i: float64, n + 1."""
    spare: Array
    """The second array of a radix sort: float32, n."""
    counters: Array
    """The counters of a radix sort: int32."""
    bin_of: Array
    """The bin of each value: uint8, n."""
    placed: Array
    """The values, bin after bin: float32, n."""


def make_scratch(n: int) -> Scratch:
    """Allocate the scratch space for up to n values."""
    runs = max(n // BLOCK + 1, BINS)
    return Scratch(
        begin=np.empty(runs + 1, np.int64),
        sums=np.empty(n + 1),
        squares=np.empty(n + 1),
        bounds=np.empty(runs),
        nlogn=x_log_x(n),
        spare=np.empty(n, np.float32),
        counters=np.empty(COUNTERS, np.int32),
        bin_of=np.empty(n, np.uint8),
        placed=np.empty(n, np.float32),
    )
