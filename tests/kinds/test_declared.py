"""The parameter column_kinds: what it accepts, what it says otherwise, and that it survives."""

import numpy as np
import pytest
from sklearn.base import clone

from urerf import URerF
from urerf.frames.arrays import read_array
from urerf.frames.dataframe import read_frame
from urerf.kinds.declared import declared_kinds, from_json, to_json
from urerf.schema import BOOLEAN, CATEGORY, DATETIME, ID, IGNORE, NUMBER, ORDINAL

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")

KINDS = {"size": ["S", "M", "L"], 0: "id", np.int64(3): "category", "day": "ignore"}
FRAME = pd.DataFrame(
    {
        "key": [3, 7, 5, 9],
        "size": ["M", "S", None, "M"],
        "day": pd.to_datetime(["2020-01-01", "2020-01-05", None, "2020-02-01"]),
        "code": [10, 20, 10, 30],
        "flag": ["yes", "no", "no", None],
        "text": ["1.5", "2", None, "7"],
    }
)


def column(kinds, name, frame=FRAME):
    table = read_frame(frame, kinds).frame
    i = table.schema.names.index(name)
    return table.schema.columns[i], table.values[:, i]


def test_names_and_positions():
    columns = {column.name: column for column in read_frame(FRAME, KINDS).frame.schema.columns}
    assert columns["key"].kind == ID
    assert columns["key"].reason == "declared"
    assert columns["size"].kind == ORDINAL
    assert columns["size"].levels == ("S", "M", "L")
    assert columns["day"].kind == IGNORE
    assert columns["code"].levels == ("10", "20", "30")


def test_levels_define_the_codes():
    _, values = column({"size": ("S", "M", "L")}, "size")
    np.testing.assert_array_equal(values, [1, 0, np.nan, 1])


@pytest.mark.parametrize("levels", [[30, 20, 10], np.array([30, 20, 10]), (30.0, 20.0, 10.0)])
def test_levels_may_be_numbers(levels):
    found, values = column({"code": levels}, "code")
    assert found.levels == ("30", "20", "10")
    np.testing.assert_array_equal(values, [2, 1, 2, 0])


def test_levels_that_do_not_occur_are_allowed():
    found, _ = column({"size": ["XS", "S", "M", "L"]}, "size")
    assert found.levels == ("XS", "S", "M", "L")


@pytest.mark.parametrize(
    ("kinds", "name", "kind", "values"),
    [
        ({"text": "number"}, "text", NUMBER, [1.5, 2, np.nan, 7]),
        ({"flag": "boolean"}, "flag", BOOLEAN, [1, 0, 0, np.nan]),
        ({"code": "ordinal"}, "code", ORDINAL, [10, 20, 10, 30]),
        ({"code": "category"}, "code", CATEGORY, [0, 1, 0, 2]),
        ({"day": "category"}, "day", CATEGORY, [0, 1, np.nan, 2]),
        ({"day": "datetime"}, "day", DATETIME, [18262, 18266, np.nan, 18293]),
        ({"key": "ignore"}, "key", IGNORE, [np.nan] * 4),
    ],
)
def test_declared_kinds(kinds, name, kind, values):
    found, numbers = column(kinds, name)
    assert found.kind == kind
    np.testing.assert_array_equal(numbers, values)


def test_a_declared_column_is_kept_whatever_it_looks_like():
    counting = pd.DataFrame({"n": range(50), "x": [1.0] * 50})
    assert read_frame(counting, {"n": "number"}).frame.schema.is_feature == [True, False]
    assert read_frame(counting, {"x": "number"}).frame.schema.is_feature == [False, True]


@pytest.mark.parametrize("kind", ["id", "ignore"])
def test_a_column_that_is_not_used_may_hold_anything(kind):
    frame = FRAME.assign(lists=[[1], [2], [3], [4]])
    assert column({"lists": kind}, "lists", frame)[0].kind == kind


def test_an_enum_is_a_category_unless_it_is_declared():
    sizes = pl.Series(["M", "S", None, "M"], dtype=pl.Enum(["S", "M", "L"]))
    frame = pl.DataFrame({"size": sizes, "x": [1.0, 2.0, 4.0, 3.0]})
    assert column("auto", "size", frame)[0].levels == ("M", "S")
    found, values = column({"size": "ordinal"}, "size", frame)
    assert found.levels == ("S", "M", "L")
    np.testing.assert_array_equal(values, [1, 0, np.nan, 1])


