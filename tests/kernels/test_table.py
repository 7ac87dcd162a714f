import hostile
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import oracle
from urerf.kernels.table import row_fingerprints


@given(hostile.matrices(elements=st.one_of(st.just(np.nan), hostile.numbers())))
def test_like_the_oracle(matrix):
    assert row_fingerprints(matrix).tolist() == [oracle.fingerprint(row) for row in matrix.T]


@given(hostile.matrices(max_columns=3))
def test_equal_rows_and_only_they_share_a_fingerprint(matrix):
    prints = row_fingerprints(matrix)
    rows = [tuple(row) for row in matrix.T.tolist()]  # 0.0 == -0.0 here, too
    assert len(set(prints.tolist())) == len(set(rows))
    assert len(set(zip(rows, prints.tolist()))) == len(set(rows))


def test_a_row_keeps_its_fingerprint_among_other_rows():
    matrix = np.random.default_rng(0).normal(size=(5, 40)).astype(np.float32)
    assert np.array_equal(
        row_fingerprints(matrix)[7:9], row_fingerprints(np.ascontiguousarray(matrix[:, 7:9]))
    )


def test_no_collisions_on_near_grids():
    """Rows that differ by one in one column, or by swapped columns, have different hashes."""
    grid = np.stack(np.meshgrid(*[np.arange(12)] * 4)).reshape(4, -1).astype(np.float32)
    assert len(set(row_fingerprints(grid).tolist())) == 12**4


def test_every_nan_is_the_same_missing_value():
    """Sign and payload of a NaN depend on the program and the machine that made it."""
    bits = np.array([[0x7FC00000, 0xFFC00000, 0x7FC12345]], np.uint32)
    matrix = np.vstack([bits.view(np.float32), np.ones((1, 3), np.float32)])
    assert np.isnan(matrix[0]).all()
    assert len(set(row_fingerprints(matrix).tolist())) == 1
