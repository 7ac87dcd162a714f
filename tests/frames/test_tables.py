"""From what a user passes to numbers."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator

from urerf.frames import tables
from urerf.schema import CATEGORY, NUMBER, Column, Frame, Schema


def fitted_on(values):
    """Return what an estimator remembers of an array."""
    seen = BaseEstimator()
    tables.validate_array(values, seen, "handle", fitting=True)
    return seen


def test_an_array_has_no_schema_unless_kinds_are_declared():
    X = np.array([[0.5, 7.0], [1.5, 3.0]])
    assert tables.read_table(X, "auto") is None
    assert tables.read_table(X, {}) is None
    table = tables.read_table(X, {1: "category"})
    assert [column.kind for column in table.frame.schema.columns] == [NUMBER, CATEGORY]
    assert not table.has_names


def test_kinds_cannot_be_declared_twice():
    frame = Frame(np.zeros((3, 1)), Schema((Column("x"),)))
    with pytest.raises(ValueError, match="column_kinds: must be 'auto'"):
        tables.read_table(frame, {0: "category"})


def test_names_are_forgotten_with_the_next_table():
    model = BaseEstimator()
    seen = BaseEstimator()
    table = tables.read_table(pd.DataFrame({"x": [1.5, 2.5]}, index=["a", "b"]), "auto")
    tables.note_names(seen, table)
    tables.copy_seen(seen, model)
    assert list(model.feature_names_in_) == ["x"]
    assert list(model.row_names_) == ["a", "b"]
    tables.copy_seen(fitted_on(np.zeros((3, 2))), model)
    assert model.n_features_in_ == 2
    assert not hasattr(model, "feature_names_in_")
    assert not hasattr(model, "row_names_")


def test_two_rows_are_needed_to_fit_and_one_to_ask():
    seen = fitted_on(np.zeros((2, 3)))
    one_row = np.ones((1, 3))
    with pytest.raises(ValueError, match=r"X: .*minimum of 2 is required"):
        tables.validate_array(one_row, BaseEstimator(), "handle", fitting=True)
    np.testing.assert_array_equal(tables.match_table(one_row, None, seen, "handle"), one_row)


@pytest.mark.parametrize("make", [np.asarray, sp.csr_matrix])
def test_new_rows_need_the_columns_of_the_fitted_table(make):
    with pytest.raises(ValueError, match=r"X has 2 features, but .* is expecting 3 features"):
        tables.match_table(make(np.ones((4, 2))), None, fitted_on(np.zeros((2, 3))), "handle")


@pytest.mark.parametrize("missing", ["handle", "error"])
def test_missing_values_are_refused_only_if_they_are_errors(missing):
    X = np.array([[1.0, np.nan], [2.0, 3.0]])
    if missing == "handle":
        validated = tables.validate_array(X, BaseEstimator(), missing, fitting=True)
        np.testing.assert_array_equal(validated, X)
    else:
        with pytest.raises(ValueError, match=r"^X: .*missing"):
            tables.validate_array(X, BaseEstimator(), missing, fitting=True)


def test_a_frame_with_another_schema_is_refused():
    schema = Schema((Column("color", CATEGORY, ("blue", "red")),))
    other = Schema((Column("color", CATEGORY, ("red", "blue")),))
    model = fitted_on(np.zeros((2, 1)))
    codes = np.array([[0.0], [1.0]])
    matched = tables.match_table(Frame(codes, schema), schema, model, "handle")
    np.testing.assert_array_equal(matched, codes)
    with pytest.raises(ValueError, match="X: its columns, kinds or levels"):
        tables.match_table(Frame(codes, other), schema, model, "handle")


def test_columns_of_a_frame_are_found_by_name():
    X = pd.DataFrame({"a": [1.0, 2.0], "b": [5.5, 6.5]})
    table = tables.read_table(X, "auto")
    seen = BaseEstimator()
    tables.validate_frame(table.frame, seen, "handle", fitting=True)
    new = pd.DataFrame({"b": [7.5], "other": ["?"], "a": [3.0]})
    matched = tables.match_table(new, table.frame.schema, seen, "handle")
    np.testing.assert_array_equal(matched, [[3.0, 7.5]])


@pytest.mark.parametrize(
    ("X", "advice"),
    [
        ("data.csv", "'data.csv'; read the file first, for example with pandas.read_csv"),
        ({"x": [1, 2]}, "make it a data frame first, for example with pandas.DataFrame"),
        (None, "got None; pass an array or a data frame"),
        (np.int64(5), "pass an array or a data frame, and other arguments by name"),
    ],
)
def test_what_is_not_a_table_is_refused_with_advice(X, advice):
    seen = fitted_on(np.eye(3))
    for read in (
        lambda: tables.read_table(X, "auto"),
        lambda: tables.match_table(X, None, seen, "handle"),
    ):
        with pytest.raises(TypeError, match=r"^X: must be a table, got .*") as error:
            read()
        assert advice in str(error.value)


@pytest.mark.parametrize("rows", [{1.0, 2.0}, (row for row in np.eye(3))])
def test_sets_and_generators_are_no_tables(rows):
    with pytest.raises(TypeError, match=r"^X: must be a table, got .*numpy\.array\(list\(X\)\)"):
        tables.read_table(rows, "auto")


@pytest.mark.parametrize("dtype", [float, np.float32, int, object])
def test_masked_values_are_missing(dtype):
    X = np.ma.masked_equal(np.arange(6).reshape(3, 2).astype(dtype), 3)
    values = tables.validate_array(X, BaseEstimator(), "handle", fitting=True)
    np.testing.assert_array_equal(values, [[0, 1], [2, np.nan], [4, 5]])
    with pytest.raises(ValueError, match="X: column 1 contains NaN, a missing value, in row 1"):
        tables.validate_array(X, BaseEstimator(), "error", fitting=True)
    if dtype is not object:
        declared = tables.read_table(X, {0: "number"}).frame
        np.testing.assert_array_equal(declared.values, values)


def test_a_masked_date_is_missing():
    days = np.ma.array([["2020-01-01"], ["2020-01-03"]], dtype="M8[D]", mask=[[False], [True]])
    values = tables.validate_array(days, BaseEstimator(), "handle", fitting=True)
    np.testing.assert_array_equal(values, [[18262], [np.nan]])


@pytest.mark.parametrize("kind", ["M8", "m8"])
def test_dates_in_an_array_count_in_days_in_any_unit(kind):
    """Their numbers depend on the unit, and a missing one would be the smallest integer."""
    hours = np.array([[0, 36], [24, 48]]).astype(f"{kind}[h]")
    seen = fitted_on(hours)
    for unit in ("m", "s", "ns"):
        rows = hours.astype(f"{kind}[{unit}]")
        rows[0, 0] = "NaT"
        matched = tables.match_table(rows, None, seen, "handle")
        np.testing.assert_array_equal(matched, [[np.nan, 1.5], [1, 2]])


def test_objects_that_are_no_numbers_are_named():
    with pytest.raises(ValueError, match=r"^X: has integers too large for float64; rescale"):
        tables.validate_array([[10**400, 1], [2, 3]], BaseEstimator(), "handle", fitting=True)
    X = np.array([[1, 2], [pd.NA, 3]], dtype=object)
    with pytest.raises(TypeError, match=r"^X: column 0 contains <NA> in row 1; mark missing"):
        tables.validate_array(X, BaseEstimator(), "handle", fitting=True)
    X[1, 0] = np.inf
    with pytest.raises(ValueError, match=r"^X: column 0 contains infinity in row 1; mark missing"):
        tables.validate_array(X, BaseEstimator(), "handle", fitting=True)


@pytest.mark.parametrize("code", [-1.0, 0.5, 2.0, 1e18])
def test_codes_of_a_frame_are_those_of_its_levels(code):
    schema = Schema((Column("x"), Column("color", CATEGORY, ("blue", "red"))))
    values = np.array([[0.5, 0.0], [1.5, 1.0], [2.5, np.nan]])
    seen = BaseEstimator()
    tables.validate_array(values, seen, "handle", fitting=True)
    assert tables.read_table(Frame(values, schema), "auto") is not None
    values[1, 1] = code
    for make in (np.asarray, sp.csr_matrix):
        wrong = Frame(make(values), schema)
        with pytest.raises(ValueError, match=r"X: column 'color' .* codes from 0 to 1, got"):
            tables.read_table(wrong, "auto")
        with pytest.raises(ValueError, match=r"X: column 'color' .* codes from 0 to 1, got"):
            tables.match_table(wrong, schema, seen, "handle")


def test_the_parts_of_a_frame_fit_each_other():
    schema = Schema((Column("x"), Column("y")))
    with pytest.raises(TypeError, match="X: the values of a Frame must be numbers, got dtype obj"):
        tables.read_table(Frame(np.zeros((3, 2), dtype=object), schema), "auto")
    with pytest.raises(ValueError, match=r"X: the schema .* 2 columns, but .* have shape \(3, 1\)"):
        tables.read_table(Frame(np.zeros((3, 1)), schema), "auto")
    with pytest.raises(ValueError, match=r"X: the Frame has 3 rows, but 1 row name$"):
        tables.read_table(Frame(np.zeros((3, 2)), schema, np.array(["a"])), "auto")
