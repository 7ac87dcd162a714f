"""Columns of whole numbers that count or identify rows, and are therefore not features."""

from __future__ import annotations

import re

import numpy as np

from .convert import number_text
from .schema import ID

# Reasons why a column is not a feature.
COUNTS = "counts rows"
DIFFERENT = "every value is different"
# Fewer rows than this count up by chance, or are an example of a few lines.
FEWEST_COUNTED = 5
# Whole numbers between these that count up are years, unless the name says id: a yearly series.
FIRST_YEAR = 1700
LAST_YEAR = 2100
# A running number from which some rows were dropped still counts up by one nearly everywhere.
SHARE_OF_ONES = 0.9
# Names of columns that identify rows: id, ID, patient_id, PassengerId, rownames, index, Unnamed: 0.
ID_NAME = re.compile(
    r"(.*[^a-zA-Z])?(id|ID|Id|uuid|UUID|guid|GUID)|.*[a-z](ID|Id)"
    r"|(?i:row_?names?|row_?(id|no|num|number)|index|unnamed: 0|)"
)
# Names of columns that count rows, perhaps again and again: Sample Number, record_no, Obs. Nr.
COUNTER_NAME = re.compile(
    r"(?i)(case|line|obs|observation|record|row|sample|serial|specimen)[ ._]*(no|nr|num|number)\.?"
)


def reason_for_whole_numbers(name: str, numbers: np.ndarray) -> tuple[str, str] | None:
    """Return the kind and the reason of whole numbers that are not a feature, None for others.

    >>> reason_for_whole_numbers("n", np.arange(1.0, 9.0))
    ('id', 'counts rows: 1, 2, 3, ...')
    >>> reason_for_whole_numbers("patient_id", np.array([7.0, 3.0, 9.0, 12.0, 5.0]))
    ('id', 'every value is different')
    """
    known = numbers[~np.isnan(numbers)]
    if not _are_whole(known):
        return None
    start = ", ".join(number_text(float(number)) for number in known[:3])
    is_named = ID_NAME.fullmatch(name.strip()) is not None
    are_years = bool(((known >= FIRST_YEAR) & (known <= LAST_YEAR)).all())
    if counts_up(numbers) and (is_named or not are_years):
        return ID, f"{COUNTS}: {start}, ..."
    if COUNTER_NAME.fullmatch(name.strip()) and counts_up(numbers, restarts=True):
        return ID, f"{COUNTS} of groups: {start}, ..."
    if is_named and len(np.unique(known)) == len(known):
        return ID, DIFFERENT
    return None


def _are_whole(numbers: np.ndarray) -> bool:
    return float(numbers[0]).is_integer() and bool((numbers == np.floor(numbers)).all())


def counts_up(numbers: np.ndarray, restarts: bool = False) -> bool:
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
    return bool(goes_on.all()) and (steps == np.diff(rows)).mean() >= SHARE_OF_ONES
