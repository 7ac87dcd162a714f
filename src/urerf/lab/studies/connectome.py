"""Neurons of the mushroom body of a fly larva: real data with known cell types."""

from __future__ import annotations

from functools import partial
from typing import Any

from .. import figures, palette, published
from ..methods import METHODS, OURS
from ..study import ALL_METHODS, Drawing, PaperStudy, Plan, cross
from ..trial import Trial
from ..words import at, best_rival, methods_in, share

N = 213
KS = (
    *range(1, 11),
    *range(20, 101, 10),
    110,
    130,
    150,
    200,
)  # 110 and 130 are published
CELL_TYPES = {
    "K": ("Kenyon cell", palette.BLUE, "o"),
    "P": ("projection neuron", palette.ORANGE, "s"),
    "I": ("input neuron", palette.GREEN, "^"),
    "O": ("output neuron", palette.ROSE, "D"),
}


def trials(plan: Plan) -> list[Trial]:
    """Return the embedding, and each method over all k."""
    methods = plan.keep(("urerf_depth", *ALL_METHODS))
    make = partial(Trial, "connectome", n=N)
    scores = cross(partial(make, ks=KS), method=methods, seed=range(plan.seeds))
    # 213 rows make these forests cheap.
    scores = plan.cheaper(scores, spared=[*OURS, "totally_random_trees"])
    return [make(measure="points"), *scores] if scores else []


def draw(table: Any) -> list[Drawing]:
    """Draw two of the six coordinates, and precision against recall."""
    figure, axes = figures.panels(1, 2, height=4.6)
    left, right = axes[0]
    draw_cells(left, table[table.shade.notna()])
    draw_curves(right, table[table.precision.notna()])
    figures.legend([right], dashes=True)
    caption = (
        "Left: the neurons after adjacency spectral embedding, colored by cell type. Right: each "
        "curve runs from k = 1 (left) to k = 200 (right)."
    )
    return [Drawing("connectome", caption, figure)]


def draw_cells(axes: Any, table: Any) -> None:
    """Draw the neurons."""
    for name, (label, color, marker) in CELL_TYPES.items():
        cells = at(table, shade=name)
        dots = {"s": 16, "color": color, "marker": marker, "alpha": 0.8}
        axes.scatter(cells.x1, cells.x4, label=f"{label} ({len(cells)})", **dots)
    axes.set_xlabel("first outgoing coordinate")
    axes.set_ylabel("first incoming coordinate")
    axes.set_title("213 neurons, 2 of 6 coordinates")
    axes.legend(frameon=False, fontsize=9)


def draw_curves(axes: Any, table: Any) -> None:
    """Draw precision against recall, ours and published."""
    for name, style in figures.present(table).items():
        groups = at(table, method=name).groupby("k")
        means = groups[["precision", "recall"]].mean()
        axes.plot(
            means.recall,
            means.precision,
            color=style.color,
            linestyle=style.linestyle,
            linewidth=2.2 if style.is_ours else 1.2,
            label=style.label,
        )
        recall = published.curve("connectome", "connectome", name, "text", "k", "recall")
        precision = published.curve("connectome", "connectome", name, "text", "k")
        figures.dashed(axes, recall["value"], precision["value"], style)
    axes.set_xlabel("geodesic recall")
    axes.set_ylabel(figures.PRECISION)
    axes.set_title("precision against recall, k = 1 to 200")
    axes.grid(alpha=0.25)


def shows(table: Any) -> list[str]:
    """Give precision and recall at 50."""
    fifty = at(table, k=50)
    means = fifty.groupby("method")[["precision", "recall"]].mean()
    words = []
    for name in methods_in(fifty, ("urerf_paper", "urerf_depth", "urerf", "urf")):
        scores = " / ".join(means.loc[name].map(share))
        words.append(f"{METHODS[name].label} {scores}")
    words.append("published .79 / .62")
    label, value = best_rival(fifty)
    return [
        f"Precision / recall at 50 neighbors: {'; '.join(words)}. "
        f"Best other method: {label}, precision {share(value)}."
    ]


STUDY = PaperStudy(
    name="connectome",
    title="Real data: the connectome of the mushroom body of a fly larva",
    asks="The right mushroom body, a learning center of the fly larva, has been traced neuron "
    "by neuron: 213 neurons of four types, 7,536 connections (Eichler et al. 2017). Each "
    "neuron is placed in six dimensions by its outgoing and incoming connections. Are the "
    "nearest neighbors of a neuron of its own type?",
    reading="A neighbor is right if it has the same cell type. Precision is the share of the k "
    "neighbors that are right; recall is the share of all cells of the type that were "
    "found. Further up and to the right is better. The paper mentions 200 neurons, 75,000 "
    "edges and k = 250; the data have 213 neurons and 7,536 edges, so that 250 is "
    "impossible. <i>By depth</i> uses the paper's criterion in finer trees, and two cells "
    "are more similar the longer they stay together, not only if they end in the same "
    "leaf; its settings were chosen on these data.",
    trials=trials,
    draw=draw,
    shows=shows,
)
