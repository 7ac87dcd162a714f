import hostile
import numpy as np
import pytest
from hypothesis import assume, given

import oracle
from urerf.kernels.sort import COUNTERS, between, count_below, sort_values


def kernel_sorted(values, extra=0):
    z = np.array(values, np.float32)
    spare = np.full(z.size + extra, np.nan, np.float32)
    sort_values(z, spare, np.full(COUNTERS, -7, np.int32))
    return z


@given(hostile.arrays(min_size=0, max_size=120))
def test_like_numpy(values):
    assert np.array_equal(kernel_sorted(values, extra=3), np.sort(values))


@pytest.mark.parametrize("n", [47, 48, 49, 50, 255, 256, 257, 4095, 4096, 4097, 20000])
@pytest.mark.parametrize("scale", [1e-45, 1e-30, 1.0, 1e30, 3e38])
def test_like_numpy_at_every_switch_of_algorithm(n, scale):
    rng = np.random.default_rng(n)
    values = (rng.uniform(-1, 1, n) * scale).astype(np.float32)
    assert np.array_equal(kernel_sorted(values), np.sort(values))
    few = rng.choice(np.array(hostile.AWKWARD, np.float32), n)
    assert np.array_equal(kernel_sorted(few), np.sort(few))


@pytest.mark.parametrize("n", [30, 100, 5000])
def test_all_bit_patterns_survive(n):
    """Values come out as they went in: denormals, both zeros, the largest floats."""
    bits = np.random.default_rng(n).integers(0, 2**32, n, dtype=np.uint32)
    values = bits.view(np.float32)
    values = values[np.isfinite(values)]
    out = kernel_sorted(values)
    assert sorted(out.view(np.uint32)) == sorted(values.view(np.uint32))
    assert (out[:-1] <= out[1:]).all()


@given(hostile.arrays(min_size=49, max_size=80))
def test_order_of_input_does_not_matter(values):
    assert kernel_sorted(values).tobytes() == kernel_sorted(values[::-1]).tobytes()


@given(hostile.numbers(), hostile.numbers())
def test_between(low, high):
    low, high = sorted([np.float32(low), np.float32(high)])
    assume(low < high)
    cut = between(low, high)
    assert low < cut <= high
    assert cut == oracle.midpoint(low, high)


@given(hostile.arrays(min_size=1), hostile.numbers())
def test_count_below(values, value):
    z = np.sort(values)
    for limit in (np.float32(value), z[0], z[-1]):
        assert count_below(z, limit) == (z < limit).sum()
