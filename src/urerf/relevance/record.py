"""What the relevance tests found, as a frozen record that people can read."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import IntEnum
from html import escape
from typing import Any

import numpy as np

from .._typing import Array, BoolArray, IntArray
from ..schema import Schema

# What may be the evidence for a column; the position is its code.
TESTS = ("", "pairs", "waves", "crowd", "groups")

STRUCTURE = "structure"
HINT = "hint"
NONE = "none"

# Share of missing values from which a reason mentions it.
MANY_MISSING = 0.2
# P-value up to which a column without structure is not said to have no relation at all: less than
# one table of noise in five has such a column.
DOUBTFUL = 0.2
# Columns that a printed record shows.
SHOWN = 20
# Strength below which a column is not said to follow its partner: that of two Gaussian columns with
# a correlation of 0.3.
WEAK_STRENGTH = 0.15
# Digits after the point to which strengths are exact: they are computed from float32.
DIGITS = 6
# Strengths above this are those of columns that determine each other, up to rounding.
DETERMINED = 1 - 1e-6
# Smaller p-values are not told apart: they come from the limit of floating point numbers. They are
# recorded as this, since no p-value is 0.
SMALLEST_P_VALUE = 1e-300


class Why(IntEnum):
    """Why a column is used or not; see `Relevance.reason`."""

    FOLLOWS = 0
    CROWD = 1
    GROUPS = 2
    OWN = 3
    HINT = 4
    SET_ASIDE = 5
    UNRELATED = 6
    TOO_FEW = 7
    EMPTY = 8
    CONSTANT = 9
    NOT_A_FEATURE = 10
    UNTESTED = 11
    NOT_COMPARED = 12
    RARE_LEVELS = 13


UNCLEAR = "no clear relation: the one to {partner} may be chance"
WEAK = "weakly related to {partner}"
UNCLEAR_OWN = "no clear relation, but may matter on its own: lower weight"
REASONS = {
    Why.FOLLOWS: "follows {partner}",
    Why.CROWD: "weakly related to many columns, most of all to {partner}",
    Why.GROUPS: "its values fall into groups",
    Why.OWN: "no relation to any other column, but may matter on its own: lower weight",
    Why.HINT: "weak evidence: may follow {partner}",
    Why.SET_ASIDE: "follows {partner}, but no column that is used: set aside",
    Why.UNRELATED: "no relation to any other column",
    Why.TOO_FEW: "too few rows to tell: {present} complete",
    Why.EMPTY: "every cell is empty",
    Why.CONSTANT: "the same value in all rows examined",
    Why.NOT_A_FEATURE: "{of_schema}",
    Why.UNTESTED: "not tested: too few rows, columns or groups to compare",
    Why.NOT_COMPARED: "too few rows in common with any other column to tell",
    Why.RARE_LEVELS: "levels too rare to tell: fewer than two have 5 rows",
}
NOT_TESTED = (
    Why.TOO_FEW,
    Why.EMPTY,
    Why.CONSTANT,
    Why.NOT_A_FEATURE,
    Why.UNTESTED,
    Why.NOT_COMPARED,
    Why.RARE_LEVELS,
)


@dataclass(frozen=True, eq=False, repr=False)
class Relevance:
    """What `column_relevance` found; arrays have one entry per column.

    Attributes
    ----------
    verdict : {"structure", "hint", "none"}
        "structure": some columns depend on each other, or fall into groups, more than a table of
        independent columns would show in 1 of 100 cases. "hint": weak evidence, which steers the
        trees but is not a finding. "none": all columns are used alike.
    message : str
        The same in a few sentences.
    strength : ndarray of float
        How much structure a column carries, in [0, 1]; 0 for columns without any, and for those
        that are set aside. For "pairs" and "waves": the root of the share of the largest possible
        dependence on the partner, 1 if numbers rise or fall with each other without exception, or
        categories of few levels determine each other. For "crowd": the root mean square of the rank
        correlations with the columns found. For "groups": the share of the largest possible dip.
    p_value : ndarray of float
        Adjusted for all columns, pairs and tests: below ``alpha`` (0.01 in `URerF`) for columns
        with structure, and for those only, whether they are used or set aside. In a table without
        structure, that of the best pair of a column, adjusted for all pairs, and at least
        ``alpha``. At least 1e-300, which also stands for anything smaller; 1 for columns that were
        not tested, which `to_frame` shows as missing.
    partner : ndarray of int
        The column on which it depends most; -1 if there is none.
    weight : ndarray of float
        What trees draw by, in [0, 1]; 0 for columns that are not used.
    pairs : ndarray of shape (k, 2)
        The dependent pairs of used columns, strongest first, at most four per column.
    group : ndarray of int
        Number of the group of columns that are connected by dependence; -1 for single columns.
    n_present : ndarray of int
        Number of values that are not missing, in the rows examined.
    n_rows : int
        Number of rows examined.
    schema : Schema
        Names and kinds of the columns.
    test_code, why : ndarray of int
        The evidence for a column (see `test`), and why it is used or not (see `reason`), as codes.
    notices : list of str
        Signs that the rows are not independent, as the tests assume, and groups that are too few.
    """

    verdict: str
    message: str
    strength: Array
    p_value: Array
    partner: IntArray
    weight: Array
    pairs: IntArray
    group: IntArray
    n_present: IntArray
    n_rows: int
    schema: Schema
    test_code: IntArray
    why: IntArray
    notices: list[str] = field(default_factory=list)

    @property
    def used(self) -> BoolArray:
        """Which columns the trees may use."""
        return self.weight > 0

    @property
    def tested(self) -> bool:
        """Whether there were enough rows and columns to compare at least two columns."""
        is_untested = np.isin(self.why, NOT_TESTED)
        return not is_untested.all()

    @property
    def structured(self) -> BoolArray:
        """Which columns carry structure."""
        return self.strength > 0

    @property
    def test(self) -> list[str]:
        """The test that named each column: "pairs", "waves", "crowd", "groups", or ""."""
        return [TESTS[code] for code in self.test_code]

    @property
    def groups(self) -> list[IntArray]:
        """Columns that are connected by dependence, the largest group first."""
        in_group = self.group >= 0
        labels = np.unique(self.group[in_group])
        members = [np.flatnonzero(self.group == label) for label in labels]
        return sorted(members, key=lambda columns: -len(columns))

    @property
    def reason(self) -> list[str]:
        """Why each column is used or not, in a few words."""
        n_columns = len(self.why)
        return [self._reason(i) for i in range(n_columns)]

    @property
    def ranking(self) -> IntArray:
        """The columns from the most relevant to the least; equal ones in the order of the table.

        The two columns of a pair have the same strength and p-value up to rounding errors, which
        differ between processors and must not decide.
        """
        strength = self.strength.round(DIGITS)
        p_value = np.maximum(self.p_value, SMALLEST_P_VALUE)
        magnitude = np.log10(p_value)
        magnitude = magnitude.round(DIGITS)
        return np.lexsort((magnitude, -strength, -self.weight))

    def figures_shown(self, column: int) -> tuple[str, str]:
        """Return the strength and the p-value of a column as text; "-" if it was not tested."""
        if self.why[column] in NOT_TESTED:
            return "-", "-"
        strength = format_strength(self.strength[column])
        p_value = format_p_value(self.p_value[column])
        return strength, p_value

    def _reason(self, column: int) -> str:
        partner = int(self.partner[column])
        partner_name = "another column"
        if partner >= 0:
            partner_name = self.schema.columns[partner].name
        described = self.schema.columns[column]
        why = Why(self.why[column])
        n_present = self.n_present[column]
        template = self._template(column)
        text = template.format(
            partner=partner_name,
            present=n_present,
            of_schema=described.reason or described.kind,
        )
        share_present = n_present / max(self.n_rows, 1)
        missing = 1 - share_present
        has_no_partner = why in (Why.UNRELATED, Why.OWN)
        if has_no_partner and missing >= MANY_MISSING:
            text += f"; {missing:.0%} missing"
        return text

    def _template(self, column: int) -> str:
        """Return the reason of a column, without names and numbers."""
        why = Why(self.why[column])
        has_partner = self.partner[column] >= 0
        is_doubtful = has_partner and self.p_value[column] <= DOUBTFUL
        if is_doubtful and why == Why.UNRELATED:
            return UNCLEAR
        if is_doubtful and why == Why.OWN:
            return UNCLEAR_OWN
        if why == Why.FOLLOWS and self.strength[column] < WEAK_STRENGTH:
            return WEAK
        return REASONS[why]

    def to_frame(self) -> Any:
        """Return a pandas data frame: column, kind, used, test, strength, p-value, partner, reason.

        The most relevant columns come first.
        """
        try:
            import pandas as pd  # optional
        except ImportError:
            raise ImportError(
                "to_frame: needs pandas; install it with 'pip install pandas'"
            ) from None
        return pd.DataFrame(self.to_dict())

    def to_dict(self) -> dict[str, list[Any]]:
        """Return what `to_frame` holds, as lists; the p-value is NaN if there was no test."""
        order = self.ranking
        columns = self.schema.columns
        used = self.used
        reason = self.reason
        test = self.test
        partners: list[str | None] = []
        for partner in self.partner[order]:
            if partner >= 0:
                partners.append(columns[partner].name)
            else:
                partners.append(None)
        return {
            "column": [columns[i].name for i in order],
            "kind": [columns[i].kind for i in order],
            "used": [bool(used[i]) for i in order],
            "test": [test[i] for i in order],
            "strength": [float(self.strength[i]) for i in order],
            "p_value": [self._p_value_of(i) for i in order],
            "partner": partners,
            "reason": [reason[i] for i in order],
        }

    def _p_value_of(self, column: int) -> float:
        if self.why[column] in NOT_TESTED:
            return math.nan
        return float(self.p_value[column])

    def __repr__(self) -> str:
        rows = self._shown()
        widths = []
        for column in zip(*rows):
            lengths = [len(cell) for cell in column]
            widths.append(max(lengths))
        lines = [self.message]
        for row in rows:
            cells = [cell.ljust(width) for cell, width in zip(row, widths)]
            line = "  ".join(cells)
            lines.append(line.rstrip())
        return "\n".join([*lines, *self._rest()])

    def _repr_html_(self) -> str:
        head, *rows = self._shown()
        titles = "".join(f"<th>{escape(cell)}</th>" for cell in head)
        body = ""
        for row in rows:
            cells = "".join(f"<td>{escape(cell)}</td>" for cell in row)
            body += f"<tr>{cells}</tr>"
        rest = "".join(f"<p>{escape(line)}</p>" for line in self._rest())
        table = f"<table><thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table>"
        message = escape(self.message)
        return f"<p>{message}</p>{table}{rest}"

    def _shown(self) -> list[tuple[str, ...]]:
        """Return the head and the first rows of the table, as text."""
        table = self.to_dict()
        rows: list[tuple[str, ...]] = [("column", "used", "strength", "p-value", "reason")]
        most_relevant = self.ranking[:SHOWN]
        for i, column in enumerate(most_relevant):
            name = table["column"][i]
            used = "yes" if table["used"][i] else "no"
            strength, p_value = self.figures_shown(column)
            reason = table["reason"][i]
            rows.append((name, used, strength, p_value, reason))
        return rows

    def _rest(self) -> list[str]:
        n_more = len(self.weight) - SHOWN
        lines = []
        if n_more > 0:
            lines.append(f"and {n_more:,} more columns: to_frame() lists all")
        if self.tested:
            lines.append(f"{self.n_rows:,} rows were examined.")
        noted = [f"Note: {notice}." for notice in self.notices]
        return [*lines, *noted]


def format_strength(strength: float) -> str:
    """Return a strength with two digits; only columns that determine each other have 1.

    >>> format_strength(0.874), format_strength(0.9993), format_strength(1.0)
    ('0.87', '>0.99', '1.00')
    """
    text = f"{strength:.2f}"
    if text == "1.00" and strength < DETERMINED:
        return ">0.99"
    return text


def format_p_value(p_value: float) -> str:
    """Return a p-value as people write it.

    >>> format_p_value(3e-17), format_p_value(0.002), format_p_value(0.012), format_p_value(0.34)
    ('3.0e-17', '2.0e-03', '0.012', '0.34')
    >>> format_p_value(SMALLEST_P_VALUE)
    '<1e-300'
    """
    if p_value <= SMALLEST_P_VALUE:
        return f"<{SMALLEST_P_VALUE:.0e}"
    if p_value < 0.01:
        return f"{p_value:.1e}"
    if p_value < 0.0995:  # from here on, three digits would be 0.100
        return f"{p_value:.3f}"
    return f"{p_value:.2f}"
