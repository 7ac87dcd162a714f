"""The page: one HTML file that contains its styles, code and data."""

from __future__ import annotations

import base64
import json
import os
import platform
from collections import Counter
from html import escape
from importlib.metadata import version
from importlib.resources import files
from string import Template
from typing import Any

import numpy as np

import urerf
from urerf._messages import listed, plural
from urerf._output import replacing
from urerf.columns import dense
from urerf.convert import is_number
from urerf.schema import CATEGORY

from . import figures
from .findings import Findings

SCRIPTS = ("colors.js", "scatter.js", "panel.js", "explorer.js")
PACKAGES = ("numpy", "scipy", "scikit-learn", "numba")
# Labels with more different numbers than this are colored on a scale instead of by class.
MOST_LABELS = 12
# Components listed by size; a graph with more is mostly small fragments.
MOST_COMPONENTS = 10
# Row numbers up to this are stored in two bytes, larger ones in four.
LARGEST_UINT16 = 0xFFFF


def write(findings: Findings, path: str | os.PathLike, command: str) -> None:
    """Write the page; ``command`` is the command line that reproduces it."""
    with replacing(path) as partial:
        partial.write_text(render(findings, command), "utf-8")


def render(findings: Findings, command: str) -> str:
    """Return the page."""
    template = Template(_resource("page.html"))
    return template.substitute(
        title=escape(findings.data.source),
        style=_resource("style.css"),
        summary=summary(findings),
        relevance=figures.relevance_chart(findings),
        columns=figures.relevance_table(findings),
        histogram=figures.distance_histogram(findings),
        components=components(findings),
        reproduce=reproduce(findings, command),
        meta=for_script(meta(findings)),
        arrays=arrays(findings),
        code="\n".join(map(_resource, SCRIPTS)),
    )


def _resource(name: str) -> str:
    return (files("urerf.report") / name).read_text("utf-8")


def summary(findings: Findings) -> str:
    """Return the main numbers as tiles, then sentences."""
    tiles = "".join(
        f"<div class='tile'><b>{number}</b><span>{text}</span></div>"
        for number, text in _tiles(findings)
    )
    paragraphs = "".join(f"<p>{escape(text)}</p>" for text in _sentences(findings))
    return f"<div class='tiles'>{tiles}</div>{paragraphs}"


def _tiles(findings: Findings) -> list[tuple[str, str]]:
    n_rows = len(findings.data.rows)
    n_columns = findings.data.n_features
    n_components = len(findings.component_sizes)
    tiles = [
        (f"{n_rows:,}", plural(n_rows, "row")),
        (f"{n_columns:,}", plural(n_columns, "column")),
    ]
    if findings.evidence is not None:
        n = int(findings.structured.sum())
        text = "column carries structure" if n == 1 else "columns carry structure"
        tiles.append((f"{n:,}", text))
    tiles.append((f"{n_components:,}", plural(n_components, "connected component")))
    if findings.shared is not None:
        share = f"{findings.shared:.0%}" if findings.shared >= 0.01 else "under 1%"
        tiles.append((share, "of these neighbors are also Euclidean neighbors"))
    return tiles


def _sentences(findings: Findings) -> list[str]:
    sentences = []
    if findings.evidence is not None:
        sentences.append(findings.evidence.message)
    n = int(findings.structured.sum())
    if 0 < n < len(findings.structured):
        names = [findings.data.names[i] for i in findings.ranked[:n]]
        sentences.append(f"{plural(n, 'Column')} with structure: {listed(names)}.")
    sentences += findings.data.notices
    if findings.euclidean is None:
        sentences.append("The table is too large for a comparison with Euclidean neighbors.")
    return sentences


def components(findings: Findings) -> str:
    """List the connected components of the neighbor graph."""
    sizes = findings.component_sizes
    if len(sizes) == 1:
        return (
            "<p>The neighbor graph is connected: every row can be reached from every other "
            "through neighbors.</p>"
        )
    n_rows = len(findings.points)
    rows = []
    for i, size in enumerate(sizes[:MOST_COMPONENTS]):
        rows.append(
            f'<tr><th scope="row">{i + 1}</th><td class="number">{size:,}</td>'
            f'<td class="number">{size / n_rows:.1%}</td></tr>'
        )
    result = "<p>The neighbor graph has no edges between these components.</p>"
    result += figures.table("Connected components", ("component", "rows", "share"), rows)
    n_more = len(sizes) - len(rows)
    if n_more:
        result += f"<p>and {n_more:,} smaller {plural(n_more, 'component')}.</p>"
    return result


