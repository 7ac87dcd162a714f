"""The main experiment: precision as noise columns are added."""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import Any

from urerf.datasets import SIMULATIONS

from .. import figures
from ..methods import METHODS
from ..study import Drawing, PaperStudy, Plan, cross
from ..tables.made import PAPER_NOISES
from ..trial import Trial
from ..words import at, by_simulation, methods_in, rivals_by_simulation

COUNTS = (0, 1, 2, 5, 10, 50, 100, 1000, 5000, 10_000)
PUBLISHED_COUNTS = (0, 10, 50, 100, 1000, 5000, 10_000)
QUICK_COUNTS = (0, 10, 100, 1000)
QUICK_SCRIPTS_COUNTS = (0, 10, 1000)
# Those with published numbers.
SCRIPTS_METHODS = ("urerf_scripts", "shi_cutler", "isomap", "umap", "euclidean")
QUICK_KINDS = ("gaussian", "uniform")
KINDS_METHODS = ("urerf_paper", "urerf", "totally_random_trees", "euclidean")
KINDS_COUNT = 100
CAPTIONS = {
    "text": "Data and settings of the paper's text. Precision of 50 neighbors among 1000 points, "
    "with 0 to 10,000 columns of Gaussian noise of variance 70 added to the three signal columns.",
    "scripts": "The same with the data and settings of the authors' scripts, from which the "
    "published numbers (dashed) come.",
}
KINDS_CAPTION = (
    f"Not in the paper: {KINDS_COUNT} noise columns of the same variance, 70, but of other "
    "distributions. Uniform and bimodal columns split in two more clearly than the signal does, "
    "and mislead a criterion that looks at one direction at a time."
)


def trials(plan: Plan) -> list[Trial]:
    """Return text and scripts over the numbers of noise columns, then other kinds of noise."""
    counts = QUICK_COUNTS if plan.quick else COUNTS
    kinds = QUICK_KINDS if plan.quick else PAPER_NOISES
    scripts_methods = ["urerf_scripts"] if plan.quick else SCRIPTS_METHODS
    scripts_counts = QUICK_SCRIPTS_COUNTS if plan.quick else PUBLISHED_COUNTS
    found = []
    for seed, dataset in product(range(plan.seeds), SIMULATIONS):
        text = partial(Trial, dataset, seed=seed)
        scripts = partial(text, variant="scripts")
        other_kinds = partial(text, noise=KINDS_COUNT)
        found += cross(text, method=plan.keep(), noise=counts)
        found += cross(scripts, method=plan.keep(scripts_methods), noise=scripts_counts)
        found += cross(other_kinds, method=plan.keep(KINDS_METHODS), kind=kinds)
    return plan.cheaper(found)


def draw(table: Any) -> list[Drawing]:
    """Draw the variant of the text, that of the scripts, and the kinds of noise."""
    drawings = []
    for variant, caption in CAPTIONS.items():
        rows = at(table, kind="gaussian", variant=variant)
        if len(rows):
            figure = figures.method_panels(
                rows, "noise", figures.NOISE, experiment="noise", log_zero=True
            )
            drawings.append(Drawing(f"noise_{variant}", caption, figure))
    kinds = at(table, variant="text", noise=KINDS_COUNT)
    kinds = kinds[kinds.method.isin(KINDS_METHODS)]
    if len(kinds):
        drawings.append(Drawing("noise_kinds", KINDS_CAPTION, draw_kinds(kinds)))
    return drawings


def draw_kinds(table: Any) -> Any:
    """Draw the precision for each kind of noise."""
    names = [name for name in PAPER_NOISES if name in set(table.kind)]
    table = table.assign(place=table.kind.map(names.index))
    figure = figures.method_panels(table, "place", "distribution of the noise")
    labels = [name.replace("_", "\n") for name in names]
    for axes in figure.axes:
        axes.set_xticks(range(len(names)), labels, fontsize=8)
        axes.margins(x=0.1)
    return figure


def shows(table: Any) -> list[str]:
    """Give the precision at the largest number of noise columns."""
    gaussian = at(table, kind="gaussian")
    text = at(gaussian, variant="text")
    words = []
    if len(text):
        most = int(text.noise.max())
        end = at(text, noise=most)
        for method in methods_in(end, ("urerf_paper", "urerf")):
            words.append(
                f"With {most:,} noise columns, {METHODS[method].label} keeps "
                f"{by_simulation(end, method)}; the best other method has "
                f"{rivals_by_simulation(end)}. Chance is .05, and .34 for the mixture."
            )
    scripts = at(gaussian, variant="scripts", method="urerf_scripts")
    if len(scripts):
        most = int(scripts.noise.max())
        ours = by_simulation(at(scripts, noise=most), "urerf_scripts")
        words.append(f"With the authors' own data and settings, at {most:,} noise columns: {ours}.")
    return words


STUDY = PaperStudy(
    name="noise",
    title="Which methods still find the manifold among noise columns?",
    asks="Three columns carry the manifold; up to 10,000 more are only noise, wider than the "
    "signal. Of the 50 points that a method calls nearest, how many are among the 50 truly "
    "nearest along the manifold?",
    reading="Left of the gray line, there is no noise; from there to the right, the number of "
    "noise columns grows on a logarithmic scale. The dotted line is chance: random "
    "neighbors. Bands are one standard deviation over seeds. Dashed lines are the paper's "
    "own numbers.",
    trials=trials,
    draw=draw,
    shows=shows,
)
