"""Each selector against a case that is obvious, or against a slow version of its formula."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import chatterjeexi, kstest
from sklearn.preprocessing import scale

from urerf.lab.methods import METHODS, SELECTORS
from urerf.lab.selectors import Told, best_columns
from urerf.lab.selectors.graphs import heat_graph, laplacian_score, leading_eigenvectors
from urerf.lab.selectors.matrices import alignment, gaussian_kernel, median_distance
from urerf.lab.selectors.pairs import binned_information, xi_coefficients
from urerf.lab.selectors.single import kolmogorov_smirnov
from urerf.lab.selectors.sparse_kmeans import between_clusters, soft_threshold

N = 200
seeds = st.integers(0, 2**32 - 1)


def noise(n_columns, seed=0):
    return np.random.default_rng([seed, 1]).normal(size=(N, n_columns))


def two_clusters():
    """Columns 0 to 3 have two clusters, the same ones; 16 columns are noise."""
    side = np.random.default_rng(5).permutation(np.repeat([-3.0, 3.0], N // 2))
    X = noise(20)
    X[:, :4] += side[:, None]
    return X


def circle():
    """Columns 0 and 1 are a circle, on which they are not correlated; 10 columns are noise."""
    angle = np.random.default_rng(6).uniform(0, 2 * math.pi, N)
    return np.column_stack([np.cos(angle), np.sin(angle), noise(10)])


@pytest.mark.parametrize("name", [name for name in SELECTORS if name != "random_columns"])
def test_clear_clusters_are_found_by_all(name):
    scores = METHODS[name].select(two_clusters(), Told(4, 2), random_state=0)
    assert scores.shape == (20,)
    assert_array_equal(best_columns(scores, 4), range(4))


@pytest.mark.parametrize("name", ["mutual_information", "distance_correlation", "hsic", "xi"])
def test_pairs_without_correlation_are_found_by_those_that_look_at_pairs(name):
    scores = METHODS[name].select(circle(), Told(2, 5), random_state=0)
    assert_array_equal(best_columns(scores, 2), [0, 1])


@pytest.mark.parametrize("name", SELECTORS)
def test_units_and_constant_columns(name):
    X = np.column_stack([two_clusters(), np.full(N, 7.0)])
    select = METHODS[name].select
    scores = select(X, Told(4, 2), random_state=3)
    assert_array_equal(select(X, Told(4, 2), random_state=3), scores)
    if name == "random_columns":
        assert not np.array_equal(select(X, Told(4, 2), random_state=4), scores)
        return
    assert not np.isnan(scores).any()
    assert np.argsort(-scores, kind="stable")[20] == 20  # the constant column is last
    scaled = select(X * 2.0 ** np.arange(-10, 11), Told(4, 2), random_state=3)
    if name == "variance":
        assert_array_equal(best_columns(scaled[:20], 1), [19])
    elif name != "dip":
        assert_array_equal(best_columns(scaled, 4), best_columns(scores, 4))


def test_random_columns_are_drawn_evenly():
    select = METHODS["random_columns"].select
    X = noise(5)
    first = [best_columns(select(X, Told(1, 2), random_state=s), 1)[0] for s in range(300)]
    assert np.bincount(first, minlength=5).min() > 35


@given(seeds)
@settings(max_examples=10, deadline=None)
def test_kolmogorov_smirnov_is_that_of_scipy(seed):
    X = np.random.default_rng(seed).exponential(size=(40, 3))
    expected = [kstest(column, "norm").statistic for column in scale(X).T]
    assert_allclose(kolmogorov_smirnov(X, Told(1, 2)), expected)


@given(seeds, st.booleans())
@settings(max_examples=10, deadline=None)
def test_xi_is_that_of_scipy(seed, has_ties):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, 3))
    if has_ties:
        X[:, 1] = rng.integers(4, size=30)
    coefficients = xi_coefficients(X)
    for x in (0, 2):  # ties in x are broken at random
        for y in range(3):
            assert_allclose(coefficients[x, y], chatterjeexi(X[:, x], X[:, y]).statistic, rtol=1e-5)


@given(seeds)
@settings(max_examples=10, deadline=None)
def test_mutual_information_is_that_of_the_table_of_bins(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(80, 3))
    X[:, 1] += X[:, 0]
    bins = np.argsort(np.argsort(X, axis=0), axis=0) * 4 // 80  # 80 rows: 4 bins of 20
    information = binned_information(X)
    for a in range(3):
        for b in range(3):
            joint = np.zeros((4, 4))
            np.add.at(joint, (bins[:, a], bins[:, b]), 1 / 80)
            expected = sum(p * math.log(p * 16) for p in joint.ravel() if p > 0)
            assert_allclose(information[a, b], expected, atol=1e-6)


@pytest.mark.parametrize("matrix", [np.abs, gaussian_kernel])
def test_alignment_is_that_of_whole_centered_matrices(matrix, monkeypatch):
    X = scale(two_clusters()[:, [0, 1, 10]])[:50]
    whole = alignment(X, matrix)
    center = np.eye(50) - 1 / 50
    matrices = [center @ matrix(column[:, None] - column) @ center for column in X.T]
    for a in range(3):
        for b in range(3):
            product = (matrices[a] * matrices[b]).sum()
            norms = np.linalg.norm(matrices[a]) * np.linalg.norm(matrices[b])
            assert_allclose(whole[a, b], product / norms, atol=1e-5)
    monkeypatch.setattr("urerf.lab.selectors.matrices.BLOCK_ELEMENTS", 3 * 50 * 7)
    assert_allclose(alignment(X, matrix), whole, atol=1e-5)


def test_median_distance_of_few_values_is_their_spread():
    X = np.column_stack([np.arange(5.0), [0, 0, 0, 0, 1], np.ones(5)])
    assert_allclose(median_distance(X), [2.0, 0.4, 1.0])


def test_laplacian_score_is_the_papers_quotient():
    X = two_clusters()[:60]
    weights = heat_graph(scale(X)).toarray()
    degree = np.diag(weights.sum(axis=1))
    laplacian = degree - weights
    ones = np.ones(60)
    for column, score in zip(scale(X).T, laplacian_score(X, Told(4, 2))):
        f = column - (column @ degree @ ones) / (ones @ degree @ ones)
        assert_allclose(1 - score, (f @ laplacian @ f) / (f @ degree @ f))


def test_eigenvectors_of_two_separate_clusters_are_constant_on_each():
    X = two_clusters()[:, :4] * 100
    vector = leading_eigenvectors(heat_graph(X), 1)[:, 0]
    is_right = X[:, 0] > 0
    assert np.ptp(vector[is_right]) < 1e-6
    assert np.ptp(vector[~is_right]) < 1e-6


def test_sparse_weights_have_as_many_columns_as_told():
    between = np.random.default_rng(0).random(30)
    weights = soft_threshold(between, 7)
    assert_array_equal(np.flatnonzero(weights), best_columns(between, 7))
    assert_allclose(np.linalg.norm(weights), 1)
    assert (soft_threshold(between, 30) > 0).all()


def test_between_clusters_is_total_minus_within():
    X = two_clusters()
    Z = X - X.mean(axis=0)
    labels = (X[:, 0] > 0).astype(int)
    within = sum(((Z[labels == g] - Z[labels == g].mean(axis=0)) ** 2).sum(axis=0) for g in (0, 1))
    assert_allclose(between_clusters(Z, labels), (Z**2).sum(axis=0) - within)
