import hostile
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from trees import SETTINGS, apply, grow, noise

import oracle
from urerf.kernels.apply import BLOCK_ROWS, SIDE_BY_SIDE, project_block
from urerf.kernels.settings import AXIS, DIRECTION, OBLIQUE

PROJECTIONS = pytest.mark.parametrize(
    "projection", [AXIS, OBLIQUE, DIRECTION], ids=["axis", "oblique", "direction"]
)


@given(
    hostile.matrices(elements=st.integers(-4, 4).map(float)),
    hostile.matrices(max_columns=1),
    hostile.keys,
)
def test_every_row_walks_as_in_the_oracle(matrix, other, key):
    tree = grow(matrix, SETTINGS._replace(min_samples_split=2), key)
    assert apply(tree, matrix).tolist() == oracle.apply(tree, matrix)
    shape = len(matrix), other.shape[1]
    queries = np.ascontiguousarray(np.broadcast_to(other / np.float32(8), shape))
    assert apply(tree, queries).tolist() == oracle.apply(tree, queries)


@PROJECTIONS
@pytest.mark.parametrize("n", [1, SIDE_BY_SIDE + 1, BLOCK_ROWS, 2 * BLOCK_ROWS + 3])
def test_numbers_of_rows_around_the_sizes_of_blocks(projection, n):
    matrix = noise(4, 300)
    tree = grow(matrix, SETTINGS._replace(projection=projection, min_samples_split=4))
    queries = noise(4, n, seed=1)
    assert apply(tree, queries).tolist() == oracle.apply(tree, queries)


def test_a_tree_of_one_leaf():
    tree = grow(noise(3, 50), SETTINGS._replace(projection=DIRECTION, max_depth=0))
    assert apply(tree, noise(3, 20)).tolist() == [0] * 20


@given(hostile.matrices(), st.data())
def test_project_block_like_the_oracle(matrix, data):
    p, n = matrix.shape
    matrix = matrix / np.float32(64)  # sums of a few times 3e38 are finite then
    first = data.draw(st.integers(0, n - 1))
    last = data.draw(st.integers(first, n))
    columns = st.lists(st.integers(0, p - 1), min_size=1, max_size=4, unique=True)
    drawn = data.draw(st.lists(columns, min_size=1, max_size=5))
    begin = np.cumsum([0, *map(len, drawn)])
    flat = np.concatenate(drawn).astype(np.int32)
    coefficients = np.linspace(-2, 2, flat.size).astype(np.float32)
    out = np.full((len(drawn), n), np.nan, np.float32)
    project_block(matrix, first, last, begin, flat, coefficients, out)
    for j, used in enumerate(drawn):
        factors = coefficients[begin[j] : begin[j + 1]]
        expected = oracle.project(matrix, np.arange(first, last), used, factors)
        assert np.array_equal(out[j, : last - first], expected)
