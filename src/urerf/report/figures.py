"""Static figures and tables; their colors and sizes are in the style sheet.

The page forbids inline styles, so that bars are drawn as SVG.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from urerf._messages import count
from urerf.relevance.record import format_strength

from .structure import RELEVANCE_HEAD, RELEVANCE_NUMBERS, relevance_rows, too_little
from .values import shortened

if TYPE_CHECKING:
    from .findings import Findings

# Bars that fit on a screen: columns with structure, and some without for comparison.
MOST_BARS = 25
NOISE_BARS = 5
# Letters of a name beside its bar.
LONGEST_NAME = 24
# Rows of the table of columns: more would make the page slow; `urerf relevance` prints all.
MOST_ROWS = 500
# Bars of the histogram of distances, its size in units of its drawing, and the margin at its sides.
BINS = 40
WIDTH = 640
HEIGHT = 140
MARGIN = 30
# Height of a bar in the histograms of columns, in units of their drawing.
SPARK_HEIGHT = 20


def bar(share: float, style: str = "") -> str:
    """Draw a share from 0 to 1 as a bar."""
    width = 100 * min(max(share, 0.0), 1.0)
    return (
        '<svg class="track" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect class="{style}" width="{width:.1f}" height="10"/></svg>'
    )


def spark(counts: Sequence[int]) -> str:
    """Draw a small histogram."""
    most = max(counts, default=0)
    if not most:
        return ""
    steps = []
    for i, n_rows in enumerate(counts):
        height = SPARK_HEIGHT * n_rows / most
        steps.append(f"M{i} {SPARK_HEIGHT}v{-height:.1f}h.9v{height:.1f}z")
    return (
        f'<svg class="spark" viewBox="0 0 {len(counts)} {SPARK_HEIGHT}" aria-hidden="true" '
        f'preserveAspectRatio="none"><path d="{"".join(steps)}"/></svg>'
    )


def relevance_chart(findings: Findings) -> str:
    """Draw the strength of the columns with structure, and of some others, as bars."""
    evidence = findings.evidence
    if evidence is None:
        return "<p>All columns were used equally: their relevance was not determined.</p>"
    if not evidence.tested:
        return f"<p>The table has {too_little(findings.model)} to find structure.</p>"
    if not findings.has_structure:
        return "<p>No column carries structure, so there is nothing to rank.</p>"
    names = findings.data.names
    ranked = findings.ranked
    is_structured = findings.structured
    relevant = ranked[is_structured[ranked]]
    others = ranked[~is_structured[ranked]]
    bars = []
    for i in [*relevant[:MOST_BARS], *others[:NOISE_BARS]]:
        name = escape(names[i])
        shown = escape(shortened(names[i], LONGEST_NAME))
        strength = float(evidence.strength[i])
        number = escape(format_strength(strength))
        style = "" if is_structured[i] else "noise"
        bars.append(
            f'<dt title="{name}">{shown}</dt><dd>{bar(strength, style)}<b>{number}</b></dd>'
        )
    n_more = len(relevant) - MOST_BARS
    more = f"<p>and {n_more:,} more with structure.</p>" if n_more > 0 else ""
    return f'<dl class="bars">{"".join(bars)}</dl>{more}'


def relevance_table(findings: Findings) -> str:
    """List the columns with the evidence for their relevance."""
    evidence = findings.evidence
    if evidence is None:
        return ""
    rows = []
    for name, *others in relevance_rows(evidence, findings.ranked[:MOST_ROWS]):
        cells = [f'<tr><th scope="row">{escape(name)}</th>']
        for title, text in zip(RELEVANCE_HEAD[1:], others):
            style = ' class="number"' if title in RELEVANCE_NUMBERS else ""
            cells.append(f"<td{style}>{escape(text)}</td>")
        rows.append("".join([*cells, "</tr>"]))
    result = table("All columns", RELEVANCE_HEAD, rows)
    n_more = len(findings.ranked) - len(rows)
    if n_more:
        result += f"<p>and {n_more:,} more: <code>urerf relevance</code> lists all of them.</p>"
    return result


def distance_histogram(findings: Findings) -> str:
    """Draw the distribution of the distances to neighbors."""
    counts, edges = np.histogram(findings.distances, bins=BINS, range=(0, 1))
    most = max(int(counts.max()), 1)
    width = WIDTH - 2 * MARGIN
    step = width / BINS
    shapes = []
    for i, n_pairs in enumerate(counts):
        height = HEIGHT * n_pairs / most
        left = MARGIN + i * step
        top = HEIGHT - height
        tip = f"{edges[i]:.3f} to {edges[i + 1]:.3f}: {count(int(n_pairs), 'pair')}"
        shapes.append(
            f'<rect class="bar" x="{left:.1f}" y="{top:.1f}" '
            f'width="{step - 1:.1f}" height="{height:.1f}"><title>{tip}</title></rect>'
        )
    for share in np.linspace(0, 1, 5):
        x = MARGIN + width * share
        shapes.append(
            f'<text class="quiet" x="{x:.0f}" y="{HEIGHT + 18}" text-anchor="middle">'
            f"{share:.2f}</text>"
        )
    low, high = np.quantile(findings.distances, [0.1, 0.9])
    description = f"Histogram of distances to neighbors: 80% lie between {low:.2f} and {high:.2f}"
    return (
        f'<svg class="histogram" viewBox="0 0 {WIDTH} {HEIGHT + 26}" role="img" '
        f'aria-label="{description}">{"".join(shapes)}</svg>'
    )


def table(name: str, head: Sequence[str], rows: Sequence[str]) -> str:
    """Return an HTML table that scrolls if it is long."""
    cells = "".join(f'<th scope="col">{title}</th>' for title in head)
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{name}">'
        f"<table><thead><tr>{cells}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )
