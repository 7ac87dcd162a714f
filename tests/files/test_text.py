import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from urerf.files.text import read_text


def read(text, header=None, as_text=(), skip=()):
    data = text if isinstance(text, bytes) else text.encode()
    return read_text(
        io.BufferedReader(io.BytesIO(data)), "t.csv", header=header, as_text=as_text, skip=skip
    )


def message(text, **settings):
    with pytest.raises(ValueError) as caught:
        read(text, **settings)
    return str(caught.value)


@pytest.mark.parametrize("separator", [",", "\t", ";", "|", " "])
def test_every_separator(separator):
    raw = read("a,b,c\n1,2,3\n4,5,6\n".replace(",", separator))
    assert raw.names == ["a", "b", "c"]
    assert raw.numbers.tolist() == [[1, 2, 3], [4, 5, 6]]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_line_end_and_a_byte_order_mark(end):
    raw = read(b"\xef\xbb\xbf" + f"a,b{end}1,2{end}{end}3,4{end}".encode())
    assert raw.names == ["a", "b"]
    assert raw.numbers.tolist() == [[1, 2], [3, 4]]
    assert raw.lines.tolist() == [2, 4]


def test_a_first_line_of_numbers_is_data_unless_told_otherwise():
    assert read("1,2\n3,4\n").names == ["x0", "x1"]
    assert read("1,2\n3,4\n", header=True).names == ["1", "2"]
    assert message("a,b\n3,4\n", header=False).startswith(
        "t.csv: line 1, column 'x0': 'a' is not a number"
    )


def test_half_numbers_is_a_column_of_numbers_with_a_slip():
    text = "a,b\n" + "1,2\n" * 3 + "1,2x\n" + "1,2\n"
    assert message(text).startswith("t.csv: line 5, column 'b': '2x' is not a number; ")
    assert read(text, as_text=["b"]).texts["b"] == ["2", "2", "2", "2x", "2"]
    assert read(text, skip=["b"]).names == ["a"]


def test_a_slip_far_below_is_found_with_its_line():
    rows = [f"{i},{i}" for i in range(2500)]
    rows[2222] = "2222,O"
    assert message("a,b\n" + "\n".join(rows)).startswith(
        "t.csv: line 2224, column 'b': 'O' is not a number"
    )


def test_text_after_a_thousand_empty_cells_is_text():
    raw = read("a,b\n" + "1,\n" * 1500 + "1,why\n")
    assert raw.texts["b"] == [""] * 1500 + ["why"]
    assert raw.names == ["a"]


def test_missing_cells_are_nan():
    raw = read("a,b\n1,2\n,3\nNA,4\nn/a,5\n ? ,6\nnull,7\nNaN,8\n2,9\n")
    assert np.isnan(raw.numbers[:, 0]).tolist() == [False] + [True] * 6 + [False]


def test_line_numbers_count_lines_inside_quotes():
    text = 'name,b\n"two\nlines",1\nplain,2\nplain,3\nplain,x\n'
    assert "line 6, column 'b': 'x'" in message(text)


def test_an_unnamed_first_column_names_the_rows():
    raw = read(",a,b\nr1,1,2\nr2,3,4\n")
    assert raw.ids == ["r1", "r2"]
    assert raw.names == ["a", "b"]
    assert raw.texts == {}


def test_other_unnamed_columns_are_numbered():
    assert read("a,,c\n1,2,3\n").names == ["a", "x1", "c"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "t.csv: is empty"),
        ("\n\n", "t.csv: is empty"),
        ("a,b\n", "t.csv: has a line of column names, but no rows"),
        (
            "a,b\n1,2\n1,2,3\n",
            "t.csv: line 3 has 3 cells, but the first line has 2 (separated by ',')",
        ),
        ("a,b,a\n1,2,3\n", "t.csv: line 1, column 3: has the same name as column 1, 'a'; "),
        (
            "a,b\n1,2\n3,inf\n",
            "t.csv: line 3, column 'b': 'inf' is infinite; values must be finite",
        ),
        ('a,b\n1,"2\n', "t.csv: line 2: "),
        (b"a,b\n1,caf\xe9\n2,th\xe9\n", "t.csv: line 2, column 'b': is not UTF-8 text; "),
        (b"caf\xe9,b\n1,2\n", "t.csv: line 1, column 1: is not UTF-8 text; "),
        ("a,b\n1,2\n".encode("utf-16"), "t.csv: is UTF-16 text; save it as UTF-8"),
    ],
)
def test_a_wrong_file_is_named_with_line_and_column(text, expected):
    assert message(text).startswith(expected)


floats = hnp.arrays(
    np.float64,
    st.tuples(st.integers(1, 30), st.integers(1, 5)),
    elements=st.floats(allow_nan=False, allow_infinity=False),
)


@given(floats)
def test_numbers_come_back_exactly(X):
    text = ",".join(f"c{i}" for i in range(X.shape[1])) + "\n"
    text += "".join(",".join(repr(float(x)) for x in row) + "\n" for row in X)
    np.testing.assert_array_equal(read(text).numbers, X)


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused_by_name(data):
    try:
        read(data)
        said = "t.csv: "
    except ValueError as error:
        said = str(error)
    assert said.startswith("t.csv: ")
