"""Columns of pandas, polars and Arrow with the same values give the same arrays."""

import datetime as dt
from decimal import Decimal

import narwhals.stable.v2 as nw
import numpy as np
import pytest

from urerf.frames.series import read_series
from urerf.schema import BOOLEAN, CATEGORY, DATETIME, NUMBER, ORDINAL

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")

NAN = float("nan")
NOON = dt.datetime(1970, 1, 2, 12)
BERLIN = pd.Timestamp("1970-01-02 13:00", tz="Europe/Berlin")  # noon in universal time


def read(native):
    return read_series(nw.from_native(native, series_only=True))


def arrow(values, dtype=None):
    return pa.chunked_array([pa.array(values, dtype)])


def in_pandas(values, dtype):
    return pd.Series(values, dtype=pd.ArrowDtype(dtype))


NUMBERS = {
    "pandas int8": pd.Series([1, 2, 5], dtype="int8"),
    "pandas uint64": pd.Series([1, 2, 5], dtype="uint64"),
    "pandas float16": pd.Series([1, 2, 5], dtype="float16"),
    "pandas objects": pd.Series([1, 2.0, 5], dtype=object),
    "pandas decimals": pd.Series([Decimal(1), Decimal(2), Decimal(5)]),
    "pandas sparse": pd.Series(pd.arrays.SparseArray([1.0, 2.0, 5.0])),
    "polars int": pl.Series([1, 2, 5]),
    "polars int128": pl.Series([1, 2, 5], dtype=pl.Int128),
    "polars decimals": pl.Series([Decimal(1), Decimal(2), Decimal(5)]),
    "arrow half floats": arrow(np.array([1, 2, 5], dtype=np.float16)),
    "arrow decimals": arrow([Decimal(1), Decimal(2), Decimal(5)]),
}
NUMBERS_WITH_GAPS = {
    "pandas float32": pd.Series([1, None, 5], dtype="float32"),
    "pandas Int64": pd.Series([1, None, 5], dtype="Int64"),
    "pandas Float32": pd.Series([1, None, 5], dtype="Float32"),
    "pandas objects": pd.Series([1, None, 5], dtype=object),
    "pandas decimals": pd.Series([Decimal(1), None, Decimal(5)]),
    "arrow in pandas": in_pandas([1, None, 5], pa.int32()),
    "arrow decimals in pandas": in_pandas([1, None, 5], pa.decimal128(5, 2)),
    "polars": pl.Series([1, None, 5]),
    "polars decimals": pl.Series([Decimal(1), None, Decimal(5)]),
    "arrow": arrow([1, None, 5]),
    "arrow decimals": arrow([Decimal(1), None, Decimal(5)]),
}
BOOLEANS = {
    "pandas boolean": pd.Series([True, None, False], dtype="boolean"),
    "pandas objects": pd.Series([True, None, False], dtype=object),
    "arrow in pandas": in_pandas([True, None, False], pa.bool_()),
    "polars": pl.Series([True, None, False]),
    "arrow": arrow([True, None, False]),
}
TEXTS = {
    "pandas objects": pd.Series(["b", None, "a", "b", ""], dtype=object),
    "pandas objects with NaN": pd.Series(["b", np.nan, "a", "b", ""], dtype=object),
    "pandas str": pd.Series(["b", None, "a", "b", " "], dtype="str"),
    "pandas string": pd.Series(["b", None, "a", "b", ""], dtype="string"),
    "pandas string[python]": pd.Series(["b", None, "a", "b", ""], dtype="string[python]"),
    "pandas categories": pd.Series(pd.Categorical(["b", None, "a", "b", ""])),
    "arrow in pandas": in_pandas(["b", None, "a", "b", ""], pa.large_string()),
    "arrow dictionary in pandas": in_pandas(
        ["b", None, "a", "b", ""], pa.dictionary(pa.int8(), pa.string())
    ),
    "polars": pl.Series(["b", None, "a", "b", ""]),
    "polars categories": pl.Series(["b", None, "a", "b", ""], dtype=pl.Categorical),
    "polars enum": pl.Series(["b", None, "a", "b", ""], dtype=pl.Enum(["", "a", "b"])),
    "arrow": arrow(["b", None, "a", "b", ""]),
    "arrow large": arrow(["b", None, "a", "b", ""], pa.large_string()),
    "arrow view": arrow(["b", None, "a", "b", ""], pa.string_view()),
    "arrow dictionary": arrow(["b", None, "a", "b", ""], pa.dictionary(pa.uint8(), pa.string())),
    "arrow dictionaries": pa.chunked_array(
        [pa.array(["b", None]).dictionary_encode(), pa.array(["a", "b", ""]).dictionary_encode()]
    ),
}
DATES = {
    "pandas us": pd.Series([NOON, None]).astype("datetime64[us]"),
    "pandas s": pd.Series([NOON, None]).astype("datetime64[s]"),
    "pandas ns": pd.Series([NOON, None]).astype("datetime64[ns]"),
    "pandas with zone": pd.Series([BERLIN, None]),
    "pandas objects": pd.Series([NOON, None], dtype=object),
    "pandas objects with zones": pd.Series([BERLIN, None], dtype=object),
    "arrow in pandas": in_pandas([NOON, None], pa.timestamp("ms")),
    "polars": pl.Series([NOON, None]),
    "polars with zone": pl.Series([BERLIN.to_pydatetime(), None]),
    "arrow": arrow([NOON, None]),
    "arrow with zone": arrow([BERLIN, None], pa.timestamp("us", "Europe/Berlin")),
}
DAY = dt.date(1970, 1, 3)
DAYS = {
    "pandas objects": pd.Series([DAY, None], dtype=object),
    "pandas periods": pd.Series(pd.PeriodIndex(["1970-01-03", None], freq="D")),
    "arrow in pandas": in_pandas([DAY, None], pa.date32()),
    "polars": pl.Series([DAY, None]),
    "arrow": arrow([DAY, None]),
    "arrow date64": arrow([DAY, None], pa.date64()),
}
HALF = dt.timedelta(hours=12)
DURATIONS = {
    "pandas": pd.Series([HALF, None]),
    "pandas objects": pd.Series([HALF, None], dtype=object),
    "arrow in pandas": in_pandas([HALF, None], pa.duration("ms")),
    "polars": pl.Series([HALF, None]),
    "arrow": arrow([HALF, None]),
}
EMPTY = {
    "pandas objects": pd.Series([None, None], dtype=object),
    "polars": pl.Series([None, None]),
    "arrow": arrow([None, None]),
}


