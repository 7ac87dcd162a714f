"""Noise inside the signal columns instead of beside them."""

from __future__ import annotations

from typing import Any

from urerf.paper import figures
from urerf.paper.baselines import METHODS
from urerf.paper.experiment import Drawing, Experiment, Plan
from urerf.paper.tasks import SIMULATIONS, Cell, score_cell
from urerf.paper.words import at, by_simulation, rivals_by_simulation

LEVELS = (0.0, 0.02, 0.05, 0.1, 0.2, 0.5)
QUICK_LEVELS = (0.0, 0.1, 0.5)


def cells(plan: Plan) -> list[Cell]:
    """All methods at several levels of noise within the three signal columns, without and with noise columns."""
    return [
        score_cell(
            name,
            method,
            seed=seed,
            ks=[50],
            noise=noise,
            latent_noise=level,
            params=plan.params(method),
        )
        for noise in ((10,) if plan.quick else (0, 10))
        for method in plan.keep_aside()
        for name in SIMULATIONS
        for level in (QUICK_LEVELS if plan.quick else LEVELS)
        for seed in range(plan.seeds)
    ]


def draw(table: Any) -> list[Drawing]:
    """Draw one figure for each number of noise columns."""
    return [
        Drawing(
            f"latent_noise_{noise}",
            "Precision of 50 neighbours among 1000 points, as Gaussian noise is added to the three signal columns; its "
            f"standard deviation is given as a share of the signal's. {noise} noise columns besides.",
            figures.method_panels(
                at(table, noise=noise), "latent_noise", "noise within the signal columns"
            ),
        )
        for noise in sorted(set(table.noise))
    ]


def shows(table: Any) -> list[str]:
    """Compare at a tenth of the spread."""
    here = at(table, latent_noise=0.1, noise=int(table.noise.max()))
    words = [
        f"{METHODS[method].label}: {by_simulation(here, method)}"
        for method in ("urerf_paper", "urerf")
        if method in set(here.method)
    ]
    listed = "; ".join([*words, "best other method: " + rivals_by_simulation(here)])
    return [
        f"With a tenth of the signal's spread as noise, and {int(table.noise.max())} noise columns: {listed}."
    ]


EXPERIMENT = Experiment(
    name="latent_noise",
    title="What if the signal itself is noisy?",
    asks="In the paper the signal columns are perfect, and noise only comes in columns of its own. Measurements are "
    "not like that. Here every signal column is blurred; the truth stays that of the clean points. The authors noted "
    "this down as a question to answer.",
    reading="From left to right the points scatter further around the manifold. No method can keep precision when the "
    "scatter is wider than 50 neighbours: look at who falls first.",
    cells=cells,
    draw=draw,
    shows=shows,
)
