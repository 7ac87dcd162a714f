"""Which kind a column of a frame or a file is, and which columns are not features.

=====================================================  ==========================================
column                                                 becomes
=====================================================  ==========================================
no value at all                                        ignore, "every cell is empty"
one value only                                         ignore, "constant"
whole numbers that count up by one                     id, "counts rows: 1, 2, 3, ..."
the same, but they are years                           number
different whole numbers, and the name says id          id, "every value is different"
the same, or codes such as A12, but they repeat        id, "identifies 9 groups of rows"
text of which nearly every value is different          id, "every value is different"
the same, but many cells are empty                     ignore, "every value is different"
the same, but long                                     ignore, "free text"
``true`` and ``false``                                 boolean
text that is a date in every row                       datetime
other text                                             category
numbers, booleans, datetimes, ordered categories       number, boolean, datetime, ordinal
=====================================================  ==========================================

A declared kind comes first: a column that is declared is never left out. Arrays without names are
not examined at all. Frames and files share these rules, so that both give the same result.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .._messages import UnknownNameError, listed
from .._typing import Array
from ..schema import (
    BOOLEAN,
    CATEGORY,
    DATETIME,
    ID,
    IGNORE,
    KINDS,
    NUMBER,
    ORDINAL,
    Column,
)
from .convert import (
    Levels,
    Plain,
    as_levels,
    by_appearance,
    codes_of,
    is_number,
    per_level,
    plain,
    to_boolean,
    to_codes,
    to_datetime,
    to_number,
)
from .counters import (
    COUNTS,
    DIFFERENT,
    FEWEST_COUNTED,
    GROUPS,
    SHARE_DIFFERENT,
    are_days,
    counts_up,
    reason_for_codes,
    reason_for_whole_numbers,
)
from .dates import Dates, not_dates, parse_dates
from .notices import (
    DECLARED,
    IN_PYTHON,
    AboutColumn,
    Wording,
    about_dates,
    about_days,
    about_nearly_dates,
    about_text_of_numbers,
    about_years,
)
from .sentinels import Sentinel, sentinels

# In tables of at most this many rows, every value of text has to be different to make it an id.
MANY_ROWS = 20
# Longer text is not a name: the average length and number of words of a sentence.
LONG_TEXT = 40
MANY_WORDS = 6
# Share of the cells of text that must have a value for it to name rows: a name that is usually
# missing names nothing.
SHARE_NAMED = 0.95
# Free text is "mostly" different; repeated answers such as "no comment" do not make it a category.
SHARE_FREE_TEXT = 0.5
# Text of which this share are numbers was probably meant as numbers, as in files.
SHARE_OF_NUMBERS = 0.8
CODE = re.compile(r"0\d")  # 038.9 is the code of a diagnosis
# Levels that are looked at to see whether nearly all of them are dates or numbers.
SAMPLED_LEVELS = 1000


class Recognized(NamedTuple):
    """A column with its kind, its values (float64, as in `Frame`), and what to tell the user."""

    column: Column
    values: Array
    notices: tuple[str, ...] = ()
    sentinels: tuple[Sentinel, ...] = ()

    @property
    def about(self) -> AboutColumn:
        """What to tell the user, without the values."""
        return AboutColumn(self.column.name, self.notices, self.sentinels)


def recognize(
    name: str,
    values: Any,
    kind: Any = None,
    *,
    wording: Wording = IN_PYTHON,
    day_first: bool | None = None,
) -> Recognized:
    """Return the kind of a column and its values as numbers.

    Parameters
    ----------
    name : str
        Name of the column.
    values : ndarray or Levels
        Its values: numbers, booleans, datetimes, timedeltas (they become numbers of days), text or
        other objects, with NaN, NaT or None for missing values; or `urerf.kinds.convert.Levels`.
    kind : str, sequence of str or None, default=None
        A declared kind, or the levels of an ordinal in their order; None to recognize it.
    wording : Wording, default=IN_PYTHON
        How to tell the user what can be changed.
    day_first : bool or None, default=None
        How to read dates such as 1/2/2020 if no day above 12 decides; None is False.

    Examples
    --------
    >>> recognize("color", np.array(["red", "blue", "red"])).column
    Column(name='color', kind='category', levels=('red', 'blue'), reason='')
    >>> recognize("rownames", np.arange(1, 151)).column.reason
    'counts rows: 1, 2, 3, ...'
    """
    given = plain(values)
    if kind is not None:
        return _declared(name, given, kind, wording, day_first)
    if given.is_text:
        read = _read_text(name, given.values, wording, day_first)
    else:
        read = Recognized(Column(name, given.kind), given.values)
    column, numbers, notices, _ = read
    if reason := _too_few_values(numbers):
        return _left_out(name, IGNORE, reason, len(numbers))
    if column.kind == NUMBER:
        identified = reason_for_whole_numbers(name, numbers)
        if not identified and (found := sentinels(numbers)):
            return Recognized(column, numbers, sentinels=tuple(found))
        notices = () if identified else _about_numbers(name, numbers, wording)
    elif column.kind == CATEGORY:
        identified = _reason_for_text(column, numbers)
    else:
        identified = None
    if identified:
        return _left_out(name, *identified, len(numbers), notices)
    return Recognized(column, numbers, notices)


def check_kind(name: str, kind: Any) -> None:
    """Raise unless a declared kind is one, or a sequence of levels."""
    if isinstance(kind, str):
        if kind not in KINDS:
            choices = ", ".join(map(repr, KINDS))
            raise UnknownNameError(
                f"column_kinds: the kind of {name!r} must be one of {choices}, or a list of "
                f"levels in their order, got {kind!r}"
            )
        return
    is_list = isinstance(kind, Sequence) and all(isinstance(level, str) for level in kind)
    if not is_list or len(set(kind)) < len(kind) or not kind:
        raise ValueError(
            f"column_kinds: the levels of {name!r} must be a list of different texts, got {kind!r}"
        )


def naming_column(columns: Sequence[Column]) -> str | None:
    """Return the column that names the rows: a declared id, or else the first id of text.

    >>> naming_column([Column("n", ID, reason="counts rows: 1, 2, 3, ..."), Column("y", ID)])
    'y'
    """
    ids = [column for column in columns if column.kind == ID]
    declared = [column.name for column in ids if column.reason == DECLARED]
    others = [column.name for column in ids if not column.reason.startswith((COUNTS, GROUPS))]
    by_preference = [*declared, *others]
    if not by_preference:
        return None
    return by_preference[0]


def _left_out(
    name: str,
    kind: str,
    reason: str,
    n_rows: int,
    notices: tuple[str, ...] = (),
) -> Recognized:
    column = Column(name, kind, reason=reason)
    empty = np.full(n_rows, np.nan)
    return Recognized(column, empty, notices)


def _column_of_dates(name: str, dates: Dates) -> Column:
    return Column(name, DATETIME, day_first=dates.day_first, is_duration=dates.is_duration)


def _too_few_values(numbers: Array) -> str | None:
    """Return the reason not to use a column that has fewer than two different values."""
    known = numbers[~np.isnan(numbers)]
    if not len(known):
        return "every cell is empty"
    is_same = known == known[0]
    if is_same.all():
        return "constant"
    return None


def _about_numbers(name: str, numbers: Array, wording: Wording) -> tuple[str, ...]:
    """Return what to tell about numbers that may stand for something else."""
    if counts_up(numbers):
        return (about_years(name, wording),)
    if are_days(numbers):
        known = numbers[~np.isnan(numbers)]
        example = float(known[0])
        return (about_days(name, example, wording),)
    return ()


def _read_text(name: str, text: Levels, wording: Wording, day_first: bool | None) -> Recognized:
    """Return text as an ordinal, booleans, dates or categories."""
    if text.ordered:
        column = Column(name, ORDINAL, text.levels)
        return Recognized(column, codes_of(text))
    text = by_appearance(text)
    notices: tuple[str, ...] = ()
    in_lower_case = {level.lower() for level in text.levels}
    if in_lower_case == {"true", "false"}:
        booleans = to_boolean(Plain(CATEGORY, text))
        return Recognized(Column(name, BOOLEAN), booleans)
    if dates := parse_dates(text.levels, day_first):
        column = _column_of_dates(name, dates)
        if dates.ambiguous:
            notices = (about_dates(column, text.levels[0], wording),)
        days = per_level(text, dates.days)
        return Recognized(column, days, notices)
    sample = text.levels[:SAMPLED_LEVELS]
    if others := not_dates(sample):
        notices = (about_nearly_dates(name, len(sample), others, wording),)
    if decimal := _decimal_in_numbers(text):
        notices = (about_text_of_numbers(name, decimal, wording),)
    column = Column(name, CATEGORY, text.levels)
    return Recognized(column, codes_of(text), notices)


def _decimal_in_numbers(text: Levels) -> str | None:
    """Return a decimal number of text of which nearly all cells are numbers; None for others."""
    sample = text.levels[:SAMPLED_LEVELS]
    decimals = [level for level in sample if "." in level and is_number(level)]
    if not decimals or any(map(CODE.match, sample)):
        return None
    are_numbers = np.array([is_number(level) for level in sample])
    is_present = text.codes >= 0
    is_sampled = is_present & (text.codes < len(sample))
    codes = text.codes[is_sampled]
    share = are_numbers[codes].mean()
    if share >= SHARE_OF_NUMBERS:
        return decimals[0]
    return None


def _reason_for_text(column: Column, codes: Array) -> tuple[str, str] | None:
    """Return the kind and the reason of a text column that is not a feature."""
    levels = column.levels
    n_levels = len(levels)
    n_present = int(np.isfinite(codes).sum())
    share = n_levels / n_present
    n_characters = sum(map(len, levels))
    n_words = sum(len(level.split()) for level in levels)
    has_long_levels = n_characters / n_levels > LONG_TEXT
    has_sentences = n_words / n_levels > MANY_WORDS
    is_long = has_long_levels or has_sentences
    if is_long and share >= SHARE_FREE_TEXT:
        return IGNORE, "free text"
    names_rows = n_present >= SHARE_NAMED * len(codes)
    kind = ID if names_rows else IGNORE
    if n_levels == n_present >= FEWEST_COUNTED:
        return kind, DIFFERENT
    if n_present > MANY_ROWS and share >= SHARE_DIFFERENT:
        return kind, f"nearly {DIFFERENT}"
    return reason_for_codes(column.name, levels)


def _declared(
    name: str,
    given: Plain,
    kind: Any,
    wording: Wording,
    day_first: bool | None,
) -> Recognized:
    """Return a column of a kind that the user declared."""
    if kind in (ID, IGNORE):
        cells = given.values.codes if given.is_text else given.values
        return _left_out(name, kind, DECLARED, len(cells))
    if kind == NUMBER:
        numbers = to_number(given)
        return Recognized(Column(name, NUMBER), numbers)
    if kind == BOOLEAN:
        booleans = to_boolean(given)
        return Recognized(Column(name, BOOLEAN), booleans)
    if kind == DATETIME:
        dates = to_datetime(given, day_first)
        column = _column_of_dates(name, dates)
        return Recognized(column, dates.days)
    if kind == CATEGORY:
        text = by_appearance(as_levels(given))
        column = Column(name, CATEGORY, text.levels)
        return Recognized(column, codes_of(text))
    if kind != ORDINAL:
        return _with_order(name, given, kind)
    if not given.is_text:
        return Recognized(Column(name, ORDINAL), given.values)
    text = given.values
    if not text.ordered:
        order = wording.order.format(name=name)
        raise ValueError(f"an ordinal of text needs the order of its levels; {order}")
    column = Column(name, ORDINAL, text.levels)
    return Recognized(column, codes_of(text))


def _with_order(name: str, given: Plain, order: Sequence[str]) -> Recognized:
    """Return an ordinal with the levels that the user declared."""
    levels = tuple(level.strip() for level in order)
    numbers, unknown = to_codes(given, levels)
    if unknown:
        missing = [repr(level) for level in unknown]
        raise ValueError(f"the order of its levels does not contain {listed(missing)}")
    column = Column(name, ORDINAL, levels)
    return Recognized(column, numbers)
