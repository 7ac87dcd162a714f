"""What ``rescaled`` and ``supplement`` share: all methods over 0 to 10 noise columns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from urerf.paper import figures
from urerf.paper.baselines import METHODS
from urerf.paper.experiment import Drawing, Plan
from urerf.paper.tasks import SIMULATIONS, Cell, score_cell
from urerf.paper.words import at, by_simulation, rivals_by_simulation


def cells(plan: Plan, counts: Iterable[int], rescaled: bool) -> list[Cell]:
    """All methods at the given numbers of noise columns."""
    return [
        score_cell(
            name,
            method,
            seed=seed,
            ks=[50],
            noise=noise,
            rescaled=rescaled,
            params=plan.params(method),
        )
        for method in plan.keep_aside()
        for name in SIMULATIONS
        for noise in counts
        for seed in range(plan.seeds)
    ]


def draw(table: Any, name: str, caption: str) -> list[Drawing]:
    """Draw one row of panels over the noise columns."""
    figure = figures.method_panels(table, "noise", figures.NOISE)
    for axis in figure.axes:
        axis.set_xticks(sorted(set(table.noise)))
    return [Drawing(name, caption, figure)]


def shows(table: Any) -> list[str]:
    """Compare at the largest count."""
    most = int(table.noise.max())
    end = at(table, noise=most)
    words = [
        f"{METHODS[method].label}: {by_simulation(end, method)}"
        for method in ("urerf_paper", "urerf")
        if method in set(end.method)
    ]
    return [
        f"With {most} noise columns: {'; '.join([*words, 'best other method: ' + rivals_by_simulation(end)])}."
    ]
