from itertools import pairwise

import hostile
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle
from urerf.kernels.missing import MISMATCH, NEAREST, find_donor_values

integers = st.integers(-3, 3).map(float)
values = st.one_of(st.just(np.nan), integers, st.floats(-5, 5, width=32))


def found_values(matrix, donors, feature_weights, level_width):
    """Return {column: values} of the missing cells, row by row."""
    n_gaps = np.isnan(matrix).sum(axis=0)
    rows = np.flatnonzero(n_gaps)
    start = np.concatenate([[0], np.cumsum(n_gaps)])
    column = np.full(start[-1], -1, np.int32)
    value = np.full((start[-1], NEAREST), np.nan, np.float32)
    count = np.full(start[-1], -1, np.int32)
    level_width = np.asarray(level_width, float)
    find_donor_values(
        matrix, rows, donors, feature_weights, level_width, start[rows], column, value, count
    )
    cells = [
        {int(column[x]): value[x, : count[x]].tolist() for x in range(first, last)}
        for first, last in pairwise(start)
    ]
    assert sum(map(len, cells)) == start[-1]  # no column twice in a row
    return cells


@given(hostile.matrices(min_rows=1, max_rows=12, elements=values), st.data())
def test_like_the_oracle(matrix, data):
    p = len(matrix)
    donors = data.draw(hostile.matrices(min_rows=1, max_rows=12, elements=values))
    donors = np.resize(donors, (p, donors.shape[1])).astype(np.float32)
    weights = st.lists(st.sampled_from([1.0, 0.5, 0.1]), min_size=p, max_size=p)
    feature_weights = np.array(data.draw(weights))
    widths = st.lists(st.sampled_from([0.0, 0.0, 1.0, 2.7]), min_size=p, max_size=p)
    level_width = data.draw(widths)
    found = found_values(matrix, donors, feature_weights, level_width)
    for i, row in enumerate(matrix.T):
        assert found[i] == oracle.donor_values(row, donors, feature_weights, level_width)


def test_by_hand():
    """The five nearest that have the value: those at 1 to 5, not the one at 0, which lacks it."""
    donors = np.array([[0, 5, 4, 3, 2, 1, 100], [np.nan, 50, 40, 30, 20, 10, 9999]], np.float32)
    matrix = np.array([[0.0, np.nan], [np.nan, np.nan]], np.float32)
    found = found_values(matrix, donors, np.ones(2), [0, 0])
    assert found == [{1: [10.0, 20.0, 30.0, 40.0, 50.0]}, {0: [], 1: []}]


def test_columns_of_small_weight_count_less():
    donors = np.array([[0] * 5 + [1] * 5, [9] * 5 + [0] * 5, [1] * 5 + [2] * 5], np.float32)
    matrix = np.array([[0], [0], [np.nan]], np.float32)
    for weight, expected in ((1.0, 2.0), (0.01, 1.0)):
        (found,) = found_values(matrix, donors, np.array([1.0, weight, 1.0]), [0, 0, 0])
        assert found == {2: [expected] * 5}


@pytest.mark.parametrize("width", [1.0, 3.0])
@pytest.mark.parametrize(("step", "expected"), [(0.4, 1.0), (0.41, 2.0)])
def test_a_different_level_counts_like_a_step_of_two_fifths(step, expected, width):
    """sqrt(1 / 6) = .408: a donor of another level, or one that is a step away in a number."""
    assert MISMATCH == 1 / 6
    step_away = [[step * width] * 5, [3] * 5, [1] * 5]
    other_level = [[0] * 5, [80] * 5, [2] * 5]
    donors = np.hstack([step_away, other_level]).astype(np.float32)
    matrix = np.array([[0], [3], [np.nan]], np.float32)
    (found,) = found_values(matrix, donors, np.ones(3), [0, width, 0])
    assert found == {2: [expected] * 5}
