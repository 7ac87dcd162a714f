"""Separated text: separators, line ends, names, numbers, missing cells, and messages."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from urerf.files import data_rows, read_files, rows
from urerf.files.arrays import refuse_infinite
from urerf.files.level_column import LevelColumn
from urerf.files.options import ColumnOptions, ReadOptions
from urerf.files.source import from_bytes
from urerf.files.table import texts_of
from urerf.files.text import read_text
from urerf.kinds.convert import Levels


def read(text, columns=None, **options):
    data = text if isinstance(text, bytes) else text.encode()
    source = from_bytes("t.csv", data)
    raw = read_text(source, ReadOptions(**options), columns or ColumnOptions())
    refuse_infinite(raw)
    return raw


def values(raw):
    return np.column_stack(list(raw.columns.values())).tolist()


def message(text, **settings):
    with pytest.raises(ValueError) as caught:
        read(text, **settings)
    return str(caught.value)


@pytest.mark.parametrize("separator", [",", "\t", ";", "|", " ", "   "])
def test_every_separator(separator):
    raw = read("a,b,c\n1,2,3\n4,5,6\n".replace(",", separator))
    assert list(raw.columns) == ["a", "b", "c"]
    assert values(raw) == [[1, 2, 3], [4, 5, 6]]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_line_end_and_a_byte_order_mark(end):
    raw = read(b"\xef\xbb\xbf" + f"a,b{end}1,2{end}{end}3,4{end}".encode())
    assert list(raw.columns) == ["a", "b"]
    assert values(raw) == [[1, 2], [3, 4]]
    assert raw.lines.tolist() == [2, 4]


def test_a_first_line_of_numbers_is_data_unless_told_otherwise():
    assert list(read("1,2\n3,4\n").columns) == ["x0", "x1"]
    assert list(read("1,2\n3,4\n", header=True).columns) == ["1", "2"]
    assert message("a,b\n3,4\n5,6\n", header=False).startswith(
        "t.csv: line 1, column 'x0': 'a' is not a number"
    )


@pytest.mark.parametrize("years", ["2020,2020", "2020,", "2020,2020,2021,2021", "2020,,2021,"])
def test_years_above_words_are_names(years):
    n = years.count(",") + 1
    words = ["men", "women"] * (n // 2)
    lines = [f"land,{years}", ",".join(["", *words])]
    lines += [",".join([land, *map(str, range(i, i + n))]) for i, land in enumerate("ABC")]
    raw = read("\n".join(lines))
    expected = [f"{2020 + i // 2} {word}" for i, word in enumerate(words)]
    assert list(raw.columns)[1:] == expected
    assert raw.n_rows == 3


def test_a_year_above_a_slip_is_data():
    assert message("a,2020\nb,x\nc,2022\n").startswith("t.csv: line 2, column 'x1': 'x' is not")


def test_columns_counted_from_0_as_pandas_names_them_are_names():
    raw = read("0,1,2\n5,1,0\n7,3,4\n")
    assert list(raw.columns) == ["0", "1", "2"]
    assert values(raw) == [[5, 1, 0], [7, 3, 4]]
    assert raw.notices == [
        "Line 1 is read as column names: 0, 1, 2, ...; if it is data, use --no-header."
    ]
    assert len(values(read("0,1,2\n5,1,0\n7,3,4\n", header=False))) == 3
    assert values(read(",0\n0,1.5\n1,2.5\n"))[1][-1] == 2.5


@pytest.mark.parametrize(
    "text", ["0,1,2\n3,4,5\n6,7,8\n", "0,1\n0.1,1.2\n0.2,1.4\n", "0\n0.5\n1\n"]
)
def test_rows_that_only_begin_with_0_are_data(text):
    raw = read(text)
    assert len(values(raw)) == 3
    assert raw.notices == []


def test_a_slip_in_a_column_of_numbers_is_an_error():
    text = "a,b\n" + "1,2\n" * 3 + "1,2x\n" + "1,2\n"
    assert message(text).startswith("t.csv: line 5, column 'b': '2x' is not a number; ")
    as_text = read(text, ColumnOptions(categorical=("b",)))
    assert texts_of(as_text.columns["b"]) == ["2", "2", "2", "2x", "2"]
    ignored = read(text, ColumnOptions(ignore=("b",)))
    assert np.isnan(ignored.columns["b"]).all()
    missing = read(text, na=("2x",))
    np.testing.assert_array_equal(missing.columns["b"], [2, 2, 2, np.nan, 2])


def test_a_slip_in_a_column_of_measurements_is_an_error():
    rows = [f"1,{i} cm" for i in range(9)]
    said = message("a,b\n" + "\n".join([*rows, "3,12A"]))
    assert said.startswith("t.csv: line 11, column 'b': '12A' is not a number; ")


@pytest.mark.parametrize("n_rows", [6, 3000])
def test_an_identifier_of_which_few_cells_are_not_numbers_is_text(n_rows):
    """DAAG::hotspots has the identifiers 1, 2, ..., 15A, ...; that is not a mistake."""
    ids = [str(i) for i in range(n_rows)]
    ids[-2] = "15A"
    rows = "".join(f"{name},2\n" for name in ids)
    assert texts_of(read("ID,b\n" + rows).columns["ID"]) == ids
    assert "'15A' is not a number" in message("size,b\n" + rows)


def test_a_slip_far_below_is_found_with_its_line():
    rows = [f"{i},{i}" for i in range(2500)]
    rows[2222] = "2222,O"
    assert message("a,b\n" + "\n".join(rows)).startswith(
        "t.csv: line 2224, column 'b': 'O' is not a number"
    )


def test_several_slips_are_counted():
    rows = [f"{i},{i}" for i in range(50)]
    rows[7] = rows[9] = "1,?!"
    rows[30] = "1,>3"
    said = message("a,b\n" + "\n".join(rows))
    assert "line 9, column 'b': '?!' is not a number (and 2 more cells of the column, such" in said
    assert (
        "such as '>3'); fix it, or use --na '?!' (missing), --categorical b or --ignore b" in said
    )


def test_a_carriage_return_in_a_cell_does_not_end_the_line():
    raw = read(b"a,b\n1,one\rtwo\n2,three\n")
    assert texts_of(raw.columns["b"]) == ["one two", "three"]


@pytest.mark.parametrize("n_before", [0, 3000])
def test_many_cells_that_are_not_numbers_make_text_and_are_told(n_before):
    n = 4000
    cells = ["A" if i % 2 and i >= n_before else str(i % 7) for i in range(n_before + n)]
    raw = read("a,b\n" + "\n".join(f"1,{cell}" for cell in cells))
    assert texts_of(raw.columns["b"]) == cells
    share = f"{n // 2:,} of {n_before + n:,} cells are not numbers"
    remedy = "if that stands for a missing value, use --na b=A"
    assert raw.notices == [f"b: {share} ('A'), so the column is read as text; {remedy}."]


def test_a_format_that_shows_late_is_found():
    rows = ["7"] * 2500 + ["1.234,5"] + ["3"] * 10
    raw = read("a;b\n" + "\n".join(f"1;{row}" for row in rows))
    assert raw.columns["b"][2499:2502].tolist() == [7, 1234.5, 3]


def test_numbers_after_a_thousand_words_are_text_with_a_notice():
    raw = read("a,b\n" + "1,why\n" * 1500 + "1,3\n" * 1000)
    assert isinstance(raw.columns["b"], Levels)
    assert "1,500 of 2,500 cells are not numbers ('why')" in raw.notices[0]


def test_text_after_a_thousand_empty_cells_is_text():
    raw = read("a,b\n" + "1,\n" * 1500 + "1,why\n")
    assert texts_of(raw.columns["b"]) == [""] * 1500 + ["why"]


def test_missing_cells_are_nan():
    cells = ["", "NA", "n/a", " ? ", "null", "NaN", "#N/A", ".", "NULL", "-", ".B", "#DIV/0!"]
    raw = read("a,b\n1,2\n" + "".join(f"{cell},3\n" for cell in cells) + "2,9\n")
    assert np.isnan(raw.columns["a"]).tolist() == [False] + [True] * len(cells) + [False]


def test_an_infinite_value_can_be_declared_as_missing():
    assert np.isnan(read("a,b\n1,2\n3,inf\n5,1e999\n", na=("inf",)).columns["b"][1:]).all()


def test_underscores_do_not_make_numbers():
    raw = read("a,b\n1_12,3\n2021_05,4\n")
    assert texts_of(raw.columns["a"]) == ["1_12", "2021_05"]
    assert message("a,b\n1,3\n2,4\n1_12,5\n").startswith("t.csv: line 4, column 'a': '1_12' is not")


def test_line_numbers_count_lines_inside_quotes():
    text = 'name,b\n"two\nlines",1\nplain,2\nplain,3\nplain,x\n'
    assert "line 6, column 'b': 'x'" in message(text)


def test_blank_lines_between_rows_are_told():
    raw = read("\na,b\n\n1,2\n \n3,4\n,\n5,6\n\n,\n")
    assert values(raw) == [[1, 2], [3, 4], [5, 6]]
    assert raw.notices == ["Lines 5, 7 are left out: they are blank."]
    assert read("a,b\n1,2\n3,4\n\n").notices == []


def test_an_empty_cell_of_the_only_column_is_missing_but_a_blank_line_is_not():
    """pandas writes missing values of a single column as quotes without content."""
    raw = read('a\n1\n""\n3\n\n4\n\n')
    np.testing.assert_array_equal(raw.columns["a"], [1, np.nan, 3, 4])
    assert raw.lines.tolist() == [2, 3, 4, 6]
    assert raw.notices == ["Line 5 is left out: it is blank."]


def test_an_unnamed_first_column_names_the_rows():
    raw = read(",a,b\nr1,1,2\nr2,3,4\n")
    assert raw.row_names == "rownames"
    assert texts_of(raw.columns["rownames"]) == ["r1", "r2"]
    assert list(raw.columns) == ["rownames", "a", "b"]


def test_other_unnamed_columns_are_numbered_and_dropped_if_empty():
    assert list(read("a,,c\n1,2,3\n").columns) == ["a", "x1", "c"]
    assert list(read("a,,c,\n1,,3,\n").columns) == ["a", "c"]


def test_one_column_with_a_decimal_comma():
    assert read("size\n1,5\n-2,25\n3\n1,5e-05").columns["size"].tolist() == [1.5, -2.25, 3, 1.5e-5]


def test_dates_with_spaces_do_not_make_spaces_the_separator():
    rows = [f"MSFT,Jan {day} 2000,39.8{day}" for day in range(1, 9)]
    raw = read("symbol,date,price\n" + "\n".join(rows))
    assert list(raw.columns) == ["symbol", "date", "price"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252", "utf-16-le"])
def test_every_encoding(encoding):
    raw = read("größe,café\n1,thé\n2,là\n3,thé\n".encode(encoding))
    assert list(raw.columns) == ["größe", "café"]
    assert texts_of(raw.columns["café"]) == ["thé", "là", "thé"]
    assert len(raw.notices) == (encoding == "cp1252")


def test_an_encoding_that_is_declared():
    raw = read("имя,b\nда,1\nнет,2\n".encode("cp1251"), encoding="cp1251")
    assert texts_of(raw.columns["имя"]) == ["да", "нет"]
    assert message("a,b\n1,2\n", encoding="klingon").startswith("--encoding: 'klingon' is not")
    assert message(b"a,\xff\n1,2\n", encoding="ascii").startswith("t.csv: is not ascii text")


@pytest.mark.parametrize("encoding", ["utf-16", "idna", "undefined"])
def test_a_declared_encoding_that_is_wrong(encoding):
    """The errors of these do not say which encoding it was."""
    said = message(b"a,b\xff\n1,2\n3,4\n", encoding=encoding)
    assert said.startswith(f"t.csv: is not {encoding} text; ")


@pytest.mark.parametrize("encoding", ["zlib", "base64", "rot13", "a\0b", "\udcff", ""])
def test_what_is_no_encoding_of_text(encoding):
    said = message("a,b\n1,2\n", encoding=encoding)
    assert said.startswith(f"--encoding: {encoding!r} is not a known encoding")


def test_an_endless_number_is_not_repeated_in_full():
    said = message("a,b\n1," + "9" * 10_000 + "\n2,3\n4,5\n")
    assert "is infinite" in said
    assert len(said) < 300


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "t.csv: is empty"),
        ("\n\n", "t.csv: is empty"),
        ("a,b\n", "t.csv: has a line of column names, but no rows"),
        (
            "a,b\n1,2\n1,2,3\n",
            "t.csv: line 3 has 3 cells, but the table has 2 columns (separated by ',')",
        ),
        (
            "a,b\n1,2\n3,inf\n",
            "t.csv: line 3, column 'b': 'inf' is infinite; values must be finite",
        ),
        ('a,b\n1,"2\n', "t.csv: line 2: "),
    ],
)
def test_a_wrong_file_is_named_with_line_and_column(text, expected):
    assert message(text).startswith(expected)


floats = hnp.arrays(
    np.float64,
    st.tuples(st.integers(1, 30), st.integers(1, 5)),
    elements=st.floats(allow_nan=False, allow_infinity=False),
)


@given(floats, st.sampled_from([(",", "."), (";", "."), ("\t", "."), (";", ","), ("\t", ",")]))
def test_numbers_come_back_exactly(X, dialect):
    separator, mark = dialect
    text = separator.join(f"c{i}" for i in range(X.shape[1])) + "\n"
    for row in X:
        cells = [repr(float(x)).replace(".", mark) for x in row]
        text += separator.join(cells) + "\n"
    raw = read(text, decimal=mark)
    np.testing.assert_array_equal(values(raw), X)


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused_by_name(data):
    try:
        read(data)
        said = "t.csv: "
    except ValueError as error:
        said = str(error)
    assert said.startswith("t.csv: ")


cells = st.text(st.sampled_from("01.,;'$% -eE\n\"aä_/"), max_size=6)


@given(st.lists(st.lists(cells, min_size=1, max_size=4), min_size=1, max_size=8))
def test_any_cells_are_read_or_refused_by_name(rows):
    text = "\n".join(";".join(row) for row in rows)
    try:
        raw = read(text)
        said = "t.csv: "
        assert {len(texts_of(column)) for column in raw.columns.values()} <= {raw.n_rows}
    except ValueError as error:
        said = str(error)
    assert said.startswith("t.csv: ")


def test_text_between_rows_is_not_below_the_table():
    """A line without numbers is left out only if no row follows, and if there are few of them."""
    with pytest.raises(ValueError, match=r"line 3 has 1 cell, but the table has 3 columns"):
        read("a,b,c\n1,2,3\nremark\n4,5,6\n")
    remarks = "a: b,,\n" * 3
    assert read("a,b,c\n1,2,3\n" + remarks + "4,5,6\n").n_rows == 5
    assert read("a,b,c\n1,2,3\n" + remarks).n_rows == 1
    assert read("a,b,c\n" + remarks).n_rows == 1  # the first row always is one
    with pytest.raises(ValueError, match=r"line 3 has 1 cell, but the table has 2 columns"):
        read("a,b\n1,2\n" + "remark\n" * 101)


@pytest.mark.parametrize("size", [2, 3, 5])
def test_a_column_that_turns_out_to_be_text_keeps_all_of_its_rows(monkeypatch, size):
    """Rows above the cell that is not a plain number are read again, those below are not."""
    rows_read = []
    add = LevelColumn.add
    monkeypatch.setattr(
        LevelColumn, "add", lambda self, cells: (rows_read.extend(cells), add(self, cells))
    )
    monkeypatch.setattr(rows, "CHUNK", size)
    monkeypatch.setattr(rows, "FEWEST_SAMPLE_ROWS", 1)
    monkeypatch.setattr(rows, "SAMPLE_CELLS", 4)
    raw = read('a,b\n1,1\n2,2\n3,3\n"1,004.5",4\n5,5\n"1,006",6\n')
    assert values(raw) == [[1, 1], [2, 2], [3, 3], [1004.5, 4], [5, 5], [1006, 6]]
    assert sorted(rows_read) == sorted(["1", "2", "3", "1,004.5", "5", "1,006"])


def test_most_lines_may_be_titles():
    raw = read("title,\nmore,\nd,e,f\n1,2,3\n4,5,6\n")
    assert values(raw) == [[1, 2, 3], [4, 5, 6]]
    assert read("title,\nmore,\nd,e,f\n1,2,3,4\n").n_rows == 1  # none is as wide as the titles


def test_a_missing_last_name_does_not_shift_the_others():
    text = "a,b\n9,0.5,ok\n2,0.75,bad\n9,0.25,ok\n"
    with pytest.raises(ValueError, match=r"line 2 has 3 cells, but the table has 2 columns"):
        read(text)


def test_a_row_that_is_too_short_is_not_below_the_table_if_it_has_numbers():
    with pytest.raises(ValueError, match=r"line 3 has 2 cells, but the table has 3 columns"):
        read("a,b,c\n1,2,3\nTotal,4\n")


def test_complete_rows_are_not_searched_for_remarks(monkeypatch):
    # Looking for numbers in cells of text took nine tenths of the time of reading them.
    monkeypatch.setattr(data_rows, "looks_numeric", lambda _: pytest.fail("a complete row"))
    assert read("a,b,c\n" + "x,y,z\n" * 9).n_rows == 9


@pytest.mark.parametrize("last", ["2024-01-20 12:30,,", "GO:0008150,,", "P1,Paris", "a,b,c,d"])
def test_an_incomplete_last_row_is_not_a_remark(last):
    text = "name,b,c\nx,2,3\ny,4,5\nz,7,1\n" + last + "\n"
    if last.endswith(",,"):
        assert read(text).n_rows == 4
        return
    with pytest.raises(ValueError, match="line 5 has"):
        read(text)


@pytest.mark.parametrize("first", ["missing,unknown", "*,n.d."])
def test_a_first_row_of_missing_values_does_not_contain_units(first):
    raw = read(f"a,b\n{first}\n" + "1.5,2\n2.5,4\n" * 9)
    assert raw.n_rows == 19
    assert raw.notices == []


def test_a_first_row_below_the_limit_of_detection_does_not_contain_units():
    with pytest.raises(ValueError, match=r"line 2, column 'a': '<0\.5' is not a number"):
        read("a,b\n<0.5,<0.1\n" + "1.5,2\n2.5,4\n" * 9)


def test_columns_without_a_name_do_not_make_names_of_units():
    raw = read("time,speed,,\ns,m/s,,\n" + "1.5,2,,\n2.5,4,,\n" * 9)
    assert list(raw.columns) == ["time", "speed"]
    assert raw.notices == ["Line 2 is left out: it seems to contain units."]


def test_codes_with_labels_are_not_measurements_in_several_units():
    cells = ["0 Control", "1 Treated", "2 Placebo"]
    raw = read("a,b\n" + "".join(f"{i},{cells[i % 3]}\n" for i in range(9)))
    assert raw.notices == []


def test_the_examples_of_measurements_begin_with_numbers():
    cells = ["placebo", "10 mg", "5 g", "20 mg"]
    raw = read("a,b\n" + "".join(f"{i},{cells[i % 4]}\n" for i in range(8)))
    assert "although cells such as '10 mg' and '5 g' begin with numbers" in raw.notices[0]


@pytest.mark.parametrize("rule", ["|---|:--:|", "|--|--|", "| :- | -: |", "|-|-|"])
def test_the_rule_of_a_markdown_table_is_not_a_row(rule):
    assert read(f"| a | b |\n{rule}\n| 1.5 | 2 |\n| - | 3 |\n| 4 | 1 |\n").n_rows == 3


def column(cells, columns=None):
    raw = read("x,y\n" + "".join(f"{cell},{i}.5\n" for i, cell in enumerate(cells)), columns)
    return raw.columns["x"]


@pytest.mark.parametrize(
    ("cells", "is_code"),
    [
        (["02138", "94110", "10001"], True),
        (["02138", "94110", "K1A 0B6", "10001", "60601", "33101"], True),
        (["02138", "", "N/A", "94110"], True),
        (["030123456", "08912345678"], True),
        (["+4915112345678", "+4917123456789"], True),
        (["001", "002", "1000"], True),
        (["01", "07", "12"], False),  # months
        (["0.5", "0", "010.5"], False),
        (["007", "12", "345"], False),  # 12 is not padded
        (["+5", "+120", "+33"], False),
        (["038.9", "250.01", "V45.81", "401"], True),  # diagnoses, and the names of books
        (["007.50", "012.25", "110.00"], False),  # padded to a fixed width
        (["038.9", "12.5", "401"], False),
        (["038.9", "1250.5", "401"], False),
    ],
)
def test_digits_that_begin_with_zeros_are_codes(cells, is_code):
    assert isinstance(column(cells), Levels) == is_code


def test_codes_with_decimals_are_told_once(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("icd,x\n" + "038.9,1\n250.01,3\n401,2\n" * 3)
    assert read_files([str(path)]).notices == [
        "icd: digits such as 038.9 are read as codes; if they are numbers, use --number icd.",
        "Read as categories: icd (038.9, 250.01, 401).",
    ]


def test_codes_that_appear_late_are_noticed():
    cells = [str(zip_code) for zip_code in range(10_000, 13_000)]
    assert not isinstance(column(cells), Levels)
    assert column([*cells, "02138"]).levels[0] == "10000"
    assert not isinstance(column([*cells, "7", "0012"]), Levels)  # 7 is not padded


@pytest.mark.parametrize("unit", ["n", "a"])
def test_a_unit_with_letters_of_nan(unit):
    """Missing cells were rewritten as nan, of which the unit was then removed."""
    assert column([f"5 {unit}", "", f"7 {unit}", "NA"])[:3].tolist()[::2] == [5, 7]


def test_codes_can_be_declared_as_numbers():
    assert column(["02138", "94110"], ColumnOptions(number=("x",))).tolist() == [2138, 94110]


def test_a_few_lines_that_begin_with_a_comment_mark_are_comments():
    raw = read("a,b\n#c,d\n1,2\n3,4\n5,7\n")
    assert values(raw) == [[1, 2], [3, 4], [5, 7]]


def test_months_with_the_year_first_are_not_measurements_in_several_units():
    assert read("m,y\n2002 Jan,1\n2002 Feb,2\n2002 Mar,4\n").notices == []