@pytest.mark.parametrize(
    ("kinds", "message"),
    [
        ({"sise": "category"}, "column_kinds: X has no column 'sise'; did you mean 'size'?"),
        ({6: "category"}, "column_kinds: position 6 is out of range; X has 6 columns"),
        ({-1: "category"}, "column_kinds: position -1 is out of range"),
        ({"size": "categories"}, "column_kinds: the kind of 'size' must be one of 'number', "),
        ({"size": ["S", "S"]}, "column_kinds: the levels of 'size' must be a list of different"),
        ({"size": []}, "column_kinds: the levels of 'size' must be a list of different"),
        ({"size": "category", 1: "id"}, "column_kinds: column 'size' is declared twice"),
        ({"size": ["S", "L"]}, "column 'size': the order of its levels does not contain 'M'"),
        ({"size": "ordinal"}, "column 'size': an ordinal of text needs the order of its levels"),
        ({"size": "number"}, "column 'size': has text that is not a number: 'M', 'S'"),
        ({"code": "boolean"}, "column 'code': has values that are neither true nor false: '10'"),
        ({"text": "datetime"}, "column 'text': has values that are not dates"),
    ],
)
def test_wrong_values_are_named(kinds, message):
    with pytest.raises(ValueError) as error:
        URerF(n_estimators=2, column_kinds=kinds).fit(FRAME)
    assert message in str(error.value)


@pytest.mark.parametrize(
    "kinds", [None, "category", ["id"], 3, {1.5: "id"}, {"a": 1}, {None: "id"}]
)
def test_wrong_types(kinds):
    with pytest.raises(TypeError, match=r"^column_kinds: "):
        URerF(n_estimators=2, column_kinds=kinds).fit(FRAME)


def test_parameter_survives_clone_and_files(tmp_path):
    model = URerF.paper(n_estimators=2, min_samples_split=2, missing="handle", column_kinds=KINDS)
    model.set_params(n_neighbors=1)
    assert clone(model).get_params()["column_kinds"] == KINDS
    model.fit(FRAME).save(tmp_path / "model")
    loaded = URerF.load(tmp_path / "model")
    assert loaded.column_kinds == KINDS
    assert loaded.schema_ == model.schema_
    assert clone(loaded).fit(FRAME).schema_ == model.schema_


@pytest.mark.parametrize("stored", [3, None, [1], [["a"]], {"a": "id"}])
def test_a_file_with_something_else_is_refused(stored):
    with pytest.raises(ValueError, match="column_kinds"):
        from_json(stored)


def test_levels_are_stored_as_text():
    assert from_json(to_json({0: (1, 2.5)})) == {0: ["1", "2.5"]}
    assert declared_kinds({0: (1, 2.5)}, ["a"]) == {0: ("1", "2.5")}


# -- arrays --------------------------------------------------------------------------------------


def test_categories_of_an_array_are_coded_by_first_appearance():
    X = np.array([[0.5, 7.0, 1.0], [1.5, np.nan, 2.0], [0.5, 2.5, 3.0], [9.0, 7.0, 4.0]])
    table = read_array(X, {1: "category", 2: "ignore"})
    assert not table.has_names
    assert table.frame.schema.names == ["x0", "x1", "x2"]
    assert table.frame.schema.columns[1].levels == ("7", "2.5")
    np.testing.assert_array_equal(table.frame.values[:, 1], [0, np.nan, 1, 0])
    assert np.isnan(table.frame.values[:, 2]).all()


def test_columns_of_an_array_are_never_left_out():
    X = np.column_stack([np.arange(50.0), np.ones(50), np.arange(50) % 3])
    assert read_array(X, {2: "category"}).frame.schema.is_feature == [True, True, True]


