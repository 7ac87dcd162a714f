"""The data of the explorer: a JSON record, and arrays that are compressed and stored as text.

Arrays are split into the first bytes of all numbers, then the second bytes, and so on, which
deflates better, and are stored as base64. ``decode.js`` is the other half.
"""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any

import numpy as np

from urerf.schema import Column

from .._typing import Array
from .findings import Findings
from .labels import label_codes, label_levels
from .stored import StoredColumn, compact

LARGEST_UINT16 = 0xFFFF


def meta(findings: Findings) -> dict[str, Any]:
    """Return what the explorer needs in addition to the arrays."""
    data = findings.data
    schema = data.frame.schema.columns
    shown = [column.position for column in findings.stored]
    structured = findings.structured[shown]
    some_stand_out = structured.any() and not structured.all()
    n_rows = len(data.rows)
    numbered = np.array_equal(data.rows, np.arange(n_rows))
    return {
        "n": n_rows,
        "k": findings.neighbors.shape[1],
        "title": data.source,
        "columns": [_column(schema[column.position], column) for column in findings.stored],
        "columnsTotal": data.n_features,
        "structured": structured.tolist() if some_stand_out else [],
        "found": findings.has_structure,
        "ids": data.ids,
        "rows": None if numbered else data.rows.tolist(),
        "label": findings.label if data.labels is not None else None,
        "labels": label_levels(data.labels),
        "labelChance": findings.labels.total.chance if findings.labels else None,
        "components": len(findings.component_sizes),
        "clusters": [cluster.name for cluster in findings.clusters],
    }


def _column(column: Column, stored: StoredColumn) -> dict[str, Any]:
    return {
        "name": column.name,
        "kind": "duration" if column.is_duration else column.kind,
        "levels": stored.levels,
        "offset": stored.offset,
        "exact": stored.values.dtype != np.float32,
    }


def arrays(findings: Findings) -> str:
    """Return the arrays of the explorer, each in its own element."""
    n_rows = len(findings.points)
    offset = findings.points - findings.points.min(axis=0)  # both axes have the same scale
    component = np.minimum(findings.component, LARGEST_UINT16)
    cluster = np.where(findings.cluster < 0, np.nan, findings.cluster)
    extent = max(float(offset.max()), 1e-12)
    data = {
        "points": _fixed_point(offset, extent),
        "neighbors": _row_numbers(findings.neighbors, n_rows),
        "distances": _fixed_point(findings.distances, 1.0),
        "component": component.astype(np.uint16),
        "cluster": compact(cluster),
    }
    if findings.euclidean is not None:
        data["euclidean"] = _row_numbers(findings.euclidean, n_rows)
    if findings.data.labels is not None:
        data["label"] = compact(label_codes(findings.data.labels))
    for i, column in enumerate(findings.stored):
        data[f"values-{i}"] = column.values
    return "\n".join(_element(name, array) for name, array in data.items())


def _element(name: str, array: Array) -> str:
    array = np.ascontiguousarray(array.ravel())
    planes = array.view(np.uint8).reshape(-1, array.itemsize).T
    packed = zlib.compress(planes.tobytes(), 6)
    text = base64.b64encode(packed).decode()
    kind = f"{array.dtype.kind}{array.itemsize}"
    return f'<script type="text/plain" id="data-{name}" data-type="{kind}">{text}</script>'


def _fixed_point(values: Array, largest: float) -> Array:
    """Return numbers from 0 to the largest in two bytes each."""
    return np.round(LARGEST_UINT16 * values / largest).astype(np.uint16)


def _row_numbers(rows: Array, n_rows: int) -> Array:
    return rows.astype(np.uint16 if n_rows <= LARGEST_UINT16 else np.uint32)


def for_script(value: Any) -> str:
    """Return JSON that is safe inside a script element."""
    text = json.dumps(value, ensure_ascii=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028")
