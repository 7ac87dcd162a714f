"""Rows in order: the variance of correlations is that over all ways to match blocks of rows."""

import numpy as np
import pytest
from scipy.stats import chi2

from urerf.relevance import blocks, null
from urerf.relevance.basis import Basis

LENGTH = 8


def walks(n, p, seed=0):
    return np.random.default_rng(seed).normal(size=(p, n)).cumsum(axis=1)


def centered(function):
    """A function with mean 0 and norm 1 in each block, less its mean over blocks: (blocks, 8)."""
    by_block = function.reshape(-1, LENGTH).astype(float)
    by_block = by_block - by_block.mean(axis=1, keepdims=True)
    by_block /= np.linalg.norm(by_block, axis=1, keepdims=True)
    return by_block - by_block.mean(axis=0)


def compared(basis):
    return blocks._compare(basis, np.array([0, 1]), LENGTH)


@pytest.mark.parametrize("seed", range(3))
def test_variance_is_that_of_all_matchings(seed):
    """Hoeffding (1951): the variance of a sum of entries of a matrix over random permutations."""
    basis = Basis.of(walks(12 * LENGTH, 2, seed), None, 1)
    first, second = (centered(basis.of_columns(column)[0]) for column in (0, 1))
    products = first @ second.T
    doubly = products - products.mean(axis=0) - products.mean(axis=1, keepdims=True)
    variance = np.square(doubly + products.mean()).sum() / (12 - 1)
    found = compared(basis)
    effective = 1 + np.square(first).sum() * np.square(second).sum() / variance
    assert abs(found.n_rows - effective) <= 0.5
    statistic = (found.n_rows - 1) * found.correlations[0, 0] ** 2
    np.testing.assert_allclose(statistic, np.trace(products) ** 2 / variance, rtol=1e-5)


def test_effective_number_of_correlations_is_that_of_random_matchings():
    basis = Basis.of(walks(20 * LENGTH, 2), None, 1)
    first, second = (
        np.array([centered(function) for function in basis.of_columns(column)]) for column in (0, 1)
    )
    rng = np.random.default_rng(0)
    sums = [np.einsum("abl,cbl->ac", first, second[:, rng.permutation(20)]) for _ in range(20_000)]
    for size, dof in zip(basis.prefixes, compared(basis).dof):
        flat = np.array(sums)[:, :size, :size].reshape(20_000, -1)
        correlation = np.atleast_2d(np.corrcoef(flat.T))
        np.testing.assert_allclose(dof, size**4 / np.square(correlation).sum(), rtol=0.03)


@pytest.mark.parametrize("gaps", ["none", "single cells", "whole rows"])
def test_p_values_of_independent_walks_stay_at_the_level(gaps):
    values = walks(40 * LENGTH, 1000)
    rng = np.random.default_rng(1)
    if gaps == "single cells":
        values[rng.random(values.shape) < 0.2] = np.nan
    if gaps == "whole rows":
        values[:, rng.random(values.shape[1]) < 0.3] = np.nan
    basis = Basis.of(values, None, 1)
    partner = np.arange(1000)[:, None] ^ 1
    found, n_rows = blocks.tails_by_blocks(basis, partner, LENGTH, 1)
    assert (n_rows < 320).all()
    for tail in found:
        np.testing.assert_allclose(tail[::2], tail[1::2], rtol=1e-3)
        for level in (0.05, 0.2):
            assert 0.3 * level < (tail < level).mean() < 1.4 * level


def test_tail_of_dependent_correlations_is_that_of_fewer():
    """If four correlations are one and the same, their sum of squares is four times one square."""
    one = chi2.isf(0.05, 1)
    tail = null._dependent_tail(np.full(3, 4 * one), np.full(3, 4.0), np.array([1.0, 3.98, 4.0]))
    np.testing.assert_allclose(tail, [0.05, 0, 0])


def test_columns_that_vary_in_few_blocks_are_not_compared():
    values = walks(12 * LENGTH, 2)
    for n_blocks, is_compared in ((9, False), (10, True)):
        flat = values.copy()
        flat[1, n_blocks * LENGTH :] = 0
        assert (compared(Basis.of(flat, None, 1)) is not None) == is_compared
        found, _ = blocks.tails_by_blocks(Basis.of(flat, None, 1), np.array([[1], [0]]), LENGTH, 1)
        for tail in found:
            assert ((tail < 1) == is_compared).all()
            assert (tail <= 1).all()


def test_a_column_that_repeats_itself_in_every_block_is_not_compared():
    n = 12 * LENGTH
    values = np.array([np.arange(n), walks(n, 1)[0]])
    for both in (values, values[::-1]):
        assert compared(Basis.of(np.ascontiguousarray(both), None, 1)) is None
