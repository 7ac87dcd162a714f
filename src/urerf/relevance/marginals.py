"""Test the values of each column for groups, by the dip test.

The dip of a sample is its distance from the nearest distribution with a single mode (Hartigan and
Hartigan, 1985). Uniform samples have the largest dips of all such distributions, so skewed, flat
and heavy-tailed columns are not called structure. Only numbers and dates are tested. Equal values
are steps of the distribution function: a step of m rows alone can make a dip of (m - 1) / (2 n),
which is subtracted, so that rounded values and preferred digits are not groups.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._typing import Array, BoolArray
from ..kernels.dip import dip
from ..kernels.pair_scores import MIN_ROWS
from ..schema import DATETIME, NUMBER
from .basis import Basis
from .null import interpolated
from .pairs import step_up

# Largest dip: two groups of equal size that are each one value.
LARGEST = 0.25


class MarginalEvidence(NamedTuple):
    """What the test found for p columns."""

    p_value: Array  # (p,), adjusted for the number of columns; 1 for columns that are not tested
    strength: Array  # (p,), share of the largest possible dip
    tail: Array  # (p,), of a column alone
    tested: BoolArray


def marginal_evidence(basis: Basis, kinds: list[str]) -> MarginalEvidence:
    """Test each column for groups."""
    n_present = basis.is_present.sum(axis=1)
    is_continuous = np.isin(kinds, (NUMBER, DATETIME))
    has_enough = n_present >= MIN_ROWS
    tested = is_continuous & has_enough
    distance = np.zeros(basis.n_columns)
    for column in np.flatnonzero(tested):
        present = basis.order[column, : n_present[column]]  # missing values come last
        ordered = basis.values[column, present]
        distance[column] = _dip_without_ties(ordered)
    n_values = np.maximum(n_present, 1)
    tail = dip_tail(distance, n_values)
    tail[~tested] = np.inf
    p_value, _ = step_up(tail)
    share = distance / LARGEST
    strength = np.minimum(share, 1)
    return MarginalEvidence(p_value, strength, tail, tested)


def _dip_without_ties(ordered: Array) -> float:
    """Return the dip of sorted values, less what their largest tie can make.

    >>> print(round(_dip_without_ties(np.repeat([0.0, 1.0], 50)), 6))
    0.005
    """
    _, count = np.unique(ordered, return_counts=True)
    largest_tie = count.max()
    by_ties = (largest_tie - 1) / (2 * len(ordered))
    rest = dip(ordered) - by_ties
    return max(rest, 0.0)


def dip_tail(distance: Array, n: Array) -> Array:
    """Return the probability that a uniform sample of n values has so large a dip.

    Between the entries of the table, and beyond its last one, the logarithm of the tail is linear
    in the squared dip, and the quantiles are linear in the logarithm of n.

    >>> print(dip_tail(np.array([0.0195, 0.0284, 0.1]), np.array([1000, 1000, 1000])).round(4))
    [0.0109 0.     0.    ]
    """
    dip_quantiles = interpolated(QUANTILES, SIZES, n)
    squared_quantiles = np.square(dip_quantiles)
    squared_dip = n * np.square(distance)
    log_tail = np.empty(len(squared_dip))
    for place, quantiles in enumerate(squared_quantiles):
        log_tail[place] = _log_tail(squared_dip[place], quantiles)
    return np.exp(log_tail)


def _log_tail(squared_dip: float, quantiles: Array) -> float:
    """Return the logarithm of the tail, given n * dip^2 and its quantiles at `TAILS`."""
    log_tails = np.log(TAILS)
    largest = quantiles[-1]
    if squared_dip < quantiles[0]:
        return 0.0
    if squared_dip <= largest:
        log_tail = np.interp(squared_dip, quantiles, log_tails)
        return float(log_tail)
    last = log_tails[-1]
    rise = last - log_tails[EXTRAPOLATED_FROM]
    run = largest - quantiles[EXTRAPOLATED_FROM]
    slope = rise / run
    beyond = squared_dip - largest
    return last + slope * beyond


# Quantiles of sqrt(n) * dip for uniform samples: `python -m urerf.lab.null_distributions dip`.
SIZES = (20, 30, 50, 100, 200, 500, 1000, 2000)
TAILS = (0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 5e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4, 5e-5, 2e-5, 1e-5)
# Beyond the last quantile, the slope from this one on is continued: the last few alone are noisy.
EXTRAPOLATED_FROM = TAILS.index(1e-3)
# fmt: off
QUANTILES = np.array(
    [
        [0.3281, 0.3952, 0.4347, 0.4702, 0.5112, 0.5402, 0.5663, 0.5981,
         0.6194, 0.6402, 0.6675, 0.6858, 0.7075, 0.7359, 0.7455],  # 20
        [0.3369, 0.4050, 0.4467, 0.4834, 0.5264, 0.5563, 0.5839, 0.6178,
         0.6424, 0.6639, 0.6897, 0.7110, 0.7260, 0.7485, 0.7668],  # 30
        [0.3455, 0.4161, 0.4588, 0.4967, 0.5421, 0.5729, 0.6021, 0.6386,
         0.6635, 0.6856, 0.7212, 0.7410, 0.7594, 0.7849, 0.8143],  # 50
        [0.3545, 0.4273, 0.4714, 0.5106, 0.5577, 0.5898, 0.6211, 0.6588,
         0.6871, 0.7139, 0.7456, 0.7785, 0.7907, 0.8147, 0.8283],  # 100
        [0.3618, 0.4357, 0.4806, 0.5210, 0.5696, 0.6039, 0.6357, 0.6737,
         0.7039, 0.7316, 0.7639, 0.7837, 0.8096, 0.8436, 0.8597],  # 200
        [0.3680, 0.4429, 0.4890, 0.5305, 0.5793, 0.6135, 0.6457, 0.6859,
         0.7137, 0.7442, 0.7765, 0.7999, 0.8320, 0.8597, 0.8983],  # 500
        [0.3711, 0.4465, 0.4930, 0.5351, 0.5853, 0.6209, 0.6545, 0.6950,
         0.7241, 0.7518, 0.7844, 0.8105, 0.8417, 0.8764, 0.8974],  # 1000
        [0.3734, 0.4493, 0.4964, 0.5383, 0.5889, 0.6228, 0.6557, 0.6972,
         0.7265, 0.7545, 0.7897, 0.8237, 0.8504, 0.8747, 0.8847],  # 2000
    ]
)
# fmt: on
