"""The still figures of the page; their colours are those of its style sheet."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .findings import Findings

MOST_BARS = 25
NOISE_BARS = 5
BINS = 40
WIDTH = 640


def relevance_chart(findings: Findings) -> str:
    """Draw the dependence of the columns with structure, and of the best without, as bars."""
    if not hasattr(findings.model, "relevance_"):
        return "<p>All columns counted alike: relevance was not asked for.</p>"
    found = findings.model.relevance_
    names = findings.table.names
    good = [i for i in findings.ranked if found.relevance[i] > 0][:MOST_BARS]
    rest = [i for i in findings.ranked if found.relevance[i] == 0][:NOISE_BARS]
    top = max(float(found.statistic.max()), 1e-9)
    lines = []
    for i in [*good, *rest]:
        kind = "" if found.relevance[i] > 0 else ' class="noise"'
        share = max(0.0, float(found.statistic[i]) / top)
        lines.append(
            f'<dt title="{escape(names[i])}">{escape(names[i])}</dt>'
            f'<dd><i{kind} style="width:{80 * share:.1f}%"></i>{found.statistic[i]:,.0f}</dd>'
        )
    return f'<dl class="bars">{"".join(lines)}</dl>'


def relevance_table(findings: Findings) -> str:
    """List the columns that go into the page, with the evidence."""
    if not hasattr(findings.model, "relevance_"):
        return ""
    found = findings.model.relevance_
    names = findings.table.names
    lines = []
    for i in findings.ranked[:500]:
        partner = names[found.partner[i]] if found.partner[i] >= 0 else ""
        cells = f"{found.relevance[i]:.2f}", f"{found.statistic[i]:,.1f}", f"{found.p_value[i]:.2g}"
        numbers = "".join(f'<td class="number">{cell}</td>' for cell in cells)
        lines.append(
            f'<tr><th scope="row">{escape(names[i])}</th>{numbers}<td>{escape(partner)}</td></tr>'
        )
    head = ("column", "relevance", "statistic", "p-value", "depends most on")
    more = len(names) - len(lines)
    return table("All columns", head, lines) + (
        f"<p>and {more:,} more: <code>urerf relevance</code> lists them.</p>" if more else ""
    )


def distance_histogram(findings: Findings) -> str:
    """Draw how far neighbours are from each other, by the forest."""
    counts, edges = np.histogram(
        findings.distances, bins=BINS, range=(0, max(1e-9, float(findings.distances.max())))
    )
    height = 180
    top = max(int(counts.max()), 1)
    step = 600 / BINS
    lines = []
    for i, count in enumerate(counts):
        tall = height * count / top
        tip = f"{edges[i]:.3f} to {edges[i + 1]:.3f}: {count:,} pairs"
        lines.append(
            f'<rect class="bar" x="{20 + i * step:.1f}" y="{height - tall:.1f}" width="{step - 1:.1f}" '
            f'height="{tall:.1f}"><title>{tip}</title></rect>'
        )
    for share in np.linspace(0, 1, 5):
        place = 20 + 600 * share
        lines.append(
            f'<text class="quiet" x="{place:.0f}" y="{height + 18}" text-anchor="middle">{edges[-1] * share:.2f}</text>'
        )
    low, high = np.quantile(findings.distances, [0.1, 0.9])
    text = f"Histogram of the distances of neighbours: most between {low:.2f} and {high:.2f}"
    return _svg(lines, height + 26, text)


def table(name: str, head: Sequence[str], lines: Sequence[str]) -> str:
    """Make an HTML table that scrolls if it is long."""
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{name}"><table><thead><tr>'
        + "".join(f'<th scope="col">{name}</th>' for name in head)
        + f"</tr></thead><tbody>{''.join(lines)}</tbody></table></div>"
    )


def _svg(lines: Sequence[str], height: int, text: str) -> str:
    return f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(text)}">{"".join(lines)}</svg>'
