"""What users are told about the kinds of their columns, in one line each."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .._messages import MOST_NAMES, count, listed
from ..schema import BOOLEAN, CATEGORY, DATETIME, KIND_WORDS, NUMBER, ORDINAL, Column
from .convert import number_text
from .counters import COUNTS, GROUPS
from .dates import parse_dates
from .sentinels import Sentinel

# Reasons why a column is not a feature; `urerf.kinds.counters` has others.
DECLARED = "declared"
ROW_NAMES = "row names"

# Kinds that the summary names, in this order.
SUMMARIZED = (CATEGORY, ORDINAL, BOOLEAN, DATETIME)
# Levels of a column, letters of a level, examples in a notice, and notices about single columns, so
# that a notice fits on a few lines of a terminal.
MOST_LEVELS_SHOWN = 4
MOST_CHARACTERS = 30
MOST_EXAMPLES = 3
MOST_NOTICES = 5
# Columns from which on a number that stands for missing values in all of them is told once.
MANY_COLUMNS = 3


class Wording(NamedTuple):
    """How notices tell the user to change something.

    ``{name}`` is filled in, also ``{quoted}`` for a shell, ``{value}`` of a cell that may stand for
    missing values, ``{order}`` of the parts of a date, dmy or mdy, and ``{kind}`` of a column that
    is declared. ``number`` and ``category`` declare one of several columns; ``{kinds}`` in ``keep``
    are such declarations, joined by ``separator``. ``missing`` is about a value of one column, and
    ``missing_everywhere`` about one of many columns.
    """

    number: str
    category: str
    separator: str
    keep: str
    group: str
    leave_out: str
    absent: str
    missing: str
    missing_everywhere: str
    order: str
    declare: str
    dates: str = "convert them before if that is wrong"

    @staticmethod
    def fill(template: str, name: str, **details: str) -> str:
        """Return one of the texts about a column."""
        return template.format(name=name, quoted=shlex.quote(name), **details)


IN_PYTHON = Wording(
    number='"{name}": "number"',
    category='"{name}": "category"',
    separator=", ",
    keep="keep {them} with column_kinds={{{kinds}}}",
    group='declare them with fit(X, groups=X["{name}"])',
    leave_out='leave it out with column_kinds={{"{name}": "ignore"}}',
    absent="if they stand for missing values,",
    missing="replace them by NaN",
    missing_everywhere="replace them by NaN",
    order='give it with column_kinds={{"{name}": ["lowest", ..., "highest"]}}',
    declare='column_kinds={{"{name}": "{kind}"}}',
)


class AboutColumn(NamedTuple):
    """What to tell the user about a column."""

    name: str
    texts: tuple[str, ...]
    sentinels: tuple[Sentinel, ...]


def not_used(columns: Sequence[Column], wording: Wording = IN_PYTHON) -> list[str]:
    """Return one line about the columns that were left out against the user's expectation.

    >>> not_used([Column("a"), Column("b", "ignore", reason="constant")])
    ['Not used: b (constant).']
    """
    by_reason: dict[str, list[str]] = {}
    for column in columns:
        if not column.is_feature and column.reason not in (DECLARED, ROW_NAMES):
            by_reason.setdefault(column.reason, []).append(column.name)
    described = []
    for reason, names in by_reason.items():
        keep = ""
        if reason.startswith(COUNTS):
            keep = f"; {_keep(names, wording.number, wording)}"
        elif reason.startswith(GROUPS):
            groups = wording.fill(wording.group, names[0])
            keep = f"; {groups}, or {_keep(names, wording.category, wording)}"
        described.append(f"{listed(names)} ({reason}{keep})")
    return [f"Not used: {'; '.join(described)}."] if described else []


def _keep(names: Sequence[str], declaration: str, wording: Wording) -> str:
    """Return how to keep columns as features."""
    kinds = [wording.fill(declaration, name) for name in names[:MOST_NAMES]]
    them = "it" if len(names) == 1 else "them"
    declarations = wording.separator.join(kinds)
    return wording.keep.format(them=them, kinds=declarations)


def summary(columns: Sequence[Column]) -> list[str]:
    """Return one line about the columns that are features, but not numbers.

    >>> summary([Column("a"), Column("color", CATEGORY, ("red", "blue")), Column("t", DATETIME)])
    ['Read as categories: color (red, blue); as dates or times: t.']
    """
    described = []
    for kind in SUMMARIZED:
        plural = KIND_WORDS[kind][1]
        shown = [_with_levels(column) for column in columns if column.kind == kind]
        if shown:
            described.append(f"as {plural}: {listed(shown)}")
    return [f"Read {'; '.join(described)}."] if described else []


def about_columns(columns: Iterable[AboutColumn], wording: Wording = IN_PYTHON) -> list[str]:
    """Return the first notices about single columns, in their order.

    The same number in many columns, as where sensors write -9999, gets a single notice.
    """
    columns = list(columns)
    names_of: dict[float, list[str]] = {}
    for name, _, found in columns:
        if len(found) == 1:
            names_of.setdefault(found[0].value, []).append(name)
    in_many = {value: names for value, names in names_of.items() if len(names) >= MANY_COLUMNS}
    lines: list[str] = []
    for name, texts, found in columns:
        lines += texts
        if not found:
            continue
        value = found[0].value
        if len(found) > 1 or value not in in_many:
            lines.append(_about_sentinels(name, found, wording))
        elif name == in_many[value][0]:
            lines.append(_about_sentinel_in_many(in_many[value], value, wording))
    return _first_few(lines)


def _first_few(notices: Sequence[str]) -> list[str]:
    """Return the first notices about single columns, and how many more there are."""
    n_more = len(notices) - MOST_NOTICES
    if n_more <= 1:
        return list(notices)
    return [*notices[:MOST_NOTICES], f"Notices about {n_more:,} more columns are not shown."]


def _about_sentinel_in_many(names: Sequence[str], value: float, wording: Wording) -> str:
    """Return the line about a number that probably stands for missing values in many columns."""
    number = number_text(value)
    remedy = wording.fill(wording.missing_everywhere, names[0], value=number)
    return (
        f"{len(names):,} columns have cells that are {number}, far from all other values "
        f"({listed(names)}); {wording.absent} {remedy}."
    )


def _about_sentinels(name: str, found: Sequence[Sentinel], wording: Wording) -> str:
    """Return the line about numbers that probably stand for missing values."""
    counts = []
    remedies = []
    for value, n_cells in found:
        number = number_text(value)
        counts.append(f"{n_cells:,} are {number}")
        remedies.append(wording.fill(wording.missing, name, value=number))
    counts[0] = counts[0].replace(" are", " cells are")
    remedy = " ".join(dict.fromkeys(remedies))
    return f"{name}: {', '.join(counts)}, far from all other values; {wording.absent} {remedy}."


def about_years(name: str, wording: Wording) -> str:
    """Return the line about years or months that count up, as numbers of rows do."""
    remedy = wording.fill(wording.leave_out, name)
    return (
        f"{name}: years or months that count up are used as a number; if they only number rows, "
        f"{remedy}."
    )


def about_days(name: str, example: float, wording: Wording) -> str:
    """Return the line about whole numbers that are dates, such as 20201231."""
    remedy = wording.fill(wording.declare, name, kind=DATETIME)
    return (
        f"{name}: numbers such as {number_text(example)} look like dates; read them with {remedy}."
    )


def about_text_of_numbers(name: str, example: str, wording: Wording) -> str:
    """Return the line about text of which nearly all values are numbers, such as 1.5."""
    remedy = wording.fill(wording.declare, name, kind=NUMBER)
    return f"{name}: is text, although values such as {example!r} are numbers; use {remedy}."


def about_dates(column: Column, example: str, wording: Wording) -> str:
    """Return the line about dates of which day and month could be exchanged."""
    order = "day first" if column.day_first else "month first"
    other = "mdy" if column.day_first else "dmy"
    remedy = wording.fill(wording.dates, column.name, order=other)
    return f"{column.name}: dates such as {example} are read {order}; {remedy}."


def about_nearly_dates(
    name: str,
    n_values: int,
    others: Sequence[str],
    wording: Wording,
) -> str:
    """Return the line about text of which nearly all values are dates."""
    shown = others[:MOST_EXAMPLES]
    examples = ", ".join(repr(_short(value)) for value in shown)
    verb = "is not a date" if len(others) == 1 else "are not dates"
    missing = []
    for value in shown:
        quoted = shlex.quote(value)
        missing.append(wording.fill(wording.missing, name, value=quoted))
    remedies = " ".join(dict.fromkeys(missing))
    remedy = f"fix that, or mark missing values: {remedies}"
    if any(parse_dates([value]) for value in others):
        remedy = "write all dates in the same way to use them as such"
    return (
        f"{name}: {len(others):,} of {count(n_values, 'different value')} {verb} written like the "
        f"others ({examples}), so the column is read as text; {remedy}."
    )


def _with_levels(column: Column) -> str:
    if not column.levels:
        return column.name
    separator = " < " if column.kind == ORDINAL else ", "
    levels = [_quoted(_short(level)) for level in column.levels[:MOST_LEVELS_SHOWN]]
    shown = separator.join(levels)
    n_more = len(column.levels) - MOST_LEVELS_SHOWN
    if n_more > 0:
        shown += f" and {n_more:,} more"
    return f"{column.name} ({shown})"


def _short(text: str) -> str:
    """Return text as one line of limited length."""
    text = " ".join(text.split())
    return text if len(text) <= MOST_CHARACTERS else f"{text[: MOST_CHARACTERS - 1]}…"


def _quoted(level: str) -> str:
    """Return a level as it is listed: in quotes if it has a separator of lists in it."""
    return f'"{level}"' if "," in level else level
