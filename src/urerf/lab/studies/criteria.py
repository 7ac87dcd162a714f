"""Three splitting criteria, axis-aligned and oblique."""

from __future__ import annotations

from typing import Any

from .. import figures, palette, published
from ..methods import Method
from ..study import KS, Drawing, PaperStudy, Plan, combinations, on_simulations
from ..trial import Trial
from ..words import at, means_by, share

CRITERIA = {
    "fast_bic": Method("Fast-BIC", palette.RED, "o", is_ours=True),
    "mclust_bic": Method("Mclust-BIC", palette.BLUE, "s"),
    "two_means": Method("Two-means", palette.BLACK, "^"),
}
PROJECTIONS = {"axis": "axis-aligned (URF)", "oblique": "oblique (URerF)"}


def trials(plan: Plan) -> list[Trial]:
    """Return all criteria with both kinds of splits, without noise columns."""
    methods = plan.keep(["urerf_paper"])
    params = combinations(criterion=CRITERIA, projection=PROJECTIONS)
    return on_simulations(plan, methods, ks=[KS], params=params)


def draw(table: Any) -> list[Drawing]:
    """Draw one row for axis-aligned splits and one for oblique splits."""
    figure, axes = figures.panels(len(PROJECTIONS), sharey=True)
    for row, projection in zip(axes, PROJECTIONS):
        rows = published.name_criteria(at(table, projection=projection))
        figures.precision_row(row, rows, "k", CRITERIA, group="criterion", experiment="criteria")
    labels = [f"{label}\n{figures.PRECISION}" for label in PROJECTIONS.values()]
    figures.titles(axes, figures.NEIGHBORS, labels)
    caption = (
        "Geodesic precision of 2 to 200 neighbors; 1000 points, no noise columns, nodes of fewer "
        "than 100 points are not split."
    )
    return [Drawing("criteria", caption, figure)]


def shows(table: Any) -> list[str]:
    """Compare the criteria at k = 40."""
    means = means_by(at(table, k=40), ["projection", "criterion"])
    words = []
    for projection, label in PROJECTIONS.items():
        own = means[projection].map(share)
        values = [f"{style.label} {own[name]}" for name, style in CRITERIA.items()]
        words.append(f"{label}: {', '.join(values)}")
    return [f"Mean precision over the four simulations at 40 neighbors: {'; '.join(words)}."]


STUDY = PaperStudy(
    name="criteria",
    title="Which splitting criterion?",
    asks="A tree is grown by cutting columns in two. What is a good cut: one with little spread on "
    "either side (two-means), or a good fit of two Gaussians, by expectation-maximization "
    "(Mclust-BIC) or by computing the fit of every cut in closed form (Fast-BIC, the paper's "
    "proposal)? And should a cut use one column (axis-aligned) or sums and differences of a few "
    "(oblique)?",
    reading="Higher is better. Dashed lines are the paper's own numbers, in the same colors. The "
    "published curves used slightly different data (see <a href='#differences'>where text and code "
    "differ</a>).",
    trials=trials,
    draw=draw,
    shows=shows,
)
