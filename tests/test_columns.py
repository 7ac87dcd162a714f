"""Columns to matrix: which columns are used, their center and unit, checked against plain loops."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from urerf import URerF
from urerf.columns import BLOCK_VALUES, MEASURED_ROWS, Columns, dense, is_constant
from urerf.kernels.missing import MISMATCH


def plain(X, relevance, scaled):
    """Return (chosen, center, unit, feature_weights, matrix) column by column, in loops."""
    X = np.asarray(X, dtype=np.float64)
    chosen = [j for j in range(X.shape[1]) if relevance[j] > 0] or list(range(X.shape[1]))
    center = [float(np.median(X[:, j])) for j in chosen]
    widths = []
    for j in chosen:
        low, high = (float(np.quantile(X[:, j] - np.median(X[:, j]), q)) for q in (0.01, 0.99))
        widths.append(high - low if high > low else X[:, j].max() - X[:, j].min())
    unit = [w if scaled and w > 0 else 1.0 for w in widths]
    feature_weights = [float(relevance[j]) if relevance[j] > 0 else 1.0 for j in chosen]
    matrix = np.array(
        [(X[:, j] - c) / u for j, c, u in zip(chosen, center, unit)], dtype=np.float32
    )
    return chosen, center, unit, feature_weights, matrix


@pytest.fixture
def X():
    rng = np.random.default_rng(0)
    scale = np.array([1, 0.01, 100, 3, 0.5, 1, 1, 20])
    offset = np.array([0, 1, -1000, 5, 0, 1e6, -1e-3, 0])
    X = rng.normal(size=(200, 8)) * scale + offset
    X[:, 3] = 7.0  # constant
    X[:, 4] = (rng.random(200) < 0.005) * 2.5  # constant except for one or two rows
    X[0, 4] = 2.5
    return X


RELEVANCE = {
    "all": np.ones(8),
    "some": np.array([1, 0, 0.25, 1, 0.5, 0, 1, 1e-9]),
    "none": np.zeros(8),
    "one": np.eye(8)[2],
    "constant": np.eye(8)[3],
}


@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("relevance", RELEVANCE.values(), ids=RELEVANCE.keys())
def test_columns_and_matrix_are_those_of_plain_loops(X, relevance, scaled):
    columns = Columns.learn(X, relevance, scaled=scaled)
    chosen, center, unit, feature_weights, matrix = plain(X, relevance, scaled)
    assert columns.chosen.tolist() == chosen
    assert columns.chosen.dtype == np.int64
    np.testing.assert_array_equal(columns.center, center)
    np.testing.assert_allclose(columns.unit, unit, rtol=1e-14)
    np.testing.assert_array_equal(columns.feature_weights, feature_weights)
    found = columns.measure(X)
    assert found.dtype == np.float32
    assert found.flags.c_contiguous
    np.testing.assert_allclose(found, matrix, rtol=1e-6, atol=1e-12)
    for array in (columns.center, columns.unit, columns.feature_weights):
        assert array.dtype == np.float64


def points_of(columns, X, raw_units=True):
    return columns.points(columns.reading(columns.measure(X)), raw_units=raw_units)


def test_by_hand():
    X = np.array([[0.0, 10.0], [1.0, 10.0], [4.0, 10.0]])
    columns = Columns.learn(X, np.array([0.5, 1.0]), scaled=False)
    assert columns.measure(X).tolist() == [[-1.0, 0.0, 3.0], [0.0, 0.0, 0.0]]
    assert points_of(columns, X).values.tolist() == [[-0.5, 0.0], [0.0, 0.0], [1.5, 0.0]]


def test_scaled_is_free_of_factors_and_shifts():
    grid = np.random.default_rng(0).normal(size=(100, 4)) * [1, 5, 0.01, 30]
    first = Columns.learn(grid, np.ones(4), scaled=True).measure(grid)
    moved = grid * [1024.0, 1.0, 0.5, 2.0**-9] + [2.0**20, 0.0, 4.0, 64.0]
    np.testing.assert_allclose(
        Columns.learn(moved, np.ones(4), scaled=True).measure(moved), first, atol=1e-6
    )


@pytest.mark.parametrize("scaled", [False, True])
def test_an_offset_does_not_cost_precision(scaled):
    """Steps of 1/64 survive an offset of 1e9, where float32 holds only multiples of 64."""
    small = np.random.default_rng(0).integers(-640, 640, size=(300, 3)) / 64.0
    far = small + 1e9
    assert np.array_equal(far - 1e9, small)
    near, offset = (Columns.learn(V, np.ones(3), scaled=scaled) for V in (small, far))
    np.testing.assert_allclose(offset.measure(far), near.measure(small), rtol=0, atol=1e-6)
    for column, values in zip(offset.measure(far), small.T):
        assert np.unique(column).size == np.unique(values).size
    assert np.unique(far.astype(np.float32)).size < 5


@pytest.mark.parametrize("scaled", [False, True])
def test_constant_columns_are_zero(scaled):
    X = np.column_stack([np.full(50, 3.25), np.arange(50.0), np.full(50, -1e30)])
    columns = Columns.learn(X, np.ones(3), scaled=scaled)
    matrix = columns.measure(X)
    assert not matrix[[0, 2]].any()
    assert np.ptp(matrix[1]) > 0
    assert (columns.unit > 0).all()
    only = Columns.learn(X[:, [0, 2]], np.ones(2), scaled=scaled)
    assert only.unit.tolist() == [1.0, 1.0]
    assert not only.measure(X[:, [0, 2]]).any()


def test_irrelevant_columns_are_never_read(X):
    relevance = RELEVANCE["some"]
    columns = Columns.learn(X, relevance, scaled=True)
    other = X.copy()
    other[:, relevance == 0] = np.nan
    again = Columns.learn(other, relevance, scaled=True)
    for name in ("chosen", "center", "unit", "feature_weights"):
        np.testing.assert_array_equal(getattr(again, name), getattr(columns, name))
    assert len(columns.chosen) == 6
    np.testing.assert_array_equal(columns.measure(other), columns.measure(X))


def test_all_columns_are_used_if_none_is_relevant(X):
    columns = Columns.learn(X, np.zeros(8), scaled=True)
    assert columns.chosen.tolist() == list(range(8))
    assert columns.feature_weights.tolist() == [1.0] * 8


@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("make", [sp.csr_matrix, sp.csr_array])
def test_sparse_equals_dense(X, make, scaled):
    X = np.where(np.random.default_rng(1).random(X.shape) < 0.4, X, 0.0)
    columns = [Columns.learn(V, RELEVANCE["some"], scaled=scaled) for V in (X, make(X))]
    for name in ("chosen", "center", "unit", "feature_weights"):
        np.testing.assert_array_equal(getattr(columns[0], name), getattr(columns[1], name))
    np.testing.assert_array_equal(columns[0].measure(make(X)), columns[0].measure(X))
    np.testing.assert_array_equal(dense(make(X)), X)


@pytest.mark.parametrize("scaled", [False, True])
def test_float32_equals_float64_of_the_same_values(X, scaled):
    small = X.astype(np.float32)
    large = small.astype(np.float64)
    columns = [Columns.learn(V, np.ones(8), scaled=scaled) for V in (small, large)]
    for name in ("center", "unit"):
        np.testing.assert_array_equal(getattr(columns[0], name), getattr(columns[1], name))
    np.testing.assert_array_equal(columns[0].measure(small), columns[0].measure(large))


HUGE = {
    "beyond float32": [[1e39], [0.0], [-1e39]],
    "one row beyond float32": [[0.0], [0.0], [0.0], [0.0], [1e39]],
    "the difference is beyond float64": [[1e308], [-1e308], [0.0], [-1.5e308]],
    "the median is beyond float64": [[1e308], [1.1e308], [1.7e308], [1.2e308]],
}


@pytest.mark.parametrize(
    ("name", "scaled"),
    [
        *((name, False) for name in HUGE),
        ("the difference is beyond float64", True),
        ("the median is beyond float64", True),
    ],
)
def test_values_or_units_that_are_too_large_are_refused(name, scaled):
    values = np.array(HUGE[name])
    with pytest.raises(ValueError, match=r"^X: has values too large"):
        Columns.learn(values, np.ones(1), scaled=scaled).measure(values)


def test_large_values_can_be_scaled():
    X = np.array([[1.0, 0.0, -1.0, 3.0], [5.0, 0.0, 4.0, 4.0]]).T
    matrix = Columns.learn(X, np.ones(2), scaled=True).measure(X)
    np.testing.assert_allclose(
        Columns.learn(X * 1e300, np.ones(2), scaled=True).measure(X * 1e300), matrix, rtol=1e-6
    )


@pytest.mark.parametrize("factor", [2.0**1000, 2.0**-1000])
def test_the_diagonal_of_very_large_and_very_small_tables(factor):
    X = np.random.default_rng(0).normal(size=(50, 3))
    usual = Columns.learn(X, np.ones(3), scaled=True).reach(raw_units=True)
    scaled = Columns.learn(X * factor, np.ones(3), scaled=True).reach(raw_units=True)
    assert scaled == pytest.approx(usual * factor)


def test_new_rows_that_are_too_large_are_refused():
    X = np.random.default_rng(0).normal(size=(40, 2))
    model = URerF(5, density=1, random_state=0).fit(X)
    with pytest.raises(ValueError, match=r"^X: has values too large"):
        model.kneighbors([[1e300, 0.0]])
    with pytest.raises(ValueError, match=r"^X: has values too large"):
        URerF(5, random_state=0).fit(np.clip(np.abs(X), 0.7, 1) * 1.7e308)


def test_blocks_do_not_change_the_matrix():
    """A table converted in blocks equals one converted row by row or at once."""
    rng = np.random.default_rng(0)
    n = 52
    p = 25_000
    step = BLOCK_VALUES // p
    assert 1 < step < n
    assert n % step
    X = rng.random((n, p), dtype=np.float32)
    relevance = np.zeros(p)
    relevance[[3, 10_000, p - 1]] = [1, 0.5, 0.1]
    columns = Columns.learn(X, relevance, scaled=True)
    matrix = columns.measure(X)
    np.testing.assert_array_equal(
        matrix, np.hstack([columns.measure(X[i : i + 1]) for i in range(n)])
    )
    few = replace(columns, chosen=np.arange(3))
    np.testing.assert_array_equal(matrix, few.measure(X[:, columns.chosen]))


def test_a_sample_of_many_rows_is_measured():
    n = 3 * MEASURED_ROWS
    X = np.random.default_rng(0).normal(size=(n, 2)) ** 3
    columns = Columns.learn(X, np.ones(2), scaled=True)
    rows = np.linspace(0, n - 1, MEASURED_ROWS).astype(int)
    assert np.unique(rows).size == MEASURED_ROWS
    np.testing.assert_array_equal(columns.center, np.median(X[rows], axis=0))
    np.testing.assert_allclose(columns.unit, plain(X[rows], np.ones(2), scaled=True)[2], rtol=1e-12)
    assert columns.measure(X).shape == (2, n)


@pytest.mark.parametrize(("density", "scaled"), [("auto", True), (1, False), (0.5, False)])
def test_columns_are_scaled_only_for_random_directions(density, scaled):
    X = np.random.default_rng(0).normal(size=(60, 3)) * [1, 10, 100]
    model = URerF(3, density=density, feature_weighting="uniform", random_state=0).fit(X)
    np.testing.assert_array_equal(model._fitted.columns.unit == 1.0, [not scaled] * 3)
    np.testing.assert_array_equal(
        model._fitted.matrix, Columns.learn(X, np.ones(3), scaled=scaled).measure(X)
    )


# -- categories and missing values
# ---------------------------------------------------------------------------------------------


@pytest.fixture
def mixed():
    """A number, a category of three levels and a number; some values are missing."""
    nan = np.nan
    rows = [[0, 0, 1], [1, 1, 2], [2, 2, 3], [3, 0, nan], [4, nan, 5], [nan, 1, 6], [nan] * 3]
    return np.array(rows, dtype=float)


def learn(X, **settings):
    return Columns.learn(X, np.ones(3), scaled=True, missing=True, n_levels=[0, 3, 0], **settings)


def test_codes_and_gaps_are_kept(mixed):
    columns = learn(mixed)
    matrix = columns.measure(mixed)
    np.testing.assert_array_equal(matrix[1], mixed[:, 1])
    np.testing.assert_array_equal(np.isnan(matrix.T), np.isnan(mixed))
    assert columns.n_levels.tolist() == [0, 3, 0]
    assert columns.center[1] == 0.0
    assert columns.unit[1] == 1.0
    np.testing.assert_array_equal(columns.donors, matrix)


def test_numbers_have_no_levels(mixed):
    assert (learn(mixed).level_width > 0).tolist() == [False, True, False]


def test_levels_of_chosen_columns_only(mixed):
    columns = Columns.learn(mixed, np.array([0.0, 1.0, 1.0]), scaled=True, n_levels=[0, 3, 0])
    assert columns.n_levels.tolist() == [3, 0]


def test_medians_and_widths_leave_missing_values_out(mixed):
    columns = learn(mixed)
    assert columns.center[[0, 2]].tolist() == [2.0, 3.0]
    widths = [np.ptp(np.quantile(values, [0.01, 0.99])) for values in (range(5), [1, 2, 3, 5, 6])]
    np.testing.assert_allclose(columns.unit[[0, 2]], widths)


def test_rows_are_kept_as_donors_only_if_values_may_be_missing(X):
    assert Columns.learn(X, np.ones(8), scaled=True).donors.shape == (8, 0)
    columns = Columns.learn(X, np.ones(8), scaled=True, missing=True)
    np.testing.assert_array_equal(columns.donors, columns.measure(X))


def test_the_gaps_of_a_reading(mixed):
    columns = learn(mixed)
    reading = columns.reading(columns.measure(mixed), n_jobs=2)
    assert np.diff(reading.gaps.start).tolist() == [0, 0, 0, 1, 1, 1, 3]
    assert reading.gaps.column.tolist() == [2, 1, 0, 0, 1, 2]
    assert reading.gaps.n_values.tolist() == [5, 5, 5, 0, 0, 0]
    assert reading.empty_rows.tolist() == [6]
    assert not reading.is_plain
    # [4, ?, 5] is nearest to [?, 1, 6], then to [3, 0, ?], [2, 2, 3], [1, 1, 2] and [0, 0, 1].
    assert reading.gaps.value[1].tolist() == [1.0, 0.0, 2.0, 1.0, 0.0]


def test_a_reading_without_gaps(mixed):
    whole = mixed[:3]
    reading = learn(whole).reading(learn(whole).measure(whole))
    assert reading.gaps is None
    assert len(reading.empty_rows) == 0
    assert not reading.is_plain
    numbers = Columns.learn(whole, np.ones(3), scaled=True)
    assert numbers.reading(numbers.measure(whole)).is_plain


@pytest.mark.parametrize("raw_units", [False, True])
def test_points_by_hand(mixed, raw_units):
    columns = learn(mixed)
    points = points_of(columns, mixed, raw_units)
    unit = columns.unit if raw_units else np.ones(3)
    matrix = columns.measure(mixed)
    # A missing number is the mean of the five donors' values, a missing level the nearest one's.
    known = np.where(np.isnan(matrix), 0.0, matrix).T * np.array([unit[0], 1.0, unit[2]])
    known[3, 2] = np.nanmean(matrix[2, [0, 1, 2, 4, 5]]) * unit[2]
    known[4, 1] = 1.0
    known[5, 0] = np.nanmean(matrix[0, :5]) * unit[0]
    known[6, 1] = 3.0  # a level of its own
    np.testing.assert_allclose(points.values, known, rtol=1e-6, atol=1e-12)
    typical = np.median(columns.unit[[0, 2]]) if raw_units else 1.0
    step = np.sqrt(MISMATCH) * columns.level_width[1] * typical
    np.testing.assert_allclose(points.mismatch, [0.0, step, 0.0])
    assert points.known.tolist() == [True] * 6 + [False]


def test_weights_shrink_points():
    X = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 0.0]])
    columns = Columns.learn(X, np.array([0.5, 0.25]), scaled=False, n_levels=[0, 2])
    points = points_of(columns, X)
    assert points.values.tolist() == [[-0.5, 0.0], [0.0, 1.0], [0.5, 0.0]]
    width = 1 + np.log2(9 / 5) / 2  # two rows have the same level with probability 5 / 9
    np.testing.assert_allclose(points.mismatch, [0.0, 0.25 * width * np.sqrt(1 / 6)])


def test_only_categories_have_a_unit_of_one():
    X = np.array([[0.0], [1.0], [1.0]])
    columns = Columns.learn(X, np.ones(1), scaled=True, n_levels=[2])
    expected = np.sqrt(1 / 6) * columns.level_width
    np.testing.assert_allclose(points_of(columns, X).mismatch, expected)


def test_constant_columns():
    nan = np.nan
    for column, expected in (([1, 1], True), ([1, 2], False), ([nan, 1], True), ([nan], True)):
        assert is_constant(np.array(column, dtype=np.float32)) is expected


# -- Tables larger than memory ---------------------------------------------------------------------


def test_a_matrix_that_does_not_fit_into_memory_is_held_on_disk(X, monkeypatch):
    columns = Columns.learn(X, np.ones(8), scaled=True)
    expected = columns.measure(X)
    monkeypatch.setattr("urerf.columns.available_memory", lambda: 8.0 * X.size)
    assert not isinstance(columns.measure(X).base, np.memmap)
    monkeypatch.setattr("urerf.columns.available_memory", lambda: 8.0 * X.size - 1)
    found = columns.measure(X)
    assert isinstance(found.base, np.memmap)
    np.testing.assert_array_equal(found, expected)


def fit_small(X):
    return URerF(10, n_neighbors=8, random_state=3).fit(X)


def test_a_model_whose_matrix_is_on_disk_gives_the_same_answers(X, monkeypatch):
    expected = fit_small(X)
    with monkeypatch.context() as patch:
        patch.setattr("urerf.columns.available_memory", lambda: 1000.0)
        model = fit_small(X)
    assert isinstance(model._fitted.matrix.base, np.memmap)
    for found, value in zip(model.kneighbors(), expected.kneighbors()):
        np.testing.assert_array_equal(found, value)
    np.testing.assert_array_equal(model.geodesic_distances([0]), expected.geodesic_distances([0]))


def test_a_memory_mapped_table_gives_the_same_model(X, tmp_path):
    np.save(tmp_path / "X.npy", X)
    model = fit_small(np.load(tmp_path / "X.npy", mmap_mode="r"))
    for found, value in zip(model.kneighbors(), fit_small(X).kneighbors()):
        np.testing.assert_array_equal(found, value)


def test_reach_is_the_diagonal_of_the_table(mixed):
    """In the units of the data it grows with them; a level is a step of a typical unit."""
    columns = learn(mixed)
    step = np.sqrt(MISMATCH) * columns.level_width[1]
    np.testing.assert_allclose(columns.reach(raw_units=False), np.sqrt(1 + step**2 + 1))
    low, high = columns.unit[[0, 2]]
    diagonal = np.sqrt(low**2 + (step * (low + high) / 2) ** 2 + high**2)
    np.testing.assert_allclose(columns.reach(raw_units=True), diagonal)
    larger = learn(mixed * [64.0, 1.0, 64.0])
    np.testing.assert_allclose(larger.reach(raw_units=True), 64 * diagonal)
