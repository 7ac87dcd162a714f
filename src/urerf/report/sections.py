"""The other static sections: summary, labels, clusters, components, and how to reproduce it."""

from __future__ import annotations

import platform
from html import escape
from importlib.metadata import version

import urerf
from urerf._messages import count, listed, plural
from urerf.kernels.pair_scores import MIN_ROWS

from . import figures
from .findings import Findings
from .labels import Agreement
from .structure import too_little
from .values import percent, shortened

PACKAGES = ("numpy", "scipy", "scikit-learn", "numba")
# Components listed by size; a graph with more is mostly small fragments.
MOST_COMPONENTS = 10
# Levels of the label in its table.
MOST_LEVELS = 50
# Clusters in their table.
MOST_CLUSTERS = 50
# Rows below which only strong relations are found: among 20 columns, even a correlation of 0.4 is
# not significant at 0.01 in fewer rows.
FEW_ROWS = 100
MAY_BE_CHANCE = "Shapes and groups in the map below may be due to chance alone."
CORRECTED = "Stability is this share corrected for chance."


def summary(findings: Findings) -> str:
    """Return the main numbers as tiles, then sentences."""
    tiles = "".join(
        f"<div class='tile'><b>{escape(number)}</b><span>{escape(text)}</span></div>"
        for number, text in _tiles(findings)
    )
    text = " ".join(_sentences(findings))
    paragraph = f"<p>{escape(text)}</p>" if text else ""
    return f"{_verdict(findings)}<div class='tiles'>{tiles}</div>{paragraph}"


def _verdict(findings: Findings) -> str:
    """Return a box that says that nothing was found, if nothing was."""
    evidence = findings.evidence
    if evidence is None or findings.has_structure:
        return ""
    # What follows the sentence that nothing was found: weak evidence, or a doubtful relation.
    doubt = evidence.message.partition(". ")[2]
    title = "No structure found"
    paragraphs = [f"No column clearly depends on another one. {MAY_BE_CHANCE}", doubt]
    if not evidence.tested:
        title = f"{too_little(findings.model).capitalize()} to find structure"
        paragraphs = [
            f"Columns are compared in pairs, in at least {MIN_ROWS} rows in which both have "
            f"values. {MAY_BE_CHANCE}"
        ]
    elif not doubt:
        few = ""
        if evidence.n_rows < FEW_ROWS:
            few = f"In {count(evidence.n_rows, 'row')}, only strong relations can be found. "
        paragraphs = [
            f"No column depends on another one more than chance would explain. {few}"
            "The map and the neighbors below look like what chance produces: do not read a "
            "meaning into their shapes and groups."
        ]
    texts = "".join(f"<p>{escape(paragraph)}</p>" for paragraph in paragraphs)
    return f"<div class='nothing'><b>{title}</b>{texts}</div>"


def _tiles(findings: Findings) -> list[tuple[str, str]]:
    n_rows = len(findings.data.rows)
    n_columns = findings.data.n_features
    tiles = [
        (f"{n_rows:,}", plural(n_rows, "row")),
        (f"{n_columns:,}", plural(n_columns, "column")),
    ]
    if findings.evidence is not None and findings.evidence.tested:
        n = int(findings.structured.sum())
        text = "column carries structure" if n == 1 else "columns carry structure"
        tiles.append((f"{n:,}", text))
    if findings.has_structure:
        n_clusters = len(findings.clusters)
        text = plural(n_clusters, "cluster")
        share = float((findings.cluster >= 0).mean())
        if n_clusters and share < 0.5:
            text += f" with {percent(share)} of the rows"
        tiles.append((f"{n_clusters:,}", text))
    stability = findings.stability
    if stability is not None and findings.has_structure:
        tiles.append((f"{stability.overall:.2f}", f"neighbor stability, {stability.word}"))
    labels = findings.labels
    if labels is not None and findings.has_structure:
        score = _score(labels.total.forest, labels.is_number)
        if labels.is_number:
            score = f"R² {score}"
        tiles.append((score, _label_text(findings)))
    elif findings.has_structure:
        text = "of neighbors in the forest are also Euclidean neighbors"
        tiles.append((percent(findings.shared), text))
    return tiles


def _score(score: float, is_number: bool) -> str:
    return f"{score:.2f}" if is_number else percent(score)


def _label_text(findings: Findings) -> str:
    labels = findings.labels
    assert labels is not None
    total = labels.total
    others = (
        f"(Euclidean {_score(total.euclidean, labels.is_number)}, "
        f"chance {_score(total.chance, labels.is_number)})"
    )
    if labels.is_number:
        return f"if {findings.label} is predicted from neighbors {others}"
    return f"of neighbors share {findings.label} {others}"


