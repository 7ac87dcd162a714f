"""Running time against rows, columns and cores."""

from __future__ import annotations

import os
from typing import Any

from urerf.paper import figures
from urerf.paper.baselines import METHODS
from urerf.paper.experiment import Drawing, Experiment, Plan
from urerf.paper.tasks import Cell, score_cell
from urerf.paper.words import at

K = 50
BASE = {"n": 1000, "p": 50, "cores": 1}
SWEEPS = {"n": (500, 1000, 2000, 5000, 10_000), "p": (10, 50, 200, 1000), "cores": (1, 2, 4, 8, 16)}
QUICK_SWEEPS = {"n": (250, 500, 1000), "p": (10, 50, 100), "cores": (1, 2)}
XLABELS = {"n": "rows", "p": "columns", "cores": "cores"}


def cells(plan: Plan) -> list[Cell]:
    """Sweep rows, columns and cores, one at a time."""
    sweeps = QUICK_SWEEPS if plan.quick else SWEEPS
    settings = [BASE | {key: value} for key, values in sweeps.items() for value in values]
    possible = [setting for setting in settings if setting["cores"] <= (os.cpu_count() or 1)]
    unique = list({tuple(setting.items()): setting for setting in possible}.values())
    return [
        score_cell(
            "helix",
            method,
            seed=0,
            ks=[K],
            n=setting["n"],
            noise=setting["p"] - 3,
            params=plan.params(method),
        )
        | {"task": "runtime", "cores": setting["cores"]}
        for method in plan.keep_aside()
        for setting in unique
    ]


def draw(table: Any) -> list[Drawing]:
    """Draw wall time against each of the three."""
    figure, axes = figures.new(1, 3, height=3.6)
    table = table.assign(p=table.noise + 3)
    for axis, key in zip(axes[0], BASE):
        here = at(table, **{other: value for other, value in BASE.items() if other != key})
        for name, style in METHODS.items():
            if name in set(here.method):
                figures.line(axis, at(here, method=name), key, style, y="seconds")
        values = sorted(set(here[key]))
        axis.set_xscale("log")
        axis.set_yscale("log")
        axis.set_xticks(values, [f"{value:,}" for value in values])
        axis.minorticks_off()
        axis.grid(alpha=0.25)
        axis.set_xlabel(XLABELS[key])
    axes[0][0].set_ylabel("seconds")
    figures.legend(axes[0])
    caption = (
        f"Seconds of wall time to find {K} neighbours of every row, the better of two runs; helix with noise columns. "
        f"What is not swept is {BASE['n']:,} rows, {BASE['p']} columns, {BASE['cores']} core."
    )
    return [Drawing("runtime", caption, figure)]


def shows(table: Any) -> list[str]:
    """Give the times at the base setting."""
    base = (
        at(table.assign(p=table.noise + 3), **BASE).groupby("method").seconds.mean().sort_values()
    )
    listed = ", ".join(f"{METHODS[name].label} {seconds:.2f}" for name, seconds in base.items())
    return [f"Seconds at {BASE['n']:,} rows, {BASE['p']} columns, one core: {listed}."]


EXPERIMENT = Experiment(
    name="runtime",
    title="What does it cost?",
    asks="How does the time to find all neighbours grow with rows and columns, and what do more cores bring? Another "
    "figure the authors noted down to make.",
    reading="Further down is faster; both axes are logarithmic. Times are from one machine and good for comparing "
    "methods, not machines. Nothing else was run beside by this program, but others may have been using the machine.",
    cells=cells,
    draw=draw,
    shows=shows,
)
