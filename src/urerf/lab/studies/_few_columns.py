"""What ``rescaled`` and ``supplement`` share: all methods with up to 10 noise columns."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

from urerf.lab import figures
from urerf.lab.study import Drawing, PaperStudy, Plan, on_simulations
from urerf.lab.trial import Trial
from urerf.lab.words import at, ours_and_best_rival


def few_columns(
    name: str,
    caption: str,
    *,
    counts: Iterable[int],
    quick_counts: Iterable[int],
    rescaled: bool,
    **texts: str,
) -> PaperStudy:
    """Return a study of all methods with the given numbers of noise columns."""

    def trials(plan: Plan) -> list[Trial]:
        chosen = quick_counts if plan.quick else counts
        settings = [{"noise": noise, "rescaled": rescaled} for noise in chosen]
        return on_simulations(plan, plan.keep_side(), settings)

    draw_this = partial(draw, name=name, caption=caption)
    return PaperStudy(name, trials=trials, draw=draw_this, shows=shows, **texts)


def draw(table: Any, name: str, caption: str) -> list[Drawing]:
    """Draw one row of panels over the noise columns."""
    figure = figures.method_panels(table, "noise", figures.NOISE)
    for axes in figure.axes:
        axes.set_xticks(sorted(set(table.noise)))
    return [Drawing(name, caption, figure)]


def shows(table: Any) -> list[str]:
    """Compare at the largest number of noise columns."""
    most = int(table.noise.max())
    return [f"With {most} noise columns: {ours_and_best_rival(at(table, noise=most))}."]
