"""The figure of ``urerf demo``: maps of the penguins by two methods, and how noise affects them."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.collections import LineCollection

from urerf.embedding import layout

from ..canvas import panels
from ..palette import BLACK, BLUE, DARK_GRAY, GRAY, GREEN, LIGHT_GRAY, ORANGE, RED
from .penguins import EUCLIDEAN, OURS, STANDARDIZED, Findings

SPECIES = {
    "Adelie": ORANGE,
    "Chinstrap": BLUE,
    "Gentoo": GREEN,
}
LINES = {
    OURS: RED,
    STANDARDIZED: BLACK,
    EUCLIDEAN: GRAY,
}


def penguins_figure(findings: Findings, seed: int = 0) -> Any:
    """Draw maps from Euclidean neighbors and from ours, and shares over the noise columns."""
    figure, axes = panels(1, 3, height=3.9, width_ratios=(1, 1, 1.05))
    left, middle, right = axes[0]
    n_noise, shares = findings.steps[-1]
    figure.suptitle(
        f"{len(findings.X)} penguins: 4 body measurements among {n_noise:,} noise columns",
        fontsize=13,
        fontweight="bold",
    )
    maps = {STANDARDIZED: "Euclidean neighbors (standardized)", OURS: "Neighbors by URerF"}
    for one, (method, words) in zip((left, middle), maps.items()):
        title = f"{words}:\n{shares[method]:.0%} of the same species"
        _draw_map(one, findings, method, title, seed)
    left.legend(loc="lower left", frameon=False, handletextpad=0.2, fontsize=10)
    _draw_shares(right, findings)
    return figure


def _draw_map(
    axes: Any,
    findings: Findings,
    method: str,
    title: str,
    seed: int,
) -> None:
    """Draw the penguins so that neighbors are close, with their edges, colored by species."""
    neighbors = findings.neighbors[method]
    n, k = neighbors.shape
    ranks = np.arange(1, k + 1) / k  # unlike distances, comparable between the two methods
    distances = np.tile(ranks, (n, 1))
    points = layout(distances, neighbors, seed)
    starts = np.repeat(points, k, axis=0)
    ends = points[neighbors.ravel()]
    lines = list(np.stack([starts, ends], axis=1))
    edges = LineCollection(lines, colors=LIGHT_GRAY, linewidths=0.3, zorder=1)
    axes.add_collection(edges)
    for species, color in SPECIES.items():
        x, y = points[findings.penguins.labels == species].T
        axes.scatter(x, y, s=14, color=color, linewidth=0, label=species, zorder=2)
    axes.set_title(title, fontsize=12, color=LINES[method])
    axes.set_aspect("equal", adjustable="datalim")
    axes.set_axis_off()


def _draw_shares(axes: Any, findings: Findings) -> None:
    """Draw the share of neighbors of the same species over the number of noise columns."""
    positions = range(len(findings.steps))
    for method, color in LINES.items():
        shares = [step.shares[method] for step in findings.steps]
        width = 2.4 if method == OURS else 1.5
        axes.plot(positions, shares, "o-", color=color, linewidth=width, label=method)
    axes.axhline(findings.chance, color=DARK_GRAY, linestyle=":", linewidth=1, label="chance")
    axes.set_xticks(positions, [f"{step.n_noise:,}" for step in findings.steps])
    ticks = np.linspace(0, 1, 6)
    axes.set_yticks(ticks, map("{:.0%}".format, ticks))
    axes.set_ylim(0, 1.05)
    axes.set_xlabel("noise columns")
    axes.set_title("10 nearest: share of the same species", fontsize=11)
    axes.legend(loc="lower left", frameon=False, fontsize=9)
    axes.spines[["right", "top"]].set_visible(False)
