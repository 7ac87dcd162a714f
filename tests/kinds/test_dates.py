"""Dates and times that are written as text."""

from datetime import datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from urerf.kinds.dates import days_of, parse_dates
from urerf.kinds.recognize import recognize

EPOCH = datetime(1970, 1, 1)
moments = st.datetimes(datetime(1900, 1, 1), datetime(2199, 12, 31))


def days(moment):
    return (moment - EPOCH) / timedelta(days=1)


FORMS = {
    "%Y-%m-%d": "D",
    "%Y/%m/%d": "D",
    "%Y-%m-%d %H:%M": "m",
    "%Y-%m-%dT%H:%M:%S": "s",
    "%Y-%m-%dT%H:%M:%SZ": "s",
    "%Y-%m-%d %H:%M:%S.%f": "us",
    "%d.%m.%Y": "D",
    "%d.%m.%Y %H:%M": "m",
    "%d %b %Y": "D",
    "%d-%b-%Y": "D",
    "%B %d, %Y": "D",
    "%b %d %Y %I:%M %p": "m",
    "%Y %b": "M",
    "%Y-%m": "M",
}


@pytest.mark.parametrize("form", FORMS)
@given(st.lists(moments, min_size=1, max_size=5, unique=True))
def test_every_form_is_read_exactly(form, times):
    texts = [time.strftime(form) for time in times]
    expected = np.array(times, dtype="datetime64[us]").astype(f"datetime64[{FORMS[form]}]")
    np.testing.assert_allclose(parse_dates(texts).days, days_of(expected), rtol=0, atol=1e-9)


@given(st.lists(moments, min_size=1, max_size=9), st.sampled_from("/-"), st.booleans())
def test_a_day_above_12_decides_the_order(times, mark, day_first):
    form = f"%d{mark}%m{mark}%Y" if day_first else f"%m{mark}%d{mark}%Y"
    deciding = datetime(2020, 5, 31)
    texts = [time.strftime(form) for time in [*times, deciding]]
    dates = parse_dates(texts, day_first=not day_first)
    assert (dates.day_first, dates.ambiguous) == (day_first, False)
    whole = [datetime(time.year, time.month, time.day) for time in [*times, deciding]]
    assert dates.days.tolist() == [days(time) for time in whole]


@pytest.mark.parametrize("day_first", [None, False, True])
def test_without_such_a_day_the_order_is_assumed_and_said(day_first):
    dates = parse_dates(["1/2/2020", "3/4/2020"], day_first)
    first = "2020-02-01" if day_first else "2020-01-02"
    assert dates.days[0] == np.datetime64(first).astype(int)
    assert dates.ambiguous
    assert not parse_dates(["1/1/2020", "2/2/2020"], day_first).ambiguous
    assert not parse_dates(["1.2.2020"], day_first).ambiguous


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Q3/2020", "2020-07-01"),
        ("2020 Q3", "2020-07-01"),
        ("2020-Q1", "2020-01-01"),
        ("1991 W06", "1991-02-04"),
        ("2020-W53", "2020-12-28"),
        ("6-Aug-09", "2009-08-06"),
        ("06 AUG 69", "1969-08-06"),
        ("Aug 2009", "2009-08-01"),
        ("August-2009", "2009-08-01"),
        ("8/2009", "2009-08-01"),
        ("31.12.68", "2068-12-31"),
        ("12/31/69", "1969-12-31"),
        ("2020-12-31 23:30:00+01:00", "2020-12-31T22:30:00"),
        ("2020-12-31T23:30:00-0130", "2021-01-01T01:00:00"),
        ("12:30", "1970-01-01T12:30:00"),
        ("12:30 am", "1970-01-01T00:30:00"),
        ("11:59:30 PM", "1970-01-01T23:59:30"),
        ("26:05:00", "1970-01-02T02:05:00"),
        ("1 days 02:05:00", "1970-01-02T02:05:00"),
        ("1 day, 2:05:00", "1970-01-02T02:05:00"),
        ("-1 days +23:59:00", "1969-12-31T23:59:00"),
        ("31/Dec/2024:12:30:00 +0000", "2024-12-31T12:30:00"),
        ("2024. 12. 31.", "2024-12-31"),
        ("Dec-24", "2024-12-01"),
        ("2024-W05-3", "2024-01-31"),
        ("Jan-1-1995", "1995-01-01"),
        ("1. März 2024", "2024-03-01"),
        ("1. MÄRZ 2024", "2024-03-01"),
        ("2 DÉC. 2024", "2024-12-02"),
        ("Okt 2024", "2024-10-01"),
        ("3 août 2024", "2024-08-03"),
        ("1er févr. 2024", "2024-02-01"),
        ("15 juil. 2024", "2024-07-15"),
        ("5 de enero de 2024", "2024-01-05"),
        ("7 DEZEMBER 2024", "2024-12-07"),
    ],
)
def test_other_forms(text, expected):
    assert parse_dates([text]).days[0] == pytest.approx(
        days_of(np.array([expected], dtype="datetime64[s]"))[0], abs=1e-9
    )


def test_times_and_durations_have_no_date():
    assert parse_dates(["9:30", "23:59"]).is_duration
    assert not parse_dates(["2024-05-01 09:30"]).is_duration
    read = recognize("wait", np.array(["9:30", "26:05"], dtype=object))
    assert read.column.is_duration


def test_a_time_beyond_a_day_makes_all_of_them_durations():
    assert (parse_dates(["9:30", "51:12"]).days * 24).tolist() == pytest.approx([9.5, 51.2])
    assert (parse_dates(["51:12", "9:30"]).days * 24).tolist() == pytest.approx([51.2, 9.5])


@pytest.mark.parametrize(
    "texts",
    [
        [],
        ["soon"],
        ["2020-01-01", "soon"],
        ["2020-13-01"],
        ["2020-02-30"],
        ["31/31/2020"],
        ["2021 W53"],
        ["13/2020"],
        ["31-Aug 09"],
        ["13/1/2020", "1/13/2020"],
        ["2020-01-01", "1.1.2020"],
        ["2021_05"],
        ["2020"],
        ["1.5"],
        ["25:60"],
        ["9:30 PM", "26:30"],
        ["1:5"],
        ["Marathon 2024"],
        ["Outback 2015"],
        ["Q1(2020", "Q2(2020"],
        ["MAG-1001", "MAG-1002"],
        ["3 jui 2024"],
        ["2024-W05-8"],
        ["now"],
        ["NaT"],
        ["20200101"],
        ["1-2-3"],
        ["1.2.10.4"],
    ],
)
def test_what_is_not_a_date(texts):
    assert parse_dates(texts) is None


@given(st.lists(st.text(max_size=12), max_size=5))
def test_any_text_is_a_date_or_not(texts):
    dates = parse_dates(texts)
    assert dates is None or np.isfinite(dates.days).all()
