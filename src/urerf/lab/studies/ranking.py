"""How many trees, and what ranks neighbors: the evidence for `urerf.ranking`."""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import Any

from ..study import BenchStudy, Plan, combinations, cross
from ..trial import Trial
from ..words import at, means_by
from ..writing import markdown

# The constants were chosen on the first data sets and seeds, and are reported on the others.
CHOSEN_ON = ("linear", "sphere", "swiss_roll", "helix_in_20", "wine")
REPORTED_ON = ("helix", "torus", "gaussian_mixture", "moons", "breast_cancer", "digits")
LABELED = ("wine", "breast_cancer", "digits")
ROWS = (500, 1000, 4000)
TREES = (40, 60, 80, 100, 150, 300)
QUICK_ROWS = (300,)
QUICK_TREES = (10, 20)
N_NOISE = 100
SIMILARITIES = ("blend", "depth", "geodesic")
AUTO = "auto"
NOTE = """Precision of the 15 nearest rows (label precision for tables) minus that of the largest
number of trees ranked by the forest alone (`similarity="depth"`), with the same seed: the mean
over data sets and seeds, and in parentheses that of the worst data set. Simulations have 100
Gaussian noise columns of variance 70. `auto` is the default number of trees."""


def trials(plan: Plan) -> list[Trial]:
    """Return all data sets with all numbers of trees and similarities."""
    trees = QUICK_TREES if plan.quick else TREES
    sizes = QUICK_ROWS if plan.quick else ROWS
    params = combinations(n_estimators=trees, similarity=SIMILARITIES)
    params.append({"n_estimators": AUTO, "similarity": "blend"})
    chosen_on = product(CHOSEN_ON, range(plan.seeds))
    reported_on = product(REPORTED_ON, plan.reported_seeds)
    found = []
    for dataset, seed in (*chosen_on, *reported_on):
        make = partial(Trial, dataset, "urerf", seed, ks=(15,))
        if dataset in LABELED:
            clean = partial(make, kind="none")
            found += cross(clean, n=sizes[:1], params=params)
        else:
            noisy = partial(make, noise=N_NOISE)
            found += cross(noisy, n=sizes, params=params)
    return found


def sections(table: Any) -> list[str]:
    """Return one table for the data that constants were chosen on, one for the others."""
    table = table.assign(n_estimators=table.n_estimators.astype(str))
    trees = sorted(set(table.n_estimators) - {AUTO}, key=int)
    reference = at(table, similarity="depth", n_estimators=trees[-1])
    key = ["dataset", "seed", "n"]
    best = reference.set_index(key).precision.rename("best")
    table = table.join(best, key)
    table = table.assign(gain=table.precision - table.best)
    found = [NOTE]
    for title, datasets in {"Chosen on": CHOSEN_ON, "Reported on": REPORTED_ON}.items():
        own = table[table.dataset.isin(datasets)]
        gains = gain_table(own, [*trees, AUTO])
        found += [f"## {title}: {', '.join(datasets)}", gains]
    return found


def gain_table(table: Any, trees: list[str]) -> str:
    """Write the mean gain and that of the worst data set, by rows, similarity and trees."""
    means = means_by(table, ["n", "similarity", "n_estimators", "dataset"], "gain")
    groups = means.groupby(["n", "similarity", "n_estimators"])
    texts = groups.agg(lambda gains: f"{gains.mean():+.3f} ({gains.min():+.3f})")
    texts = texts.unstack(fill_value="")[trees].reset_index()
    texts["n"] = texts["n"].map("{:,}".format)
    texts["similarity"] = texts["similarity"].map("`{}`".format)
    counts = [f"{count} trees" for count in trees[:-1]]
    return markdown(["rows", "similarity", *counts, AUTO], texts.to_numpy())


STUDY = BenchStudy(
    name="ranking",
    title="Number of trees and ranking",
    trials=trials,
    columns=("dataset", "n", "noise", "seed", "n_estimators", "similarity", "precision"),
    sections=sections,
)
