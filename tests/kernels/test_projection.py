import hostile
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kstest, spearmanr

import oracle
from urerf.kernels.projection import grown, project, sample_projections
from urerf.kernels.settings import AXIS, DIRECTION, OBLIQUE


def draw(key, kind, d, density, p, chance=None):
    """Return the candidates as a list of (columns, weights)."""
    chance = np.ones(p) if chance is None else np.array(chance)
    deck = np.arange(p).astype(np.int32)
    begin = np.empty(d + 1, np.int64)
    columns = np.empty(4 * d, np.int32)
    weights = np.empty(4 * d, np.float32)
    columns, weights = sample_projections(
        np.uint64(key), kind, d, density, chance, deck, begin, columns, weights
    )
    assert np.array_equal(deck, np.arange(p))
    runs = [slice(begin[j], begin[j + 1]) for j in range(d)]
    return [(columns[run].tolist(), weights[run].tolist()) for run in runs]


chances = st.lists(st.one_of(st.just(1.0), st.floats(0.05, 1)), min_size=1, max_size=30)


def assert_sparse(candidates, p):
    """No candidate is empty, its columns are distinct, ascending and in the table."""
    for columns, weights in candidates:
        assert columns
        assert columns == sorted(set(columns))
        assert columns[0] >= 0
        assert columns[-1] < p
        assert len(weights) == len(columns)


@given(
    hostile.keys,
    st.integers(1, 12),
    st.one_of(st.floats(1e-6, 1), st.just(1.0)),
    chances,
    st.booleans(),
)
def test_oblique_like_the_oracle(key, d, density, chance, certain):
    p = len(chance)
    chance = [1.0] * p if certain else chance
    candidates = draw(key, OBLIQUE, d, density, p, chance)
    assert candidates == oracle.sample_projections(key, OBLIQUE, d, density, chance)
    assert_sparse(candidates, p)
    assert {weight for _, weights in candidates for weight in weights} <= {-1.0, 1.0}


@given(hostile.keys, st.integers(1, 12), st.floats(0.05, 1), chances)
def test_direction_like_the_oracle(key, d, density, chance):
    p = len(chance)
    candidates = draw(key, DIRECTION, d, density, p, chance)
    expected = oracle.sample_projections(key, DIRECTION, d, density, chance)
    assert [columns for columns, _ in candidates] == [columns for columns, _ in expected]
    assert_sparse(candidates, p)
    for (_, weights), (_, theirs) in zip(candidates, expected, strict=True):
        assert weights == pytest.approx(theirs, rel=1e-6, abs=1e-7)


@given(hostile.keys, chances, st.floats(0, 1))
def test_axis_like_the_oracle(key, chance, share):
    p = len(chance)
    d = max(1, round(share * p))
    candidates = draw(key, AXIS, d, 1.0, p, chance)
    assert candidates == oracle.sample_projections(key, AXIS, d, 1.0, chance)
    assert len({columns[0] for columns, _ in candidates}) == d
    assert all(weights == [1.0] and len(columns) == 1 for columns, weights in candidates)


def test_density_one_takes_every_column():
    assert all(columns == list(range(20)) for columns, _ in draw(5, OBLIQUE, 8, 1.0, 20))


@pytest.mark.parametrize(
    ("p", "density"), [(50, 0.1), (50, 0.5), (1000, 0.02), (100, 0.01), (3, 0.2), (1, 0.5)]
)
def test_number_of_nonzeros(p, density):
    """Binomial, density * p a candidate on average; the empty ones, (1 - density)^p of them, get one."""
    d = 20
    nodes = 100
    counts = np.array(
        [len(c) for key in range(nodes) for c, _ in draw(key, OBLIQUE, d, density, p)]
    )
    empty = (1 - density) ** p
    expected = density * p + empty
    second = p * density * (1 - density) + (p * density) ** 2 + empty
    error = np.sqrt(max(second - expected**2, 1e-12) / counts.size)
    assert abs(counts.mean() - expected) < 4 * error
    if empty < 1e-6:
        assert abs(counts.sum() / (density * p * d * nodes) - 1) < 0.03


def test_cells_and_signs_are_equally_likely():
    p = 10
    density = 0.3
    d = 20
    nodes = 200
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


def test_columns_come_by_their_chance():
    """Twice the chance, twice as often, where few are passed over only because no others are left."""
    chance = np.array([1.0, 0.5, 0.25, 0.1] * 5)
    for kind, d, density, share in ((AXIS, 1, 1.0, None), (OBLIQUE, 2, 0.2, 0.2)):
        times = np.zeros(20)
        for key in range(3000):
            for columns, _ in draw(key, kind, d, density, 20, chance):
                times[columns] += 1
        ratio = times.reshape(5, 4).sum(axis=0) / times[::4].sum()
        assert np.allclose(ratio, chance[:4], atol=0.04)
        assert share is None or times[0] / (3000 * d) == pytest.approx(share, abs=0.03)


def test_directions_have_gaussian_weights():
    weights = [
        w for key in range(500) for _, weights in draw(key, DIRECTION, 4, 0.5, 6) for w in weights
    ]
    assert kstest(weights, "norm").pvalue > 0.001
    # A node's stream and that of its left child are independent: no weight of one tells a weight of
    # the other.
    pairs = [(key, oracle.derive(key, 0)) for key in range(2000)]
    first = np.array([[draw(k, DIRECTION, 1, 1.0, 1)[0][1][0] for k in pair] for pair in pairs])
    assert abs(spearmanr(np.cos(first[:, 0]), np.abs(first[:, 1])).statistic) < 4 / np.sqrt(2000)
    assert abs(spearmanr(np.abs(first[:, 0]), np.abs(first[:, 1])).statistic) < 4 / np.sqrt(2000)


def test_axis_columns_are_equally_likely():
    times = np.zeros(10)
    for key in range(2000):
        times[[columns[0] for columns, _ in draw(key, AXIS, 3, 1.0, 10)]] += 1
    assert np.abs(times / 2000 - 0.3).max() < 4 * np.sqrt(0.3 * 0.7 / 2000)


@given(hostile.tables(max_columns=5), st.data())
def test_project_like_the_oracle(table, data):
    p, n = table.shape
    rows = np.array(data.draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=20)), np.int32)
    columns = np.array(
        data.draw(st.permutations(range(p)))[: data.draw(st.integers(1, p))], np.int32
    )
    weights = np.array([data.draw(st.sampled_from([-1.0, 1.0])) for _ in columns], np.float32)
    out = np.full(rows.size, np.nan, np.float32)
    project(table, rows, columns, weights, out)
    with np.errstate(
        over="ignore", invalid="ignore"
    ):  # 3e38 + 3e38 is infinite in float32, here and there
        expected = oracle.project(table, rows, columns, weights)
    assert np.array_equal(out, expected, equal_nan=True)


@pytest.mark.parametrize(("used", "more", "room"), [(0, 4, 4), (3, 1, 4), (4, 1, 8), (4, 9, 13)])
def test_grown_keeps_what_is_used(used, more, room):
    array = np.arange(4, dtype=np.int32)
    larger = grown(array, used, more)
    assert larger.size == room
    assert larger[:used].tolist() == array[:used].tolist()
