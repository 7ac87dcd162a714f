import numpy as np

from urerf.relevance.basis import Basis


def test_degrees_of_freedom_follow_the_distinct_values():
    n = 600
    X = np.array([np.arange(n) % k for k in (1, 2, 3, 4, 5, 600)], dtype=float)
    basis = Basis.of(X, 1)
    np.testing.assert_array_equal(basis.size[-1], [0, 1, 2, 3, 4, 4])
    f = basis.functions[0].transpose(1, 0, 2).astype(float)
    eye = np.array([np.diag(np.arange(4) < size) for size in basis.size[-1]])
    np.testing.assert_allclose(f @ f.transpose(0, 2, 1) / n, eye, atol=1e-5)
    np.testing.assert_allclose(f.mean(axis=2), 0, atol=1e-6)


def test_polynomials_on_a_few_rows_are_left_out():
    """The top of a Poisson column with a small mean is a handful of rows."""
    X = np.random.default_rng(0).poisson(0.05, size=(20, 500)).astype(float)
    basis = Basis.of(X, 1)
    assert (np.array([len(np.unique(x)) for x in X]) > 2).any()
    fourth = (basis.functions[0, 1:].astype(float) ** 4).mean(axis=2)
    assert fourth.max() <= 6
    assert (basis.size[0] == 1).all()  # the first degree is always kept


def test_blocks_do_not_change_the_functions():
    X = np.random.default_rng(0).normal(size=(300, 40))
    basis = Basis.of(X, 1)
    assert basis.functions.shape == (2, 4, 256, 40)
    column = np.arange(300)
    reversed_basis = Basis.of(X[::-1], 1)
    np.testing.assert_array_equal(basis.of_columns(column), reversed_basis.of_columns(299 - column))
    assert not basis.functions[1, :, 44:].any()
    assert not basis.size[:, 300:].any()
