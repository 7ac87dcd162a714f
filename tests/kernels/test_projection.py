import itertools

import hostile
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kstest, spearmanr

import oracle
from urerf.kernels.projection import (
    empty_projections,
    enlarged,
    fill_projections,
    project,
    sample_projections,
)
from urerf.kernels.settings import AXIS, DIRECTION, OBLIQUE


def draw(key, projection, d, density, p, feature_weights=None):
    """Return the candidates as a list of (columns, coefficients)."""
    if feature_weights is None:
        feature_weights = np.ones(p)
    deck = np.arange(p).astype(np.int32)
    room = empty_projections(d)
    begin, columns, coefficients = sample_projections(
        np.uint64(key), projection, density, np.array(feature_weights), deck, room
    )
    assert np.array_equal(deck, np.arange(p))
    runs = [slice(begin[j], begin[j + 1]) for j in range(d)]
    return [(columns[run].tolist(), coefficients[run].tolist()) for run in runs]


chances = st.lists(st.one_of(st.just(1.0), st.floats(0.05, 1)), min_size=1, max_size=30)


def assert_sparse(candidates, p):
    """No candidate is empty, its columns are distinct, ascending and valid."""
    for columns, coefficients in candidates:
        assert columns
        assert columns == sorted(set(columns))
        assert columns[0] >= 0
        assert columns[-1] < p
        assert len(coefficients) == len(columns)


@given(
    hostile.keys,
    st.integers(1, 12),
    st.one_of(st.floats(1e-6, 1), st.just(1.0)),
    chances,
    st.booleans(),
)
def test_oblique_like_the_oracle(key, d, density, feature_weights, certain):
    p = len(feature_weights)
    feature_weights = [1.0] * p if certain else feature_weights
    candidates = draw(key, OBLIQUE, d, density, p, feature_weights)
    assert candidates == oracle.sample_projections(key, OBLIQUE, d, density, feature_weights)
    assert_sparse(candidates, p)
    assert {weight for _, coefficients in candidates for weight in coefficients} <= {-1.0, 1.0}


@given(hostile.keys, st.integers(1, 12), st.floats(0.05, 1), chances)
def test_direction_like_the_oracle(key, d, density, feature_weights):
    p = len(feature_weights)
    candidates = draw(key, DIRECTION, d, density, p, feature_weights)
    expected = oracle.sample_projections(key, DIRECTION, d, density, feature_weights)
    assert [columns for columns, _ in candidates] == [columns for columns, _ in expected]
    assert_sparse(candidates, p)
    for (_, coefficients), (_, theirs) in zip(candidates, expected, strict=True):
        assert coefficients == pytest.approx(theirs, rel=1e-6, abs=1e-7)


@given(hostile.keys, chances, st.floats(0, 1))
def test_axis_like_the_oracle(key, feature_weights, share):
    p = len(feature_weights)
    d = max(1, round(share * p))
    candidates = draw(key, AXIS, d, 1.0, p, feature_weights)
    assert candidates == oracle.sample_projections(key, AXIS, d, 1.0, feature_weights)
    assert len({columns[0] for columns, _ in candidates}) == d
    assert all(coefficients == [1.0] and len(columns) == 1 for columns, coefficients in candidates)


def test_density_one_takes_every_column():
    assert all(columns == list(range(20)) for columns, _ in draw(5, OBLIQUE, 8, 1.0, 20))


@pytest.mark.parametrize(
    ("p", "density"), [(50, 0.1), (50, 0.5), (1000, 0.02), (100, 0.01), (3, 0.2), (1, 0.5)]
)
def test_number_of_nonzeros(p, density):
    """Binomial, density * p per candidate on average; an empty candidate gets one."""
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


def test_entries_and_signs_are_equally_likely():
    p = 10
    density = 0.3
    d = 20
    nodes = 200
    matrix = np.zeros((nodes * d, p))
    for key in range(nodes):
        for j, (columns, coefficients) in enumerate(draw(key, OBLIQUE, d, density, p)):
            matrix[key * d + j, columns] = coefficients
    n = len(matrix)
    share = density + (1 - density) ** p / p
    assert np.abs((matrix != 0).mean(axis=0) - share).max() < 4 * np.sqrt(share / n)
    assert np.abs(matrix.mean(axis=0)).max() < 4 * np.sqrt(share / n)
    # Entries are independent: adjacent columns occur together as often as by chance.
    taken = matrix != 0
    together = (taken[:, :-1] & taken[:, 1:]).mean(axis=0)
    assert np.abs(together - density**2).max() < 4 * np.sqrt(density**2 / n)


