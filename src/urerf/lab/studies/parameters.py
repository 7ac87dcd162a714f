"""How much the result depends on the settings of the forest."""

from __future__ import annotations

from typing import Any

from .. import figures, palette
from ..methods import Method
from ..study import KS, Drawing, PaperStudy, Plan, on_simulations
from ..trial import Trial
from ..words import at, means_by, share

# With three columns, a density of 1/3 is one column per cut.
SWEEPS: dict[str, tuple[float, ...]] = {
    "min_samples_split": (10, 30, 100, 300),
    "max_features": (1, 2, 3, 6),
    "density": (0.34, 0.5, 0.67, 1.0),
}
WORDS = {
    "min_samples_split": "minparent",
    "max_features": "mtry",
    "density": "density",
}
# mtry is the square root of the three columns, rounded down.
PAPER = {"min_samples_split": 100, "max_features": 1, "density": 0.34}
OTHER_LOOKS = (
    (palette.SKY, "^"),
    (palette.BLUE, "s"),
    (palette.BLACK, "D"),
)


def trials(plan: Plan) -> list[Trial]:
    """Sweep one setting at a time, without noise columns."""
    methods = plan.keep(["urerf_paper"])
    params = []
    for setting, values in SWEEPS.items():
        params += [{setting: value} for value in values]
    return on_simulations(plan, methods, ks=[KS], params=params)


def styles(setting: str) -> dict[float, Method]:
    """Return how each value of a setting is drawn: the paper's own value in red."""
    looks = iter(OTHER_LOOKS)
    found = {}
    for value in SWEEPS[setting]:
        is_paper = value == PAPER[setting]
        look = (palette.RED, "o") if is_paper else next(looks)
        found[value] = Method(f"{WORDS[setting]} = {value}", *look, is_ours=is_paper)
    return found


def draw(table: Any) -> list[Drawing]:
    """Draw one row of panels per setting."""
    figure, axes = figures.panels(len(SWEEPS), sharey=True)
    for row, setting in zip(axes, SWEEPS):
        rows = table[table[setting].notna()]
        figures.precision_row(row, rows, "k", styles(setting), group=setting)
    figures.titles(axes, figures.NEIGHBORS)
    caption = (
        "Top: minparent, the smallest node that is split. Middle: mtry, the number of directions "
        "tried at a node. Bottom: density, the share of columns in a direction. Red is the paper's "
        "setting. 1000 points, no noise columns."
    )
    return [Drawing("parameters", caption, figure)]


def shows(table: Any) -> list[str]:
    """Give the range over each sweep at k = 40."""
    words = []
    for setting, values in SWEEPS.items():
        means = means_by(at(table, k=40), setting)
        swept = f"{WORDS[setting]} from {values[0]:g} to {values[-1]:g}"
        low = share(means.min())
        high = share(means.max())
        words.append(f"{swept}: {low} to {high}")
    return [f"Range of the mean precision at 40 neighbors over a sweep: {'; '.join(words)}."]


STUDY = PaperStudy(
    name="parameters",
    title="Does it need tuning?",
    asks="The paper claims that its forest needs no tuning: that precision hardly depends on the "
    "smallest node that is split, the number of directions tried, and the number of columns that a "
    "direction combines.",
    reading="If the lines of a panel coincide, the setting does not matter there.",
    trials=trials,
    draw=draw,
    shows=shows,
)
