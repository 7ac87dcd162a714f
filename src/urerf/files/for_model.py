"""From the columns of a file with new rows to the columns of a model."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from urerf._messages import listed, plural
from urerf.convert import match, naming
from urerf.schema import Column, Frame

from .._typing import Array
from .data import FileData, finish
from .options import ModelColumns
from .table import RawTable, texts_of


def select_for_model(raw: RawTable, model: ModelColumns, missing: str) -> FileData:
    """Pick the columns that a model was fitted on, by name, and encode categories as it did."""
    schema = model.schema
    available = set(raw.all_names)
    absent = [c.name for c in schema.columns if c.is_feature and c.name not in available]
    if absent:
        raise ValueError(
            f"{raw.source}: {plural(len(absent), 'column')} {listed(list(map(repr, absent)))} "
            f"{'is' if len(absent) == 1 else 'are'} missing; the model needs "
            f"{'it' if len(absent) == 1 else 'them'}"
        )
    notices = list(raw.notices)
    known = {model.id, *schema.names}
    extra = [name for name in raw.all_names if name not in known]
    if extra:
        notices.append(f"Not used: {listed(extra)} (not in the model).")
    if sp.issparse(raw.matrix) and raw.names == schema.names:
        values = raw.matrix
    else:
        values = np.full((raw.n_rows, len(schema.columns)), np.nan)
        for i, column in enumerate(schema.columns):
            if column.is_feature:
                values[:, i] = _matched(raw, column, notices)
    ids = raw.ids
    if model.naming in available:
        ids = texts_of(raw.values(str(model.naming)))
    return finish(raw, Frame(values, schema), ids, None, notices, missing)


def _matched(raw: RawTable, column: Column, notices: list[str]) -> Array:
    """Return the values of one of the model's columns."""
    with naming(f"{raw.source}: column {column.name!r}"):
        found = match(column, raw.values(column.name))
    if found.unknown:
        cells_have = "cell has a level" if found.n_unknown == 1 else "cells have levels"
        notices.append(
            f"{column.name}: {found.n_unknown:,} {cells_have} the model does not know: "
            f"{listed(found.unknown)}"
        )
    return found.values
