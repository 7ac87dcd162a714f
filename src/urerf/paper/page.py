"""The page: one HTML file with everything inside, readable without the paper at hand."""

from __future__ import annotations

import base64
import inspect
import os
import platform
from collections.abc import Mapping, Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any, NamedTuple

from urerf.paper import published
from urerf.paper.baselines import METHODS
from urerf.paper.checks import Check, check
from urerf.paper.experiment import QUICK_TREES, Experiment, Plan
from urerf.paper.experiments.criteria import named
from urerf.paper.figures import LABELS
from urerf.paper.store import library_version
from urerf.paper.words import at, share

VERDICTS = {True: ("holds", "✓"), False: ("fails", "✗"), None: ("open", "–")}
COLUMNS = (
    "experiment",
    "variant",
    "data",
    "method",
    "noise",
    "k",
    "measure",
    "published",
    "ours",
    "difference",
)
CAPTIONS = {
    "urerf_scripts": "Noise columns: URerF with the data and settings of the authors' scripts",
    "urerf_paper": "Noise columns: URerF with the data and settings of the paper's text",
}


class Section(NamedTuple):
    """An experiment that was run: its table and its drawings as (name, caption)."""

    experiment: Experiment
    table: Any
    drawings: list[tuple[str, str]]


def write(folder: Path, sections: Sequence[Section], plan: Plan) -> Path:
    """Write ``index.html`` from the sections and the PNG files beside it.

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
    tables = {section.experiment.name: section.table for section in sections}
    page = Template((files("urerf.paper") / "page.html").read_text("utf-8")).substitute(
        contents=contents(sections),
        checks=checks(check(tables)),
        sections="\n".join(section_html(section, folder) for section in sections),
        methods=methods(tables),
        comparison=comparison(tables),
        provenance=provenance(plan),
    )
    path = folder / "index.html"
    path.with_suffix(".tmp").write_text(page, "utf-8")
    path.with_suffix(".tmp").replace(path)  # a reader never meets half a page
    return path


def contents(sections: Sequence[Section]) -> str:
    """List the experiments."""
    return "\n".join(
        f'<li><a href="#{s.experiment.name}">{s.experiment.title}</a></li>' for s in sections
    )


def checks(found: Sequence[Check]) -> str:
    """Make a table of claims and verdicts."""
    if not found:
        return "<p>The experiments of this run cannot tell about the paper's claims.</p>"
    lines = []
    for claim, holds, detail in found:
        word, sign = VERDICTS[holds]
        verdict = f'<td class="verdict" title="{word}">{sign}</td>'
        lines.append(
            f'<tr class="{word}">{verdict}<td>{escape(claim)}</td><td>{escape(detail)}</td></tr>'
        )
    return (
        "<table><tr><th></th><th>claim</th><th>this run</th></tr>" + "\n".join(lines) + "</table>"
    )


def section_html(section: Section, folder: Path) -> str:
    """Write one experiment: question, answer, figures, how to read them."""
    experiment = section.experiment
    figures = "\n".join(
        f'<figure><img src="{inline(folder / f"{name}.png")}" alt="{escape(caption)}">'
        f"<figcaption>{caption}</figcaption></figure>"
        for name, caption in section.drawings
    )
    answers = "".join(f"<li>{answer}</li>" for answer in experiment.shows(section.table))
    return (
        f'<section id="{experiment.name}"><h2>{experiment.title}</h2><p class="asks">{experiment.asks}</p>'
        f"{figures}<p><b>How to read it.</b> {experiment.reading}</p>"
        f"<p><b>What came out.</b></p><ul>{answers}</ul>"
        f'<p class="files">Numbers: <code>{experiment.name}.csv</code></p></section>'
    )


def inline(path: Path) -> str:
    """Put an image into the page itself."""
    return f"data:image/png;base64,{base64.b64encode(path.read_bytes()).decode()}"


def methods(tables: Mapping[str, Any]) -> str:
    """List the methods that were run, with their colours and what they are."""
    used = {name for table in tables.values() if "method" in table for name in set(table.method)}
    lines = []
    for name, method in METHODS.items():
        if name in used:
            about = (inspect.getdoc(method.neighbors) or "").split("\n\n")[0]
            dot = f'<span class="dot" style="background:{method.color}"></span>'
            lines.append(f"<tr><td>{dot}{escape(method.label)}</td><td>{escape(about)}</td></tr>")
    return "<table>" + "\n".join(lines) + "</table>"


def comparison(tables: Mapping[str, Any]) -> str:
    """Set published numbers beside ours: URerF's noise curves at a glance, and every number in full."""
    parts = []
    full = []
    for name in ("noise", "criteria", "connectome"):
        if name in tables:
            table = tables[name]
            table = (
                at(table, kind="gaussian")
                if name == "noise"
                else named(table)
                if name == "criteria"
                else table
            )
            both = published.compare(name, table[table.precision.notna()])
            full += [(name, row) for row in both.itertuples()]
            parts += [
                grid(at(both, method=m), CAPTIONS[m])
                for m in CAPTIONS
                if name == "noise" and m in set(both.method)
            ]
    if not full:
        return "<p>The experiments of this run have no published counterpart.</p>"
    head = "".join(f"<th>{column}</th>" for column in COLUMNS)
    lines = [
        f"<tr><td>{name}<td>{r.variant}<td>{LABELS[r.dataset]}<td>{r.method}<td>{r.noise:,}<td>{r.k}<td>{r.metric}"
        f"<td>{r.published:.3f}<td>{r.ours:.3f}<td>{r.difference:+.3f}</tr>"
        for name, r in full
    ]
    table = f"<table class='numbers'><tr>{head}</tr>{''.join(lines)}</table>"
    return "".join(parts) + f"<details><summary>All {len(full)} numbers</summary>{table}</details>"


def grid(both: Any, caption: str) -> str:
    """Make a table of simulations by noise counts, "published / ours / difference" in each field."""
    counts = sorted(set(both.noise))
    lines = []
    for name in dict.fromkeys(both.dataset):
        fields = [at(both, dataset=name, noise=count).iloc[0] for count in counts]
        line = "".join(
            f"<td>{share(f.published)} / {share(f.ours)} / <b>{f.difference:+.2f}</b></td>"
            for f in fields
        )
        lines.append(f"<tr><th>{LABELS[name]}</th>{line}</tr>")
    head = "".join(f"<th>{count:,}</th>" for count in counts)
    title = f"<caption>{caption}: published / ours / difference</caption>"
    return f"<table class='numbers'>{title}<tr><th></th>{head}</tr>{''.join(lines)}</table>"


def provenance(plan: Plan) -> str:
    """Say how the run was made."""
    names = (
        "urerf",
        "numpy",
        "scipy",
        "scikit-learn",
        "umap-learn",
        "pynndescent",
        "opencv-python-headless",
    )
    versions = ", ".join(f"{name} {library_version(name)}" for name in names)
    size = (
        f"a quick run: {QUICK_TREES} trees a forest, and fewer methods, noise counts and sizes than a full one"
        if plan.quick
        else "a full run"
    )
    only = (
        "" if plan.methods is None else f" Only these methods: {escape(', '.join(plan.methods))}."
    )
    return (
        f"<p>This is {size}, with {plan.seeds} seed{'s' if plan.seeds > 1 else ''} a point.{only} Python "
        f"{platform.python_version()} on {platform.system()}, {os.cpu_count()} cores; {versions}.</p>"
    )
