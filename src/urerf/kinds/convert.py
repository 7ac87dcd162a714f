"""From the values of one column, as they come, to the numbers that its kind stands for.

A column comes as a NumPy array (numbers, booleans, datetimes, timedeltas, text or other objects,
with None or NaN for missing values) or as `Levels`. It becomes float64 with NaN for missing values;
`urerf.schema.Frame` says what the numbers mean for each kind.
"""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from itertools import compress, count
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from .._messages import listed
from .._typing import Array
from ..schema import BOOLEAN, CATEGORY, DATETIME, NUMBER, ORDINAL
from .dates import Dates, days_of, parse_dates

TRUE = frozenset(["true", "t", "yes", "y", "1"])
FALSE = frozenset(["false", "f", "no", "n", "0"])
# Numbers that `datetime` accepts: years, and days written as 20201231.
FIRST_YEAR = 1000
LAST_YEAR = 2299


class Levels(NamedTuple):
    """Text, as the number of a level for every row (-1 for missing values) and the levels."""

    codes: Array
    levels: tuple[str, ...]
    ordered: bool = False


class Plain(NamedTuple):
    """A column with the kind that its type suggests: numbers, or `Levels` for text."""

    kind: str
    values: Any

    @property
    def is_text(self) -> bool:
        """Whether the values are `Levels`."""
        return isinstance(self.values, Levels)


def plain(values: Any) -> Plain:
    """Return the numbers or the levels of a column.

    >>> plain(np.array([True, False])).values.tolist()
    [1.0, 0.0]
    >>> plain(np.array(["b", None, "a", "b"], dtype=object)).values
    Levels(codes=array([ 0, -1,  1,  0]), levels=('b', 'a'), ordered=False)
    """
    if isinstance(values, Plain):
        return values
    if isinstance(values, Levels):
        kind = ORDINAL if values.ordered else CATEGORY
        return Plain(kind, values)
    values = np.asarray(values)
    kind = values.dtype.kind
    if kind in "mM":
        days = days_of(values)
        return Plain(DATETIME if kind == "M" else NUMBER, days)
    if kind in "fiub":
        numbers = values.astype(np.float64)
        return Plain(BOOLEAN if kind == "b" else NUMBER, numbers)
    if kind in "OUT":
        return _from_objects(values)
    raise ValueError(f"has values of type {values.dtype}, which are neither numbers nor text")


def factorize(cells: Sequence[Any]) -> tuple[Array, list[Any]]:
    """Return the code of every cell, and the different cells in the order of first appearance."""
    code_of: defaultdict[Any, int] = defaultdict(count().__next__)
    codes = np.fromiter(map(code_of.__getitem__, cells), dtype=np.int64, count=len(cells))
    return codes, list(code_of)


def keep_levels(text: Levels, is_kept: Sequence[bool]) -> Levels:
    """Return text with only some of its levels; cells with the others are missing.

    >>> keep_levels(Levels(np.array([0, 1, 2]), ("b", "", "a")), [True, False, True])
    Levels(codes=array([ 0, -1,  1]), levels=('b', 'a'), ordered=False)
    """
    if all(is_kept):
        return text
    positions = np.cumsum(is_kept) - 1
    new_codes = np.where(is_kept, positions, -1)
    kept = compress(text.levels, is_kept)
    return _recoded(text, new_codes, kept)


def merged(levels: Levels) -> Levels:
    """Join levels that have the same text, such as 1 and "1 " of a column of objects."""
    if len(set(levels.levels)) == len(levels.levels):
        return levels
    new_codes, different = factorize(levels.levels)
    return _recoded(levels, new_codes, different)


def by_appearance(values: Levels) -> Levels:
    """Return levels in the order of their first appearance, without those that do not occur.

    >>> by_appearance(Levels(np.array([2, 0, 2]), ("a", "b", "c")))
    Levels(codes=array([0, 1, 0]), levels=('c', 'a'), ordered=False)
    """
    present, first_row = np.unique(values.codes, return_index=True)
    by_row = np.argsort(first_row)
    order = present[by_row]
    order = order[order >= 0]
    new_codes = np.full(len(values.levels), -1)
    new_codes[order] = np.arange(len(order))
    levels = [values.levels[i] for i in order]
    return _recoded(values, new_codes, levels)


def _recoded(text: Levels, new_codes: Array, levels: Iterable[str]) -> Levels:
    """Return text with new codes for its levels, and the levels that have them."""
    or_missing = np.append(new_codes, -1)  # the code -1 is the last one
    codes = or_missing[text.codes]
    return Levels(codes, tuple(levels), text.ordered)


def codes_of(levels: Levels) -> Array:
    """Return the codes as numbers, with NaN for missing values."""
    is_missing = levels.codes < 0
    return np.where(is_missing, np.nan, levels.codes)


def number_text(value: float) -> str:
    """Return a number as text, whole ones without a decimal point.

    >>> number_text(3.0), number_text(0.5)
    ('3', '0.5')
    """
    is_exact = abs(value) < 2**53
    if is_exact and value.is_integer():
        return str(int(value))
    return repr(value)


def level_text(level: Any) -> str:
    """Return the text of a level, the same for equal numbers of all types, without outer spaces.

    >>> level_text(3), level_text(np.float32(3.0)), level_text(" 3"), level_text(True)
    ('3', '3', '3', 'True')
    """
    if isinstance(level, (float, np.floating)):
        return number_text(float(level))
    return str(level).strip()


def as_levels(column: Plain) -> Levels:
    """Return the levels of a column of any kind."""
    if column.is_text:
        return column.values
    numbers = column.values
    different, codes = np.unique(numbers, return_inverse=True)
    different = different[~np.isnan(different)]  # the last one, if any is missing
    texts = [_text(column.kind, float(value)) for value in different]
    is_missing = np.isnan(numbers)
    codes = np.where(is_missing, -1, codes)
    return Levels(codes, tuple(texts))


