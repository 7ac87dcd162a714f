"""Estimated distance against true geodesic distance."""

from __future__ import annotations

from typing import Any

from urerf.paper import figures
from urerf.paper.baselines import METHODS
from urerf.paper.distances import DISTANCES
from urerf.paper.experiment import Drawing, Experiment, Plan
from urerf.paper.tasks import SIMULATIONS, Cell, score_cell
from urerf.paper.words import at, share

COUNTS = (0, 10)
QUICK_METHODS = ("urerf_paper", "urerf", "isomap", "euclidean")


def cells(plan: Plan) -> list[Cell]:
    """Pairs of points from every method, without and with noise columns."""
    return [
        score_cell(name, method, seed=0, ks=[], noise=noise)
        | {"task": "pairs", "pairs": 2000 if plan.quick else 10_000}
        for noise in COUNTS
        for method in plan.keep(QUICK_METHODS if plan.quick and plan.methods is None else DISTANCES)
        for name in SIMULATIONS
    ]


def rank_correlation(table: Any) -> float:
    """Spearman's correlation of true and estimated distance."""
    return float(table.true.rank().corr(table.estimated.rank()))


def draw(table: Any) -> list[Drawing]:
    """Draw a grid of methods and simulations for each number of noise columns."""
    drawings = []
    for noise in COUNTS:
        here = at(table, noise=noise)
        present = [name for name in DISTANCES if name in set(here.method)]
        figure, axes = figures.new(len(present), height=2.3, sharey=False)
        for row, method in zip(axes, present):
            for axis, name in zip(row, SIMULATIONS):
                _panel(
                    axis, at(here, method=method, dataset=name), discrete=name == "gaussian_mixture"
                )
            row[0].set_ylabel(f"{METHODS[method].label}\nestimated distance")
        for axis, name in zip(axes[0], SIMULATIONS):
            axis.set_title(figures.LABELS[name])
        for axis in axes[-1][:3]:
            axis.set_xlabel("true geodesic distance")
        axes[-1][3].set_xlabel("true component")
        caption = f"{noise} noise columns. ρ is Spearman's rank correlation; 1 is a perfect order."
        drawings.append(Drawing(f"geodesics_{noise}", caption, figure))
    return drawings


def _panel(axis: Any, table: Any, discrete: bool) -> None:
    if discrete:
        groups = [table.estimated[table.true == value] for value in (0, 1)]
        axis.boxplot(groups, tick_labels=["same", "another"], showfliers=False, widths=0.5)
    else:
        axis.hexbin(
            table.true,
            table.estimated,
            gridsize=35,
            cmap="viridis",
            mincnt=1,
            bins="log",
            linewidths=0.1,
        )
    corner = {"xy": (0.96, 0.06), "xycoords": "axes fraction", "fontsize": 9, "ha": "right"}
    text = f"ρ = {share(rank_correlation(table))}"
    axis.annotate(
        text,
        **corner,
        bbox={"boxstyle": "round,pad=0.15", "fc": "white", "ec": "none", "alpha": 0.8},
    )


def shows(table: Any) -> list[str]:
    """Give the rank correlations."""
    words = []
    for noise in COUNTS:
        here = at(table, noise=noise)
        means = {
            METHODS[method].label: [
                rank_correlation(at(here, method=method, dataset=name)) for name in SIMULATIONS[:3]
            ]
            for method in DISTANCES
            if method in set(here.method)
        }
        listed = "; ".join(
            f"{label} {', '.join(map(share, values))}" for label, values in means.items()
        )
        words.append(
            f"Rank correlation with {noise} noise columns (linear, helix, sphere): {listed}."
        )
    return words


EXPERIMENT = Experiment(
    name="geodesics",
    title="Are the distances themselves right?",
    asks="The paper scores only who is among the nearest. Here each method's distance between two points is set "
    "against the true distance along the manifold, near and far alike.",
    reading="A narrow rising band is good: the estimate orders pairs as the truth does, whatever its unit. The "
    "paper's URerF has only the share of trees that part two points: it tells near from far, and levels off at 1 for "
    "all pairs that never share a leaf. Our defaults walk the shortest path over the forest's neighbours. For the "
    "mixture the truth is only same component or another, drawn as boxes.",
    cells=cells,
    draw=draw,
    shows=shows,
)
