import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import oracle
from urerf.kernels.expansion import (
    DEGREE,
    MAX_FOURTH_MOMENT,
    N_MOMENTS,
    RARE,
    expand,
    moments_of,
    nominal_levels,
    shared_pair,
)

PREFIXES = np.array([1, 2, DEGREE])
COLUMNS = hnp.arrays(np.float64, st.integers(5, 60), elements=st.integers(-4, 9).map(float))


def expanded(values, keep, seed=0):
    """Return the functions of a column at the kept rows, and their moments."""
    functions = np.zeros((DEGREE, 1, values.size), np.float32)
    moments = np.zeros((len(PREFIXES), N_MOMENTS))
    order = np.argsort(values).astype(np.int32)
    expand(values, order, keep, seed, PREFIXES, functions, 0, moments)
    assert not functions[:, 0, ~keep].any()
    return functions[:, 0, keep].astype(float), moments


@settings(max_examples=60, deadline=None)
@given(COLUMNS, st.integers(0, 3))
def test_polynomials_are_those_of_the_oracle(values, seed):
    keep = np.random.default_rng(seed).random(values.size) < 0.9
    functions, moments = expanded(values, keep)
    if len(np.unique(values[keep])) < 2:
        assert not functions.any()
        return
    expected = oracle.polynomials(values[keep], DEGREE, MAX_FOURTH_MOMENT)
    size = int(moments[-1, 0])
    np.testing.assert_allclose(functions[:size], expected[:size], atol=2e-4)
    assert abs(size - len(expected)) <= 1  # a fourth moment may be exactly at its limit
    for k, prefix in enumerate(PREFIXES):
        of_prefix = oracle.moments_of(expected[:size][:prefix])
        np.testing.assert_allclose(moments[k], of_prefix, rtol=1e-5, atol=1e-8)


@settings(max_examples=60, deadline=None)
@given(
    hnp.arrays(np.float64, st.integers(5, 80), elements=st.integers(0, 12).map(float)),
    st.integers(1, 6),
)
def test_levels_of_categories_are_those_of_the_oracle(codes, n_first):
    level = np.empty(codes.size, np.int64)
    count = np.empty(codes.size + 1, np.int64)
    code_of = np.empty(codes.size + 1, np.int64)
    keep = np.ones(codes.size, dtype=bool)
    n_levels = nominal_levels(codes, keep, n_first, level, count, code_of)
    expected = oracle.levels_of_codes(codes, n_first, RARE)
    np.testing.assert_array_equal(level, expected)
    np.testing.assert_array_equal(count[:n_levels], np.bincount(expected))


@settings(max_examples=30, deadline=None)
@given(hnp.arrays(np.float64, (30, 3), elements=st.floats(-2, 2)))
def test_moments_are_those_of_the_oracle(rows):
    moments = np.empty((2, N_MOMENTS))
    functions = np.ascontiguousarray(rows.T)
    moments_of(functions, np.full(30, 1 / 30), np.array([1, 3]), moments)
    np.testing.assert_allclose(moments[0], oracle.moments_of(functions[:1]), atol=1e-9)
    np.testing.assert_allclose(moments[1], oracle.moments_of(functions), atol=1e-9)


@settings(max_examples=30, deadline=None)
@given(hnp.arrays(np.float64, (2, 40), elements=st.integers(0, 6).map(float)), st.integers(0, 5))
def test_a_pair_is_compared_on_the_rows_that_both_columns_have(values, seed):
    values[np.random.default_rng(seed).random(values.shape) < 0.2] = np.nan
    keep = ~np.isnan(values).any(axis=0)
    correlations = np.empty((DEGREE, DEGREE))
    moments = np.zeros((2, len(PREFIXES), N_MOMENTS))
    orders = np.argsort(values, axis=1).astype(np.int32)
    n = shared_pair(values, orders, np.zeros(2, dtype=int), PREFIXES, correlations, moments)
    assert n == keep.sum()
    first, _ = expanded(values[0, keep], np.ones(n, dtype=bool))
    second, _ = expanded(values[1, keep], np.ones(n, dtype=bool))
    np.testing.assert_allclose(correlations, first @ second.T / n, atol=1e-5)
