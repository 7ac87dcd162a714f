"""The four simulations."""

from __future__ import annotations

from typing import Any

from urerf.datasets import SIMULATIONS

from .. import figures
from ..study import Drawing, PaperStudy, Plan
from ..trial import Trial
from ..words import at


def trials(plan: Plan) -> list[Trial]:
    """Return the points of each simulation."""
    return [Trial(name, measure="points") for name in SIMULATIONS]


def draw(table: Any) -> list[Drawing]:
    """Draw the points in space, colored by their position on the manifold."""
    figure, axes = figures.panels(1, height=3.2, subplot_kw={"projection": "3d"})
    for one, name in zip(axes[0], SIMULATIONS):
        rows = at(table, dataset=name)
        # The angle on the sphere is periodic.
        colors = "twilight" if name == "sphere" else "viridis"
        one.scatter(
            rows.x1,
            rows.x2,
            rows.x3,
            c=rows.shade,
            cmap=colors,
            s=5,
            depthshade=False,
        )
        one.set_title(figures.LABELS[name])
        one.tick_params(labelsize=6, pad=-2)
    caption = (
        "1000 points in three columns. The color is a latent coordinate: the position along the "
        "line and the helix, the longitude on the sphere, the component of the mixture."
    )
    return [Drawing("datasets", caption, figure)]


def shows(table: Any) -> list[str]:
    """Say what each simulation is for."""
    return [
        "<b>Linear</b>: Euclidean distance is the truth, so that without noise every method should "
        "be perfect.",
        "<b>Helix</b>: adjacent turns are close in space but far apart along the curve.",
        "<b>Sphere</b>: a manifold of two dimensions.",
        "<b>Gaussian mixture</b>: three separate clouds; a neighbor is right if it is from the "
        "same cloud.",
    ]


STUDY = PaperStudy(
    name="datasets",
    title="The four simulations",
    asks="Which data do the experiments use? The truth is known for all of them: the distance "
    "between two points along the manifold, not through the space around it.",
    reading="Each dot is a row of the table.",
    trials=trials,
    draw=draw,
    shows=shows,
)
