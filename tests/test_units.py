"""Units of columns: their own widths, or one that they share; widths of categories."""

import numpy as np
import pytest

from urerf import URerF
from urerf.columns import Columns


def test_every_column_is_measured_in_its_own_width():
    grid = np.linspace(0, 1, 101)[:, None]
    widths = np.array([1.0, 2.0, 4.0, 0.1, 1000.0, 1e-200])
    columns = Columns.learn(grid * widths, np.ones(6), scaled=True)
    np.testing.assert_allclose(columns.unit, 0.98 * widths, rtol=1e-12)
    spread = np.ptp(columns.measure(grid * widths), axis=1)
    np.testing.assert_allclose(spread * 0.98, np.ones(6), rtol=1e-5)


def test_columns_of_like_widths_are_measured_in_one_unit():
    grid = np.linspace(0, 1, 101)[:, None]
    widths = np.array([1.0, 2.0, 3.0, 4.0, 2.0, 3.0, 1.5, 2.5, 2.0, 0.1])
    X = grid * widths
    columns = Columns.learn(X, np.ones(10), scaled=True)
    np.testing.assert_allclose(columns.unit, 0.98 * np.full(10, 2.0), rtol=1e-12)
    np.testing.assert_allclose(columns.width, widths / 2.0, rtol=1e-12)
    larger = Columns.learn(1024.0 * X, np.ones(10), scaled=True)
    np.testing.assert_array_equal(larger.measure(1024.0 * X), columns.measure(X))
    np.testing.assert_array_equal(larger.width, columns.width)
    with_income = np.hstack([X, 1e6 * grid])
    columns_and_income = Columns.learn(with_income, np.ones(11), scaled=True)
    np.testing.assert_allclose(columns_and_income.unit[:10], columns.unit, rtol=0.1)
    assert columns_and_income.width.max() == pytest.approx(4.5)
    constant = np.hstack([X, np.ones((101, 5))])
    with_constants = Columns.learn(constant, np.ones(15), scaled=True)
    np.testing.assert_array_equal(with_constants.unit[:10], columns.unit)


@pytest.mark.parametrize(("n_values", "keeps_its_own"), [(2, True), (5, True), (6, False)])
def test_a_column_of_few_values_does_not_share_the_unit(n_values, keeps_its_own):
    grid = np.linspace(0, 100, 101)[:, None]
    scores = grid * np.array([1.0, 2.0, 3.0, 4.0, 2.0, 3.0, 1.5, 2.5, 2.0])
    group = np.arange(101)[:, None] % n_values
    X = np.hstack([scores, group])
    X[3, 9] = np.nan  # a missing value is not a value
    columns = Columns.learn(X, np.ones(10), scaled=True)
    np.testing.assert_allclose(columns.unit[:9], 98 * np.full(9, 2.0), rtol=1e-12)
    assert columns.unit[9] == (n_values - 1 if keeps_its_own else columns.unit[0])


def test_a_group_among_many_scores_counts():
    """Nine scores overlap between two groups; a tenth column names the group, as 1 or 2."""
    rng = np.random.default_rng(0)
    group = np.repeat([1, 2], 100)
    scores = 20.0 * (rng.normal(size=(200, 9)) + 0.8 * group[:, None])
    X = np.column_stack([scores, group])
    indices = URerF(random_state=0).fit(X).kneighbors(n_neighbors=10, return_distance=False)
    assert np.mean(group[indices] == group[:, None]) > 0.95


@pytest.mark.parametrize(
    ("widths", "n_levels"),
    [
        ([1.0, 2.0, 3.0, 4.0, 2.0, 3.0, 1.5], 0),
        ([1.0, 2.0, 3.0, 9.0, 2.0, 9.0, 1.5, 9.0], 0),
        ([1.0, 2.0, 3.0, 4.0, 2.0, 3.0, 1.5, 2.5, 1.0], [0] * 8 + [101]),
    ],
    ids=["too few", "too different", "a category"],
)
def test_others_are_measured_in_their_own_widths(widths, n_levels):
    X = np.linspace(0, 1, 101)[:, None] * widths
    if n_levels != 0:
        X[:, -1] = np.arange(101)
    columns = Columns.learn(X, np.ones(len(widths)), scaled=True, n_levels=n_levels)
    np.testing.assert_allclose(columns.unit[:7], 0.98 * np.array(widths[:7]), rtol=1e-12)
    np.testing.assert_array_equal(columns.width, 1.0)


def test_a_column_with_one_other_value_is_measured_by_its_span():
    x = np.zeros((300, 1))
    x[7] = 2.5
    assert Columns.learn(x, np.ones(1), scaled=True).unit.tolist() == [2.5]


def level_width(codes, n_levels):
    X = np.asarray(codes, dtype=float)[:, None]
    return Columns.learn(X, np.ones(1), scaled=True, n_levels=[n_levels]).level_width[0]


@pytest.mark.parametrize("n_levels", [1, 2, 4, 16, 64])
def test_the_width_of_a_category_grows_with_its_levels(n_levels):
    codes = np.arange(640) % n_levels
    assert level_width(codes, n_levels) == 1 + np.log2(n_levels) / 2


def test_rare_and_absent_levels_hardly_widen_a_category():
    codes = np.array([0] * 998 + [1, 2])
    assert level_width(codes, 9) < 1.01
    assert level_width(np.full(3, np.nan), 9) == 1.0
