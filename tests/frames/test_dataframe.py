"""URerF on data frames: the same result for all libraries, and queries by name."""

import datetime as dt
import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from urerf import URerF
from urerf.cli import app
from urerf.frames.dataframe import match_frame, read_frame
from urerf.schema import Column, Frame, Schema

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")
csv = pytest.importorskip("pyarrow.csv")

FEW = {"n_estimators": 10, "n_neighbors": 5, "random_state": 0}
N = 80
LIBRARIES = {
    "pandas": lambda frame: frame,
    "pandas nullable": lambda frame: frame.convert_dtypes(),
    "pandas arrow": lambda frame: frame.convert_dtypes(dtype_backend="pyarrow"),
    "polars": pl.from_pandas,
    "arrow": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
}
in_all_libraries = pytest.mark.parametrize("to", LIBRARIES.values(), ids=list(LIBRARIES))


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    t = rng.uniform(size=N)
    color = np.array(["red", "green", "blue"], dtype=object)[(3 * t).astype(int)]
    color[5] = None
    return pd.DataFrame(
        {
            "rownames": np.arange(1, N + 1),
            "x": np.sin(6 * t),
            "count": (20 * t).astype(int),
            "color": color,
            "day": pd.Timestamp("2020-01-01") + pd.to_timedelta((300 * t).astype(int), unit="D"),
            "flag": t > 0.5,
            "noise": np.where(rng.uniform(size=N) < 0.1, np.nan, rng.normal(size=N)),
            "unit": "mm",
        }
    )


@pytest.fixture(scope="module")
def model(frame):
    return URerF(**FEW).fit(frame)


def assert_same(one, other):
    for a, b in zip(one, other, strict=True):
        np.testing.assert_array_equal(a, b)


# -- fit -----------------------------------------------------------------------------------------


def test_schema_says_what_every_column_is(model):
    assert [(column.name, column.kind) for column in model.schema_.columns] == [
        ("rownames", "id"),
        ("x", "number"),
        ("count", "number"),
        ("color", "category"),
        ("day", "datetime"),
        ("flag", "boolean"),
        ("noise", "number"),
        ("unit", "ignore"),
    ]
    assert model.schema_.columns[0].reason == "counts rows: 1, 2, 3, ..."
    assert model.schema_.columns[-1].reason == "constant"
    assert set(model.schema_.columns[3].levels) == {"red", "green", "blue"}


def test_scikit_learn_sees_all_columns(model, frame):
    assert list(model.feature_names_in_) == list(frame.columns)
    assert model.feature_names_in_.dtype == object
    assert model.n_features_in_ == 8
    assert model.feature_relevance_.shape == (8,)
    assert model.feature_relevance_[[0, 7]].tolist() == [0, 0]


@in_all_libraries
def test_all_libraries_give_the_same_bits(model, frame, to):
    other = URerF(**FEW).fit(to(frame))
    assert other.schema_ == model.schema_
    assert_same(other.kneighbors(), model.kneighbors())
    assert_same(other.kneighbors(to(frame)), model.kneighbors(frame))


@pytest.mark.parametrize("weighting", ["relevance", "uniform"])
def test_columns_that_are_not_used_change_nothing(frame, weighting):
    features = frame.drop(columns=["rownames", "unit"])
    one = URerF(feature_weighting=weighting, **FEW).fit(frame)
    other = URerF(feature_weighting=weighting, **FEW).fit(features)
    assert_same(one.kneighbors(), other.kneighbors())
    np.testing.assert_array_equal(one.feature_weights_[1:-1], other.feature_weights_)
    if weighting == "relevance":
        np.testing.assert_array_equal(one.relevance_.pairs - 1, other.relevance_.pairs)
        assert one.relevance_.message == other.relevance_.message
        partner = one.relevance_.partner[1:-1]
        np.testing.assert_array_equal(
            np.where(partner < 0, -1, partner - 1), other.relevance_.partner
        )


def test_the_index_of_a_frame_plays_no_role(model, frame):
    shuffled = frame.set_index(np.arange(N)[::-1] * 2)
    other = URerF(**FEW).fit(shuffled)
    assert_same(other.kneighbors(), model.kneighbors())
    assert other.kneighbors(shuffled)[1].max() < N