def test_columns_are_drawn_by_their_weights():
    """Twice the weight, twice as often, as long as enough other columns are left."""
    feature_weights = np.array([1.0, 0.5, 0.25, 0.1] * 5)
    for kind, d, density, share in ((AXIS, 1, 1.0, None), (OBLIQUE, 2, 0.2, 0.2)):
        times = np.zeros(20)
        for key in range(3000):
            for columns, _ in draw(key, kind, d, density, 20, feature_weights):
                times[columns] += 1
        ratio = times.reshape(5, 4).sum(axis=0) / times[::4].sum()
        assert np.allclose(ratio, feature_weights[:4], atol=0.04)
        assert share is None or times[0] / (3000 * d) == pytest.approx(share, abs=0.03)


def test_directions_have_gaussian_weights():
    coefficients = [
        w
        for key in range(500)
        for _, coefficients in draw(key, DIRECTION, 4, 0.5, 6)
        for w in coefficients
    ]
    assert kstest(coefficients, "norm").pvalue > 0.001
    # The streams of a node and of its left child are independent.
    pairs = [(key, oracle.derive(key, 0)) for key in range(2000)]
    first = np.array([[draw(k, DIRECTION, 1, 1.0, 1)[0][1][0] for k in pair] for pair in pairs])
    assert abs(spearmanr(np.cos(first[:, 0]), np.abs(first[:, 1])).statistic) < 4 / np.sqrt(2000)
    assert abs(spearmanr(np.abs(first[:, 0]), np.abs(first[:, 1])).statistic) < 4 / np.sqrt(2000)


def test_axis_columns_are_equally_likely():
    times = np.zeros(10)
    for key in range(2000):
        times[[columns[0] for columns, _ in draw(key, AXIS, 3, 1.0, 10)]] += 1
    assert np.abs(times / 2000 - 0.3).max() < 4 * np.sqrt(0.3 * 0.7 / 2000)


@given(hostile.matrices(max_columns=5), st.data())
def test_project_like_the_oracle(matrix, data):
    p, n = matrix.shape
    rows = np.array(data.draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=20)), np.int32)
    columns = np.array(
        data.draw(st.permutations(range(p)))[: data.draw(st.integers(1, p))], np.int32
    )
    coefficients = np.array([data.draw(st.sampled_from([-1.0, 1.0])) for _ in columns], np.float32)
    out = np.full(rows.size, np.nan, np.float32)
    project(matrix, rows, columns, coefficients, out)
    with np.errstate(over="ignore", invalid="ignore"):  # 3e38 + 3e38 is infinite in both
        expected = oracle.project(matrix, rows, columns, coefficients)
    assert np.array_equal(out, expected, equal_nan=True)


@pytest.mark.parametrize("projection", [OBLIQUE, DIRECTION])
def test_projections_do_not_depend_on_the_room_for_them(projection):
    p = 50
    deck = np.arange(p).astype(np.int32)
    settings = (np.uint64(3), projection, 0.9, np.ones(p), deck)
    little = empty_projections(3)
    ample = enlarged(enlarged(enlarged(enlarged(little))))
    assert not fill_projections(*settings, little)
    assert fill_projections(*settings, ample)
    drawn = sample_projections(*settings, little)
    used = drawn.begin[-1]
    assert used > little.columns.size
    assert drawn.columns[:used].tolist() == ample.columns[:used].tolist()
    assert drawn.coefficients[:used].tolist() == ample.coefficients[:used].tolist()


@pytest.mark.parametrize("kind", [OBLIQUE, DIRECTION])
@pytest.mark.parametrize("density", [0.05, 0.3, 1.0])
def test_columns_are_kept_in_proportion_to_their_weights(kind, density):
    """Each occurs with probability density * weight; an empty candidate gets one by weight."""
    feature_weights = np.array([1.0, 0.5, 0.25, 0.1, 1.0, 0.02])
    d = 10
    nodes = 1500
    times = np.zeros(6)
    sizes = []
    for key in range(nodes):
        for columns, coefficients in draw(
            key, kind, d, density, len(feature_weights), feature_weights
        ):
            assert columns
            assert columns == sorted(set(columns))
            assert len(coefficients) == len(columns)
            times[columns] += 1
            sizes.append(len(columns))
    empty = np.prod(1 - density * feature_weights)
    expected = density * feature_weights + empty * feature_weights / feature_weights.sum()
    error = np.sqrt(expected * (1 - expected) / (d * nodes))
    assert (np.abs(times / (d * nodes) - expected) <= 4 * error + 1e-12).all()
    assert np.mean(sizes) == pytest.approx(expected.sum(), rel=0.03)


