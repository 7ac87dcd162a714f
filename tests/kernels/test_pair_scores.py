import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracle
from urerf.kernels.pair_scores import hypergeometric_tail, merge_best, score_of, unite_pairs
from urerf.relevance import pairs
from urerf.relevance.basis import Basis
from urerf.relevance.blocks import _covariance
from urerf.relevance.search import _Search, search_pairs


def scores(basis):
    """Return the score of all pairs, one by one."""
    p = basis.n_columns
    n = basis.n_rows
    score = np.full((p, p), -1.0)
    for i in range(p):
        for j in range(p):
            c = basis.of_columns(i) @ basis.of_columns(j).T / n
            for k, size in enumerate(basis.prefixes):
                statistic = (n - 1) * np.square(c[:size, :size]).sum()
                of_pair = score_of(statistic, basis.moments[i, k], basis.moments[j, k], n)
                score[i, j] = max(score[i, j], of_pair)
    np.fill_diagonal(score, 0)  # a column stands for partners without any evidence
    return score


@pytest.mark.parametrize("width", [3, 8])
@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 1000))
def test_the_best_partners_are_those_of_the_oracle(width, seed):
    """With columns in blocks of any width."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(8, 50)).round(int(rng.integers(0, 3)))
    values[1] += values[6]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("urerf.relevance.basis.BLOCK", width)
        basis = Basis.of(values, None, 1)
    partner = search_pairs(basis, 0.01, 1, keep_linear=False).partner
    score = scores(basis)
    expected = oracle.best_partners(score, 4)
    found = np.take_along_axis(score, partner, axis=1)
    np.testing.assert_allclose(found, np.take_along_axis(score, expected, axis=1), atol=1e-3)


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10_000))
def test_merging_keeps_the_best_of_both(seed):
    rng = np.random.default_rng(seed)
    score = rng.permutation(16).reshape(2, 8) * 1.0
    partner = np.arange(16).reshape(2, 8)
    mine = np.sort(score[:, :4], axis=1)
    mine_partner = np.take_along_axis(partner[:, :4], np.argsort(score[:, :4], axis=1), axis=1)
    merge_best(mine, mine_partner, score[:, 4:].copy(), partner[:, 4:].copy(), nobody=16)
    best = np.argsort(score, axis=1)[:, 4:]
    np.testing.assert_array_equal(mine, np.take_along_axis(score, best, axis=1))
    np.testing.assert_array_equal(mine_partner, np.take_along_axis(partner, best, axis=1))


@pytest.mark.parametrize("table", ["copies", "few shared rows"])
def test_the_best_partners_do_not_depend_on_the_order_of_the_search(table, monkeypatch):
    """Threads share what they have found, so that each run compares the blocks in another order.

    Copies have equal scores, and where few columns share rows, the best scores are often 0.
    """
    rng = np.random.default_rng(0)
    values = rng.normal(size=(60, 240)).round(1)
    if table == "copies":
        values[40:] = values[:20]
    else:
        part = rng.integers(0, 10, 60)
        values[part[:, None] != np.arange(240) // 24] = np.nan
        values[7] = rng.normal(size=240)
    monkeypatch.setattr("urerf.relevance.basis.BLOCK", 8)
    basis = Basis.of(values, None, 1)
    found = search_pairs(basis, 0.01, 1, keep_linear=False)
    for seed in range(4):
        search = _Search(basis, 0.01, keep_linear=False)
        for block in np.random.default_rng(seed).permutation(search.n_blocks):
            search.scan_block(block)
        np.testing.assert_array_equal(search.partner[:60], found.partner)
        np.testing.assert_array_equal(pairs._roots(search.group[:60]), pairs._roots(found.group))


def test_groups_are_joined_over_pairs():
    parent = np.arange(7)
    unite_pairs(parent, np.array([5, 2, 6]), np.array([2, 0, 4]))
    roots = pairs._roots(parent)
    np.testing.assert_array_equal(roots, [0, 1, 0, 3, 4, 0, 4])


def test_the_tail_of_a_count_that_cannot_be_so_far_from_its_mean_is_zero():
    assert hypergeometric_tail(20, 5, 6, 10.0) == 0.0
    assert hypergeometric_tail(20, 5, 6, 0.0) == pytest.approx(1.0)


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 1000))
def test_covariance_is_that_of_all_matchings_of_blocks(seed):
    rng = np.random.default_rng(seed)
    first = rng.normal(size=(2, 5, 3))
    second = rng.normal(size=(2, 5, 3))
    first -= first.mean(axis=1, keepdims=True)
    second -= second.mean(axis=1, keepdims=True)
    expected = oracle.covariance_over_matchings(first, second)
    np.testing.assert_allclose(_covariance(first, second), expected, atol=1e-10)
