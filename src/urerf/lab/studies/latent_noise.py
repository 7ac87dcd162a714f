"""Noise in the signal columns instead of noise columns."""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import Any

from urerf.lab import figures
from urerf.lab.study import Drawing, PaperStudy, Plan, draw_each_noise, on_simulations
from urerf.lab.trial import Trial
from urerf.lab.words import at, ours_and_best_rival

LEVELS = (0.0, 0.02, 0.05, 0.1, 0.2, 0.5)
QUICK_LEVELS = (0.0, 0.1, 0.5)


def trials(plan: Plan) -> list[Trial]:
    """Return all methods at several noise levels, without and with noise columns."""
    counts = (10,) if plan.quick else (0, 10)
    levels = QUICK_LEVELS if plan.quick else LEVELS
    settings = []
    for noise, level in product(counts, levels):
        settings.append({"noise": noise, "latent_noise": level})
    return on_simulations(plan, plan.keep_side(), settings)


def draw(table: Any) -> list[Drawing]:
    """Draw one figure per number of noise columns."""
    panels = partial(
        figures.method_panels,
        x="latent_noise",
        xlabel="noise in the signal columns",
    )
    caption = (
        "Precision of 50 neighbors among 1000 points with Gaussian noise added to the three "
        "signal columns; its standard deviation is relative to that of the signal. There are "
        "also {noise} noise columns."
    )
    return draw_each_noise("latent_noise", table, panels, caption)


def shows(table: Any) -> list[str]:
    """Compare at a tenth of the standard deviation."""
    most = int(table.noise.max())
    words = ours_and_best_rival(at(table, latent_noise=0.1, noise=most))
    return [f"With a noise level of 0.1 and {most} noise columns: {words}."]


STUDY = PaperStudy(
    name="latent_noise",
    title="What if the signal itself is noisy?",
    asks="In the paper, the signal columns are perfect, and noise only comes in columns of its "
    "own. Real measurements are not like that. Here, noise is added to each signal column; the "
    "truth is that of the clean points. The authors noted this as an open question.",
    reading="From left to right, the points scatter further around the manifold. No method can "
    "keep its precision when they scatter more widely than 50 neighbors: look at which method "
    "degrades first.",
    trials=trials,
    draw=draw,
    shows=shows,
)
