import numpy as np
import pytest

from urerf.lab.tables.independent import DEPENDENT, KINDS, dependent_rows, independent_columns


def rng(seed=0):
    return np.random.default_rng(seed)


@pytest.mark.parametrize("kind", KINDS)
def test_a_table_has_its_shape_and_is_drawn_by_its_seed(kind):
    X = independent_columns(kind, 60, 7, rng())
    assert X.shape == (60, 7)
    assert X.dtype == float
    np.testing.assert_array_equal(X, independent_columns(kind, 60, 7, rng()))
    assert not np.array_equal(X, independent_columns(kind, 60, 7, rng(1)), equal_nan=True)


def test_kinds_have_what_their_names_say():
    missing = np.isnan(independent_columns("mostly_missing", 2000, 5, rng())).mean(axis=0)
    assert missing.min() > 0.45
    gaps = np.isnan(independent_columns("shared_gaps", 200, 10, rng()))
    assert (gaps[:, :5] == gaps[:, [0]]).all()
    assert not (gaps[:, 5:] == gaps[:, [0]]).all()
    kept = independent_columns("value_gaps", 5000, 8, rng())
    assert np.nanmean(kept) < -0.1
    constant = np.ptp(independent_columns("half_constant", 100, 6, rng()), axis=0) == 0
    np.testing.assert_array_equal(constant, [True, False] * 3)
    huge = independent_columns("one_outlier", 100, 6, rng()) > 1e5
    np.testing.assert_array_equal(huge.sum(axis=0), 1)


def test_levels_of_a_category_are_numbered_in_the_order_of_the_rows():
    codes = independent_columns("category", 300, 1, rng())[:, 0]
    _, first = np.unique(codes, return_index=True)
    assert (np.diff(first) > 0).all()
    assert set(codes) == set(range(len(first)))


@pytest.mark.parametrize("kind", DEPENDENT)
def test_rows_depend_on_each_other(kind):
    X = dependent_rows(kind, 2000, 4, rng())
    assert X.shape == (2000, 4)
    one = X[::2]
    other = X[1::2]
    if kind.startswith("twice"):
        np.testing.assert_array_equal(one, other)
    else:
        correlation = np.corrcoef(one[:, 0], other[:, 0])[0, 1]
        assert correlation > 0.1  # independent rows: 0, with a standard error of 0.03
