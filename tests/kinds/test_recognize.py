"""Which kind a column is, by its values."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from urerf._messages import UnknownNameError
from urerf.frames.dataframe import read_frame
from urerf.kinds.convert import Levels
from urerf.kinds.notices import IN_PYTHON, AboutColumn, about_columns, not_used, summary
from urerf.kinds.recognize import check_kind, naming_column, recognize
from urerf.kinds.sentinels import Sentinel, sentinels
from urerf.schema import (
    BOOLEAN,
    CATEGORY,
    DATETIME,
    FEATURES,
    ID,
    IGNORE,
    KINDS,
    NUMBER,
    ORDINAL,
    Column,
)

GAP = np.nan


def read(columns, kinds="auto"):
    """Return the frame of a table, and what the user is told about its columns."""
    found = read_frame(pd.DataFrame(columns), kinds)
    return found.frame, found.notices


def objects(*values):
    return np.array(values, dtype=object)


def kind_of(values, name="x"):
    column = recognize(name, values).column
    return column.kind, column.reason


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (np.arange(1, 151), (ID, "counts rows: 1, 2, 3, ...")),
        (np.arange(100) + 1070.0, (ID, "counts rows: 1070, 1071, 1072, ...")),
        (np.arange(100) + 1970.0, (NUMBER, "")),
        (np.delete(np.arange(200.0), [7, 50, 51]), (ID, "counts rows: 0, 1, 2, ...")),
        (np.arange(4), (NUMBER, "")),
        (np.arange(150)[::-1], (NUMBER, "")),
        (np.arange(0, 300, 2), (NUMBER, "")),
        (np.arange(150) + 0.5, (NUMBER, "")),
        (np.append(np.arange(150.0), GAP), (ID, "counts rows: 0, 1, 2, ...")),
        (np.where(np.arange(150) % 7 == 3, GAP, np.arange(150)), (ID, "counts rows: 0, 1, 2, ...")),
        (np.where(np.arange(150) % 7 == 3, GAP, np.arange(150) ** 2), (NUMBER, "")),
        (np.append(np.arange(150), 0), (NUMBER, "")),
        (np.full(9, 3.0), (IGNORE, "constant")),
        (np.array([3.0, GAP, 3.0]), (IGNORE, "constant")),
        (np.full(9, GAP), (IGNORE, "every cell is empty")),
        (np.array([True, False, True]), (BOOLEAN, "")),
        (np.array([True, True]), (IGNORE, "constant")),
        (np.array(["2020-01-01", "NaT"], dtype="datetime64[D]"), (IGNORE, "constant")),
        (np.array(["2020-01-01", "2020-01-05"], dtype="datetime64[D]"), (DATETIME, "")),
        (np.array([1, 5], dtype="timedelta64[h]"), (NUMBER, "")),
        (objects("a", "b", "a"), (CATEGORY, "")),
        (objects("a", None, "a"), (IGNORE, "constant")),
        (objects(None, None, GAP, ""), (IGNORE, "every cell is empty")),
        (objects("a", "b"), (CATEGORY, "")),
        (objects(*"abcde"), (ID, "every value is different")),
        (objects(*"abcdefghijklmnopqrs", None), (ID, "every value is different")),
        (objects(*"abcde", None), (IGNORE, "every value is different")),
        (objects(*(f"r{i % 97}" for i in range(100))), (ID, "nearly every value is different")),
        (objects(*(f"r{i % 90}" for i in range(100))), (CATEGORY, "")),
        (objects(*(f"r{i % 19}" for i in range(20))), (CATEGORY, "")),
        (objects(*(f"row {i} " + 5 * "long text " for i in range(9))), (IGNORE, "free text")),
        (objects(*(f"a b c d e f {i}" for i in range(9))), (IGNORE, "free text")),
        (objects(*("long text " * 9 + f"{i % 3}" for i in range(30))), (CATEGORY, "")),
        (objects("true", "False", "TRUE"), (BOOLEAN, "")),
        (objects(True, None, False), (BOOLEAN, "")),
        (objects("yes", "no", "yes"), (CATEGORY, "")),
        (objects("2020-01-01", "2020-01-02", None), (DATETIME, "")),
        (objects(*(f"2020-01-{i:02d}" for i in range(1, 30))), (DATETIME, "")),
        (objects(1, 2.5, None), (NUMBER, "")),
        (Levels(np.array([0, 1, -1]), ("S", "L"), ordered=True), (ORDINAL, "")),
        (Levels(np.array([1, 1, -1]), ("S", "L"), ordered=True), (IGNORE, "constant")),
    ],
)
def test_the_kind_of_a_column(values, expected):
    assert kind_of(values) == expected


SHUFFLED = np.random.default_rng(0).permutation(1000)[:50]


@pytest.mark.parametrize(
    ("name", "is_id"),
    [
        ("id", True),
        ("ID", True),
        ("patient_id", True),
        ("user_id_str", True),
        ("PassengerId", True),
        ("customerID", True),
        ("rownames", True),
        ("Unnamed: 0", True),
        ("index", True),
        ("price index", False),
        ("seqn", True),
        ("docno", True),
        ("hnum", False),
        ("acid", False),
        ("humid", False),
        ("idea", False),
        ("x", False),
    ],
)
def test_different_whole_numbers_are_an_id_if_the_name_says_so(name, is_id):
    assert kind_of(SHUFFLED, name)[0] == (ID if is_id else NUMBER)
    assert kind_of(SHUFFLED + 0.5, name)[0] == NUMBER


@pytest.mark.parametrize(
    ("name", "is_id"),
    [
        ("id", True),
        ("patient_id", True),
        ("famID", True),
        ("townid", True),
        ("GEOID", True),
        ("idno", True),
        ("Subject", True),
        ("index", False),  # of prices, for example
        ("partyid", False),  # a scale of the General Social Survey
        ("bid", False),
        ("cost per patient", False),
        ("patients", False),
    ],
)
def test_whole_numbers_that_repeat_are_an_id_of_groups_if_the_name_says_so(name, is_id):
    """In survival::colon every patient has two rows; its id was a feature, ranked fifth."""
    expected = (ID, "identifies 50 groups of rows") if is_id else (NUMBER, "")
    assert kind_of(np.repeat(SHUFFLED[:50], 2), name) == expected
    assert kind_of(np.repeat([0.0, 1.0], 50), name) == (NUMBER, "")
    nearly = (ID, "nearly every value is different") if is_id else (NUMBER, "")
    assert kind_of(np.append(SHUFFLED, SHUFFLED[0]), name) == nearly


def test_an_id_of_groups_does_not_name_the_rows_and_the_remedies_are_told():
    columns = {"id": np.repeat(np.arange(50) * 3, 2), "x": np.arange(100) ** 2}
    frame, notices = read(columns)
    assert naming_column(frame.schema.columns) is None
    assert notices == [
        "Not used: id (identifies 50 groups of rows; declare them with "
        'fit(X, groups=X["id"]), or keep it with column_kinds={"id": "category"}).'
    ]


def test_how_to_keep_several_columns_is_told_for_each():
    columns = {"n": np.arange(9), "m": np.arange(9), "x": np.arange(9) ** 2}
    assert read(columns)[1] == [
        'Not used: n, m (counts rows: 0, 1, 2, ...; keep them with column_kinds={"n": "number", '
        '"m": "number"}).'
    ]


def test_text_of_which_nearly_all_are_dates_is_told():
    days = [f"{month}/{day}/1848" for month in range(1, 6) for day in range(1, 29)]
    one = recognize("start", objects(*days, "3/-9/1848", "2/30/1848", *days))
    assert one.column.kind == CATEGORY
    assert one.notices == (
        "start: 2 of 142 different values are not dates written like the others ('3/-9/1848', "
        "'2/30/1848'), so the column is read as text; fix that, or mark missing values: replace "
        "them by NaN.",
    )
    assert not recognize("start", objects(*days[:10], *"abcde")).notices
    years = objects("1960-64", "1965-69", "1970-74", "1975-79", "1960-64")
    assert not recognize("built", years).notices


def test_months_that_count_up_are_numbers():
    months = [100 * year + month for year in (2018, 2019, 2020) for month in range(1, 13)]
    assert recognize("month", np.array(months)).column.kind == NUMBER


def test_text_of_which_nearly_all_are_numbers_is_told():
    cells = ["0.13", "2.5", "7", "-1.25", "0.13", "3.5", "8", "9.75", "4", "?"]
    one = recognize("size", objects(*cells))
    assert one.column.kind == CATEGORY
    assert one.notices == (
        "size: is text, although values such as '0.13' are numbers; use "
        'column_kinds={"size": "number"}.',
    )
    assert not recognize("size", objects(*cells, "a", "b")).notices
    assert not recognize("zip", objects("02138", "94110", "02138")).notices


@pytest.mark.parametrize(
    ("name", "first", "expected"),
    [
        ("year", 1950, NUMBER),
        ("when", 1950, NUMBER),
        ("patient_id", 1950, ID),
        ("year", 1, ID),
        ("year", 1629, NUMBER),
        ("x", 2090, ID),  # up to 2139
        ("x", 202001, ID),  # up to 202050, which is not a month
    ],
)
def test_years_that_count_up_are_numbers(name, first, expected):
    found = recognize(name, np.arange(first, first + 50))
    assert found.column.kind == expected
    assert len(found.notices) == (expected == NUMBER)
    if expected == NUMBER:
        assert f'leave it out with column_kinds={{"{name}": "ignore"}}' in found.notices[0]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Sample Number", ID),
        ("record_no", ID),
        ("obs.nr", ID),
        ("PlantNo", ID),
        ("index", ID),  # as in MASS::crabs
        ("ID", ID),
        ("week", NUMBER),
        ("year", NUMBER),
    ],
)
def test_a_counter_of_groups_is_an_id_if_the_name_says_so(name, expected):
    """The weeks of a patient count up and begin again too, but they are a measurement."""
    numbers = np.concatenate([np.arange(1, 31), np.arange(1, 21), np.arange(1, 26)])
    column = recognize(name, numbers).column
    assert column.kind == expected
    assert column.reason == ("counts rows of groups: 1, 2, 3, ..." if expected == ID else "")


def test_levels_with_commas_are_listed_in_quotes_and_long_ones_are_shortened():
    towns = Column("town", CATEGORY, ("Bayamón, Puerto Rico", "Oslo", "x" * 31))
    assert summary([towns]) == [
        f'Read as categories: town ("Bayamón, Puerto Rico", Oslo, {"x" * 29}…).'
    ]


def test_levels_are_in_the_order_of_first_appearance():
    given = Levels(np.array([2, 0, -1, 2]), ("a", "b", "c"))
    one = recognize("x", given)
    assert one.column.levels == ("c", "a")
    np.testing.assert_array_equal(one.values, [0, 1, GAP, 0])


labels = st.lists(st.sampled_from("abcdefg"), min_size=2, max_size=40)


@given(labels, st.permutations("abcdefg"))
def test_renaming_levels_changes_no_bit(cells, names):
    renamed = [names["abcdefg".index(cell)] for cell in cells]
    one = recognize("x", objects(*cells))
    other = recognize("x", objects(*renamed))
    assert one.column.kind == other.column.kind
    np.testing.assert_array_equal(one.values, other.values)


columns = st.one_of(
    hnp.arrays(np.float64, st.integers(1, 40)),
    hnp.arrays(np.int64, st.integers(1, 40)),
    hnp.arrays(np.bool_, st.integers(1, 40)),
    hnp.arrays("datetime64[s]", st.integers(1, 40)),
    st.lists(st.none() | st.text(max_size=8), min_size=1, max_size=40).map(lambda x: objects(*x)),
    st.lists(
        st.none() | st.booleans() | st.integers() | st.floats() | st.dates() | st.text(max_size=3),
        min_size=1,
        max_size=40,
    ).map(lambda x: objects(*x)),
)


@given(columns)
def test_any_column_has_a_kind_and_values_that_fit_it(values):
    one = recognize("x", values)
    column = one.column
    assert column.kind in KINDS
    assert one.values.shape == (len(values),)
    assert one.values.dtype == np.float64
    present = one.values[~np.isnan(one.values)]
    if not column.is_feature:
        assert column.reason
        assert not len(present)
    if column.levels:
        assert set(present) <= set(range(len(column.levels)))
    if column.kind == CATEGORY:
        first_seen = list(dict.fromkeys(present))
        assert first_seen == sorted(first_seen)
        assert len(first_seen) == len(column.levels)
    if column.kind == BOOLEAN:
        assert set(present) <= {0.0, 1.0}


@given(columns, st.sampled_from(KINDS))
def test_a_declared_kind_is_kept_or_refused(values, kind):
    try:
        one = recognize("x", values, kind)
    except ValueError:
        assert kind in FEATURES
    else:
        assert one.column.kind == kind


@pytest.mark.parametrize(
    ("values", "kind", "expected", "levels"),
    [
        (np.arange(1, 10), NUMBER, np.arange(1, 10), ()),
        (objects("1", "2.5", None), NUMBER, [1, 2.5, GAP], ()),
        (np.array([7.0, 3.0, 7.0]), CATEGORY, [0, 1, 0], ("7", "3")),
        (np.array([True, False]), CATEGORY, [0, 1], ("True", "False")),
        (objects("S", "L", None), ("S", "M", "L"), [0, 2, GAP], ("S", "M", "L")),
        (np.array([1.0, 3.0]), ["3", "2", "1"], [2, 0], ("3", "2", "1")),
        (np.array([1.0, 3.0]), ORDINAL, [1, 3], ()),
        (objects("yes", "N", None), BOOLEAN, [1, 0, GAP], ()),
        (np.array([0.0, 1.0, GAP]), BOOLEAN, [0, 1, GAP], ()),
        (np.array([19700102.0, 19700103.0]), DATETIME, [1, 2], ()),
        (np.array([1970.0, 1971.0, GAP]), DATETIME, [0, 365, GAP], ()),
        (np.ones(3), NUMBER, [1, 1, 1], ()),
        (np.full(2, GAP), CATEGORY, [GAP, GAP], ()),
    ],
)
def test_declared_kinds(values, kind, expected, levels):
    one = recognize("x", values, kind)
    np.testing.assert_array_equal(one.values, expected)
    assert one.column.levels == levels


@pytest.mark.parametrize(
    ("values", "kind", "message"),
    [
        (objects("a", "1"), NUMBER, "has text that is not a number: 'a'"),
        (objects("a", "b"), ORDINAL, "an ordinal of text needs the order of its levels; give it"),
        (objects("a", "b"), ("a",), "the order of its levels does not contain 'b'"),
        (objects("a", "b"), BOOLEAN, "has values that are neither true nor false: 'a', 'b'"),
        (objects("a", "b"), DATETIME, "has values that are not dates"),
        (np.array([1.5, 2.5]), DATETIME, "has values that are not dates"),
        (objects([1], [2]), None, "has values that are neither numbers nor text"),
        (np.array([1j, 2j]), None, "which are neither numbers nor text"),
    ],
)
def test_a_kind_that_does_not_fit(values, kind, message):
    with pytest.raises(ValueError, match=message):
        recognize("x", values, kind)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([23, 35, -999, 51, -999, 44], [(-999, 2)]),
        ([1, 2, 3, 4, 97, 98, 98, 99, 99, 97], [(99, 2), (98, 2), (97, 2)]),
        ([0.1, 0.2, 0.3, -1, -1], [(-1, 2)]),
        ([1.5, 2.5, 9999.9, 9999.9, 3.5], [(9999.9, 2)]),
        ([1, 2, 3, -9, -9, 99, 99], [(99, 2), (-9, 2)]),
        ([2500, 3700, -999, 4400, -999, 5800, 6900], [(-999, 2)]),
        ([0, 300, -9, 600, -9, 900], []),
        ([23, 35, -999, 51, 44], []),
        ([90, 95, 99, 99, 97], []),
        ([0, 0, 99, 99], []),
        ([-999, -999], []),
        ([500, 700, 999, 999, 100], []),
        ([1, 2, 3, 1000, 1000], []),
        ([-3, -2, -1, -1, 0, 1], []),
        ([GAP, GAP], []),
        ([], []),
    ],
)
def test_sentinels(values, expected):
    assert sentinels(np.array(values, dtype=float)) == expected


@given(
    hnp.arrays(np.float64, st.integers(0, 30), elements=st.floats(allow_nan=True)),
    st.sampled_from([-999.0, 99.0, -1.0]),
)
def test_sentinels_are_repeated_and_far(values, value):
    numbers = np.append(values, [value, value])
    for found, n_cells in sentinels(numbers):
        assert (numbers == found).sum() == n_cells > 1
        others = numbers[np.isfinite(numbers) & (numbers != found)]
        assert (
            not ((others > found).any() and (others < found).any()) or len(sentinels(numbers)) > 1
        )


def test_a_table():
    table = {
        "rownames": np.arange(1, 31),
        "name": objects(*(f"r{i}" for i in range(30))),
        "age": np.append(np.arange(28.0) % 9 + 20, [-999, -999]),
        "color": objects(*("red", "blue") * 15),
        "version": np.ones(30),
    }
    frame, notices = read(table)
    kinds = [column.kind for column in frame.schema.columns]
    assert kinds == [ID, ID, NUMBER, CATEGORY, IGNORE]
    assert np.isnan(frame.values[:, [0, 1, 4]]).all()
    np.testing.assert_array_equal(frame.values[:, 3], [0, 1] * 15)
    assert notices == [
        'Not used: rownames (counts rows: 1, 2, 3, ...; keep it with column_kinds={"rownames": '
        '"number"}); name (every value is different); version (constant).',
        "age: 2 cells are -999, far from all other values; if they stand for missing values, "
        "replace them by NaN.",
    ]
    kept, _ = read(table, {"rownames": NUMBER})
    np.testing.assert_array_equal(kept.values[:, 0], np.arange(1, 31))


def test_unknown_names():
    with pytest.raises(UnknownNameError, match="X has no column 'colour'; did you mean 'color'"):
        read({"color": objects("a", "b")}, {"colour": CATEGORY})
    with pytest.raises(UnknownNameError, match="the kind of 'color' must be one of 'number'"):
        check_kind("color", "nominal")


@pytest.mark.parametrize("levels", [[], ["a", "a"], [1, 2], 7])
def test_wrong_levels(levels):
    with pytest.raises(ValueError, match="must be a list of different texts"):
        check_kind("color", levels)


def test_the_column_that_names_the_rows():
    counting = Column("n", ID, reason="counts rows: 1, 2, 3, ...")
    text = Column("name", ID, reason="every value is different")
    declared = Column("key", ID, reason="declared")
    assert naming_column([counting, Column("x")]) is None
    assert naming_column([counting, text]) == "name"
    assert naming_column([counting, text, declared]) == "key"


def test_what_was_declared_is_not_told():
    columns = [Column("a", ID, reason="declared"), Column("b", IGNORE, reason="constant")]
    assert not_used(columns, IN_PYTHON) == ["Not used: b (constant)."]
    assert not_used(columns[:1]) == []


def test_the_summary_names_levels():
    column = Column("c", CATEGORY, ("a\nb", "c" * 99, "d", "e", "f"))
    assert summary([column]) == [f"Read as categories: c (a b, {'c' * 29}…, d, e and 1 more)."]


def test_many_notices_are_cut():
    columns = [AboutColumn(f"c{i}", (f"{i}",), ()) for i in range(20)]
    assert about_columns(columns) == [
        "0",
        "1",
        "2",
        "3",
        "4",
        "Notices about 15 more columns are not shown.",
    ]
    assert about_columns(columns[:6]) == [f"{i}" for i in range(6)]


def test_the_same_number_for_missing_values_in_many_columns_is_told_once():
    gap = Sentinel(-9999.0, 2)
    columns = [AboutColumn(f"sensor{i}", (), (gap,)) for i in range(8)]
    columns.insert(0, AboutColumn("age", (), (Sentinel(99.0, 3),)))
    columns.append(AboutColumn("both", (), (gap, Sentinel(9999.0, 2))))
    assert about_columns(columns) == [
        "age: 3 cells are 99, far from all other values; if they stand for missing values, replace "
        "them by NaN.",
        "8 columns have cells that are -9999, far from all other values (sensor0, sensor1, "
        "sensor2, sensor3, sensor4 and 3 more); if they stand for missing values, replace them by "
        "NaN.",
        "both: 2 cells are -9999, 2 are 9999, far from all other values; if they stand for missing "
        "values, replace them by NaN.",
    ]
    few = about_columns(columns[1:3])
    assert [notice.partition(":")[0] for notice in few] == ["sensor0", "sensor1"]


def test_numbers_that_look_like_dates_are_told():
    days = np.array([20240101.0, 20240229, 20241231, 20230704, np.nan, 20240315])
    found = recognize("day", days)
    assert found.column.kind == NUMBER
    assert found.notices == (
        "day: numbers such as 20240101 look like dates; read them with "
        'column_kinds={"day": "datetime"}.',
    )
    for other in (20240132, 20241301, 20240100, 18991231, 20240101.5, np.inf):
        assert not recognize("day", np.append(days, other)).notices
    assert recognize("day", days, "datetime").column.kind == DATETIME


def test_a_short_name_with_few_values_may_be_a_scale():
    """In anes96, PID is the party identification, in seven steps."""
    steps = np.tile([3.0, 0, 6, 1, 2, 5, 4], 30)
    assert kind_of(steps, "PID") == (NUMBER, "")
    assert kind_of(steps, "patient_id") == (ID, "identifies 7 groups of rows")
    assert kind_of(np.repeat(SHUFFLED[:50], 2), "pid") == (ID, "identifies 50 groups of rows")


def test_codes_that_identify_groups_are_not_categories():
    codes = np.array(["S1", "S1", "S2", "S2", "S3", "S3"])
    for name in ("subject", "patient_id", "individual", "Identifier"):
        column = recognize(name, codes).column
        assert (column.kind, column.reason) == (ID, "identifies 3 groups of rows")
        assert recognize(name, codes, "category").column.kind == CATEGORY
    assert recognize("site", codes).column.kind == CATEGORY
    # What is taught, and whether somebody is a patient.
    assert recognize("subject", np.array(["Art", "Art", "Physics", "Law"])).column.kind == CATEGORY
    assert recognize("patient", np.array(["yes", "no", "no", "yes"])).column.kind == CATEGORY
