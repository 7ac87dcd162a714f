import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import oracle
from urerf.kernels.straight import straight_lengths

values = st.sampled_from([0.0, 1.0, -2.5, 0.1, 3e38, -3e38, 1e-40])


@given(st.integers(1, 6), st.integers(1, 8), st.integers(0, 1000), st.data())
def test_like_the_oracle(n_columns, n_rows, seed, data):
    """Numbers and levels, any block of fitted rows; nothing else is written."""
    rng = np.random.default_rng(seed)
    table = data.draw(st.lists(values, min_size=n_columns * n_rows, max_size=n_columns * n_rows))
    fitted = np.array(table, np.float32).reshape(n_rows, n_columns)
    points = fitted[rng.permutation(n_rows)]
    some = rng.choice([0.0, 0.4])
    step = np.where(rng.random(n_columns) < some, rng.uniform(0.1, 2, n_columns), 0.0)
    first = int(rng.integers(0, 5))
    ids = rng.integers(0, n_rows + 8, (n_rows, 3)).astype(np.int32)
    out = np.full(ids.shape, -1.0)
    straight_lengths(points, fitted, step, first, ids, out)
    for i, x in np.ndindex(*ids.shape):
        row = ids[i, x] - first
        expected = -1.0
        if 0 <= row < n_rows:
            expected = oracle.straight_length(points[i], fitted[row], step)
        assert out[i, x] == expected
