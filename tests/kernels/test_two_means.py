import hostile
import numpy as np
from cuts import leaf_sizes
from hypothesis import given

import oracle
from urerf.kernels.two_means import cut_two_means, prefix_sums, within


def sums_of(z):
    sums = np.full(z.size + 1, np.nan)
    squares = np.full(z.size + 1, np.nan)
    return prefix_sums(z, sums, squares), sums, squares


@given(hostile.arrays(max_size=30))
def test_sums_of_squares(values):
    z = np.sort(values)
    spread, sums, squares = sums_of(z)
    slack = 1e-12 * oracle.within(z)
    assert abs(spread - oracle.within(z)) <= slack
    for s in range(1, z.size):
        left, right = within(s, z.size, sums, squares)
        assert abs(left - oracle.within(z[:s])) <= slack
        assert abs(right - oracle.within(z[s:])) <= slack


@given(hostile.arrays(max_size=30), leaf_sizes)
def test_cut_like_the_oracle(values, min_leaf):
    z = np.sort(values)
    _, sums, squares = sums_of(z)
    score, s = cut_two_means(z, min_leaf, sums, squares)
    allowed = oracle.allowed(z, min_leaf)
    if not allowed:
        assert (score, s) == (np.inf, 0)
        return
    slack = 1e-12 * oracle.within(z)
    assert s in allowed
    assert abs(score - oracle.two_means(z, s)) <= slack
    assert score <= min(oracle.two_means(z, s) for s in allowed) + slack
