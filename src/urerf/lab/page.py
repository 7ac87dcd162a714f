"""The page of ``urerf reproduce``: one self-contained HTML file."""

from __future__ import annotations

import base64
import inspect
import os
import platform
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any, NamedTuple

import pandas as pd

from urerf._messages import count

from . import published
from .claims import Claim, check
from .figures import LABELS, present
from .methods import Method
from .study import QUICK_TREES, Drawing, PaperStudy, Plan
from .words import at, methods_in, share
from .writing import library_version, write_text

VERDICTS = {
    True: ("holds", "✓"),
    False: ("fails", "✗"),
    None: ("open", "–"),
}
COLUMNS = [
    "experiment",
    "variant",
    "data",
    "method",
    "noise",
    "k",
    "metric",
    "published",
    "ours",
    "difference",
]
CAPTIONS = {
    "urerf_scripts": "Noise columns: URerF with the data and settings of the authors' scripts",
    "urerf_paper": "Noise columns: URerF with the data and settings of the paper's text",
}
LIBRARIES = (
    "urerf",
    "numpy",
    "scipy",
    "scikit-learn",
    "umap-learn",
    "pynndescent",
    "opencv-python-headless",
)


class Section(NamedTuple):
    """A study that was run, its table, and its drawings."""

    study: PaperStudy
    table: Any
    drawings: list[Drawing]


def write(folder: Path, sections: Sequence[Section], plan: Plan) -> Path:
    """Write ``index.html`` from the sections and the PNG files next to it.

    Parameters
    ----------
    folder : Path
        Where the figures are and the page goes.
    sections : sequence of Section
        What was run, in order.
    plan : Plan
        How much was run.

    Returns
    -------
    Path
        The page.
    """
    tables = {section.study.name: section.table for section in sections}
    links = [f'<li><a href="#{one.study.name}">{one.study.title}</a></li>' for one in sections]
    source = files("urerf.lab") / "page.html"
    template = Template(source.read_text("utf-8"))
    page = template.substitute(
        contents="\n".join(links),
        claims=claims_table(check(tables)),
        sections="\n".join(section_html(section, folder) for section in sections),
        methods=methods_table(tables.values()),
        comparison=comparison(tables),
        provenance=provenance(plan),
    )
    path = folder / "index.html"
    write_text(path, page)
    return path


def row(cells: Iterable[Any], tag: str = "td", attributes: str = "") -> str:
    """Return a row of an HTML table."""
    content = "".join(f"<{tag}>{cell}</{tag}>" for cell in cells)
    return f"<tr{attributes}>{content}</tr>"


def claims_table(claims: Sequence[Claim]) -> str:
    """Make a table of claims and verdicts."""
    if not claims:
        return "<p>The experiments of this run cannot decide the claims of the paper.</p>"
    lines = [row(["", "claim", "this run"], "th")]
    for claim in claims:
        word, sign = VERDICTS[claim.holds]
        verdict = f'<span class="verdict" title="{word}">{sign}</span>'
        cells = [verdict, escape(claim.text), escape(claim.detail)]
        lines.append(row(cells, attributes=f' class="{word}"'))
    return f"<table>{''.join(lines)}</table>"


def section_html(section: Section, folder: Path) -> str:
    """Return one study: question, figures, how to read them, results."""
    study = section.study
    figures = []
    for name, caption, _ in section.drawings:
        file = folder / f"{name}.png"
        image = base64.b64encode(file.read_bytes()).decode()
        figures.append(
            f'<figure><img src="data:image/png;base64,{image}" alt="{escape(caption)}">'
            f"<figcaption>{caption}</figcaption></figure>"
        )
    answers = "".join(f"<li>{answer}</li>" for answer in study.shows(section.table))
    parts = [
        f'<section id="{study.name}"><h2>{study.title}</h2><p class="asks">{study.asks}</p>',
        *figures,
        f"<p><b>How to read it.</b> {study.reading}</p>",
        f"<p><b>Results.</b></p><ul>{answers}</ul>",
        f'<p class="files">Numbers: <code>{study.name}.csv</code></p></section>',
    ]
    return "\n".join(parts)


def methods_table(tables: Iterable[Any]) -> str:
    """List the methods that were run, with their colors and descriptions."""
    methods: dict[str, Method] = {}
    for table in tables:
        methods |= present(table)
    lines = []
    for method in methods.values():
        docstring = inspect.getdoc(method.neighbors) or ""
        about = docstring.split("\n\n")[0]
        dot = f'<span class="dot" style="background:{method.color}"></span>'
        cells = [dot + escape(method.label), escape(about)]
        lines.append(row(cells))
    return f"<table>{''.join(lines)}</table>"


def comparison(tables: Mapping[str, Any]) -> str:
    """Compare with published numbers: the noise curves of URerF at a glance, then every number."""
    compared = []
    for name in published.EXPERIMENTS:
        if name in tables:
            differences = published.compare(name, tables[name])
            compared.append(differences.assign(experiment=name))
    if not compared:
        return "<p>The experiments of this run have no published counterpart.</p>"
    numbers = pd.concat(compared)
    noise = at(numbers, experiment="noise")
    grids = []
    for method in methods_in(noise, CAPTIONS):
        rows = at(noise, method=method)
        grids.append(grid(rows, CAPTIONS[method]))
    named = numbers.assign(data=numbers.dataset.map(LABELS))
    table = named.to_html(
        columns=COLUMNS,
        index=False,
        border=0,
        classes="numbers",
        float_format="{:.3f}".format,
        formatters={"noise": "{:,}".format, "k": "{:g}".format, "difference": "{:+.3f}".format},
    )
    summary = f"<summary>All {len(numbers)} numbers</summary>"
    return f"{''.join(grids)}<details>{summary}{table}</details>"


def grid(both: Any, caption: str) -> str:
    """Make a table of simulations by noise columns, with "published / ours / difference"."""
    difference = both.difference.map("<b>{:+.2f}</b>".format)
    theirs = both.published.map(share)
    ours = both.ours.map(share)
    named = both.assign(cell=theirs + " / " + ours + " / " + difference)
    cells = named.pivot(index="dataset", columns="noise", values="cell")
    counts = cells.columns.map("{:,}".format)
    lines = [row(["", *counts], "th")]
    for name in both.dataset.unique():
        lines.append(row([LABELS[name], *cells.loc[name]]))
    title = f"<caption>{caption}: published / ours / difference</caption>"
    return f"<table class='numbers'>{title}{''.join(lines)}</table>"


def provenance(plan: Plan) -> str:
    """Describe how the run was made."""
    versions = ", ".join(f"{name} {library_version(name)}" for name in LIBRARIES)
    size = "a full run"
    if plan.quick:
        size = (
            f"a quick run: {QUICK_TREES} trees per forest, and fewer methods, noise columns and "
            "sizes than a full one"
        )
    only = ""
    if plan.methods:
        only = f" Only these methods: {escape(', '.join(plan.methods))}."
    seeds = count(plan.seeds, "seed")
    machine = f"{platform.python_version()} on {platform.system()}, {os.cpu_count()} cores"
    return f"<p>This is {size}, with {seeds} per point.{only} Python {machine}; {versions}.</p>"