def _sentences(findings: Findings) -> list[str]:
    sentences = []
    evidence = findings.evidence
    if evidence is not None:
        if findings.has_structure:
            sentences.append(evidence.message)
        is_sample = evidence.n_rows < len(findings.data.rows)
        if evidence.tested and is_sample:
            sentences.append(f"The tests examined {count(evidence.n_rows, 'row')}.")
    n = int(findings.structured.sum())
    if 0 < n < findings.data.n_features:
        names = [shortened(findings.data.names[i]) for i in findings.ranked[:n]]
        sentences.append(f"{plural(n, 'Column')} with structure: {listed(names)}.")
    if findings.stability is not None and findings.has_structure:
        sentences.append(f"{findings.stability.sentence} {CORRECTED}")
    return sentences


def labels(findings: Findings) -> str:
    """Compare how often neighbors share the label."""
    agreement = findings.labels
    name = escape(findings.label)
    section = '<section aria-labelledby="labels-title"><h2 id="labels-title">'
    if findings.label_was_fitted:
        return (
            f"{section}Do neighbors share {name}?</h2><p>The model was fitted on {name}, so it is "
            "no evidence that neighbors share it. To compare, fit the model without this column."
            "</p></section>"
        )
    if agreement is None:
        return ""
    n_sampled = len(findings.nearest.rows)
    sampled = ""
    if n_sampled < len(findings.points):
        sampled = f" Euclidean neighbors: of {n_sampled:,} sampled rows."
    title = f"Do neighbors share {name}?"
    if agreement.is_number:
        title = f"Can {name} be predicted from neighbors?"
        text = (
            f"How much of the variance of {name} the mean over the neighbors explains (R²): "
            "1 is everything, 0 is nothing."
        )
    else:
        text = (
            f"Share of the neighbors of a row that have the same {name} as the row. Chance: the "
            "share among all other rows."
        )
    n_without = len(findings.points) - agreement.total.n_rows
    without = ""
    if n_without > 0:
        is_or_are = "is" if n_without == 1 else "are"
        without = f" {count(n_without, 'row')} without {name} {is_or_are} left out."
    rows = [_label_row(agreement.total, "all rows", agreement.is_number)]
    for level in agreement.levels[:MOST_LEVELS]:
        rows.append(_label_row(level, level.name, agreement.is_number))
    head = (name, "rows", "forest", "", "Euclidean", "chance")
    more = len(agreement.levels) - MOST_LEVELS
    rest = f"<p>and {more:,} more.</p>" if more > 0 else ""
    table = figures.table("Labels", head, rows)
    return f"{section}{title}</h2><p>{text}{without}{sampled}</p>{table}{rest}</section>"


def _label_row(agreement: Agreement, name: str, is_number: bool) -> str:
    drawn = figures.bar(agreement.forest)
    scores = (agreement.forest, agreement.euclidean, agreement.chance)
    forest, euclidean, chance = [escape(_score(score, is_number)) for score in scores]
    return (
        f'<tr><th scope="row">{escape(name)}</th><td class="number">{agreement.n_rows:,}</td>'
        f'<td class="number">{forest}</td><td>{drawn}</td>'
        f'<td class="number">{euclidean}</td><td class="number">{chance}</td></tr>'
    )


def clusters(findings: Findings) -> str:
    """List the clusters with the columns that mark them."""
    if not findings.has_structure:
        return ""
    title = '<section aria-labelledby="clusters-title"><h2 id="clusters-title">Clusters</h2>'
    if not findings.clusters:
        return (
            f"{title}<p>The graph has no regions denser than what lies between them.</p></section>"
        )
    n_rows = len(findings.points)
    n_outside = int((findings.cluster < 0).sum())
    text = (
        "Regions of the graph that are denser than what lies between them (HDBSCAN), and the "
        "columns in which their rows differ most from all others. They need not be separate "
        "groups: rows that vary continuously are often divided as well, and so are rows with "
        f"different levels of a category. {_outside(n_outside, n_rows)}"
    )
    rows = []
    for i, cluster in enumerate(findings.clusters[:MOST_CLUSTERS]):
        marks = [f"{mark.text}: {mark.detail}" for mark in cluster.markers]
        marked_by = "; ".join(marks) or "no single column"
        rows.append(
            f'<tr><th scope="row"><button type="button" class="swatch" data-cluster="{i}">'
            f'{i}</button></th><td class="number">{cluster.n_rows:,}</td>'
            f"<td>{escape(marked_by)}</td></tr>"
        )
    more = len(findings.clusters) - len(rows)
    rest = f"<p>and {more:,} smaller {plural(more, 'cluster')}.</p>" if more > 0 else ""
    table = figures.table("Clusters", ("cluster", "rows", "marked by (median or share)"), rows)
    return f"{title}<p>{escape(text)}</p>{table}{rest}</section>"


def _outside(n_outside: int, n_rows: int) -> str:
    if not n_outside:
        return "Every row belongs to a cluster."
    verb = "belongs" if n_outside == 1 else "belong"
    return f"{count(n_outside, 'row')} ({percent(n_outside / n_rows)}) {verb} to none."


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
        share = escape(percent(size / n_rows))
        rows.append(
            f'<tr><th scope="row">{i + 1}</th><td class="number">{size:,}</td>'
            f'<td class="number">{share}</td></tr>'
        )
    result = "<p>The neighbor graph has no edges between these connected components.</p>"
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
