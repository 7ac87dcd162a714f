import hostile
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracle
from urerf.kernels.projection import AXIS, OBLIQUE, grown, project, sample_projections


def draw(key, kind, d, density, p):
    """Return the candidates as a list of (columns, weights)."""
    deck, begin = np.arange(p).astype(np.int32), np.empty(d + 1, np.int64)
    columns, weights = np.empty(4 * d, np.int32), np.empty(4 * d, np.float32)
    columns, weights = sample_projections(np.uint64(key), kind, d, density, deck, begin, columns, weights)
    assert np.array_equal(deck, np.arange(p))
    runs = [slice(begin[j], begin[j + 1]) for j in range(d)]
    return [(columns[run].tolist(), weights[run].tolist()) for run in runs]


@given(hostile.keys, st.integers(1, 12), st.integers(1, 30), st.one_of(st.floats(1e-6, 1), st.just(1.0)))
def test_oblique_like_the_oracle(key, d, p, density):
    candidates = draw(key, OBLIQUE, d, density, p)
    assert candidates == oracle.sample_projections(key, OBLIQUE, d, density, p)
    for columns, weights in candidates:
        assert columns
        assert columns == sorted(set(columns))
        assert columns[0] >= 0
        assert columns[-1] < p
        assert set(weights) <= {-1.0, 1.0}


@given(hostile.keys, st.integers(1, 30), st.floats(0, 1))
def test_axis_like_the_oracle(key, p, share):
    d = max(1, round(share * p))
    candidates = draw(key, AXIS, d, 1.0, p)
    assert candidates == oracle.sample_projections(key, AXIS, d, 1.0, p)
    assert len({columns[0] for columns, _ in candidates}) == d
    assert all(weights == [1.0] and len(columns) == 1 for columns, weights in candidates)


def test_density_one_takes_every_column():
    assert all(columns == list(range(20)) for columns, _ in draw(5, OBLIQUE, 8, 1.0, 20))


@pytest.mark.parametrize(("p", "density"), [(50, 0.1), (50, 0.5), (1000, 0.02), (100, 0.01), (3, 0.2), (1, 0.5)])
def test_number_of_nonzeros(p, density):
    """Binomial, density * p a candidate on average; the empty ones, (1 - density)^p of them, get one."""
    d, nodes = 20, 100
    counts = np.array([len(c) for key in range(nodes) for c, _ in draw(key, OBLIQUE, d, density, p)])
    empty = (1 - density) ** p
    expected = density * p + empty
    second = p * density * (1 - density) + (p * density) ** 2 + empty
    error = np.sqrt(max(second - expected**2, 1e-12) / counts.size)
    assert abs(counts.mean() - expected) < 4 * error
    if empty < 1e-6:
        assert abs(counts.sum() / (density * p * d * nodes) - 1) < 0.03


def test_cells_and_signs_are_equally_likely():
    p, density, d, nodes = 10, 0.3, 20, 200
    matrix = np.zeros((nodes * d, p))
    for key in range(nodes):
        for j, (columns, weights) in enumerate(draw(key, OBLIQUE, d, density, p)):
            matrix[key * d + j, columns] = weights
    n = len(matrix)
    share = density + (1 - density) ** p / p
    assert np.abs((matrix != 0).mean(axis=0) - share).max() < 4 * np.sqrt(share / n)
    assert np.abs(matrix.mean(axis=0)).max() < 4 * np.sqrt(share / n)
    # Cells are independent: neighbouring columns are no oftener together than by chance.
    taken = matrix != 0
    together = (taken[:, :-1] & taken[:, 1:]).mean(axis=0)
    assert np.abs(together - density**2).max() < 4 * np.sqrt(density**2 / n)


def test_axis_columns_are_equally_likely():
    times = np.zeros(10)
    for key in range(2000):
        times[[columns[0] for columns, _ in draw(key, AXIS, 3, 1.0, 10)]] += 1
    assert np.abs(times / 2000 - 0.3).max() < 4 * np.sqrt(0.3 * 0.7 / 2000)


@given(hostile.tables(max_columns=5), st.data())
def test_project_like_the_oracle(table, data):
    p, n = table.shape
    rows = np.array(data.draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=20)), np.int32)
    columns = np.array(data.draw(st.permutations(range(p)))[: data.draw(st.integers(1, p))], np.int32)
    weights = np.array([data.draw(st.sampled_from([-1.0, 1.0])) for _ in columns], np.float32)
    out = np.full(rows.size, np.nan, np.float32)
    project(table, rows, columns, weights, out)
    with np.errstate(over="ignore", invalid="ignore"):  # 3e38 + 3e38 is infinite in float32, here and there
        expected = oracle.project(table, rows, columns, weights)
    assert np.array_equal(out, expected, equal_nan=True)


@pytest.mark.parametrize(("used", "more", "room"), [(0, 4, 4), (3, 1, 4), (4, 1, 8), (4, 9, 13)])
def test_grown_keeps_what_is_used(used, more, room):
    array = np.arange(4, dtype=np.int32)
    larger = grown(array, used, more)
    assert larger.size == room
    assert larger[:used].tolist() == array[:used].tolist()