def cases(table):
    return pytest.mark.parametrize("native", list(table.values()), ids=list(table))


def assert_reads(native, kind, values):
    found = read(native)
    assert found.kind == kind
    assert found.values.dtype == np.float64
    np.testing.assert_array_equal(found.values, values)


@cases(NUMBERS)
def test_numbers(native):
    assert_reads(native, NUMBER, [1, 2, 5])


@cases(NUMBERS_WITH_GAPS)
def test_numbers_with_missing_values(native):
    assert_reads(native, NUMBER, [1, NAN, 5])


@pytest.mark.parametrize("library", [pd.Series, pl.Series, arrow])
def test_integers_beyond_float64_are_rounded(library):
    assert_reads(library([2**60 + 1, 1]), NUMBER, [2.0**60, 1])


@cases(BOOLEANS)
def test_booleans(native):
    assert_reads(native, BOOLEAN, [1, NAN, 0])


@cases(TEXTS)
def test_text_and_categories(native):
    found = read(native)
    assert found.kind == CATEGORY
    assert not found.values.ordered
    levels = found.values.levels
    assert set(levels) == {"a", "b"}  # an empty cell is missing
    cells = [levels[code] if code >= 0 else None for code in found.values.codes]
    assert cells == ["b", None, "a", "b", None]


@cases(DATES)
def test_datetimes(native):
    assert_reads(native, DATETIME, [1.5, NAN])


@cases(DAYS)
def test_days(native):
    assert_reads(native, DATETIME, [2, NAN])


@cases(DURATIONS)
def test_durations_are_numbers_of_days(native):
    assert_reads(native, NUMBER, [0.5, NAN])


@cases(EMPTY)
def test_columns_without_any_value(native):
    assert_reads(native, NUMBER, [NAN, NAN])


@pytest.mark.parametrize(
    "native",
    [
        pd.Series(pd.Categorical(["mid", "low", None], ["low", "mid", "top"], ordered=True)),
        arrow(["mid", "low", None], pa.string())
        .dictionary_encode()
        .cast(pa.dictionary(pa.int32(), pa.string(), ordered=True)),
    ],
    ids=["pandas", "arrow"],
)
def test_ordered_categories_are_ordinals(native):
    found = read(native)
    assert found.kind == ORDINAL
    assert found.values.ordered
    assert found.values.codes[2] == -1


def test_levels_that_are_not_text():
    assert read(pd.Series(pd.Categorical([3.0, 0.5]))).values.levels == ("0.5", "3")
    assert read(pd.Series(pd.Categorical([3, 1]))).values.levels == ("1", "3")
    assert read(arrow([7, 5, 7]).dictionary_encode()).values.levels == ("7", "5")
    assert read(pd.Series(pd.interval_range(0, 2))).values.levels == ("(0, 1]", "(1, 2]")


def test_levels_of_the_same_text_are_one_level():
    found = read(pd.Series(pd.Categorical([1, "1", 2], [2, 1, "1"]))).values
    assert found.levels == ("2", "1")
    assert found.codes.tolist() == [1, 1, 0]


@pytest.mark.parametrize(
    ("native", "message"),
    [
        (pd.Series([1, "x"], dtype=object), "different types, such as 1 and 'x'; make them alike"),
        (pd.Series([None, True, 1], dtype=object), "different types, such as True and 1"),
        (pd.Series([[1], [2]]), r"values such as \[1\], which are neither numbers, text nor dates"),
        (pd.Series([b"a"]), "values such as b'a'"),
        (pd.Series([1j, 2]), "data type complex128"),
        (pl.Series([[1], [2]]), r"data type List\(Int64\), which is neither"),
        (pl.Series([{1}], dtype=pl.Object), "data type Object"),
        (arrow([{"a": 1}]), "data type struct<a: int64>"),
        (arrow([b"a"]), "data type binary"),
    ],
)
def test_columns_that_cannot_be_read(native, message):
    with pytest.raises(ValueError, match=message):
        read(native)


def test_integers_beyond_floats_are_refused():
    with pytest.raises(ValueError, match=r"^has integers too large for float64; rescale"):
        read(pd.Series([10**400, 2, 3], dtype=object))


def test_the_first_date_there_is_may_have_a_time_zone():
    first = dt.datetime.min
    east = dt.timezone(dt.timedelta(hours=1))
    days = read(pd.Series([first.replace(tzinfo=east), first], dtype=object)).values
    assert np.diff(days) == pytest.approx(1 / 24)
