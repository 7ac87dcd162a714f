"""Three splitting criteria, axis-aligned and oblique."""

from __future__ import annotations

from typing import Any

from urerf.paper import figures
from urerf.paper.baselines import Method, urerf_paper
from urerf.paper.experiment import KS, Drawing, Experiment, Plan
from urerf.paper.tasks import SIMULATIONS, Cell, score_cell
from urerf.paper.words import at, share

CRITERIA = {
    "fast_bic": Method(urerf_paper, "Fast-BIC", "#d00000", "-", "o"),
    "mclust_bic": Method(urerf_paper, "Mclust-BIC", "#0072b2", "-", "s"),
    "two_means": Method(urerf_paper, "Two-means", "#000000", "-", "^"),
}
PROJECTIONS = {"axis": "axis-aligned (URF)", "oblique": "oblique (URerF)"}


def cells(plan: Plan) -> list[Cell]:
    """Every criterion with every kind of split, without noise columns."""
    return [
        score_cell(
            name,
            method,
            seed=seed,
            ks=KS,
            params={"criterion": criterion, "projection": projection, **size},
        )
        for method in plan.keep(["urerf_paper"])
        for size in [plan.params(method)]
        for name in SIMULATIONS
        for criterion in CRITERIA
        for projection in PROJECTIONS
        for seed in range(plan.seeds)
    ]


def named(table: Any) -> Any:
    """Give the table the method names of the published numbers."""
    return table.assign(method=table.criterion + "/" + table.projection)


def draw(table: Any) -> list[Drawing]:
    """Draw one row for axis-aligned splits and one for oblique ones."""
    figure, axes = figures.new(len(PROJECTIONS))
    for row, projection in zip(axes, PROJECTIONS):
        here = named(at(table, projection=projection))
        figures.precision_row(row, here, "k", CRITERIA, group="criterion", experiment="criteria")
    figures.titles(axes, "k (neighbours asked for)")
    for row, label in zip(axes, PROJECTIONS.values()):
        row[0].set_ylabel(f"{label}\n{figures.PRECISION}")
    caption = "Geodesic precision for 2 to 200 neighbours; 1000 points, no noise columns, nodes below 100 points unsplit."
    return [Drawing("criteria", caption, figure)]


def shows(table: Any) -> list[str]:
    """Rank the criteria at k = 40."""
    means = at(table, k=40).groupby(["projection", "criterion"]).precision.mean()
    words = [
        f"{PROJECTIONS[projection]}: "
        + ", ".join(
            f"{style.label} {share(means[projection, name])}" for name, style in CRITERIA.items()
        )
        for projection in PROJECTIONS
    ]
    return ["Mean precision over the four simulations at 40 neighbours: " + "; ".join(words) + "."]


EXPERIMENT = Experiment(
    name="criteria",
    title="Which splitting criterion?",
    asks="A tree is grown by cutting columns in two. What makes a good cut: little spread within the two sides "
    "(two-means), or a good fit of two Gaussians, by expectation-maximisation (Mclust-BIC) or by trying every cut and "
    "computing the fit in closed form (Fast-BIC, the paper's proposal)? And should a cut look at one column "
    "(axis-aligned) or at sums and differences of a few (oblique)?",
    reading="Further up is better. Dashed lines are the paper's own numbers, in the same colours. The published curves "
    "used slightly different data (see <a href='#honesty'>where text and code part</a>).",
    cells=cells,
    draw=draw,
    shows=shows,
)