@in_all_libraries
def test_numbers_in_a_frame_are_the_same_as_in_an_array(to):
    X = np.random.default_rng(0).normal(size=(50, 3))
    X[3, 1] = np.nan
    frame = to(pd.DataFrame(X, columns=["a", "b", "c"]))
    assert_same(URerF(**FEW).fit(frame).kneighbors(), URerF(**FEW).fit(X).kneighbors())


def test_verbose_says_which_columns_are_not_used(frame, capsys):
    URerF(**FEW).fit(frame)
    assert "Not used" not in capsys.readouterr().err
    URerF(verbose=1, **FEW).fit(frame)
    captured = capsys.readouterr()
    assert captured.out == ""
    line = next(line for line in captured.err.splitlines() if "Not used" in line)
    assert "rownames (counts rows: 1, 2, 3, ...;" in line
    assert "unit (constant)" in line


def test_labels_that_are_not_text(frame):
    numbered = frame.set_axis(range(8), axis=1)
    model = URerF(**FEW).fit(numbered)
    assert not hasattr(model, "feature_names_in_")
    assert model.schema_.names == list("01234567")
    assert_same(model.kneighbors(numbered), model.kneighbors(numbered[[6, 5, 4, 3, 2, 1]]))


def test_frames_of_sparse_columns():
    X = np.random.default_rng(0).poisson(0.5, size=(50, 4)).astype(float)
    frame = pd.DataFrame(X, columns=list("abcd"))
    expected = URerF(**FEW).fit(X)
    all_sparse = frame.astype(pd.SparseDtype(float, fill_value=0))
    one_sparse = frame.astype({"a": pd.SparseDtype(float, fill_value=0)})
    for sparse in (all_sparse, one_sparse):
        model = URerF(**FEW).fit(sparse)
        assert_same(model.kneighbors(), expected.kneighbors())
        assert_same(model.kneighbors(frame), expected.kneighbors(X))
        assert list(model.feature_names_in_) == list("abcd")


def test_a_frame_with_kinds_of_its_own_takes_no_others(model):
    frame = Frame(np.random.default_rng(0).normal(size=(30, 1)), Schema((Column("a"),)))
    with pytest.raises(ValueError, match="column_kinds: must be 'auto' if X is a Frame"):
        URerF(column_kinds={"a": "number"}).fit(frame)


@pytest.mark.parametrize(
    ("X", "error", "message"),
    [
        (pd.DataFrame({"a": [], "b": []}), ValueError, "at least 2 rows and 1 column, got 0 and 2"),
        (pd.DataFrame(index=[1, 2]), ValueError, "at least 2 rows and 1 column, got 2 and 0"),
        (pl.DataFrame({"a": [1.0]}), ValueError, "at least 2 rows and 1 column, got 1 and 1"),
        (pl.LazyFrame({"a": [1.0, 2.0]}), TypeError, "is a lazy frame; call its collect"),
        (
            pd.DataFrame({"a": [1, 1], "b": "x"}),
            ValueError,
            "no column is left to use",
        ),
        (pd.DataFrame([[1, 2]] * 3, columns=["a", "a"]), ValueError, "has 2 columns named 'a'"),
        (pd.DataFrame({"a": [1.0, np.inf]}), ValueError, "column 'a' contains infinity in row 1"),
        (pd.DataFrame({"a": [1.0, 2], "b": [1, "x"]}), ValueError, "column 'b': .* such as 1 and"),
        (pd.DataFrame([[1, 2]] * 3, columns=["a", 1]), TypeError, "Feature names must all be text"),
        (
            pa.table([pa.array([1, 2]), pa.array([1, 2])], names=["a", "a"]),
            ValueError,
            "has 2 columns named 'a'",
        ),
    ],
)
def test_frames_that_cannot_be_fitted(X, error, message):
    with pytest.raises(error, match=rf"^X: .*{message}"):
        URerF(**FEW).fit(X)


def test_a_failed_fit_changes_nothing(model, frame):
    before = model.schema_
    with pytest.raises(ValueError, match="column 'bad'"):
        model.fit(frame.assign(bad=[[1]] * N))
    assert model.schema_ is before
    assert model.n_features_in_ == 8


