"""Numbers as people write them: decimal comma, thousands separators, currencies, percent, units.

A column has one format: one decimal mark, at most one thousands separator and one unit, which is a
currency, a percent sign or a word such as cm. It is chosen by how many cells it can read. Cells
such as ``1,234`` fit two formats; then the other columns of the file decide, and if they do not,
the separator of the file (see `decimal_mark`). Numbers are read without the unit: ``12 %`` is 12.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from urerf.kinds.convert import is_number

from .._typing import Array

POINT = "."
COMMA = ","
# Patterns use possessive quantifiers (*+), so that no cell takes more than linear time.
# Characters that stand for others in numbers: spaces that do not break, apostrophes, minus signs.
VARIANTS = str.maketrans({"\xa0": " ", "\u2007": " ", "\u2009": " ", "\u202f": " ",
                          "\u2019": "'", "\u2212": "-", "\u2013": "-"})  # fmt: skip
PER_CENT = ("%", "‰")
SIGNS = "$€£¥₹₽₩₪₺₫฿₴₦" + "".join(PER_CENT)
CODES = (
    "EUR|USD|GBP|CHF|JPY|CNY|INR|SEK|NOK|DKK|PLN|CZK|HUF|RUB|TRY|BRL|MXN|ZAR|KRW|AUD|CAD|NZD"
    r"|HKD|SGD|kr|zł|Kč|Ft|Fr\.|US\$|R\$|A\$|C\$"
)
UNIT = rf"[{SIGNS}]|{CODES}"
UNIT_OF = re.compile(
    rf"\s*+[-+(]?+\s*+(?P<before>{UNIT})?+[^A-Za-z{SIGNS}]*+(?P<after>{UNIT})?+\s*+\)?+\s*+"
)
# A word after the number, such as kg, km/h, m2 or °C; but 5e3 is a number.
WORD = r"(?![eE]\d*\s*$)°?[A-Za-zµμΩ]{0,8}+(?:/[A-Za-z]{1,4}+)?[23²³]?"
WORD_OF = re.compile(rf"[^A-Za-zµμΩ°]*\d[^A-Za-zµμΩ°]*?\s*+(?P<word>{WORD})-?\s*+")
LONGEST_MEASURE = 40  # characters; the pattern takes quadratic time
# Share of the cells that must have the word: 1.6O among numbers is a mistake, not a unit.
SHARE_WITH_WORD = 0.8
# Names that end with a letter (12A, 1007B), begin with a zero (007 T), or are places (4th).
NAME = re.compile(r"\d+[A-Z]|0\d+ ?[A-Za-z]+|\d*(?:1st|2nd|3rd|\dth)")
SHORTEST_PLURAL = 4  # letters: days; but ms is not the plural of m
TRAILING_MINUS = re.compile(r"^ *+([^-\n]++)- *+$", re.MULTILINE)
# Codes, not quantities: ZIP codes such as 01234, diagnoses such as 038.9, and phone numbers such as
# +4915112345. Two digits are more often parts of dates and times: month 07.
CODE = re.compile(r"^(?:0\d\d+(?:\.\d+)?|\+\d{7,})$", re.ASCII | re.MULTILINE)
DIGITS = re.compile(r"\+?\d+(?:\.\d+)?", re.ASCII)
PLAIN_DIGITS = re.compile(r"[1-9]\d*+(?:\.\d+)?|0\.\d+", re.ASCII)
EXPONENT = r"(?:[eE][-+]?\d+)?"
# With fewer numbers such as 3.292, it may be chance that all of them have three decimals.
GROUPED = re.compile(r"-?[1-9]\d{0,2}(?:\.\d{3})+", re.ASCII)
FEWEST_GROUPED = 2
# In place of cents: 10,- and 10.-- are whole prices.
NO_CENTS = re.compile(r"(?<=\d)\.-{1,2}")


class NumberFormat(NamedTuple):
    """How the numbers of a column are written."""

    decimal: str = POINT
    thousands: str = ""
    unit: str = ""
    sign_last: bool = False  # 5.50- is negative


PLAIN = NumberFormat()
WITH_POINT = tuple(NumberFormat(POINT, mark) for mark in ("", COMMA, " ", "'"))
WITH_COMMA = tuple(NumberFormat(COMMA, mark) for mark in (POINT, " ", "'", ""))


def candidates(decimal: str | None, thousands: str | None, likely: str) -> list[NumberFormat]:
    """Return the formats that are possible, the likely ones first.

    Parameters
    ----------
    decimal, thousands : str or None
        What the user says; None if it is to be found.
    likely : str
        The decimal mark to prefer.
    """
    formats = [*WITH_POINT, *WITH_COMMA]
    if likely == COMMA:
        formats = [*WITH_COMMA, *WITH_POINT]
    if decimal is not None:
        formats = [known for known in formats if known.decimal == decimal]
        if not formats:
            formats = [NumberFormat(decimal)]
    if thousands is not None:
        decimals = dict.fromkeys(known.decimal for known in formats)
        marks = [mark for mark in decimals if mark != thousands]
        formats = [NumberFormat(mark, thousands) for mark in marks]
    return formats


def find_format(cells: Iterable[str], formats: Sequence[NumberFormat]) -> tuple[NumberFormat, int]:
    """Return the format that reads most of the cells (the first of equals), and how many it reads.

    >>> find_format(["1.234,5", "7"], WITH_POINT + WITH_COMMA)
    (NumberFormat(decimal=',', thousands='.', unit='', sign_last=False), 2)
    >>> find_format(["$5", "-$3.50", "many"], WITH_POINT)
    (NumberFormat(decimal='.', thousands='', unit='$', sign_last=False), 2)
    """
    cells = list(cells)
    if formats[0] == PLAIN and parse_all(cells, PLAIN) is not None:
        return PLAIN, len(cells)
    cells = [cell.translate(VARIANTS) for cell in cells]
    unit = _common_unit(cells)
    possible = _with_marks(formats, unit, cells)
    n_read = [len(_readable(cells, [form])) for form in possible]
    most = max(n_read)
    if most == 0:
        return PLAIN, 0
    best = n_read.index(most)
    return possible[best], most


def decimal_mark(columns: Iterable[Sequence[str]], separator: str) -> str:
    """Return the decimal mark of a file.

    It is that of the columns that have cells which only one mark can explain, as in 0,5. Without
    such columns it is the comma in files that are separated by semicolons and have numbers with
    commas, and else the point.

    >>> decimal_mark([["1.234", "5.678"], ["0,5", "1,25"]], "|")
    ','
    """
    votes = 0
    has_comma = False
    for cells in columns:
        if parse_all(cells, PLAIN) is not None:
            with_point = [cell for cell in cells if POINT in cell]
            is_decimal_point = not all(map(_is_grouped, with_point))
            votes -= is_decimal_point
            continue
        cells = [cell.translate(VARIANTS) for cell in cells]
        unit = _common_unit(cells)
        formats_with_point = _with_marks(WITH_POINT, unit, cells)
        formats_with_comma = _with_marks(WITH_COMMA, unit, cells)
        by_point = _readable(cells, formats_with_point)
        by_comma = _readable(cells, formats_with_comma)
        by_either = by_point | by_comma
        if len(by_either) < 0.8 * len(cells):
            continue
        only_by_comma = by_comma - by_point
        only_by_point = by_point - by_comma
        votes += bool(only_by_comma)
        votes -= bool(only_by_point)
        has_comma |= any(COMMA in cells[i] for i in by_comma)
    if votes == 0 and has_comma and separator == ";":
        votes = 1
    return COMMA if votes > 0 else POINT


def _is_grouped(cell: str) -> bool:
    """Return whether the points of a number can be thousands separators."""
    return _pattern(NumberFormat(COMMA, POINT)).fullmatch(cell) is not None


def looks_numeric(cell: str) -> bool:
    """Return whether a cell is a number in any format.

    >>> looks_numeric("1 234,50 €"), looks_numeric("1_12"), looks_numeric("2020-01-01")
    (True, False, False)
    """
    if is_number(cell):
        return True
    cells = [cell.translate(VARIANTS)]
    sign = _common_sign(cells)
    formats = _with_marks(WITH_POINT + WITH_COMMA, sign, cells)
    readable = _readable(cells, formats)
    return len(readable) > 0


def are_codes(cells: Sequence[str]) -> bool:
    """Return whether the numbers among the cells are codes, such as ZIP codes.

    They are digits, some begin with zeros, and none is so short that it should but does not. If
    there are decimals, their number differs, but that of the digits before them does not: programs
    that pad numbers with zeros write 007.50.

    >>> are_codes(["02138", "94110", "K1A 0B6"]), are_codes(["038.9", "250.01", "401"])
    (True, True)
    >>> are_codes(["007", "7"]), are_codes(["007.5", "012.3"])
    (False, False)
    """
    numbers = [cell for cell in cells if looks_numeric(cell)]
    codes = list(filter(CODE.fullmatch, numbers))
    if not codes or not all(map(DIGITS.fullmatch, numbers)):
        return False
    parts = [cell.partition(POINT) for cell in numbers]
    widths = {len(whole) for whole, _, _ in parts}
    n_decimals = {len(decimals) for _, _, decimals in parts}
    if n_decimals == {0}:
        shortest_code = min(map(len, codes))
        return min(widths) >= shortest_code
    return len(widths) == 1 and len(n_decimals) > 1


def same_number(cells: Iterable[str]) -> tuple[str, str] | None:
    """Return two cells that are the same number but may be different names, as of versions.

    Both are whole numbers, or both have a point: 1 and 1.0 are only written by different programs.

    >>> same_number(["1.1", "1.2", "1.10"]), same_number(["1", "1.0", "01"])
    (('1.1', '1.10'), None)
    """
    cell_of: dict[tuple[bool, float], str] = {}
    for cell in filter(PLAIN_DIGITS.fullmatch, cells):
        has_point = POINT in cell
        number = float(cell)
        other = cell_of.setdefault((has_point, number), cell)
        if other != cell and number:
            return other, cell
    return None


def is_word(unit: str) -> bool:
    """Return whether the unit of a format is a word, not a sign.

    >>> is_word("cm"), is_word("°C"), is_word("$"), is_word("")
    (True, True, False, False)
    """
    return any(letter.isalpha() or letter == "°" for letter in unit)


def point_of_thousands(cells: Sequence[str]) -> str | None:
    """Return a cell with a point that may separate thousands, although it was taken for a decimal.

    Whole numbers are among the cells, and all others have three digits after the point.

    >>> point_of_thousands(["856", "3.292", "12.500"]), point_of_thousands(["3.292", "0.5", "4"])
    ('3.292', None)
    >>> point_of_thousands(["3.292", "5.695"]) is None  # then it changes only the unit
    True
    """
    with_point = [cell for cell in cells if POINT in cell]
    if len(with_point) < FEWEST_GROUPED or len(with_point) == len(cells):
        return None
    if not all(map(GROUPED.fullmatch, with_point)):
        return None
    return with_point[0]


def lacks_unit(cell: str, form: NumberFormat) -> bool:
    """Return whether a cell lacks the percent sign or the word of its column; money may lack it.

    >>> lacks_unit("0.12", PLAIN._replace(unit="%")), lacks_unit("5", PLAIN._replace(unit="$"))
    (True, False)
    """
    is_told = is_word(form.unit) or form.unit in PER_CENT
    return is_told and _singular(form.unit) not in cell


def parse_all(cells: Sequence[str], form: NumberFormat) -> Array | None:
    """Return the numbers that all cells are, or None if one of them is not.

    >>> parse_all(["1.000", "2,5"], NumberFormat(",", "."))
    array([1000. ,    2.5])
    >>> parse_all(["1_12"], PLAIN) is None
    True
    """
    if not cells:
        return np.empty(0)
    text = "\n".join(cells)
    if form == PLAIN and "_" not in text:  # Python reads 1_12 as 112
        try:
            return np.array(cells, dtype=np.float64)
        except ValueError:
            pass
    text = text.translate(VARIANTS)
    pattern = _block_pattern(form)
    if pattern.fullmatch(text) is None:
        return None
    rewritten = _to_python(text, form)
    numbers = rewritten.split("\n")
    if len(numbers) != len(cells):  # a line break inside a cell
        return None
    return np.array(numbers, dtype=np.float64)


def parse_one(cell: str, form: NumberFormat) -> float | None:
    """Return the number that a cell is, or None if it is not one."""
    numbers = parse_all([cell.strip()], form)
    if numbers is None:
        return None
    return float(numbers[0])


def _with_marks(
    formats: Sequence[NumberFormat],
    unit: str,
    cells: Sequence[str],
) -> list[NumberFormat]:
    """Return the formats with a unit, and with the sign where the cells have it."""
    sign_last = _is_sign_last(cells)
    return [known._replace(unit=unit, sign_last=sign_last) for known in formats]


def _readable(cells: Sequence[str], formats: Sequence[NumberFormat]) -> set[int]:
    """Return which cells are numbers in one of the formats."""
    readable: set[int] = set()
    for form in formats:
        pattern = _pattern(form)
        for i, cell in enumerate(cells):
            if pattern.fullmatch(cell):
                readable.add(i)
    return readable


def _common_unit(cells: Sequence[str]) -> str:
    """Return the unit of the cells: a currency, a percent sign, or a word that nearly all have."""
    sign = _common_sign(cells)
    if sign:
        return sign
    short = [cell for cell in cells if len(cell) <= LONGEST_MEASURE]
    matches = list(filter(None, map(WORD_OF.fullmatch, short)))
    if all(NAME.fullmatch(match[0]) for match in matches):
        return ""
    words = [match["word"] for match in matches]
    stems = Counter(map(_singular, words))
    stem, n_cells = stems.most_common(1)[0]
    if n_cells < SHARE_WITH_WORD * len(cells):
        return ""
    forms_of_stem = [word for word in words if _singular(word) == stem]
    return max(forms_of_stem, key=len)


def _singular(word: str) -> str:
    """Return a unit in the singular.

    >>> _singular("months"), _singular("ms")
    ('month', 'ms')
    """
    if len(word) < SHORTEST_PLURAL:
        return word
    return word.removesuffix("s")


def _is_sign_last(cells: Iterable[str]) -> bool:
    """Return whether negative numbers have the minus at the end; but 2- may be a grade.

    >>> _is_sign_last(["5-", "17,25-"]), _is_sign_last(["2", "2-"])
    (True, False)
    """
    signed = [cell for cell in cells if cell.rstrip().endswith("-")]
    n_digits = [sum(map(str.isdigit, cell)) for cell in signed]
    return max(n_digits, default=0) > 1


def _common_sign(cells: Iterable[str]) -> str:
    """Return the currency or percent sign of the cells; the most frequent if there are several."""
    matches = filter(None, map(UNIT_OF.fullmatch, cells))
    units = Counter(match["before"] or match["after"] for match in matches)
    del units[None]
    return max(units, key=units.__getitem__, default="")


@cache
def _pattern(form: NumberFormat) -> re.Pattern[str]:
    return re.compile(_cell(form), re.ASCII)


@cache
def _block_pattern(form: NumberFormat) -> re.Pattern[str]:
    """Return the pattern of cells that are joined by line breaks."""
    cell = f"(?:{_cell(form)})"
    return re.compile(rf"{cell}(?:\n{cell})*+", re.ASCII)


def _cell(form: NumberFormat) -> str:
    point = re.escape(form.decimal)
    whole = r"\d++"
    if form.thousands:
        mark = re.escape(form.thousands)
        whole = rf"(?:\d{{1,3}}(?:{mark}\d{{2,3}})*{mark}\d{{3}}(?!\d)|\d++)"
    body = rf"(?:{whole}(?:{point}(?:-{{1,2}}+|\d*+))?|{point}\d++){EXPONENT}"
    unit = ""
    sign = "(?:[-+] *+)?"  # formats of accountants have a space after the sign
    signed = rf"{sign}(?:{body}|[iI]nf(?:inity)?)"
    if form.unit:
        words = dict.fromkeys([form.unit, _singular(form.unit)])
        either = "|".join(map(re.escape, words))
        unit = rf"(?: *+(?:{either}) *+)?"
        signed = rf"(?:{sign}{unit}|{unit}{sign}){body}{unit}"
    # Before the others: the pattern of joined cells does not come back to a cell.
    last = ""
    if form.sign_last:
        last = rf"{body}{unit}(?<!{point})-|"
    return rf" *+(?:{last}{signed}|\({unit}{body}{unit}\)) *+"


def _to_python(text: str, form: NumberFormat) -> str:
    """Rewrite numbers that fit the format as Python writes them."""
    if form.unit:
        text = text.replace(form.unit, "")
        text = text.replace(_singular(form.unit), "")
    if form.thousands:
        text = text.replace(form.thousands, "")
    if form.decimal != POINT:
        text = text.replace(form.decimal, POINT)
    if ".-" in text:
        text = NO_CENTS.sub("", text)
    if "(" in text:  # accountants write negative numbers in parentheses
        text = text.replace("(", "-")
        text = text.replace(")", "")
    if form.sign_last:  # and bookkeeping programs write the sign last
        text = TRAILING_MINUS.sub(r"-\1", text)
    return text.replace(" ", "")
