"""Running time against rows, columns and cores."""

from __future__ import annotations

import os
from functools import partial
from typing import Any

from .. import figures
from ..methods import METHODS
from ..study import QUICK_SIDE_METHODS, Drawing, PaperStudy, Plan, cross
from ..trial import Trial
from ..words import at, means_by

K = 50
BASE = {"n": 1000, "p": 50, "cores": 1}
SWEEPS = {
    "n": (500, 1000, 2000, 5000, 10_000),
    "p": (10, 50, 200, 1000),
    "cores": (1, 2, 4, 8, 16),
}
QUICK_SWEEPS = {
    "n": (250, 500, 1000),
    "p": (10, 50, 100),
    "cores": (1, 2),
}
XLABELS = {"n": "rows", "p": "columns", "cores": "cores"}


def trials(plan: Plan) -> list[Trial]:
    """Sweep rows, columns and cores, one at a time."""
    sweeps = QUICK_SWEEPS if plan.quick else SWEEPS
    n_cores = os.cpu_count() or 1
    settings = []
    for key, values in sweeps.items():
        for value in values:
            setting = BASE | {key: value}
            setting["noise"] = setting.pop("p") - 3
            if setting["cores"] <= n_cores and setting not in settings:
                settings.append(setting)
    make = partial(Trial, "helix", measure="runtime", ks=(K,))
    methods = plan.keep(quick=QUICK_SIDE_METHODS)
    return plan.cheaper(cross(make, method=methods, settings=settings))


def draw(table: Any) -> list[Drawing]:
    """Draw wall time against rows, columns and cores."""
    figure, axes = figures.panels(1, 3, height=3.6, sharey=True)
    table = table.assign(p=table.noise + 3)
    for one, key in zip(axes[0], BASE):
        fixed = {other: value for other, value in BASE.items() if other != key}
        rows = at(table, **fixed)
        figures.lines(one, rows, key, y="seconds")
        figures.log_axes(one, rows[key], XLABELS[key])
    axes[0][0].set_ylabel("seconds")
    figures.legend(axes[0])
    caption = (
        f"Seconds of wall time to find {K} neighbors of each row, the better of two runs; helix "
        f"with noise columns. Settings that are not swept are {BASE['n']:,} rows, {BASE['p']} "
        f"columns and {BASE['cores']} core."
    )
    return [Drawing("runtime", caption, figure)]


def shows(table: Any) -> list[str]:
    """Give the times at the base setting."""
    table = table.assign(p=table.noise + 3)
    base = at(table, **BASE)
    means = means_by(base, "method", "seconds").sort_values()
    words = [f"{METHODS[name].label} {seconds:.2f}" for name, seconds in means.items()]
    times = ", ".join(words)
    return [f"Seconds at {BASE['n']:,} rows, {BASE['p']} columns, one core: {times}."]


STUDY = PaperStudy(
    name="runtime",
    title="What does it cost?",
    asks="How does the time to find all neighbors grow with rows and columns, and what do more "
    "cores bring? The authors planned this figure.",
    reading="Lower is faster; both axes are logarithmic. Times are from one machine and compare "
    "methods, not machines. This program ran nothing else at the same time, but others may have "
    "used the machine.",
    trials=trials,
    draw=draw,
    shows=shows,
)
