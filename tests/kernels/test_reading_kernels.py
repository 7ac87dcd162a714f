import hostile
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import oracle
from urerf.kernels.missing import NEAREST
from urerf.kernels.reading import level_number, read_gaps, read_levels

codes = st.one_of(st.just(np.nan), st.integers(0, 6).map(float))


@given(hostile.keys, st.integers(0, 1000), st.integers(0, 1 << 24), st.floats(1, 9))
def test_level_number(key, column, code, width):
    number = level_number(np.uint64(key), column, np.float32(code), width)
    assert number == oracle.level_number(key, column, code, width)
    assert 0.0 <= number <= np.float32(width)  # float32 may round up


@given(hostile.matrices(min_rows=1, max_rows=12, elements=codes), hostile.keys, st.data())
def test_levels_like_the_oracle(matrix, key, data):
    """Only codes of the given columns are replaced; missing ones stay as they are."""
    p, n = matrix.shape
    categories = sorted(data.draw(st.sets(st.integers(0, p - 1))))
    out = np.full((p, n), -7, np.float32)
    width = np.linspace(1, 3, p)
    read_levels(matrix, np.array(categories, np.int32), width, np.uint64(key), out)
    for c in range(p):
        for i in range(n):
            expected = -7.0
            if c in categories and not np.isnan(matrix[c, i]):
                expected = oracle.level_number(key, c, matrix[c, i], width[c])
            assert out[c, i] == expected


@given(
    hostile.matrices(min_rows=1, max_rows=12, elements=codes),
    hostile.keys,
    hostile.keys,
    st.integers(0, 1000),
)
def test_gaps_like_the_oracle(matrix, level_key, gap_key, seed):
    """Rows may come in any order, and repeatedly; cells that are not missing stay as they are."""
    rng = np.random.default_rng(seed)
    p, n = matrix.shape
    n_levels = rng.choice([0, 7], p).astype(np.int32)
    level_width = np.where(n_levels > 0, rng.uniform(1, 3, p), 0.0)
    fingerprint = rng.integers(0, 2**64, n, dtype=np.uint64)
    options = [
        {int(c): rng.integers(0, 7, rng.integers(0, 6)).tolist() for c in np.flatnonzero(gap)}
        for gap in np.isnan(matrix.T)
    ]
    start, column, value, count = as_arrays(options)
    rows = rng.integers(0, n, 2 * n)
    out = np.ascontiguousarray(matrix[:, rows])
    read_gaps(
        rows,
        start,
        column,
        value,
        count,
        fingerprint,
        n_levels,
        level_width,
        np.uint64(gap_key),
        np.uint64(level_key),
        out,
    )
    for i, row in enumerate(rows):
        print_of_row = int(fingerprint[row])
        levels = n_levels, level_width
        read = oracle.read_row(
            matrix[:, row], options[row], print_of_row, *levels, level_key, gap_key
        )
        missing = np.isnan(matrix[:, row])
        assert out[missing, i].tolist() == np.array(read)[missing].tolist()
        assert out[~missing, i].tolist() == matrix[~missing, row].tolist()


def as_arrays(options):
    """Return the fields of `urerf.reading.Gaps` but for the fingerprints."""
    cells = [(column, values) for row in options for column, values in row.items()]
    start = np.concatenate([[0], np.cumsum([len(row) for row in options])]).astype(np.int64)
    column = np.array([column for column, _ in cells], np.int32)
    value = np.full((len(cells), NEAREST), np.nan, np.float32)
    for x, (_, values) in enumerate(cells):
        value[x, : len(values)] = values
    count = np.array([len(values) for _, values in cells], np.int32)
    return start, column, value, count


def test_all_donors_are_drawn_equally_often():
    trees = 5000
    value = np.arange(5, dtype=np.float32)[None]
    drawn = np.empty((1, trees), np.float32)
    start = np.array([0, 1])
    for t in range(trees):
        read_gaps(
            np.array([0]),
            start,
            np.zeros(1, np.int32),
            value,
            np.array([5], np.int32),
            np.array([12345], np.uint64),
            np.zeros(1, np.int32),
            np.zeros(1),
            np.uint64(t),
            np.uint64(0),
            drawn[:, t : t + 1],
        )
    share = np.bincount(drawn[0].astype(int), minlength=5) / trees
    assert np.abs(share - 0.2).max() < 0.03
