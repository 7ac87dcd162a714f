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

from urerf.columns import dense
from urerf.schema import BOOLEAN

from .findings import Findings
from .labels import label_codes, label_levels

# The largest codes of one and two bytes stand for missing values.
LARGEST_UINT8 = 0xFF
LARGEST_UINT16 = 0xFFFF
# How many times farther from 0 than wide a column must be to be stored with an offset: dates of ten
# years are about five times as far, and float32 would be off by minutes.
FAR = 2.0


def meta(findings: Findings) -> dict[str, Any]:
    """Return what the explorer needs in addition to the arrays."""
    data = findings.data
    columns = [data.frame.schema.columns[i] for i in findings.shown]
    structured = findings.structured[findings.shown]
    some_stand_out = structured.any() and not structured.all()
    n_rows = len(data.rows)
    numbered = np.array_equal(data.rows, np.arange(n_rows))
    return {
        "n": n_rows,
        "k": findings.neighbors.shape[1],
        "title": data.source,
        "columns": [
            {
                "name": column.name,
                "kind": column.kind,
                "levels": _levels(column),
                "offset": offset,
            }
            for column, offset in zip(columns, offsets(findings))
        ],
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


def offsets(findings: Findings) -> list[float]:
    """Return what is subtracted from each column so that float32 keeps its digits."""
    return [_offset(_column(findings, i)) for i in findings.shown]


def _column(findings: Findings, i: int) -> np.ndarray:
    values = findings.data.frame.values[:, [i]]
    return dense(values).ravel().astype(np.float64)


def _offset(values: np.ndarray) -> float:
    """Return the offset of a column: 0, or about its smallest value if all are far from 0.

    >>> _offset(np.array([0.0, 1.0])), _offset(np.array([18262.5, 18300.0, np.nan]))
    (0.0, 18262.0)
    """
    present = values[~np.isnan(values)]
    if not len(present):
        return 0.0
    low = float(present.min())
    high = float(present.max())
    farthest = max(abs(low), abs(high))
    is_far = farthest > FAR * (high - low)
    return float(np.floor(low)) if is_far else 0.0


def _levels(column: Any) -> list[str] | None:
    if column.kind == BOOLEAN:
        return ["false", "true"]
    return list(column.levels) or None


def arrays(findings: Findings) -> str:
    """Return the arrays of the explorer, each in its own element."""
    n_rows = len(findings.points)
    component = np.minimum(findings.component, LARGEST_UINT16)
    cluster = np.where(findings.cluster < 0, np.nan, findings.cluster)
    data = {
        "points": _fixed_point(findings.points),
        "neighbors": _row_numbers(findings.neighbors, n_rows),
        "distances": _two_bytes(findings.distances),
        "component": component.astype(np.uint16),
        "cluster": _small(cluster),
    }
    if findings.euclidean is not None:
        data["euclidean"] = _row_numbers(findings.euclidean, n_rows)
    if findings.data.labels is not None:
        data["label"] = _small(label_codes(findings.data.labels))
    for i, (column, offset) in enumerate(zip(findings.shown, offsets(findings))):
        data[f"values-{i}"] = _small(_column(findings, column) - offset)
    return "\n".join(_element(name, array) for name, array in data.items())


def _element(name: str, array: np.ndarray) -> str:
    array = np.ascontiguousarray(array.ravel())
    planes = array.view(np.uint8).reshape(-1, array.itemsize).T
    packed = zlib.compress(planes.tobytes(), 6)
    text = base64.b64encode(packed).decode()
    kind = f"{array.dtype.kind}{array.itemsize}"
    return f'<script type="text/plain" id="data-{name}" data-type="{kind}">{text}</script>'


def _fixed_point(points: np.ndarray) -> np.ndarray:
    """Return points in two bytes per coordinate; both axes have the same scale."""
    offset = points - points.min(axis=0)
    largest = max(float(offset.max()), 1e-12)
    return np.round(LARGEST_UINT16 * offset / largest).astype(np.uint16)


def _two_bytes(shares: np.ndarray) -> np.ndarray:
    """Return numbers from 0 to 1 in two bytes each."""
    return np.round(LARGEST_UINT16 * shares).astype(np.uint16)


def _row_numbers(rows: np.ndarray, n_rows: int) -> np.ndarray:
    return rows.astype(np.uint16 if n_rows <= LARGEST_UINT16 else np.uint32)


def _small(values: np.ndarray) -> np.ndarray:
    """Return whole numbers in one or two bytes if they fit, others as float32."""
    is_missing = np.isnan(values)
    present = values[~is_missing]
    is_whole = bool((present == np.floor(present)).all())
    low = float(present.min(initial=0.0))
    high = float(present.max(initial=0.0))
    if is_whole and low >= 0 and high < LARGEST_UINT8:
        return np.where(is_missing, LARGEST_UINT8, values).astype(np.uint8)
    if is_whole and low >= 0 and high < LARGEST_UINT16:
        return np.where(is_missing, LARGEST_UINT16, values).astype(np.uint16)
    return values.astype(np.float32)


def for_script(value: Any) -> str:
    """Return JSON that is safe inside a script element."""
    text = json.dumps(value, ensure_ascii=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028")
