from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from urerf.kernels.expansion import RARE, SIZE
from urerf.relevance.basis import Basis


def basis_of(X, kinds=None):
    return Basis.of(np.ascontiguousarray(X, dtype=float), kinds, 1)


def assert_orthonormal(basis):
    f = basis.of_columns(np.arange(basis.n_columns)).astype(float)
    n = (~np.isnan(basis.values)).sum(axis=1)
    slots = f.shape[1]
    eye = np.array([np.diag(np.arange(slots) < size) for size in basis.size])
    np.testing.assert_allclose(f @ f.transpose(0, 2, 1) / n[:, None, None], eye, atol=1e-5)
    np.testing.assert_allclose(f.sum(axis=2) / n[:, None], 0, atol=1e-6)
    assert not f.transpose(0, 2, 1)[np.isnan(basis.values)].any()


def test_degrees_of_freedom_follow_the_distinct_values():
    n = 600
    basis = basis_of([np.arange(n) % k for k in (1, 2, 3, 4, 5, 600)])
    np.testing.assert_array_equal(basis.size, [0, 1, 2, 3, 4, 4])
    assert_orthonormal(basis)
    prefixes = basis.moments[:, :, SIZE]
    np.testing.assert_array_equal(prefixes[-1], [1, 2, 4])


def test_functions_are_orthonormal_where_a_column_has_values():
    X = np.random.default_rng(0).normal(size=(40, 300)).round(1)
    X[np.random.default_rng(1).random(X.shape) < 0.3] = np.nan
    assert_orthonormal(basis_of(X))
    codes = np.random.default_rng(2).integers(0, 40, size=(10, 300)) * 1.0
    codes[:, ::7] = np.nan
    assert_orthonormal(basis_of(codes, ["category"] * 10))


def test_polynomials_on_a_few_rows_are_left_out():
    """The top of a Poisson column with a small mean is a handful of rows."""
    X = np.random.default_rng(0).poisson(0.05, size=(20, 500)).astype(float)
    basis = basis_of(X)
    assert (np.array([len(np.unique(x)) for x in X]) > 2).any()
    fourth = (basis.functions[0, 1:].astype(float) ** 4).mean(axis=2)
    assert fourth.max() <= 6
    assert (basis.size == 1).all()  # the first degree is always kept


def test_a_basis_cannot_be_changed():
    """Threads share it."""
    with pytest.raises(FrozenInstanceError):
        basis_of(np.eye(20)).seed = None


def test_blocks_do_not_change_the_functions():
    X = np.random.default_rng(0).normal(size=(300, 40))
    basis = basis_of(X)
    assert basis.functions.shape == (2, 4, 256, 40)
    column = np.arange(300)
    reversed_basis = basis_of(X[::-1])
    np.testing.assert_array_equal(basis.of_columns(column), reversed_basis.of_columns(299 - column))
    assert not basis.functions[1, :, 44:].any()
    assert not basis.moments[300:].any()


def test_categories_are_the_span_of_their_indicators():
    codes = np.random.default_rng(0).integers(0, 6, size=200)
    basis = basis_of([codes, codes], ["category", "number"])
    f = basis.of_columns(0)[:5].astype(float)
    indicators = (codes == np.arange(6)[:, None]).astype(float)
    left_over = np.linalg.lstsq(indicators.T, f.T, rcond=None)[1]
    np.testing.assert_allclose(left_over, 0, atol=1e-8)
    assert basis.size.tolist() == [5, 4]


def test_rare_categories_share_a_level():
    codes = np.repeat([0, 1, 2, 3, 4], [50, 40, RARE - 1, RARE - 2, 1]).astype(float)
    basis = basis_of([codes], ["category"])
    assert basis.size.tolist() == [2]
    assert basis_of([np.arange(90.0)], ["category"]).size.tolist() == [0]  # all names differ
    one_rare = np.repeat([0, 1, 2], [50, 40, RARE - 1]).astype(float)
    assert basis_of([one_rare], ["category"]).size.tolist() == [1]


@pytest.mark.parametrize("n_levels", [3, 30, 150])
def test_renaming_categories_changes_no_bit(n_levels):
    """Codes follow the first appearance of a level, so that names do not matter; nor do gaps."""
    codes = np.random.default_rng(0).integers(0, n_levels, size=1000)
    _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    by_appearance = np.argsort(np.argsort(first))[inverse]
    renamed = (codes * 7919) % 10007
    _, first, inverse = np.unique(renamed, return_index=True, return_inverse=True)
    renamed_by_appearance = np.argsort(np.argsort(first))[inverse]
    np.testing.assert_array_equal(by_appearance, renamed_by_appearance)
    basis = basis_of([by_appearance], ["category"])
    assert basis.size[0] == min(n_levels - 1, 16)
    assert_orthonormal(basis)


def test_categories_of_few_levels_need_no_more_functions_than_numbers():
    codes = np.arange(120.0)
    for n_levels, n_functions in ((5, 4), (6, 16)):
        basis = basis_of([codes % n_levels, codes], ["category", "number"])
        assert basis.functions.shape[1] == n_functions
        assert basis.size[0] == n_levels - 1


def test_many_columns_have_fewer_functions_per_category():
    codes = np.random.default_rng(0).integers(0, 50, size=(400, 1000))
    assert basis_of(codes[:20], ["category"] * 20).functions.shape[1] == 16
    assert basis_of(codes, ["category"] * 400).functions.shape[1] == 8
    assert basis_of(np.tile(codes, (3, 1)), ["category"] * 1200).functions.shape[1] == 4
