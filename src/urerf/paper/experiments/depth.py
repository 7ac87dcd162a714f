"""How many trees, and how deep? The figure the authors noted down and never made."""

from __future__ import annotations

from typing import Any

from urerf.paper import figures
from urerf.paper.experiment import Drawing, Experiment, Plan
from urerf.paper.tasks import Cell, score_cell
from urerf.paper.words import at, share

SIZES = (100, 500, 1000, 5000)
NOISE = 10


def grid(plan: Plan, n: int) -> tuple[list[int], list[int]]:
    """Trees and depths, in powers of two; depths up to n, as a criterion that peels points off grows deep trees."""
    if plan.quick:
        return [1, 8, 64], [2, 8, 32] if n > 1000 else [2, 4, 8, 16, 64]
    return [2**power for power in range(9)], [2**power for power in range(1, 10) if 2**power <= n]


def cells(plan: Plan) -> list[Cell]:
    """One forest for each number of trees, depth and n; k is a twentieth of n, so that chance is .05 in all maps."""
    return [
        score_cell(
            "helix",
            method,
            n=n,
            noise=NOISE,
            seed=seed,
            ks=[n // 20],
            # Nothing but the depth stops a tree.
            params={"n_estimators": trees, "max_depth": depth, "min_samples_split": 2},
        )
        for method in plan.keep(["urerf_paper"])
        for n in SIZES
        for seed in range(1 if plan.quick else min(plan.seeds, 3))
        for trees in grid(plan, n)[0]
        for depth in grid(plan, n)[1]
    ]


def draw(table: Any) -> list[Drawing]:
    """Draw a heat map for each n."""
    figure, axes = figures.new(1, height=3.4, sharey=True)
    for axis, n in zip(axes[0], SIZES):
        means = at(table, n=n).pivot_table(
            index="n_estimators", columns="max_depth", values="precision"
        )
        image = axis.imshow(means, origin="lower", aspect="auto", cmap="viridis", vmin=0, vmax=1)
        axis.set_xticks(range(means.shape[1]), means.columns.astype(int))
        axis.set_yticks(range(means.shape[0]), means.index.astype(int))
        axis.set(title=f"N = {n:,}, k = {n // 20}", xlabel="largest depth")
        if means.shape[1] <= 5:
            _write_values(axis, means.to_numpy())
    axes[0][0].set_ylabel("trees")
    figure.colorbar(image, ax=list(axes[0]), label=figures.PRECISION)
    caption = f"Helix with {NOISE} noise columns. k is a twentieth of N, so that chance is .05 in every map."
    return [Drawing("depth", caption, figure)]


def _write_values(axis: Any, values: Any) -> None:
    for (row, column), value in zip(
        [(r, c) for r in range(values.shape[0]) for c in range(values.shape[1])], values.flat
    ):
        color = "white" if value < 0.6 else "black"
        axis.annotate(
            share(value), (column, row), ha="center", va="center", fontsize=8, color=color
        )


def shows(table: Any) -> list[str]:
    """Find the best depth for each n."""
    words = []
    for n in sorted(set(table.n)):
        here = at(table, n=n)
        most = (
            here[here.n_estimators == here.n_estimators.max()].groupby("max_depth").precision.mean()
        )
        words.append(f"N = {n:,}: depth {most.idxmax():g} ({share(most.max())})")
    return [f"Best depth with {int(table.n_estimators.max())} trees: {'; '.join(words)}."]


EXPERIMENT = Experiment(
    name="depth",
    title="How many trees, and how deep?",
    asks="A deeper tree has smaller leaves: sharper, but few points share a leaf and ranking gets noisy; more trees "
    "make up for it. What is the best trade-off, and how does it move with the number of points? The authors noted "
    "this figure down as one to make.",
    reading="Bright is good. To the right trees are deeper, upwards there are more of them. Trees are stopped by depth "
    "alone, and a leaf's points count as equally near.",
    cells=cells,
    draw=draw,
    shows=shows,
)
