"""The page: one HTML file that contains its styles, code and data, and runs nothing else."""

from __future__ import annotations

import base64
import hashlib
import os
from html import escape
from importlib.resources import files
from string import Template

from urerf._output import replacing

from . import data_section, figures, payload, sections
from .findings import Findings

STYLES = ("base.css", "sections.css", "explorer.css", "panel.css")
# In the order in which they need each other; explorer.js starts it all.
SCRIPTS = (
    "dom.js",
    "colors.js",
    "decode.js",
    "data.js",
    "agreement.js",
    "scatter.js",
    "marks.js",
    "cluster_labels.js",
    "coloring.js",
    "legend.js",
    "selection.js",
    "search.js",
    "panel.js",
    "gestures.js",
    "keys.js",
    "small_maps.js",
    "save.js",
    "view_link.js",
    "theme.js",
    "explorer.js",
)


def write(findings: Findings, path: str | os.PathLike, command: str) -> None:
    """Write the page; ``command`` is what reproduces it."""
    with replacing(path) as partial:
        partial.write_text(render(findings, command), "utf-8", newline="\n")


def render(findings: Findings, command: str) -> str:
    """Return the page."""
    template = Template(_resource("page.html"))
    style = "\n".join(map(_resource, STYLES))
    code = '"use strict";\n' + "\n".join(map(_resource, SCRIPTS))
    return template.substitute(
        title=escape(findings.data.source),
        policy=policy(style, code),
        style=style,
        kind="found" if findings.has_structure else "none",
        summary=sections.summary(findings),
        data_line=data_section.data_line(findings.profile, data_section.doubts(findings)),
        data=data_section.data_section(findings),
        labels=sections.labels(findings),
        clusters=sections.clusters(findings),
        relevance=figures.relevance_chart(findings),
        columns=figures.relevance_table(findings),
        histogram=figures.distance_histogram(findings),
        components=sections.components(findings),
        reproduce=sections.reproduce(findings, command),
        meta=payload.for_script(payload.meta(findings)),
        arrays=payload.arrays(findings),
        code=code,
    )


def policy(style: str, code: str) -> str:
    """Return the content security policy: this style sheet, this script, and nothing else."""
    return (
        f"default-src 'none'; script-src {_hash(code)}; style-src {_hash(style)}; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    encoded = base64.b64encode(digest).decode()
    return f"'sha256-{encoded}'"


def _resource(name: str) -> str:
    path = files("urerf.report") / "web" / name
    return path.read_text("utf-8")
