"""Precision against the number of neighbors, with noise columns."""

from __future__ import annotations

from functools import partial
from typing import Any

from urerf.lab import figures
from urerf.lab.study import KS, Drawing, PaperStudy, Plan, draw_each_noise, on_simulations
from urerf.lab.trial import Trial
from urerf.lab.words import at, ours_and_best_rival


def trials(plan: Plan) -> list[Trial]:
    """Return all methods over all k, with few and with many noise columns."""
    counts = (10,) if plan.quick else (10, 1000)
    settings = [{"noise": noise, "ks": KS} for noise in counts]
    return on_simulations(plan, plan.keep_side(), settings)


def draw(table: Any) -> list[Drawing]:
    """Draw one figure per number of noise columns."""
    panels = partial(figures.method_panels, x="k", xlabel=figures.NEIGHBORS)
    caption = "Precision of 2 to 200 neighbors among 1000 points with {noise:,} noise columns."
    return draw_each_noise("neighbors", table, panels, caption)


def shows(table: Any) -> list[str]:
    """Compare few neighbors with many."""
    noise = int(table.noise.min())
    return [
        f"With {noise} noise columns, at k = {k}: "
        f"{ours_and_best_rival(at(table, noise=noise, k=k))}."
        for k in (10, 200)
    ]


STUDY = PaperStudy(
    name="neighbors",
    title="Few neighbors or many?",
    asks="The noise figure asks for 50 neighbors. Is it different for 2 or 200 neighbors? The "
    "authors planned this figure.",
    reading="Precision of few neighbors tests the fine order, precision of many the coarse one. "
    "The dotted line, chance, rises with k; a method that rises no faster does not find more.",
    trials=trials,
    draw=draw,
    shows=shows,
)
