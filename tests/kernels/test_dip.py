import numpy as np
import pytest

import oracle
from urerf.kernels.dip import dip

SAMPLES = {
    "gaussian": lambda rng, n: rng.normal(size=n),
    "uniform": lambda rng, n: rng.random(n),
    "two groups": lambda rng, n: rng.normal(size=n) + 6 * rng.integers(0, 2, n),
    "three groups": lambda rng, n: rng.normal(size=n) + 6 * rng.integers(0, 3, n),
    "ties": lambda rng, n: rng.integers(0, 6, n) * 1.0,
}


@pytest.mark.parametrize("kind", SAMPLES)
@pytest.mark.parametrize("n", [5, 8, 13, 20])
def test_the_dip_is_that_of_the_oracle(kind, n):
    for seed in range(4):
        x = np.sort(SAMPLES[kind](np.random.default_rng(seed), n))
        np.testing.assert_allclose(dip(x), max(oracle.dip(x), 1 / (2 * n)), atol=1e-7)


def test_the_dip_is_at_most_a_quarter():
    two_values = np.repeat([0.0, 1.0], 50)
    np.testing.assert_allclose(dip(two_values), 0.25)
    assert dip(np.zeros(10)) == 1 / 20
    assert dip(np.array([3.0])) == 1 / 2


def test_scale_and_sign_do_not_matter():
    x = np.sort(np.random.default_rng(0).normal(size=200) ** 3)
    expected = dip(x)
    np.testing.assert_allclose(dip(7 * x + 1e3), expected, rtol=1e-6)
    np.testing.assert_allclose(dip(-x[::-1]), expected, rtol=1e-6)
