"""The four simulations, drawn."""

from __future__ import annotations

from typing import Any

from urerf.paper import figures
from urerf.paper.experiment import Drawing, Experiment, Plan
from urerf.paper.tasks import SIMULATIONS, Cell, score_cell


def cells(plan: Plan) -> list[Cell]:
    """Ask for the points of each simulation."""
    return [score_cell(name, "", seed=0, ks=[]) | {"task": "points"} for name in SIMULATIONS]


def draw(table: Any) -> list[Drawing]:
    """Draw the points in space, coloured by where they are on the manifold."""
    figure, axes = figures.new(1, height=3.2, sharey=False, subplot_kw={"projection": "3d"})
    for axis, name in zip(axes[0], SIMULATIONS):
        here = table[table.dataset == name]
        colors = (
            "twilight" if name == "sphere" else "viridis"
        )  # the sphere's angle comes back to where it began
        axis.scatter(here.x1, here.x2, here.x3, c=here.shade, cmap=colors, s=5, depthshade=False)
        axis.set_title(figures.LABELS[name])
        axis.tick_params(labelsize=6, pad=-2)
    caption = (
        "1000 points in three columns. The colour is a latent coordinate: the place along the line and the helix, the "
        "longitude on the sphere, the component of the mixture."
    )
    return [Drawing("datasets", caption, figure)]


def shows(table: Any) -> list[str]:
    """Say what the four are for."""
    return [
        "<b>Linear</b>: straight distance is the truth, so without noise every method should be perfect.",
        "<b>Helix</b>: neighbouring windings are close in space and far apart along the curve.",
        "<b>Sphere</b>: a manifold of two dimensions.",
        "<b>Gaussian mixture</b>: three separate clouds; a neighbour is right when it is from the same cloud.",
    ]


EXPERIMENT = Experiment(
    name="datasets",
    title="The four simulations",
    asks="Which data do the experiments use? The truth is known for all of them: how far apart two points are along "
    "the manifold, not through the space around it.",
    reading="Every dot is a row of the table.",
    cells=cells,
    draw=draw,
    shows=shows,
)
