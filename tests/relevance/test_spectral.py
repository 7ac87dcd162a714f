import numpy as np
import pytest
from scipy.stats import spearmanr

from urerf.relevance import column_relevance
from urerf.relevance.basis import Basis
from urerf.relevance.spectral import (
    COLUMNS,
    DEVIATIONS,
    MEANS,
    ROWS,
    _tail_of_sums,
    leading_eigenvector,
    null_of_eigenvalue,
    suitable_columns,
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


@pytest.mark.parametrize(("p", "tested"), [(19, False), (20, True)])
def test_twenty_columns_are_a_crowd(p, tested):
    rng = np.random.default_rng(0)
    X = 0.3 * rng.normal(size=(250, 1)) + rng.normal(size=(20, 250)).T[:, :p]
    assert ("crowd" in column_relevance(X).test) == tested


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


def test_null_changes_little_from_one_size_to_the_next():
    for table in (MEANS, DEVIATIONS):
        for axis in (0, 1):
            assert np.abs(np.diff(np.log(table), axis=axis)).max() < np.log(2.5)


@pytest.mark.parametrize(("n", "p"), [(30, 20), (50, 100), (300, 50)])
def test_null_is_that_of_independent_columns(n, p):
    rng = np.random.default_rng(0)
    largest = []
    for _ in range(100):
        ranks = rng.random((n, p)).argsort(axis=0)
        matrix = (n - 1) * np.square(np.corrcoef(ranks.T)) - 1
        np.fill_diagonal(matrix, 0)
        value, vector = leading_eigenvector(matrix)
        assert vector.sum() >= 0
        largest.append(value / np.sqrt(2 * p))
    mean, deviation = null_of_eigenvalue(n, p)
    assert abs(np.mean(largest) - mean) < 0.3 * deviation
    assert 0.7 < np.std(largest) / deviation < 1.3


def test_strength_is_the_correlation_with_the_crowd():
    X = weak_clusters(300, 0.5, np.random.default_rng(0))
    found = column_relevance(X)
    crowd = np.flatnonzero(np.array(found.test) == "crowd")
    squared = np.square(spearmanr(X[:, crowd]).statistic)
    np.fill_diagonal(squared, 0)
    by_chance = 1 / 299
    expected = np.sqrt(squared.sum(axis=1) / (len(crowd) - 1) - by_chance)
    np.testing.assert_allclose(found.strength[crowd], expected, rtol=0.1)
    assert np.isin(found.partner[crowd], crowd).all()
    strongest = np.argmax(squared, axis=1)
    assert (found.partner[crowd] == crowd[strongest]).mean() > 0.9


def test_columns_that_live_on_a_few_rows_or_are_mostly_missing_are_no_crowd():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 6))
    X[:, 1] = 0
    X[:20, 1] = 1  # the mean fourth power is 8
    X[:, 2] = 7
    X[:100, 3] = np.nan
    X[:101, 4] = np.nan
    X[:, 5] = rng.random(200) < 0.5
    suitable = suitable_columns(Basis.of(np.ascontiguousarray(X.T), None, 1))
    assert suitable.tolist() == [True, False, False, True, False, True]


def test_tail_of_sums_has_the_moments_of_independent_columns():
    """A quadratic form x'Kx of independent numbers has the cumulants 2 tr(K^2) and 8 tr(K^3)."""
    rng = np.random.default_rng(0)
    first = rng.normal(size=(10, 40))
    weights = rng.random(10)
    kernel = (first.T * weights) @ first / 40
    sums = np.linspace(-30, 300, 200_001)
    density = -np.diff(_tail_of_sums(sums, first, weights))
    middle = (sums[1:] + sums[:-1]) / 2
    np.testing.assert_allclose(density.sum(), 1, rtol=1e-6)
    np.testing.assert_allclose((density * middle).sum(), 0, atol=1e-3)
    second = 2 * np.trace(kernel @ kernel)
    np.testing.assert_allclose((density * middle**2).sum(), second, rtol=1e-3)
    third = 8 * np.trace(kernel @ kernel @ kernel)
    np.testing.assert_allclose((density * middle**3).sum(), third, rtol=1e-3)
