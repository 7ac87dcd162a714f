"""Values as people write them."""

from __future__ import annotations

import numpy as np

from urerf.schema import BOOLEAN, DATETIME, Column

# Letters of a name in a sentence that lists several: five of them take at most two lines.
LONGEST_NAME = 40


def value_text(value: float, column: Column) -> str:
    """Return a value of a column as text: its level, its date or time, or a number of four digits.

    >>> value_text(1.0, Column("size", "ordinal", ("S", "M"))), value_text(3.14159, Column("x"))
    ('M', '3.142')
    >>> value_text(0.0, Column("day", DATETIME)), value_text(12345.6, Column("x"))
    ('1970-01-01', '12,346')
    >>> value_text(1.75, Column("day", DATETIME))
    '1970-01-02 18:00'
    >>> value_text(1.75, Column("wait", DATETIME, is_duration=True))
    '42:00'
    """
    if np.isnan(value):
        return "missing"
    if column.levels:
        return column.levels[int(value)]
    if column.kind == BOOLEAN:
        return "true" if value > 0.5 else "false"
    if column.is_duration:
        return _duration_text(value)
    if column.kind == DATETIME:
        return _date_text(value)
    return number_text(value)


def number_text(value: float) -> str:
    """Return a number with about four digits; large ones are rounded to a whole number.

    >>> number_text(0.00012345), number_text(2.50), number_text(1355692576), number_text(1e15)
    ('0.0001234', '2.5', '1,355,692,576', '1e+15')
    """
    if abs(value) >= 1e15 or abs(value) < 1e4:
        return f"{value:.4g}"
    return f"{value:,.0f}"


def _date_text(days: float) -> str:
    minutes = np.datetime64(round(days * 1440), "m")
    text = str(minutes).replace("T", " ")
    return text.removesuffix(" 00:00")


def _duration_text(days: float) -> str:
    """Return hours, minutes, and seconds if there are any.

    >>> _duration_text(1.5), _duration_text(-0.75), _duration_text(90 / 86400)
    ('36:00', '-18:00', '00:01:30')
    """
    minutes, seconds = divmod(round(abs(days) * 86400), 60)
    hours, minutes = divmod(minutes, 60)
    text = f"{hours:02d}:{minutes:02d}"
    if seconds:
        text += f":{seconds:02d}"
    return f"-{text}" if days < 0 else text


def shortened(name: str, most: int = LONGEST_NAME) -> str:
    """Return a name that fits into a sentence: both ends, which tell it from similar names.

    >>> shortened("body_mass_g"), shortened("income of the household (1990)", 16)
    ('body_mass_g', 'income of… (1990)')
    """
    if len(name) <= most:
        return name
    end = most // 3 + 2
    return f"{name[: most - end].rstrip()}…{name[-end:]}"


def percent(share: float) -> str:
    """Return a share in percent; small ones are not called zero, and nearly all is not all.

    >>> percent(0.974), percent(0.0004), percent(0.9996), percent(0.0)
    ('97%', '<1%', '>99%', '0%')
    """
    if np.isnan(share):
        return "-"
    if 0 < share < 0.005:
        return "<1%"
    if 0.995 <= share < 1:
        return ">99%"
    return f"{share:.0%}"
