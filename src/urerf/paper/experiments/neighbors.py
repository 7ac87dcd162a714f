"""Precision against the number of neighbours, under noise."""

from __future__ import annotations

from typing import Any

from urerf.paper import figures
from urerf.paper.baselines import METHODS
from urerf.paper.experiment import KS, Drawing, Experiment, Plan
from urerf.paper.tasks import SIMULATIONS, Cell, score_cell
from urerf.paper.words import at, by_simulation, rivals_by_simulation


def cells(plan: Plan) -> list[Cell]:
    """All methods over all k, at few and at many noise columns."""
    return [
        score_cell(name, method, seed=seed, ks=KS, noise=noise, params=plan.params(method))
        for noise in ((10,) if plan.quick else (10, 1000))
        for method in plan.keep_aside()
        for name in SIMULATIONS
        for seed in range(plan.seeds)
    ]


def draw(table: Any) -> list[Drawing]:
    """Draw one figure for each number of noise columns."""
    return [
        Drawing(
            f"neighbors_{noise}",
            f"Precision for 2 to 200 neighbours among 1000 points with {noise:,} noise columns.",
            figures.method_panels(at(table, noise=noise), "k", "k (neighbours asked for)"),
        )
        for noise in sorted(set(table.noise))
    ]


def shows(table: Any) -> list[str]:
    """Compare few neighbours with many."""
    here = at(table, noise=int(table.noise.min()))
    sentences = []
    for k in (10, 200):
        found = at(here, k=k)
        words = [
            f"{METHODS[method].label} {by_simulation(found, method)}"
            for method in ("urerf_paper", "urerf")
            if method in set(found.method)
        ]
        listed = "; ".join([*words, f"best other method {rivals_by_simulation(found)}"])
        sentences.append(f"With {int(here.noise.iloc[0])} noise columns, at k = {k}: {listed}.")
    return sentences


EXPERIMENT = Experiment(
    name="neighbors",
    title="Few neighbours or many?",
    asks="The noise figure asks for 50 neighbours. Does the picture change when 2 or 200 are asked for? A figure the "
    "authors noted down to make.",
    reading="Precision for few neighbours tests the fine order, for many the coarse one. The dotted line, chance, "
    "rises with k; a method that rises no faster than it knows nothing more.",
    cells=cells,
    draw=draw,
    shows=shows,
)
