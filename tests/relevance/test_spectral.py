import numpy as np
import pytest

from urerf.relevance import column_relevance
from urerf.relevance.spectral import (
    COLUMNS,
    DEVIATIONS,
    MEANS,
    ROWS,
    null_of_eigenvalue,
    tracy_widom_tail,
)


def weak_clusters(n, shift, rng, n_weak=50, n_noise=450):
    """Three clusters that differ a little in each of many columns."""
    label = rng.integers(0, 3, n)
    means = shift * rng.normal(size=(3, n_weak))
    weak = means[label] + rng.normal(size=(n, n_weak))
    return np.hstack([weak, rng.normal(size=(n, n_noise))])


@pytest.mark.parametrize(("n", "shift"), [(300, 0.5), (80, 0.8)])
def test_weak_columns_are_found_together(n, shift):
    found = column_relevance(weak_clusters(n, shift, np.random.default_rng(0)))
    named = found.structured
    assert found.verdict == "structure"
    assert named[:50].sum() >= 15
    assert named[50:].sum() <= 0.1 * named.sum()
    assert "crowd" in found.test
    crowd = [reason for reason, test in zip(found.reason, found.test) if test == "crowd"]
    assert all(reason.startswith("weakly related to many columns") for reason in crowd)


@pytest.mark.parametrize(("n", "p"), [(40, 60), (150, 400)])
def test_independent_columns_are_not_a_crowd(n, p):
    rng = np.random.default_rng(0)
    for _ in range(20):
        assert "crowd" not in column_relevance(rng.normal(size=(n, p))).test


def test_null_is_interpolated():
    for i, n in enumerate(ROWS):
        for j, p in enumerate(COLUMNS):
            np.testing.assert_allclose(null_of_eigenvalue(n, p), (MEANS[i, j], DEVIATIONS[i, j]))
    mean, _ = null_of_eigenvalue(70, 700)
    assert MEANS[3, 4] < mean < MEANS[2, 5]
    assert null_of_eigenvalue(10**6, 10**6) == (MEANS[-1, -1], DEVIATIONS[-1, -1])


def test_tail_of_tracy_and_widom():
    """Quantiles of the distribution with beta = 1, mean -1.2065 and standard deviation 1.268."""
    for quantile, tail in ((0.4501, 0.1), (0.9793, 0.05), (2.0234, 0.01), (3.2724, 0.001)):
        standard = (quantile + 1.2065) / 1.2680
        np.testing.assert_allclose(tracy_widom_tail(standard), tail, rtol=0.06)