def test_missing_values_may_be_refused():
    frame = pd.DataFrame({"n": np.arange(30), "a": np.arange(30) ** 2.0, "b": ["u", "v", "w"] * 10})
    settings = {**FEW, "missing": "error"}
    model = URerF(**settings).fit(frame)
    assert model.schema_.columns[0].kind == "id"  # its values are not read
    with pytest.raises(ValueError, match=r"X: column 'a' contains NaN, .* in row 3; use missing="):
        URerF(**settings).fit(frame.assign(a=frame["a"].mask(frame["n"] == 3)))
    with pytest.raises(ValueError, match=r"X: column 'b' contains NaN, .* unknown level, in row 0"):
        model.kneighbors(frame.assign(b="x"))


def test_warm_start_on_a_frame(frame):
    grown = URerF(**{**FEW, "n_estimators": 4}, warm_start=True).fit(frame)
    grown.set_params(n_estimators=10).fit(frame)
    assert_same(grown.kneighbors(), URerF(**FEW).fit(frame).kneighbors())


# -- queries -------------------------------------------------------------------------------------


@in_all_libraries
def test_columns_are_found_by_name(model, frame, to):
    expected = model.kneighbors(frame)
    np.testing.assert_array_equal(expected[1][:, 0], np.arange(N))
    used = ["noise", "day", "x", "flag", "color", "count"]
    assert_same(model.kneighbors(to(frame[used])), expected)
    assert_same(model.kneighbors(to(frame.assign(other="?")[[*used, "other"]])), expected)
    for method in (model.apply, model.transform, model.kneighbors_graph, model.proximity):
        one = method(to(frame[used]))
        other = method(frame)
        same = one != other
        assert (same.nnz if hasattr(same, "nnz") else same.sum()) == 0


def test_missing_columns_are_named(model, frame):
    with pytest.raises(
        ValueError, match="X: column 'day' of the fitted table is missing; X has 'r"
    ):
        model.kneighbors(frame.drop(columns="day"))
    with pytest.raises(ValueError, match=r"^X: columns 'x', 'day' of the fitted table are missing"):
        model.kneighbors(frame.drop(columns=["x", "day"]))
    with pytest.raises(ValueError, match="X: has 2 columns named 'x'"):
        model.kneighbors(pd.concat([frame, frame[["x"]]], axis=1))


@in_all_libraries
def test_unseen_levels_are_missing(model, frame, to):
    new = frame.assign(color=frame["color"].replace("red", "mauve"))
    empty = frame.assign(color=frame["color"].replace("red", None))
    position = model.schema_.names.index("color")
    values = match_frame(to(new), model.schema_)
    assert np.isnan(values[frame["color"] == "red", position]).all()
    np.testing.assert_array_equal(values, match_frame(to(empty), model.schema_))
    assert_same(model.kneighbors(to(new)), model.kneighbors(to(empty)))


@in_all_libraries
def test_a_part_of_the_levels_has_the_codes_of_the_model(model, frame, to):
    part = frame.iloc[30:40].assign(color=frame["color"].iloc[30:40].astype("category"))
    expected = match_frame(frame, model.schema_)[30:40]
    np.testing.assert_array_equal(match_frame(to(part), model.schema_), expected)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"x": "high"}, "column 'x': has text that is not a number: 'high'"),
        ({"color": 3}, "column 'color': holds numbers; the model was fitted on levels such as '"),
        ({"day": 3}, "column 'day': has values that are not dates"),
        ({"day": "soon"}, "column 'day': has values that are not dates"),
        ({"day": "26:05"}, "column 'day': holds durations; the model was fitted on dates"),
        ({"x": pd.Timestamp("2020")}, "column 'x': holds dates; the model was fitted on numbers"),
        ({"flag": "maybe"}, "column 'flag': has values that are neither true nor false: 'maybe'"),
        ({"count": np.inf}, "column 'count' contains infinity"),
    ],
)
def test_columns_of_another_type_are_refused(model, frame, change, message):
    with pytest.raises(ValueError) as error:
        model.kneighbors(frame.assign(**change))
    assert message in str(error.value)


