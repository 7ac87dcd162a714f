"""How much the result depends on the forest's settings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from urerf.paper import figures
from urerf.paper.baselines import Method, urerf_paper
from urerf.paper.experiment import KS, Drawing, Experiment, Plan
from urerf.paper.tasks import SIMULATIONS, Cell, score_cell
from urerf.paper.words import at, share

# With three columns, a density of 1/3 is one column a cut.
SWEEPS: dict[str, tuple[float, ...]] = {
    "min_samples_split": (10, 30, 100, 300),
    "max_features": (1, 2, 3, 6),
    "density": (0.34, 0.5, 0.67, 1.0),
}
WORDS = {"min_samples_split": "minparent", "max_features": "mtry", "density": "density"}
PAPER = {
    "min_samples_split": 100,
    "max_features": 1,
    "density": 0.34,
}  # mtry: the root of three columns, cut short
LOOKS = (("#56b4e9", "^"), ("#0072b2", "s"), ("#000000", "D"))


def cells(plan: Plan) -> list[Cell]:
    """Sweep one setting at a time, without noise columns."""
    return [
        score_cell(name, method, seed=seed, ks=KS, params={setting: value, **plan.params(method)})
        for method in plan.keep(["urerf_paper"])
        for name in SIMULATIONS
        for setting, values in SWEEPS.items()
        for value in values
        for seed in range(plan.seeds)
    ]


def draw(table: Any) -> list[Drawing]:
    """Draw a row of panels a setting."""
    figure, axes = figures.new(len(SWEEPS))
    for row, (setting, values) in zip(axes, SWEEPS.items()):
        looks = iter(LOOKS)
        styles = {
            value: Method(
                urerf_paper, f"{WORDS[setting]} = {value}", *_look(value == PAPER[setting], looks)
            )
            for value in values
        }
        figures.precision_row(row, table[table[setting].notna()], "k", styles, group=setting)
    figures.titles(axes, "k (neighbours asked for)")
    caption = (
        "Top: minparent, the smallest node that is split. Middle: mtry, the number of directions tried at a node. "
        "Bottom: density, the share of columns that enter a direction. Red is the paper's setting. "
        "1000 points, no noise columns."
    )
    return [Drawing("parameters", caption, figure)]


def _look(papers: bool, others: Iterator[tuple[str, str]]) -> tuple[str, str, str]:
    """Give the paper's own setting URerF's red."""
    color, marker = ("#d00000", "o") if papers else next(others)
    return color, "-", marker


def shows(table: Any) -> list[str]:
    """Give the range over each sweep at k = 40."""
    words = []
    for setting in SWEEPS:
        means = at(table[table[setting].notna()], k=40).groupby(setting).precision.mean()
        swept = f"{WORDS[setting]} from {means.index[0]:g} to {means.index[-1]:g}"
        words.append(f"{swept}: {share(means.min())} to {share(means.max())}")
    return [
        "Mean precision over the four simulations at 40 neighbours moves within: "
        + "; ".join(words)
        + "."
    ]


EXPERIMENT = Experiment(
    name="parameters",
    title="Does it need tuning?",
    asks="The paper claims that its forest needs no tuning: that precision hardly moves with the smallest node that is "
    "still split, the number of directions tried, and how many columns a direction combines.",
    reading="If the lines of a panel lie on each other, the setting does not matter there.",
    cells=cells,
    draw=draw,
    shows=shows,
)
