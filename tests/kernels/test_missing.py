import hostile
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import oracle
from urerf.kernels.missing import fill_missing

values = st.one_of(st.just(np.nan), st.integers(-3, 3).map(float), st.floats(-5, 5, width=32))


@given(hostile.matrices(min_rows=1, max_rows=12, elements=values), st.data())
def test_like_the_oracle(matrix, data):
    p = len(matrix)
    donors = data.draw(
        hostile.matrices(min_rows=1, max_rows=12, elements=values).filter(lambda t: True)
    )
    donors = np.resize(donors, (p, donors.shape[1])).astype(np.float32)
    chance = np.array(data.draw(st.lists(st.sampled_from([1.0, 0.5, 0.1]), min_size=p, max_size=p)))
    expected = oracle.fill_missing(matrix, donors, chance)
    filled = matrix.copy()
    fill_missing(filled, donors, chance)
    np.testing.assert_allclose(filled, expected, rtol=1e-6, atol=1e-6)
    assert not np.isnan(filled).any()
    known = ~np.isnan(matrix)
    np.testing.assert_array_equal(filled[known], matrix[known])


def test_by_hand():
    """The five nearest that have the value: those at 1..5, not the one at 0, which lacks it."""
    donors = np.array([[0, 1, 2, 3, 4, 5, 100], [np.nan, 10, 20, 30, 40, 50, 9999]], np.float32)
    matrix = np.array([[0.0, np.nan], [np.nan, np.nan]], np.float32)
    fill_missing(matrix, donors, np.ones(2))
    assert matrix.tolist() == [[0.0, 0.0], [30.0, 0.0]]


def test_a_column_in_doubt_counts_less():
    donors = np.array([[0] * 5 + [1] * 5, [9] * 5 + [0] * 5, [1] * 5 + [2] * 5], np.float32)
    for chance, expected in ((1.0, 2.0), (0.01, 1.0)):
        matrix = np.array([[0], [0], [np.nan]], np.float32)
        fill_missing(matrix, donors, np.array([1.0, chance, 1.0]))
        assert matrix[2, 0] == expected
