"""Estimated distance against true geodesic distance."""

from __future__ import annotations

from functools import partial
from typing import Any

from urerf.datasets import SIMULATIONS

from .. import figures
from ..methods import METHODS
from ..study import Drawing, PaperStudy, Plan, cross
from ..trial import Trial
from ..words import at, rank_correlation, share

COUNTS = (0, 10)
QUICK_METHODS = ("urerf_paper", "urerf", "isomap", "euclidean")
WITH_DISTANCES = tuple(name for name, method in METHODS.items() if method.distances)


def trials(plan: Plan) -> list[Trial]:
    """Return pairs of points from each method, without and with noise columns."""
    methods = plan.keep(WITH_DISTANCES, quick=QUICK_METHODS)
    pairs = 2000 if plan.quick else 10_000
    make = partial(Trial, measure="pairs", ks=(), count=pairs)
    return cross(make, noise=COUNTS, method=methods, dataset=SIMULATIONS)


def draw(table: Any) -> list[Drawing]:
    """Draw a grid of methods and simulations for each number of noise columns."""
    return [draw_count(at(table, noise=noise), noise) for noise in COUNTS]


def draw_count(table: Any, noise: int) -> Drawing:
    """Draw a grid of methods and simulations."""
    methods = figures.present(table)
    figure, axes = figures.panels(len(methods), height=2.3)
    for row, method in zip(axes, methods):
        for one, dataset in zip(row, SIMULATIONS):
            pairs = at(table, method=method, dataset=dataset)
            draw_panel(one, pairs, is_discrete=dataset == "gaussian_mixture")
    labels = [f"{method.label}\nestimated distance" for method in methods.values()]
    figures.titles(axes, "true geodesic distance", labels)
    axes[-1][3].set_xlabel("true component")
    caption = f"{noise} noise columns. ρ is Spearman's rank correlation; 1 is a perfect order."
    return Drawing(f"geodesics_{noise}", caption, figure)


def draw_panel(axes: Any, table: Any, is_discrete: bool) -> None:
    """Draw the density of pairs, or boxes for a discrete truth."""
    if is_discrete:
        groups = [at(table, true=value).estimated for value in (0, 1)]
        axes.boxplot(groups, tick_labels=["same", "other"], showfliers=False, widths=0.5)
    else:
        density = {"gridsize": 35, "mincnt": 1, "bins": "log", "linewidths": 0.1}
        axes.hexbin(table.true, table.estimated, **density)
    correlation = rank_correlation(table, "true", "estimated")
    axes.annotate(
        f"ρ = {share(correlation)}",
        xy=(0.96, 0.06),
        xycoords="axes fraction",
        fontsize=9,
        ha="right",
        bbox={"boxstyle": "round,pad=0.15", "fc": "white", "ec": "none", "alpha": 0.8},
    )


def shows(table: Any) -> list[str]:
    """Give the rank correlations."""
    names = list(SIMULATIONS)[:3]
    sentences = []
    for noise in COUNTS:
        rows = at(table, noise=noise)
        words = []
        for method, style in figures.present(rows).items():
            values = []
            for name in names:
                pairs = at(rows, method=method, dataset=name)
                values.append(share(rank_correlation(pairs, "true", "estimated")))
            words.append(f"{style.label} {', '.join(values)}")
        where = f"with {noise} noise columns ({', '.join(names)})"
        sentences.append(f"Rank correlation {where}: {'; '.join(words)}.")
    return sentences


STUDY = PaperStudy(
    name="geodesics",
    title="Are the distances themselves right?",
    asks="The paper only scores which points are among the nearest. Here, the distance that each "
    "method estimates between two points is compared with the true distance along the manifold, "
    "for near and far points.",
    reading="A narrow rising band is good: the estimate orders pairs as the truth does, whatever "
    "its unit. The paper's URerF only has the share of trees that separate two points: it "
    "distinguishes near from far, but is 1 for all pairs that never share a leaf. Our defaults use "
    "shortest paths over the neighbors of the forest. For the mixture, the truth is only same or "
    "other component, drawn as boxes.",
    trials=trials,
    draw=draw,
    shows=shows,
)