def test_dates_are_no_durations():
    waits = [f"{i % 30}:{i % 7}0:00" for i in range(60) if i % 7 < 6]
    waits = pd.DataFrame({"wait": waits, "x": np.arange(len(waits)) ** 2 % 17})
    model = URerF(**FEW).fit(waits)
    assert model.kneighbors(waits.assign(wait=None))[1].shape == (len(waits), 5)
    for dates in ("2024-05-01", pd.Timestamp("2024-05-01")):
        with pytest.raises(ValueError, match="'wait': holds dates; the model was fitted on durat"):
            model.kneighbors(waits.assign(wait=dates))


def test_a_query_without_columns_is_told_what_is_missing():
    model = URerF(**FEW).fit(pd.DataFrame({"x": np.arange(60) ** 2 % 17}))
    with pytest.raises(ValueError, match="is missing; X has no columns"):
        model.kneighbors(pd.DataFrame())


def test_a_number_that_the_model_knows_as_a_text_with_zeros_is_refused():
    """pandas reads the codes of a file as numbers, unless it is told that they are text."""
    codes = np.array(["02138", "94110", "10001"], dtype=object)[np.arange(60) % 3]
    text = pd.DataFrame({"zip": codes, "x": np.arange(60) ** 2 % 17, "y": np.arange(60) % 7})
    model = URerF(**FEW).fit(text)
    as_numbers = text.assign(zip=text["zip"].astype(int))
    with pytest.raises(ValueError, match="X: column 'zip': holds the number 2138; the model was"):
        model.kneighbors(as_numbers)
    known = as_numbers[as_numbers["zip"] != 2138]
    assert_same(model.kneighbors(known), model.kneighbors(text[text["zip"] != "02138"]))


def test_types_that_mean_the_same_are_accepted(model, frame):
    expected = model.kneighbors(frame)
    changed = frame.assign(
        count=frame["count"].astype(str),
        flag=frame["flag"].astype(int),
        day=frame["day"].dt.strftime("%Y-%m-%d"),
        color=frame["color"].astype("category"),
    )
    assert_same(model.kneighbors(changed), expected)


def test_a_column_may_be_empty_in_a_query(model, frame):
    empty = frame.head(3).assign(x=None, color=None, day=None)
    assert model.kneighbors(empty)[1].shape == (3, 5)


def test_arrays_on_a_model_of_numbers():
    X = np.random.default_rng(0).normal(size=(50, 3))
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(n=np.arange(50))
    model = URerF(**FEW).fit(frame)
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        found = model.kneighbors(frame.to_numpy())
    assert_same(found, model.kneighbors(frame))


def test_arrays_on_a_model_with_categories(model, frame):
    assert_same(model.kneighbors(frame.to_numpy(dtype=object)), model.kneighbors(frame))
    with pytest.raises(ValueError, match="X: column 'color': holds numbers; the model was fitted"):
        model.kneighbors(np.ones((3, 8)))


def test_frames_on_a_model_of_an_array(frame):
    X = frame[["x", "count"]]
    model = URerF(**FEW).fit(X.to_numpy())
    with pytest.warns(UserWarning, match="X has feature names, but URerF was fitted without"):
        model.kneighbors(X)


def test_a_model_file_keeps_the_schema(model, frame, tmp_path):
    model.save(tmp_path / "model")
    loaded = URerF.load(tmp_path / "model")
    assert loaded.schema_ == model.schema_
    assert_same(loaded.kneighbors(frame[frame.columns[::-1]]), model.kneighbors(frame))


# -- hostile tables ------------------------------------------------------------------------------

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
CELLS = {
    "number": st.floats(-1e6, 1e6),
    "whole": st.integers(-9, 9),
    "text": TEXT,
    "flag": st.booleans(),
    "day": st.dates(dt.date(1700, 1, 1), dt.date(2200, 1, 1)),
    "time": st.datetimes(dt.datetime(1700, 1, 1), dt.datetime(2200, 1, 1)),
}


@st.composite
def tables(draw):
    n = draw(st.integers(2, 30))
    names = draw(st.lists(TEXT, min_size=1, max_size=4, unique=True))
    columns = {}
    for name in names:
        cells = st.one_of(st.none(), CELLS[draw(st.sampled_from(sorted(CELLS)))])
        columns[name] = draw(st.lists(cells, min_size=n, max_size=n))
    return columns


