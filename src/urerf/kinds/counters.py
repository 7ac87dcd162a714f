"""Columns of whole numbers that count or identify rows, and are therefore not features."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from .._typing import Array
from ..schema import ID
from .convert import number_text

# Reasons why a column is not a feature.
COUNTS = "counts rows"
DIFFERENT = "every value is different"
GROUPS = "identifies"
# Text, and numbers with the name of an id, identify rows if this share of the values is different:
# names occur twice now and then.
SHARE_DIFFERENT = 0.95
# Fewer rows than this count up by chance, or are an example of a few lines.
FEWEST_COUNTED = 5
# Whole numbers between these that count up are years, unless the name says id: a yearly series.
FIRST_YEAR = 1500
LAST_YEAR = 2100
# Whole numbers between these may be days.
FIRST_DAY = 19000101
LAST_DAY = 21001231
# A running number from which some rows were dropped still counts up by one nearly everywhere.
SHARE_OF_ONES = 0.9
# What rows, or groups of rows, are. Before "id" or "number" these make the name of an identifier;
# other words before a fused "id" do not: bid, kid, paid, grid, partyid.
THINGS = (
    "case|child|class|cust|customer|dist|district|doc|employee|fam|family|firm|geo|hh|house"
    "|household|individual|item|line|member|obs|observation|order|participant|pat|patient|person"
    "|plant|player|plot|pupil|record|resp|respondent|row|sample|sch|school|seq|serial|session"
    "|site|specimen|station|store|stud|student|study|subj|subject|team|town|unit|user|usubj"
)
NUMBER_WORDS = "no|nr|num|number"
# Of the levels of a text column that identifies groups of rows, this share has digits: C12, 207a.
# A "subject" may also be what is taught.
SHARE_WITH_DIGITS = 0.8
YES_OR_NO = 2  # whether a person is a participant or a patient is not an identifier
# Names that may stand for something else: pid is a patient, but also the party identification, in
# seven steps. With these, at most as many values as a scale from 0 to 10 has are not identifiers.
SHORT_ID = re.compile("(?i)[hpsu]id")
STEPS_OF_SCALE = 11
# Names of columns that identify rows or groups of rows: id, ID, patient_id, PassengerId, townid,
# GEOID, idno, id_str, Subject, isbn.
ID_NAME = re.compile(
    r"(.*[^a-zA-Z])?(id|ID|Id|uuid|UUID|guid|GUID)(_str)?|.*[a-z](ID|Id)"
    rf"|(?i:(.*[^a-z])?({THINGS}|[hpsu])?id[ ._]*({NUMBER_WORDS})?\.?)"
    r"|(?i:(.*[^a-z])?isbn|identifier|individual|participant|patient|proband|respondent|subject)"
)
# Names of columns that number rows, unless values repeat: rownames, index, Unnamed: 0, no name.
ROW_NAME = re.compile(rf"(?i)row_?names?|row_?({NUMBER_WORDS})|case|index|nr|obs|seqn|unnamed: 0|")
# Names of columns that number rows, perhaps again and again: Sample Number, record_no, Obs. Nr.
COUNTER_NAME = re.compile(rf"(?i)(.*[^a-z])?({THINGS})[ ._]*({NUMBER_WORDS})\.?")


def is_id_name(name: str) -> bool:
    """Return whether the name of a column says that it identifies rows or groups of rows.

    >>> is_id_name("patient_id"), is_id_name("townid"), is_id_name("paid")
    (True, True, False)
    """
    return ID_NAME.fullmatch(name.strip()) is not None


def reason_for_whole_numbers(name: str, numbers: Array) -> tuple[str, str] | None:
    """Return the kind and the reason of whole numbers that are not a feature, None for others.

    >>> reason_for_whole_numbers("n", np.arange(1.0, 9.0))
    ('id', 'counts rows: 1, 2, 3, ...')
    >>> reason_for_whole_numbers("patient_id", np.array([7.0, 3.0, 9.0, 12.0, 5.0]))
    ('id', 'every value is different')
    >>> reason_for_whole_numbers("patient_id", np.array([7.0, 7.0, 9.0, 9.0, 5.0, 5.0]))
    ('id', 'identifies 3 groups of rows')
    """
    known = numbers[~np.isnan(numbers)]
    if len(known) < FEWEST_COUNTED or not _are_whole(known):
        return None
    first = [number_text(float(number)) for number in known[:3]]
    start = ", ".join(first)
    name = name.strip()
    is_id = is_id_name(name)
    is_row_name = ROW_NAME.fullmatch(name) is not None
    is_counter = COUNTER_NAME.fullmatch(name) is not None
    names_rows = is_id or is_row_name
    if counts_up(numbers) and (names_rows or not _are_years(known)):
        return ID, f"{COUNTS}: {start}, ..."
    if not names_rows and not is_counter:
        return None
    if counts_up(numbers, restarts=True):
        return ID, f"{COUNTS} of groups: {start}, ..."
    n_different = len(np.unique(known))
    if n_different == len(known):
        return ID, DIFFERENT
    if not is_id or n_different <= _most_categories(name):
        return None
    if n_different >= SHARE_DIFFERENT * len(known):
        return ID, f"nearly {DIFFERENT}"
    return ID, f"{GROUPS} {n_different:,} groups of rows"


def reason_for_codes(name: str, levels: Sequence[str]) -> tuple[str, str] | None:
    """Return the kind and the reason of text that identifies groups of rows, None for others.

    >>> reason_for_codes("subject", ["S1", "S2", "S3"])
    ('id', 'identifies 3 groups of rows')
    >>> reason_for_codes("subject", ["Physics", "Art", "History"]) is None
    True
    """
    if not is_id_name(name) or len(levels) <= _most_categories(name):
        return None
    n_levels = len(levels)
    n_codes = sum(any(map(str.isdigit, level)) for level in levels)
    if n_codes < SHARE_WITH_DIGITS * n_levels:
        return None
    return ID, f"{GROUPS} {n_levels:,} groups of rows"


def _most_categories(name: str) -> int:
    """Return how many different values are still a category, although the name says id.

    >>> _most_categories("PID"), _most_categories("patient_id")
    (11, 2)
    """
    if SHORT_ID.fullmatch(name.strip()):
        return STEPS_OF_SCALE
    return YES_OR_NO


def are_days(numbers: Array) -> bool:
    """Return whether all numbers are days of years from 1900 on, such as 20201231.

    >>> are_days(np.array([20240101.0, 20240131, 20240229, 20241231, 20231105]))
    True
    """
    known = numbers[~np.isnan(numbers)]
    if len(known) < FEWEST_COUNTED:
        return False
    if known.min() < FIRST_DAY or known.max() > LAST_DAY:
        return False
    month = known // 100 % 100
    day = known % 100
    has_month = (month >= 1) & (month <= 12)
    has_day = (day >= 1) & (day <= 31)
    is_day = has_month & has_day
    if not is_day.all():
        return False
    return _are_whole(known)


def _are_years(numbers: Array) -> bool:
    """Return whether all numbers are years, or months such as 202012.

    >>> _are_years(np.array([1629.0, 1630])), _are_years(np.array([202012.0, 202101]))
    (True, True)
    """
    if numbers.min() > LAST_YEAR:
        month = numbers % 100
        if month.min() < 1 or month.max() > 12:
            return False
        numbers = numbers // 100
    first = numbers.min()
    last = numbers.max()
    return bool(first >= FIRST_YEAR and last <= LAST_YEAR)


def _are_whole(numbers: Array) -> bool:
    if not float(numbers[0]).is_integer():
        return False
    is_whole = numbers == np.floor(numbers)
    return bool(is_whole.all())


def counts_up(numbers: Array, restarts: bool = False) -> bool:
    """Return whether whole numbers go up by one per row nearly everywhere, with or without gaps.

    With ``restarts``, they may go back to the first one.
    """
    rows = np.flatnonzero(~np.isnan(numbers))
    known = numbers[rows]
    if len(known) < FEWEST_COUNTED or not _are_whole(known):
        return False
    steps = np.diff(known)
    goes_on = steps > 0
    if restarts:
        goes_on |= known[1:] == known[0]
    if not goes_on.all():
        return False
    is_by_one = steps == np.diff(rows)
    return is_by_one.mean() >= SHARE_OF_ONES
