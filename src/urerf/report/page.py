"""The page: one HTML file with style, code and data inside."""

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

from urerf.columns import dense
from urerf.files.table import listed
from urerf.files.text import is_number
from urerf.files.write import replacing

from . import figures
from .findings import Findings

MOST_LEVELS = 12  # labels of more different numbers are coloured as numbers
MOST_PARTS = 10


def write(findings: Findings, path: str | os.PathLike, command: str) -> None:
    """Write the page; ``command`` is what to type to make it again."""
    with replacing(path) as partial:
        partial.write_text(render(findings, command), "utf-8")


def render(findings: Findings, command: str) -> str:
    """Return the page."""
    source = {name: (files("urerf.report") / name).read_text("utf-8") for name in SOURCES}
    return Template(source["page.html"]).substitute(
        title=escape(findings.table.source),
        style=source["style.css"],
        found=found(findings),
        relevance=figures.relevance_chart(findings),
        columns=figures.relevance_table(findings),
        histogram=figures.distance_histogram(findings),
        parts=parts(findings),
        repeat=repeat(findings, command),
        meta=for_script(meta(findings)),
        arrays=arrays(findings),
        code="\n".join(source[name] for name in SOURCES if name.endswith(".js")),
    )


SOURCES = ("page.html", "style.css", "colors.js", "scatter.js", "panel.js", "explorer.js")


def found(findings: Findings) -> str:
    """Say what was found: figures at a glance, then sentences."""
    n, p = findings.table.values.shape
    relevant = int((findings.model.feature_relevance_ > 0).sum())
    tiles = [
        (f"{n:,}", "rows"),
        (f"{p:,}", "columns"),
        (f"{relevant:,}", "columns carry structure"),
    ]
    tiles.append((f"{len(findings.sizes):,}", "connected part" + "s" * (len(findings.sizes) != 1)))
    if findings.shared is not None:
        shared = f"{findings.shared:.0%}" if findings.shared >= 0.01 else "under 1%"
        tiles.append((shared, "of these neighbours are Euclidean neighbours too"))
    boxes = "".join(
        f"<div class='tile'><b>{number}</b><span>{what}</span></div>" for number, what in tiles
    )
    relevance = getattr(findings.model, "relevance_", None)
    said = [] if relevance is None else [relevance.message]
    if relevance is not None and 0 < relevant < p:
        said.append(
            f"They are: {listed([findings.table.names[i] for i in findings.ranked[:relevant]])}."
        )
    said += findings.table.notices
    if findings.euclidean is None:
        said.append("The table is too large to compare with Euclidean neighbours.")
    return f"<div class='tiles'>{boxes}</div>" + "".join(f"<p>{escape(text)}</p>" for text in said)


def parts(findings: Findings) -> str:
    """List the connected parts of the neighbour graph."""
    n = len(findings.points)
    sizes = findings.sizes
    if len(sizes) == 1:
        return "<p>From every row a path over neighbours leads to every other: the graph is in one part.</p>"
    lines = [
        f'<tr><th scope="row">{i + 1}</th><td class="number">{size:,}</td><td class="number">{size / n:.1%}</td></tr>'
        for i, size in enumerate(sizes[:MOST_PARTS])
    ]
    rest = len(sizes) - len(lines)
    more = f"<p>and {rest:,} smaller ones.</p>" if rest else ""
    return (
        "<p>No path over neighbours joins these.</p>"
        + figures.table("Parts", ("part", "rows", "share"), lines)
        + more
    )


def repeat(findings: Findings, command: str) -> str:
    """Say how to make the page again: command, versions, every setting."""
    packages = ("urerf", "numpy", "scipy", "scikit-learn", "numba")
    versions = ", ".join(f"{name} {_version(name)}" for name in packages)
    settings = {
        **findings.model.get_params(),
        "neighbors in this report": findings.neighbors.shape[1],
    }
    lines = [
        f'<tr><th scope="row">{escape(name)}</th><td>{escape(str(value))}</td></tr>'
        for name, value in settings.items()
    ]
    return (
        f"<pre tabindex='0'><code>{escape(command)}</code></pre>"
        f"<p>{versions}; Python {platform.python_version()} on {platform.system()}.</p>"
        f"<details><summary>All settings</summary>{figures.table('Settings', ('setting', 'value'), lines)}</details>"
    )


def meta(findings: Findings) -> dict[str, Any]:
    """Return what the explorer needs beside the arrays."""
    names = findings.table.names
    rows = findings.table.rows
    shown = findings.shown
    relevant = findings.model.feature_relevance_[shown] > 0
    levels = label_levels(findings.table.labels)
    return {
        "n": len(findings.points),
        "k": findings.neighbors.shape[1],
        "names": [names[i] for i in shown],
        "structure": [bool(x) for x in relevant] if relevant.any() and not relevant.all() else [],
        "ids": findings.table.ids,
        "rows": None if np.array_equal(rows, np.arange(len(rows))) else rows.tolist(),
        "levels": levels,
        "labelled": findings.table.labels is not None,
        "parts": len(findings.sizes),
        "wide": len(findings.points) > 0xFFFF,
    }


def label_levels(labels: list[str] | None) -> list[str] | None:
    """Return the different labels, the most frequent first; None if there are none or they are numbers."""
    if labels is None:
        return None
    counts = Counter(labels)
    if len(counts) > MOST_LEVELS and all(is_number(label) or not label for label in counts):
        return None
    return sorted(counts, key=lambda label: (-counts[label], label))


def arrays(findings: Findings) -> str:
    """Return the arrays of the explorer, each as base64 in an element of its own."""
    index = np.uint32 if len(findings.points) > 0xFFFF else np.uint16
    data = {
        "points": findings.points.astype(np.float32),
        "neighbors": findings.neighbors.astype(index),
        "distances": findings.distances.astype(np.float32),
        "part": np.minimum(findings.part, 0xFFFF).astype(np.uint16),
        "values": np.ascontiguousarray(
            dense(findings.table.values[:, findings.shown]).T, dtype=np.float32
        ),
    }
    if findings.euclidean is not None:
        data["euclidean"] = findings.euclidean.astype(index)
    if findings.table.labels is not None:
        levels = label_levels(findings.table.labels)
        if levels is None:
            data["label"] = np.array(
                [float(x or "nan") for x in findings.table.labels], dtype=np.float32
            )
        else:
            code = {level: i for i, level in enumerate(levels)}
            data["label"] = np.array(
                [code[label] for label in findings.table.labels], dtype=np.float32
            )
    return "\n".join(
        f'<script type="text/plain" id="data-{name}">{base64.b64encode(array.tobytes()).decode()}</script>'
        for name, array in data.items()
    )


def for_script(value: Any) -> str:
    """Write JSON that is safe inside a script element."""
    return (
        json.dumps(value, ensure_ascii=False).replace("<", "\\u003c").replace("\u2028", "\\u2028")
    )


def _version(package: str) -> str:
    if package == "urerf":
        from urerf import __version__

        return __version__
    return version(package)