@pytest.mark.parametrize("kind", [OBLIQUE, DIRECTION])
@pytest.mark.parametrize("feature_weights", [[1e-3] * 4, [1.0, 1e-9, 1e-9], [0.01]])
def test_candidates_are_never_empty(kind, feature_weights):
    for key in range(50):
        for columns, coefficients in draw(key, kind, 5, 0.5, len(feature_weights), feature_weights):
            assert len(columns) == len(coefficients) >= 1
            assert set(columns) <= set(range(len(feature_weights)))


@pytest.mark.parametrize("d", [1, 2, 4])
def test_axis_draws_by_weight(d):
    """By enumeration: in random order, columns are skipped while enough others are left."""
    feature_weights = [1.0, 0.5, 0.2, 0.05]
    p = 4
    nodes = 6000
    expected = np.zeros(p)
    for order in itertools.permutations(range(p)):
        states = {(): 1.0}
        for at, column in enumerate(order):
            after = {}
            for taken, share in states.items():
                needed = d - len(taken)
                if needed == 0:
                    after[taken] = after.get(taken, 0) + share
                    continue
                keep = 1.0 if p - at == needed else feature_weights[column]
                after[(*taken, column)] = after.get((*taken, column), 0) + share * keep
                if keep < 1:
                    after[taken] = after.get(taken, 0) + share * (1 - keep)
            states = after
        for taken, share in states.items():
            assert len(taken) == d
            expected[list(taken)] += share / 24
    times = np.zeros(p)
    for key in range(nodes):
        times[[columns[0] for columns, _ in draw(key, AXIS, d, 1.0, p, feature_weights)]] += 1
    error = np.sqrt(expected * (1 - expected) / nodes)
    assert (np.abs(times / nodes - expected) <= 4 * error + 1e-9).all()


@pytest.mark.parametrize(("d", "p"), [(1, 1), (5, 5), (4, 5), (3, 50), (50, 50)])
def test_axis_draws_distinct_columns_however_small_the_weights(d, p):
    for key in range(40):
        candidates = draw(key, AXIS, d, 1.0, p, [1e-7] * p)
        assert len({columns[0] for columns, _ in candidates}) == d
        assert all(
            len(columns) == 1 and coefficients == [1.0] for columns, coefficients in candidates
        )


def test_axis_prefers_columns_of_weight_one():
    feature_weights = np.full(100, 1e-6)
    feature_weights[[7, 42, 99]] = 1.0
    for key in range(100):
        assert {columns[0] for columns, _ in draw(key, AXIS, 3, 1.0, 100, feature_weights)} == {
            7,
            42,
            99,
        }


@pytest.mark.parametrize("feature_weights", [np.ones(4), np.array([1.0, 0.5, 0.1, 0.7])])
def test_coefficients_of_directions_are_gaussian(feature_weights):
    drawn = [draw(key, DIRECTION, 6, 0.6, 4, feature_weights) for key in range(800)]
    coefficients = np.array([w for node in drawn for _, coefficients in node for w in coefficients])
    n = len(coefficients)
    assert n > 5000
    assert abs(coefficients.mean()) < 4 / np.sqrt(n)
    assert abs(coefficients.var() - 1) < 4 * np.sqrt(2 / n)
    assert kstest(coefficients, "norm").pvalue > 1e-3
    assert np.isfinite(coefficients).all()
    assert np.unique(coefficients).size > 0.99 * n
    # The coefficients of one candidate are independent of each other.
    pairs = np.array(
        [coefficients[:2] for node in drawn for _, coefficients in node if len(coefficients) > 1]
    )
    assert abs(np.corrcoef(pairs.T)[0, 1]) < 4 / np.sqrt(len(pairs))
    assert abs(np.corrcoef(np.abs(pairs.T))[0, 1]) < 4 / np.sqrt(len(pairs))


def test_directions_point_everywhere():
    """In two columns of weight 1, the angle of a direction is uniform."""
    angle = [np.arctan2(*draw(key, DIRECTION, 1, 1.0, 2)[0][1]) for key in range(2000)]
    assert kstest((np.array(angle) + np.pi) / (2 * np.pi), "uniform").pvalue > 1e-3