def test_arrays_of_objects():
    X = np.array([["red", 1.0], ["blue", 2.0], [None, 4.0], ["red", 3.0]], dtype=object)
    model = URerF(n_estimators=2, n_neighbors=1, column_kinds={0: "category"}).fit(X)
    assert model.schema_.columns[0].levels == ("red", "blue")
    assert model.n_features_in_ == 2
    assert not hasattr(model, "feature_names_in_")
    frame = pd.DataFrame({"color": X[:, 0], "x": X[:, 1].astype(float)})
    np.testing.assert_array_equal(
        read_array(X, {0: "category"}).frame.values, read_frame(frame).frame.values
    )
    with pytest.raises(ValueError, match=r"^X: column 'x0': has text that is not a number: 'red'"):
        URerF(n_estimators=2, column_kinds={1: "number"}).fit(X)


def test_an_array_has_no_names():
    with pytest.raises(ValueError, match="column_kinds: an array has no column names, got 'x0'"):
        URerF(n_estimators=2, column_kinds={"x0": "category"}).fit(np.eye(4))


def test_sparse_matrices_have_numbers_and_columns_to_ignore():
    sp = pytest.importorskip("scipy.sparse")
    X = np.random.default_rng(0).normal(size=(40, 4)) ** 2
    settings = {"n_estimators": 5, "random_state": 0, "n_neighbors": 3}
    kinds = {1: "ignore", 3: "number"}
    dense = URerF(column_kinds=kinds, **settings).fit(X)
    sparse = URerF(column_kinds=kinds, **settings).fit(sp.csr_matrix(X))
    np.testing.assert_array_equal(sparse.kneighbors()[1], dense.kneighbors()[1])
    without = URerF(**settings).fit(X[:, [0, 2, 3]])
    np.testing.assert_array_equal(without.kneighbors()[1], dense.kneighbors()[1])
    with pytest.raises(ValueError, match="column_kinds: column 0 of a sparse matrix must be"):
        URerF(column_kinds={0: "category"}).fit(sp.csr_matrix(X))


def test_a_sparse_query_is_coded_as_a_dense_one():
    sp = pytest.importorskip("scipy.sparse")
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=40), rng.integers(0, 4, 40) * 10.0])
    model = URerF(n_estimators=5, n_neighbors=3, column_kinds={1: "category"}).fit(X)
    np.testing.assert_array_equal(model.kneighbors(sp.csr_matrix(X))[1], model.kneighbors(X)[1])
    words = URerF(n_estimators=5, column_kinds={1: "category"}).fit(
        np.array([[0.5, "a"], [1.5, "b"], [0.7, "a"]], dtype=object)
    )
    with pytest.raises(ValueError, match="X: column 'x1': holds numbers; the model was fitted on"):
        words.kneighbors(sp.csr_matrix(np.ones((2, 2))), n_neighbors=1)


def test_a_query_of_an_array_is_coded_as_the_fitted_one():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=40), rng.integers(0, 4, 40) * 10.0])
    model = URerF(n_estimators=5, n_neighbors=3, column_kinds={1: "category"}).fit(X)
    np.testing.assert_array_equal(model.kneighbors(X[::-1])[1][:, 0], np.arange(40)[::-1])
    new = model._values(np.array([[0.0, 999.0], [1.0, np.nan], [2.0, X[0, 1]]]))
    np.testing.assert_array_equal(new, [[0, np.nan], [1, np.nan], [2, 0]])
    with pytest.raises(ValueError, match="X has 3 features, but URerF is expecting 2 features"):
        model.kneighbors(np.ones((2, 3)))


def test_a_number_that_is_a_position_and_another_name_is_refused():
    """Data frames may have numbers as names, such as years, in any order."""
    names = ["2", "0", "1"]
    for key in (0, 1, 2):
        with pytest.raises(ValueError, match=f"column_kinds: {key} may be .* such as '{key}'"):
            declared_kinds({key: "id"}, names)
    assert declared_kinds({"0": "id"}, names) == {1: "id"}
    assert declared_kinds({0: "id"}, ["0", "1"]) == {0: "id"}
    with pytest.raises(ValueError, match=r"column_kinds: 2020 may be .* such as '2020'"):
        declared_kinds({2020: "id"}, ["2019", "2020"])


def test_names_of_several_levels_are_text():
    with pytest.raises(TypeError, match=r"""names are text, such as "\('a', 1\)"$"""):
        URerF(column_kinds={("a", 1): "id"}).fit(np.eye(4))
