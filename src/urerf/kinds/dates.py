"""Dates and times that are written as text.

A column is a column of dates only if every cell is one, in the same form. Forms: ISO 8601
(``2020-12-31``, ``2020-12-31 23:59:59Z``, ``2020-12``), ``31.12.2020``, ``12/31/2020`` or
``31/12/2020`` (also with hyphens; with points or slashes also ``31.12.20``), ``31 Dec 2020``,
``31-Dec-20``, ``Dec 31, 2020``, months (``2020 Dec``, ``Dec 2020``, ``Dec-20``, ``12/2020``),
quarters (``2020 Q4``), weeks (``2020 W53``, ``2020-W53-1``), times of day (``23:59``) and durations
(``26:05:00``, ``1 days 02:05:00``). Also ``31DEC2020`` and ``2020m12``, as SAS and Stata write,
``2020年12月31日`` and ``2020. 12. 31.``. Months may have German, French, Spanish, Italian,
Portuguese or Dutch names. Years of two digits are 1969 to 2068.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

import numpy as np

from .._typing import Array

TIME = (
    r"(?:[T :]\s?(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d(?:[.,]\d+)?))?"
    r"\s?(?P<half>[AaPp]\.?[Mm]\.?)?\s?(?P<zone>Z|(?:UTC|GMT)(?:[+-]\d\d?)?|[+-]\d\d:?\d\d)?)?"
)
# Names of the months in seven languages, from January on.
MONTHS = (
    "january januar janvier enero gennaio janeiro januari",
    "february februar février fevrier febrero febbraio fevereiro februari",
    "march märz maerz mars marzo março maart mrz mrt",
    "april avril abril aprile",
    "may mai mayo maggio maio mei",
    "june juni juin junio giugno junho",
    "july juli juillet julio luglio julho",
    "august août aout agosto augustus",
    "september septembre septiembre settembre setembro",
    "october oktober octobre octubre ottobre outubro",
    "november novembre noviembre novembro",
    "december dezember décembre decembre diciembre dicembre dezembro",
)


def _beginnings(name: str) -> list[str]:
    """Return the abbreviations of a month, longest first; jui may be June or July.

    >>> _beginnings("march"), _beginnings("juin")
    (['march', 'marc', 'mar'], ['juin'])
    """
    shortest = 4 if name.startswith("jui") else 3
    return [name[:length] for length in range(len(name), shortest - 1, -1)]


MONTH_OF = {
    beginning: month
    for month, names in enumerate(MONTHS, start=1)
    for name in names.split()
    for beginning in _beginnings(name)
}
# With re.ASCII, re.IGNORECASE does not ignore the case of other letters: MÄRZ.
_CAPITALS = [name.upper() for name in MONTH_OF if not name.isascii()]
_LONGEST_FIRST = sorted([*MONTH_OF, *_CAPITALS], key=len, reverse=True)
MONTH_NAME = rf"(?P<name>{'|'.join(_LONGEST_FIRST)})\.?"
WEEKDAY = r"(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? )?"
AFTER_DAY = r"(?:[ ./-]{1,2}| de )"
AFTER_MONTH = r"(?:[ ,/-]{1,2}| de )"
YEAR = r"(?P<year>(?:1[0-9]|2[0-2])\d\d)"
RECENT_YEAR = r"(?P<year>(?:1[5-9]|2[0-2])\d\d)"  # set-1001 is a code, not September
FORMS = tuple(
    re.compile(WEEKDAY + form + TIME, re.ASCII | re.IGNORECASE)
    for form in (
        YEAR + r"(?P<mark>[-/]|\. ?)(?P<month>\d\d?)(?P=mark)(?P<day>\d\d?)\.?",
        YEAR + r"-(?P<month>\d\d)",
        r"(?P<first>\d\d?)(?P<mark>[-/.])(?P<second_part>\d\d?)(?P=mark)" + YEAR,
        r"(?P<first>\d\d?)(?P<mark>[/.])(?P<second_part>\d\d?)(?P=mark)(?P<year>\d\d)",
        r"(?P<day>\d\d?)(?:er|º)?" + AFTER_DAY + MONTH_NAME + AFTER_MONTH + YEAR,
        r"(?P<day>\d\d?)(?P<mark>[ -])" + MONTH_NAME + r"(?P=mark)(?P<year>\d\d)",
        MONTH_NAME + r"(?P<mark>[ -])(?P<day>\d\d?)(?:, ?|(?P=mark))" + YEAR,
        RECENT_YEAR + r"[ -]?" + MONTH_NAME,
        MONTH_NAME + r"[ -]" + RECENT_YEAR,
        MONTH_NAME + r"-(?P<year>\d\d)",
        r"(?P<month>\d\d?)[/-]" + YEAR,
        r"(?P<day>\d\d?)" + MONTH_NAME + RECENT_YEAR,
        YEAR + r"年(?P<month>\d\d?)月(?:(?P<day>\d\d?)日)?",
        YEAR + r"m(?P<month>\d\d?)",
        YEAR + r"[ -]?Q(?P<quarter>[1-4])",
        r"Q(?P<quarter>[1-4])[ /-]" + YEAR,
        YEAR + r"[ -]?W(?P<week>\d\d?)",
        YEAR + r"-W(?P<week>\d\d)-(?P<weekday>[1-7])",
    )
)
TIME_OF_DAY = re.compile(TIME.removesuffix("?").replace(r"[T :]\s?", "", 1), re.ASCII)
# Hours, or minutes, beyond those of a day; one form with times of day, so that 9:30 may be both.
# Also with days, as pandas (0 days 05:24:00) and Python (1 day, 5:24:00) write.
DURATION = re.compile(
    r"(?:(?P<days>-?\d{1,6}) days?,? \+?)?"
    r"(?P<hour>\d{1,4}):(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d(?:[.,]\d+)?))?"
    r"(?P<half>)(?P<zone>)",
    re.ASCII,
)
# Forms that NumPy parses by itself, which is ten times as fast.
ISO = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?)?", re.ASCII)
SECONDS_PER_DAY = 86400.0
FIRST_SHORT_YEAR = 69  # as in POSIX
# Text of which this share are dates was probably meant as dates, as with numbers in files.
SHARE_OF_DATES = 0.8


class Dates(NamedTuple):
    """What a column of dates means.

    ``days`` since 1970-01-01, and whether the order of day and month had to be assumed
    (``ambiguous``) or was decided by a day above 12 (``day_first`` is None if there is no such
    question). Times of day and durations (``is_duration``) have no date.
    """

    days: Array
    day_first: bool | None = None
    ambiguous: bool = False
    is_duration: bool = False


def parse_dates(texts: Sequence[str], day_first: bool | None = None) -> Dates | None:
    """Return the dates that all texts are, or None if they are not.

    Parameters
    ----------
    texts : sequence of str
        The different values of a column, without missing ones.
    day_first : bool or None, default=None
        Whether 1/2/2020 is February 1; used only where no day above 12 decides. None is False.

    Examples
    --------
    >>> parse_dates(["1970-01-02", "1970-01-03"]).days.tolist()
    [1.0, 2.0]
    >>> parse_dates(["31/12/1970", "1/12/1970"]).days.tolist()
    [364.0, 334.0]
    >>> parse_dates(["1/2/1970"]).ambiguous
    True
    >>> parse_dates(["1970-01-02", "soon"]) is None
    True
    """
    if not texts:
        return None
    form = _form_of(texts[0])
    if form is None:
        return None
    if all(map(ISO.fullmatch, texts)):
        return _parse_iso(texts)
    matches = _matches(form, texts)
    if matches is None and form is TIME_OF_DAY:
        matches = _matches(DURATION, texts)
    if matches is None:
        return None
    if form in (TIME_OF_DAY, DURATION):
        times = [_days(match) + _time(match) for match in matches]
        return Dates(np.array(times), is_duration=True)
    return _parse_matches(matches, day_first)


def _matches(form: re.Pattern[str], texts: Sequence[str]) -> list[re.Match[str]] | None:
    """Return the matches of all texts, None if one of them has another form."""
    matches = list(filter(None, map(form.fullmatch, texts)))
    if len(matches) < len(texts):
        return None
    return matches


def not_dates(texts: Sequence[str]) -> list[str]:
    """Return the texts that are not dates in the most frequent form, none if few are dates.

    >>> not_dates([*("2020-01-%02d" % day for day in range(1, 10)), "later"])
    ['later']
    >>> not_dates(["soon", "2020-01-01"])
    []
    """
    if not texts:
        return []
    forms: list[re.Pattern[str] | None] = []
    for text in texts:
        is_date = parse_dates([text]) is not None
        forms.append(_form_of(text) if is_date else None)
    counts = Counter(form for form in forms if form is not None)
    if counts.total() < SHARE_OF_DATES * len(texts):
        return []
    [(usual, _)] = counts.most_common(1)
    return [text for text, form in zip(texts, forms) if form is not usual]


def _form_of(text: str) -> re.Pattern[str] | None:
    for form in (*FORMS, TIME_OF_DAY, DURATION):
        if form.fullmatch(text):
            return form
    return None


def _parse_iso(texts: Sequence[str]) -> Dates | None:
    try:
        times = np.array(texts, dtype="datetime64[us]")
    except ValueError:  # a 13th month, or February 30
        return None
    return Dates(days_of(times))


def days_of(times: Array) -> Array:
    """Return datetimes (since 1970) or timedeltas as days, with NaN for those that are missing.

    >>> days_of(np.array(["1970-01-02T12", "NaT"], dtype="datetime64[h]"))
    array([1.5, nan])
    """
    kind = "M8[us]" if times.dtype.kind == "M" else "m8[us]"
    microseconds = times.astype(kind).astype(np.int64)
    days = microseconds / (SECONDS_PER_DAY * 1e6)
    days[np.isnat(times)] = np.nan
    return days


def _parse_matches(matches: Sequence[re.Match[str]], day_first: bool | None) -> Dates | None:
    fields = [match.groupdict() for match in matches]
    ambiguous = False
    order = None
    if "first" in fields[0]:
        first = [int(field["first"]) for field in fields]
        second = [int(field["second_part"]) for field in fields]
        is_day_first = max(first) > 12
        is_day_second = max(second) > 12
        if is_day_first or is_day_second:  # if both are, the dates will be refused
            order = is_day_first
        else:
            is_german = "." in matches[0][0]
            order = bool(day_first) or is_german
            ambiguous = first != second and not is_german
        days_in_month = second
        months = first
        if order:
            days_in_month = first
            months = second
    elif "week" in fields[0]:
        return _parse_weeks(fields)
    else:
        days_in_month = [int(field.get("day") or 1) for field in fields]
        months = [_month(field) for field in fields]
    dates = [
        f"{_year(field)}-{month:02d}-{day:02d}"
        for field, month, day in zip(fields, months, days_in_month)
    ]
    try:
        whole = np.array(dates, dtype="datetime64[D]").astype(np.int64)
    except ValueError:
        return None
    times = np.array([_time(match) for match in matches])
    return Dates(whole + times, order, ambiguous)


def _parse_weeks(fields: Sequence[dict[str, str]]) -> Dates | None:
    """Return the days of the weeks of ISO 8601, or their Mondays."""
    days = []
    for field in fields:
        year = int(field["year"])
        week = int(field["week"])
        weekday = int(field.get("weekday") or 1)
        try:
            day = date.fromisocalendar(year, week, weekday)
        except ValueError:  # no year has a week 54
            return None
        days.append(day)
    times = np.array(days, dtype="datetime64[D]")
    return Dates(days_of(times))


def _year(field: dict[str, str]) -> str:
    year = field["year"]
    if len(year) == 4:
        return year
    century = "19" if int(year) >= FIRST_SHORT_YEAR else "20"
    return century + year


def _month(field: dict[str, str]) -> int:
    if "name" in field:
        name = field["name"].lower()
        return MONTH_OF[name]
    if "quarter" in field:
        quarter = int(field["quarter"])
        return 3 * quarter - 2
    return int(field["month"])


def _days(match: re.Match[str]) -> float:
    """Return the whole days of a duration."""
    return float(match.groupdict().get("days") or 0)


def _time(match: re.Match[str]) -> float:
    """Return the time of day, in days, in universal time if the zone is known."""
    if match["hour"] is None:
        return 0.0
    hour = int(match["hour"])
    minute = int(match["minute"])
    second = match["second"] or "0"
    half = match["half"]
    if half:
        is_afternoon = half[0] in "pP"
        hour = hour % 12
        if is_afternoon:
            hour += 12
    seconds = 3600.0 * hour + 60.0 * minute
    seconds += float(second.replace(",", "."))
    zone = (match["zone"] or "").lstrip("ZUTCGM")
    if zone:
        sign = zone[0]
        digits = zone[1:].replace(":", "")
        hours = int(digits[:2])
        minutes = int(digits[2:] or 0)
        offset = 3600.0 * hours + 60.0 * minutes
        seconds -= offset if sign == "+" else -offset
    return seconds / SECONDS_PER_DAY
