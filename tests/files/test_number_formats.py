"""Numbers as people write them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from urerf.files.number_formats import (
    PLAIN,
    NumberFormat,
    candidates,
    decimal_mark,
    find_format,
    looks_numeric,
    parse_all,
    parse_one,
)

ANY = candidates(None, None, ".")
ANY_COMMA = candidates(None, None, ",")


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["1", "2.5", "-3e-2", ".5", "5."], [1, 2.5, -0.03, 0.5, 5]),
        (["1,5", "2,25", "-0,5"], [1.5, 2.25, -0.5]),
        (["1,234.5", "7", "1,234,567"], [1234.5, 7, 1234567]),
        (["1.234,5", "7", "1.234.567"], [1234.5, 7, 1234567]),
        (["1 234,5", "7", "1 234 567"], [1234.5, 7, 1234567]),
        (["1\xa0234,5", "1\u202f234"], [1234.5, 1234]),
        (["1 234.5", "7"], [1234.5, 7]),
        (["1'234.5", "1’000"], [1234.5, 1000]),
        (["$5", "-$3.50", "$1,000"], [5, -3.5, 1000]),
        (["($5.00)", "$3"], [-5, 3]),
        (["5 €", "3,50 €", "1.000,00 €"], [5, 3.5, 1000]),
        (["EUR 5", "EUR 3.50"], [5, 3.5]),
        (["12%", "7.5 %", "0"], [12, 7.5, 0]),
        (["\u22125", "3"], [-5, 3]),
        (["+5", " 3 "], [5, 3]),
        (["1,23,456", "12,34,567.5"], [123456, 1234567.5]),
        (["R$ 5,50", "R$ 1.000,00"], [5.5, 1000]),
        (["kr 5", "12 kr"], [5, 12]),
        (["5-", "3", "1,234.50-"], [-5, 3, -1234.5]),
        (["17-", "3-"], [-17, -3]),
        (["1.234,50 EUR-", "3,50 EUR"], [-1234.5, 3.5]),
        (["170 cm", "1,653 cm", "-3cm"], [170, 1653, -3]),
        (["5 km/h", "7.5 km/h"], [5, 7.5]),
        (["21,5 °C", "-3 °C"], [21.5, -3]),
        (["12 m2", "13 m2"], [12, 13]),
        (["1 month", "2 months", "12 months"], [1, 2, 12]),
        (["5 ms", "7 ms"], [5, 7]),
        (["12V", "4.5V"], [12, 4.5]),
    ],
)
def test_formats_are_found(cells, expected):
    form, n_read = find_format(cells, ANY)
    assert n_read == len(cells)
    np.testing.assert_allclose(parse_all(cells, form), expected)


@pytest.mark.parametrize(
    "cell",
    ["", "x", "1_12", "2021_05", "1-2", "5--", "-5-", "--5", "$", "%", "1,23", "1.2.3", "12:30",
     "$5€", "1e", "e5", "1 2", "0x10", "(5", "1,,000", "five", "5-kg", "+-5", "1'23", "5-",
     "12A", "007T", "007 kg", "4th"],
)  # fmt: skip
def test_what_is_not_a_number_with_a_point(cell):
    assert find_format([cell], candidates(".", None, "."))[1] == 0
    assert parse_one(cell, PLAIN) is None


def test_a_word_is_a_unit_only_if_nearly_all_cells_have_it():
    """A letter O in place of a zero is a mistake."""
    assert find_format(["170 cm"] * 4 + ["1.7 m"], ANY)[0].unit == "cm"
    assert find_format(["1.75", "1.6O", "1.81", "1.77"], ANY)[0].unit == ""
    assert find_format(["207a", "208", "209"], ANY)[1] == 2
    assert not looks_numeric("15A")


@pytest.mark.parametrize(
    "cells",
    [
        ["1007A", "1014A", "2021A", "1008A"],  # samples
        ["007 T", "012 T", "045 T"],
        ["9th", "10th", "11th", "12th", "1st", "2nd"],
        ["1", "1-", "2", "2-", "3-"],  # grades
    ],
)
def test_names_are_not_numbers_with_a_unit_or_a_sign(cells):
    assert find_format(cells, ANY)[1] <= 2


def test_two_currencies_do_not_agree():
    assert find_format(["$5", "€5", "$7"], ANY)[1] == 2


@pytest.mark.parametrize(
    ("cells", "point", "comma"),
    [
        (["1,234", "5,678"], 1234, 1.234),
        (["1.234", "5.678"], 1.234, 1234),
        (["500", "600"], 500, 500),
    ],
)
def test_what_fits_two_formats_is_read_as_is_likely(cells, point, comma):
    assert parse_all(cells, find_format(cells, ANY)[0])[0] == point
    assert parse_all(cells, find_format(cells, ANY_COMMA)[0])[0] == comma


@pytest.mark.parametrize(
    ("columns", "separator", "expected"),
    [
        ([["1.5"], ["2"]], ",", "."),
        ([["1,5"], ["2"]], ";", ","),
        ([["1,5"], ["1,5"], ["1.5"]], ";", ","),
        ([["1,234"]], ";", ","),
        ([["1,234"]], ",", "."),
        ([["1,234"]], "\t", "."),
        ([["1.234"]], ";", "."),
        ([["1.234"], ["0,5"]], ";", ","),
        ([["1,234"], ["0.5"]], ";", "."),
        ([["a,b", "c"], ["2"]], ";", "."),
        ([], ",", "."),
    ],
)
def test_the_decimal_mark_of_a_file(columns, separator, expected):
    assert decimal_mark(columns, separator) == expected


def test_declared_marks_leave_only_their_formats():
    assert set(candidates(",", None, ".")) == {
        NumberFormat(",", "."), NumberFormat(",", " "), NumberFormat(",", "'"), NumberFormat(","),
    }  # fmt: skip
    assert candidates(".", "", ".") == [PLAIN]
    assert candidates(None, "_", ".") == [NumberFormat(".", "_"), NumberFormat(",", "_")]
    assert candidates("·", None, ".") == [NumberFormat("·")]


marks = st.sampled_from([(".", ""), (".", ","), (",", "."), (",", " "), (".", "'"), (",", "")])
units = st.sampled_from(["", "$", "€", "%", "CHF "])


@given(st.lists(st.integers(-(10**9), 10**9), min_size=1, max_size=9), marks, units)
def test_what_was_written_is_read(numbers, marks, unit):
    decimal, thousands = marks
    cells = []
    for number in numbers:
        text = f"{abs(number) / 1000:,.3f}"
        text = text.replace(",", "T").replace(".", decimal).replace("T", thousands)
        cells.append(("-" if number < 0 else "") + unit + text)
    form, n_read = find_format(cells, candidates(decimal, thousands, decimal))
    assert n_read == len(cells)
    np.testing.assert_array_equal(parse_all(cells, form), np.array(numbers) / 1000)


@given(st.lists(st.text(max_size=8), min_size=1, max_size=5), st.sampled_from(ANY))
def test_cells_are_read_together_as_they_are_alone(cells, form):
    together = parse_all(cells, form)
    alone = [parse_all([cell], form) for cell in cells]
    if together is None:
        assert any(one is None for one in alone) or any("\n" in cell for cell in cells)
    else:
        np.testing.assert_array_equal(together, np.concatenate(alone))


@given(st.text(st.sampled_from("0123456789.,' $€%-+()eE"), max_size=10))
def test_what_looks_numeric_can_be_read(cell):
    form, n_read = find_format([cell], ANY)
    if looks_numeric(cell) and cell.strip():
        assert n_read == 1
        assert parse_one(cell, form) is not None


def test_a_long_cell_does_not_take_long():
    cells = ["1," * 50_000, "1" * 100_000, " " * 100_000 + "x", "$" * 50_000, "1'111" * 20_000]
    cells += ["1" * 100_000 + "#a#", "1" * 100_000 + "-", " 1" * 50_000 + "#a#"]
    for cell in cells:
        assert find_format([cell], ANY)[1] in (0, 1)
