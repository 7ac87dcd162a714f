import hostile
import numpy as np
from hypothesis import given

import oracle
from urerf.kernels.table import row_fingerprints


@given(hostile.tables())
def test_like_the_oracle(table):
    assert row_fingerprints(table).tolist() == [oracle.fingerprint(row) for row in table.T]


@given(hostile.tables(max_columns=3))
def test_equal_rows_and_only_they_share_a_fingerprint(table):
    prints = row_fingerprints(table)
    rows = [tuple(row) for row in table.T.tolist()]  # 0.0 == -0.0 here, too
    assert len(set(prints.tolist())) == len(set(rows))
    assert len(set(zip(rows, prints.tolist()))) == len(set(rows))


def test_a_row_keeps_its_fingerprint_among_other_rows():
    table = np.random.default_rng(0).normal(size=(5, 40)).astype(np.float32)
    assert np.array_equal(
        row_fingerprints(table)[7:9], row_fingerprints(np.ascontiguousarray(table[:, 7:9]))
    )


def test_no_collisions_on_near_grids():
    """Rows that differ in one column by one, or by swapped columns, are told apart."""
    grid = np.stack(np.meshgrid(*[np.arange(12)] * 4)).reshape(4, -1).astype(np.float32)
    assert len(set(row_fingerprints(grid).tolist())) == 12**4
