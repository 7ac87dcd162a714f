"""What is in the table, before any question is asked: kinds, gaps, constants, duplicates."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp

from urerf.columns import cells_of
from urerf.files import FileData
from urerf.kinds.convert import number_text
from urerf.kinds.sentinels import sentinels
from urerf.schema import BOOLEAN, NUMBER, Column

from .._typing import Array
from .values import percent, value_text

# Columns that the table of the page describes; of a wider table, the most relevant ones.
MOST_COLUMNS = 200
# Bars of the small histograms.
BINS = 12
CONSTANT = "constant"
SENTINEL_REMARK = "may stand for missing"
LABEL_REMARK = "the label: not used as a feature"
# Levels that the summary of a category names.
MOST_LEVELS = 3


@dataclass(frozen=True)
class ColumnProfile:
    """One column: how much is there, and what it looks like."""

    column: Column
    n_missing: int = 0
    n_distinct: int = 0
    summary: str = ""
    bars: tuple[int, ...] = ()
    remark: str = ""


@dataclass(frozen=True)
class Profile:
    """The whole table."""

    n_rows: int
    kinds: Counter[str]
    """Number of columns of each kind, without the label."""
    label: str | None
    n_missing: int
    """Missing cells in columns that are features."""
    n_cells: int
    n_duplicates: int
    """Rows that equal an earlier row in all columns that are features."""
    repeated_ids: list[str]
    """Row names that occur more than once."""
    n_repeated: int
    """Number of rows that have one of these names."""
    columns: list[ColumnProfile]


def profile(data: FileData, ranked: Array, label: str | None = None) -> Profile:
    """Describe a table; ``ranked`` are its features, the most relevant first."""
    columns = data.frame.schema.columns
    is_feature = np.array(data.frame.schema.is_feature)
    values = data.frame.values
    n_others = max(0, MOST_COLUMNS - len(ranked))
    others = np.flatnonzero(~is_feature)[:n_others]
    shown = ranked[:MOST_COLUMNS]
    described = sorted([*shown.tolist(), *others.tolist()])
    names = Counter(data.ids or ())
    repeated = {name: n_rows for name, n_rows in names.items() if n_rows > 1}
    n_rows = len(data.rows)
    return Profile(
        n_rows=n_rows,
        kinds=Counter(column.kind for column in columns if column.name != label),
        label=label,
        n_missing=_n_missing(values, is_feature),
        n_cells=n_rows * int(is_feature.sum()),
        n_duplicates=n_duplicates(values),
        repeated_ids=list(repeated),
        n_repeated=sum(repeated.values()),
        columns=[column_profile(columns[i], values, i, label) for i in described],
    )


def _n_missing(values: Any, is_feature: Array) -> int:
    """Return the number of missing cells in features; other columns hold nothing else."""
    if sp.issparse(values):
        return int(np.isnan(values.data).sum())
    n_missing = 0
    for i in np.flatnonzero(is_feature):
        n_missing += int(np.isnan(values[:, i]).sum())
    return n_missing


def n_duplicates(values: Any) -> int:
    """Return the number of rows that equal an earlier row.

    >>> n_duplicates(np.array([[1.0, np.nan], [2.0, 0.0], [1.0, np.nan]]))
    1
    """
    if sp.issparse(values):
        keys = set()
        for start, end in pairwise(values.indptr):
            columns = values.indices[start:end]
            cells = values.data[start:end]
            keys.add((columns.tobytes(), cells.tobytes()))
        return values.shape[0] - len(keys)
    unified = np.where(np.isnan(values), np.nan, values + 0.0)  # one NaN, one 0
    return len(unified) - len({row.tobytes() for row in unified})


def column_profile(
    column: Column,
    values: Any,
    i: int,
    label: str | None = None,
) -> ColumnProfile:
    """Describe one column; ``label`` is the name of the column with the labels."""
    if not column.is_feature:
        remark = LABEL_REMARK if column.name == label else column.reason
        return ColumnProfile(column, remark=remark or "not used")
    cells = cells_of(values, i)
    present = cells[~np.isnan(cells)]
    n_missing = len(cells) - len(present)
    if not len(present):
        return ColumnProfile(column, n_missing, remark="every cell is empty")
    distinct, n_rows = np.unique(present, return_counts=True)
    if column.levels or column.kind == BOOLEAN:
        summary = _level_summary(column, distinct, n_rows)
        largest_first = sorted(n_rows.tolist(), reverse=True)
        bars = tuple(largest_first[:BINS])
    else:
        quantiles = np.quantile(present, [0, 0.5, 1], method="nearest")
        values_shown = [value_text(float(value), column) for value in quantiles]
        summary = " / ".join(values_shown)
        heights, _ = np.histogram(present, bins=BINS)
        bars = tuple(heights.tolist())
    remark = _sentinel_remark(present) if column.kind == NUMBER else ""
    if len(distinct) == 1:
        remark = CONSTANT
    return ColumnProfile(column, n_missing, len(distinct), summary, bars, remark)


def _level_summary(column: Column, distinct: Array, n_rows: Array) -> str:
    order = np.argsort(-n_rows, kind="stable")[:MOST_LEVELS]
    total = n_rows.sum()
    shown = []
    for j in order:
        level = value_text(distinct[j], column)
        share = percent(n_rows[j] / total)
        shown.append(f"{level} {share}")
    text = ", ".join(shown)
    rest = len(distinct) - len(order)
    return f"{text} and {rest:,} more" if rest else text


def _sentinel_remark(present: Array) -> str:
    texts = [f"{number_text(value)} in {n_cells:,} cells" for value, n_cells in sentinels(present)]
    return f"{', '.join(texts)}: {SENTINEL_REMARK}" if texts else ""
