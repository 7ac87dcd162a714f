"""The memory that cutting values needs: allocated once per tree, reused for every candidate."""

from typing import NamedTuple

import numpy as np

from .bins import BINS
from .fast_bic import BLOCK, x_log_x
from .sort import COUNTERS


class Scratch(NamedTuple):
    """Room to cut up to n values, whichever way they are cut."""

    sums: np.ndarray
    """Sums of the first values: float64, n + 1."""
    squares: np.ndarray
    """Sums of squares of the first values: float64, n + 1."""
    bounds: np.ndarray
    """Lower bounds of the BIC in runs of cuts: float64, one per run."""
    nlogn: np.ndarray
    """The table of i log i: float64, n + 1."""
    spare: np.ndarray
    """The second array of a radix sort: float32, n."""
    counters: np.ndarray
    """The counters of a radix sort: int32."""
    bin_of: np.ndarray
    """The bin of each value: uint8, n."""
    bin_start: np.ndarray
    """How many values lie below each bin: int64, `BINS` + 1."""
    bin_wanted: np.ndarray
    """Whether a bin may hold the best cut: uint8, `BINS`."""
    picked: np.ndarray
    """The values of the wanted bins: float32, n + 1."""


def make_scratch(n: int) -> Scratch:
    """Allocate the scratch space for up to n values."""
    return Scratch(
        sums=np.empty(n + 1),
        squares=np.empty(n + 1),
        bounds=np.empty(max(n // BLOCK + 1, BINS)),
        nlogn=x_log_x(n),
        spare=np.empty(n, np.float32),
        counters=np.empty(COUNTERS, np.int32),
        bin_of=np.empty(n, np.uint8),
        bin_start=np.empty(BINS + 1, np.int64),
        bin_wanted=np.empty(BINS, np.uint8),
        picked=np.empty(n + 1, np.float32),
    )