def reproduce(findings: Findings, command: str) -> str:
    """Return how to make the page again: the command, versions, and all settings."""
    versions = [f"urerf {urerf.__version__}"]
    versions += [f"{name} {version(name)}" for name in PACKAGES]
    system = f"Python {platform.python_version()} on {platform.system()}"
    settings = findings.model.get_params()
    settings["neighbors in this report"] = findings.neighbors.shape[1]
    rows = []
    for name, value in settings.items():
        rows.append(f'<tr><th scope="row">{escape(name)}</th><td>{escape(str(value))}</td></tr>')
    table = figures.table("Settings", ("setting", "value"), rows)
    return (
        f"<pre tabindex='0'><code>{escape(command)}</code></pre>"
        f"<p>{', '.join(versions)}; {system}.</p>"
        f"<details><summary>All settings</summary>{table}</details>"
    )


def meta(findings: Findings) -> dict[str, Any]:
    """Return what the explorer needs in addition to the arrays."""
    data = findings.data
    columns = [data.frame.schema.columns[i] for i in findings.shown]
    structured = findings.structured[findings.shown]
    n_rows = len(data.rows)
    numbered = np.array_equal(data.rows, np.arange(n_rows))
    return {
        "n": n_rows,
        "k": findings.neighbors.shape[1],
        "columns": [
            {"name": column.name, "levels": column.levels if column.kind == CATEGORY else None}
            for column in columns
        ],
        "structured": structured.tolist() if structured.any() and not structured.all() else [],
        "ids": data.ids,
        "rows": None if numbered else data.rows.tolist(),
        "labeled": data.labels is not None,
        "labels": label_levels(data.labels),
        "components": len(findings.component_sizes),
        "wide": n_rows > LARGEST_UINT16,
    }


def label_levels(labels: list[str] | None) -> list[str] | None:
    """Return the different labels, most frequent first; None for no labels and for numbers."""
    if labels is None:
        return None
    counts = Counter(labels)
    if len(counts) > MOST_LABELS and all(is_number(label) or not label for label in counts):
        return None
    return sorted(counts, key=lambda label: (-counts[label], label))


def arrays(findings: Findings) -> str:
    """Return the arrays of the explorer, each as base64 in its own element."""
    index_type = np.uint32 if len(findings.points) > LARGEST_UINT16 else np.uint16
    values = dense(findings.data.frame.values[:, findings.shown])
    component = np.minimum(findings.component, LARGEST_UINT16)
    data = {
        "points": findings.points.astype(np.float32),
        "neighbors": findings.neighbors.astype(index_type),
        "distances": findings.distances.astype(np.float32),
        "component": component.astype(np.uint16),
        "values": np.ascontiguousarray(values.T, dtype=np.float32),
    }
    if findings.euclidean is not None:
        data["euclidean"] = findings.euclidean.astype(index_type)
    if findings.data.labels is not None:
        data["label"] = label_codes(findings.data.labels)
    elements = []
    for name, array in data.items():
        text = base64.b64encode(array.tobytes()).decode()
        elements.append(f'<script type="text/plain" id="data-{name}">{text}</script>')
    return "\n".join(elements)


def label_codes(labels: list[str]) -> np.ndarray:
    """Return labels as numbers: their own value, or their position among the levels."""
    levels = label_levels(labels)
    if levels is None:
        values = [float(label or "nan") for label in labels]
    else:
        code_of = {level: float(code) for code, level in enumerate(levels)}
        values = [code_of[label] for label in labels]
    return np.array(values, dtype=np.float32)


def for_script(value: Any) -> str:
    """Return JSON that is safe inside a script element."""
    text = json.dumps(value, ensure_ascii=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028")