def to_number(column: Plain) -> Array:
    """Return a column as numbers."""
    if not column.is_text:
        return column.values
    levels = column.values.levels
    if bad := [level for level in levels if not is_number(level)]:
        raise ValueError(f"has text that is not a number: {_quoted(bad)}")
    numbers = [float(level) for level in levels]
    return per_level(column.values, numbers)


def to_boolean(column: Plain) -> Array:
    """Return a column as 0 and 1."""
    levels = as_levels(column)
    words = [level.lower() for level in levels.levels]
    known = TRUE | FALSE
    if bad := [word for word in words if word not in known]:
        raise ValueError(f"has values that are neither true nor false: {_quoted(bad)}")
    are_true = [word in TRUE for word in words]
    return per_level(levels, are_true)


def to_datetime(column: Plain, day_first: bool | None = None) -> Dates:
    """Return a column as days since 1970-01-01, and how its text was read."""
    if column.kind == DATETIME:
        return Dates(column.values)
    levels = as_levels(column)
    texts = levels.levels
    if not column.is_text:
        texts = tuple(map(_date_of_number, texts))
    if not texts:
        return Dates(per_level(levels, []))
    dates = parse_dates(texts, day_first)
    if dates is None:
        bad = [text for text in texts if parse_dates([text]) is None]
        examples = _quoted(bad or texts)
        raise ValueError(f"has values that are not dates, or not all in one form: {examples}")
    days = per_level(levels, dates.days)
    return dates._replace(days=days)


def to_codes(column: Plain, levels: Sequence[str]) -> tuple[Array, list[str]]:
    """Return the codes of given levels, and the values of the column that are not among them.

    >>> to_codes(plain(np.array(["b", "c"], dtype=object)), ["a", "b"])
    (array([ 1., nan]), ['c'])
    """
    text = as_levels(column)
    code_of = {level: float(code) for code, level in enumerate(levels)}
    numbers = [code_of.get(level, np.nan) for level in text.levels]
    unknown = [level for level in text.levels if level not in code_of]
    return per_level(text, numbers), unknown


def is_number(text: str) -> bool:
    """Return whether text is a number; unlike in Python, ``1_000`` is not one.

    >>> is_number(" 1e-3 "), is_number("1_12"), is_number("1,5")
    (True, False, False)
    """
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text


def per_level(levels: Levels, numbers: Any) -> Array:
    """Return the number of every row's level, with NaN for missing values."""
    per_level = np.asarray(numbers, dtype=np.float64)
    or_missing = np.append(per_level, np.nan)  # the code -1 is the last one
    return or_missing[levels.codes]


def _from_objects(values: Array) -> Plain:
    cells = values.tolist()
    try:
        codes, different = factorize(cells)
    except TypeError:  # lists and dictionaries are not hashable
        raise ValueError("has values that are neither numbers nor text") from None
    is_filled = [not is_empty(cell) for cell in different]
    filled = list(compress(different, is_filled))
    for types, kind, convert in OBJECTS:
        if filled and all(isinstance(cell, types) for cell in filled):
            try:
                converted = [convert(cell) for cell in filled]
            except OverflowError:
                raise ValueError("has integers too large for float64; rescale it") from None
            numbers = np.full(len(different), np.nan)
            numbers[is_filled] = converted
            return Plain(kind, numbers[codes])
    levels = tuple(map(level_text, different))
    text = Levels(codes, levels)
    known = keep_levels(text, is_filled)
    return Plain(CATEGORY, merged(known))


def _days_of_date(day: date) -> float:
    if not isinstance(day, datetime):
        since_1970 = day - date(1970, 1, 1)
        return float(since_1970.days)
    from_utc = day.utcoffset() or timedelta()  # None without a time zone
    since_1970 = day.replace(tzinfo=None) - datetime(1970, 1, 1)
    return (since_1970 - from_utc) / timedelta(days=1)


# Types of objects that are numbers, and what they become: the first that fits all cells.
OBJECTS: tuple[tuple[Any, str, Callable[[Any], float]], ...] = (
    ((bool, np.bool_), BOOLEAN, float),
    ((Real, Decimal), NUMBER, float),
    (date, DATETIME, _days_of_date),
    (timedelta, NUMBER, lambda cell: cell / timedelta(days=1)),
)


def is_empty(cell: Any) -> bool:
    """Return whether an object stands for a missing value: None, NaN, NaT, NA or empty text."""
    if isinstance(cell, str):
        return not cell.strip()
    if cell is None:
        return True
    try:
        return bool(cell != cell)
    except TypeError:  # pandas' NA
        return True


def _text(kind: str, value: float) -> str:
    if kind == BOOLEAN:
        return str(bool(value))
    if kind == DATETIME and np.isfinite(value):
        seconds = round(value * 86400)
        text = str(np.datetime64(seconds, "s"))
        return text.removesuffix("T00:00:00")
    return number_text(value)


def _date_of_number(text: str) -> str:
    if not text.isdigit():
        return text
    if len(text) == 8:
        year = text[:4]
        month = text[4:6]
        day = text[6:]
        return f"{year}-{month}-{day}"
    if FIRST_YEAR <= int(text) <= LAST_YEAR:
        return f"{text}-01-01"
    return text


@contextlib.contextmanager
def naming(place: str) -> Iterator[None]:
    """Within this block, an error begins with the place where it occurred."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{place}: {error}") from None


def _quoted(texts: Sequence[str]) -> str:
    quoted = [repr(text[:40]) for text in texts]
    return listed(quoted)
