"""Which columns carry structure, in the order and in the words that reports and commands share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from urerf._messages import count
from urerf.kernels.pair_scores import MIN_ROWS
from urerf.schema import Schema

from .._typing import Array

if TYPE_CHECKING:
    from urerf import URerF
    from urerf.relevance import Relevance

# The columns of the table of evidence, and those of numbers.
RELEVANCE_HEAD = ("column", "kind", "used", "strength", "p-value", "reason")
RELEVANCE_NUMBERS = ("strength", "p-value")


def evidence_of(model: URerF) -> Relevance | None:
    """Return the evidence for the relevance of columns; None if all columns are used equally."""
    return getattr(model, "relevance_", None)


def ranked_features(model: URerF, schema: Schema) -> Array:
    """Return the columns that are features, from the most relevant to the least."""
    is_feature = np.array(schema.is_feature)
    evidence = evidence_of(model)
    if evidence is None:
        return np.flatnonzero(is_feature)
    order = evidence.ranking
    return order[is_feature[order]]


def schema_of(model: URerF) -> Schema:
    """Return the model's schema; one fitted on an array has numeric columns x0, x1, ..."""
    if model.schema_ is not None:
        return model.schema_
    return Schema.of_numbers([f"x{i}" for i in range(model.n_features_in_)])


def relevance_rows(evidence: Relevance, columns: Iterable[int]) -> list[list[str]]:
    """Return the evidence for columns as text, one row per column; see `RELEVANCE_HEAD`."""
    is_used = evidence.used
    reasons = evidence.reason
    rows = []
    for i in columns:
        column = evidence.schema.columns[i]
        used = "yes" if is_used[i] else "no"
        figures = evidence.figures_shown(i)
        rows.append([column.name, column.kind, used, *figures, reasons[i]])
    return rows


def n_structured(model: URerF) -> int | None:
    """Return the number of columns that carry structure; None if it was not determined."""
    evidence = evidence_of(model)
    return None if evidence is None else int(evidence.structured.sum())


def was_tested(model: URerF) -> bool:
    """Return whether there were enough rows and columns to look for structure."""
    evidence = evidence_of(model)
    return evidence is not None and evidence.tested


def too_little(model: URerF) -> str:
    """Return what a table lacks that could not be tested: rows or columns, or else values."""
    evidence = evidence_of(model)
    has_rows = evidence is not None and evidence.n_rows >= MIN_ROWS
    has_columns = sum(schema_of(model).is_feature) > 1
    return "too few values" if has_rows and has_columns else "too few rows or columns"


def why_no_structure(model: URerF) -> str:
    """Return why a model without structure has none: nothing was found, or nothing was tested."""
    if was_tested(model):
        return "no structure was found in the table"
    return f"the table has {too_little(model)} to find structure"


def structure_summary(model: URerF) -> str:
    """Return how many columns carry structure, in a few words."""
    columns = count(sum(schema_of(model).is_feature), "column")
    n = n_structured(model)
    if n is None:
        return f"{columns}, all used equally"
    if n == 0 and not was_tested(model):
        return f"{columns}, {too_little(model)} to find structure"
    if n == 0:
        return f"no structure found in {columns}"
    verb = "carries" if n == 1 else "carry"
    return f"{n:,} of {columns} {verb} structure"
