"""Numbers of trees and depths."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from .. import figures
from ..study import Drawing, PaperStudy, Plan, combinations, cross
from ..trial import Trial
from ..words import at, means_by, share

SIZES = (100, 500, 1000, 5000)
NOISE = 10
# The full grid is large: more seeds would take days.
MAX_SEEDS = 3
MAX_LABELED_COLUMNS = 5


def grid(plan: Plan, n: int) -> list[dict[str, int]]:
    """Return forests of several numbers of trees and depths.

    Depths go up to n, because a criterion that peels points off grows deep trees.
    """
    trees = [2**power for power in range(9)]
    depths = [2**power for power in range(1, 10) if 2**power <= n]
    if plan.quick:
        trees = [1, 8, 64]
        depths = [2, 8, 32] if n > 1000 else [2, 4, 8, 16, 64]
    return combinations(n_estimators=trees, max_depth=depths, min_samples_split=[2])


def trials(plan: Plan) -> list[Trial]:
    """Return one forest per number of trees, depth and n, in which only the depth stops a tree."""
    n_seeds = 1 if plan.quick else min(plan.seeds, MAX_SEEDS)
    methods = plan.keep(["urerf_paper"])
    found = []
    for n in SIZES:
        make = partial(Trial, "helix", n=n, noise=NOISE, ks=(n // 20,))
        params = grid(plan, n)
        found += cross(make, method=methods, seed=range(n_seeds), params=params)
    return found


def draw(table: Any) -> list[Drawing]:
    """Draw one heat map per n."""
    figure, axes = figures.panels(1, height=3.4, sharey=True)
    for one, n in zip(axes[0], SIZES):
        means = at(table, n=n).pivot_table("precision", "n_estimators", "max_depth")
        image = one.imshow(
            means,
            origin="lower",
            aspect="auto",
            vmin=0,
            vmax=1,
        )
        n_trees, n_depths = means.shape
        one.set_xticks(range(n_depths), means.columns.astype(int))
        one.set_yticks(range(n_trees), means.index.astype(int))
        one.set(title=f"N = {n:,}, k = {n // 20}", xlabel="maximum depth")
        if n_depths <= MAX_LABELED_COLUMNS:
            write_values(one, means.to_numpy())
    axes[0][0].set_ylabel("trees")
    figure.colorbar(image, ax=list(axes[0]), label=figures.PRECISION)
    caption = f"Helix with {NOISE} noise columns. k is N / 20, so that chance is .05 in every map."
    return [Drawing("depth", caption, figure)]


def write_values(axes: Any, values: Any) -> None:
    """Write the precision into each cell of a heat map."""
    for (row, column), value in np.ndenumerate(values):
        color = "white" if value < 0.6 else "black"
        axes.text(
            column,
            row,
            share(value),
            fontsize=8,
            color=color,
            ha="center",
            va="center",
        )


def shows(table: Any) -> list[str]:
    """Find the best depth for each n."""
    words = []
    most = table.n_estimators.max()
    largest = at(table, n_estimators=most)
    for n, rows in largest.groupby("n"):
        means = means_by(rows, "max_depth")
        best = means.idxmax()
        words.append(f"N = {n:,}: depth {best:g} ({share(means.max())})")
    return [f"Best depth with {most:g} trees: {'; '.join(words)}."]


STUDY = PaperStudy(
    name="depth",
    title="How many trees, and how deep?",
    asks="Deeper trees have smaller leaves: they are sharper, but few points share a leaf and "
    "the ranking becomes noisy; more trees compensate for that. What is the best trade-off, and "
    "how does it change with the number of points? The authors planned this figure.",
    reading="Bright is good. Trees are deeper to the right, and more numerous to the top. Only the "
    "depth stops a tree, and all points of a leaf count as equally near.",
    trials=trials,
    draw=draw,
    shows=shows,
)
