"""From the columns of a file with new rows to the columns of a model."""

from __future__ import annotations

import scipy.sparse as sp

from urerf._messages import listed, plural
from urerf.frames.matching import match_columns
from urerf.schema import Frame

from .data import FileData, finish
from .options import ModelColumns
from .table import RawTable


def select_for_model(raw: RawTable, model: ModelColumns, missing: str) -> FileData:
    """Pick the columns that a model was fitted on, by name, and encode categories as it did."""
    schema = model.schema
    available = set(raw.all_names)
    used = [column.name for column in schema.columns if column.is_feature]
    absent = [repr(name) for name in used if name not in available]
    if absent:
        columns = plural(len(absent), "column")
        needed = "is missing; the model needs it"
        if len(absent) > 1:
            needed = "are missing; the model needs them"
        raise ValueError(f"{raw.source}: {columns} {listed(absent)} {needed}")
    notices = list(raw.notices)
    known = {model.id, *schema.names}
    extra = [name for name in raw.all_names if name not in known]
    if extra:
        notices.append(f"Not used: {listed(extra)} (not in the model).")
    fitted = schema.names
    if sp.issparse(raw.matrix) and raw.names == fitted:
        values = raw.matrix
    else:
        values, unknown = match_columns(
            schema, raw.n_rows, lambda i: raw.values(fitted[i]), raw.source
        )
        notices += unknown
    ids = raw.ids
    if model.naming in available:
        ids = raw.texts(model.naming)
    frame = Frame(values, schema)
    return finish(raw, frame, ids, None, notices, missing)