@given(tables())
@settings(max_examples=100, deadline=None)
def test_any_table_is_the_same_in_all_libraries(columns):
    columns["used"] = [0.5 * (-1) ** i for i in range(len(next(iter(columns.values()))))]
    expected = read_frame(pd.DataFrame(columns)).frame
    for library in (pd.DataFrame, pl.DataFrame, pa.table):
        frame = read_frame(library(columns)).frame
        assert frame.schema == expected.schema
        np.testing.assert_array_equal(frame.values, expected.values)
        matched = match_frame(library(columns), expected.schema)
        np.testing.assert_array_equal(matched, expected.values)


@given(st.lists(st.sampled_from("abcde"), min_size=10, max_size=40), st.permutations("vwxyz"))
def test_other_names_of_levels_give_the_same_codes(cells, names):
    renamed = [names["abcde".index(cell)] for cell in cells]
    kinds = {"c": "category"}
    one = read_frame(pd.DataFrame({"c": cells}), kinds).frame.values
    other = read_frame(pl.DataFrame({"c": renamed}), kinds).frame.values
    np.testing.assert_array_equal(one, other)


def test_new_dates_are_read_as_the_fitted_ones():
    days = [f"{day}/1/2020" for day in range(2, 30)]
    fitted = read_frame(pd.DataFrame({"day": days, "x": np.linspace(0, 1, 28) ** 2})).frame
    assert fitted.schema.columns[0].day_first
    new = pd.DataFrame({"day": ["2/1/2020", "3/1/2020"], "x": [0.5, 0.7]})
    schema = Schema.from_json(fitted.schema.to_json())
    np.testing.assert_array_equal(match_frame(new, schema)[:, 0], fitted.values[:2, 0])


# -- the command line ----------------------------------------------------------------------------


@pytest.fixture
def files(frame, tmp_path):
    """Return a CSV file of the frame, and one of new rows: reordered, with unknown levels."""
    new = frame[frame.columns[::-1]].iloc[20:40]
    new = new.assign(color=new["color"].replace("red", "mauve"), x=new["x"].round(1))
    frame.to_csv(tmp_path / "fitted.csv", index=False)
    new.to_csv(tmp_path / "new.csv", index=False)
    return tmp_path / "fitted.csv", tmp_path / "new.csv"


def assert_command_gives(neighbors, *arguments):
    """Assert that a command prints these neighbors; it prints six digits of their distances."""
    result = CliRunner().invoke(app, [*map(str, arguments), "-k", "5", "--jobs", "1"])
    assert result.exit_code == 0, result.output
    table = pd.read_csv(io.StringIO(result.stdout))
    distances, ids = neighbors
    np.testing.assert_array_equal(table["neighbor"], ids.ravel())
    np.testing.assert_allclose(table["distance"], distances.ravel(), rtol=1e-5)


def test_the_command_line_gives_the_same(frame, files, tmp_path):
    fitted, new = files
    options = ["--trees", "10", "--seed", "0"]
    saved = tmp_path / "model.urerf"
    CliRunner().invoke(app, ["fit", str(fitted), "-o", str(saved), *options])
    for read in (pd.read_csv, lambda path: pl.read_csv(path, try_parse_dates=True), csv.read_csv):
        model = URerF(**FEW).fit(read(fitted))
        assert model.schema_ == URerF.load(saved).schema_
        assert_command_gives(model.kneighbors(), "neighbors", fitted, *options)
        assert_command_gives(model.kneighbors(read(new)), "query", saved, new)
        loaded = URerF.load(saved)
        assert_same(loaded.kneighbors(read(new), 5), model.kneighbors(read(new)))


def test_declared_kinds_are_the_same_on_the_command_line(frame, files, tmp_path):
    kinds = {"color": ["red", "green", "blue"], "count": "category", "rownames": "number"}
    options = ["--ordinal", "color=red,green,blue", "--categorical", "count"]
    options += ["--number", "rownames", "--trees", "10", "--seed", "0"]
    model = URerF(column_kinds=kinds, **FEW).fit(frame)
    assert_command_gives(model.kneighbors(), "neighbors", files[0], *options)
