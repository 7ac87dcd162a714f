"""How many trees, and what ranks neighbors: the evidence for `urerf.blend` and its trees."""

from __future__ import annotations

from itertools import product
from typing import Any

from urerf.lab.study import FIRST_SEED, BenchStudy, Plan
from urerf.lab.trial import Trial
from urerf.lab.words import at, means_by
from urerf.lab.writing import markdown

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
    found = []
    for split, seeds in ((CHOSEN_ON, range(plan.seeds)), (REPORTED_ON, plan.reported_seeds)):
        for dataset, seed in product(split, seeds):
            own_sizes = sizes
            noise: dict[str, Any] = {"noise": N_NOISE}
            if dataset in LABELED:
                own_sizes = sizes[:1]
                noise = {"noise": 0, "kind": "none"}
            for n, count, similarity in product(own_sizes, (*trees, AUTO), SIMILARITIES):
                if count == AUTO and similarity != "blend":
                    continue
                params = {"n_estimators": count, "similarity": similarity}
                trial = Trial(
                    dataset,
                    "urerf",
                    seed,
                    n=n,
                    ks=(15,),
                    params=params,
                    **noise,
                )
                found.append(trial)
    return found


def sections(table: Any) -> list[str]:
    """Return one table for the data that constants were chosen on, one for the others."""
    table = table.assign(n_estimators=table.n_estimators.astype(str))
    trees = sorted({int(count) for count in table.n_estimators if count != AUTO})
    reference = at(table, similarity="depth", n_estimators=str(trees[-1]))
    key = ["dataset", "seed", "n"]
    best = reference.set_index(key).precision
    keys = [tuple(row) for row in table[key].to_numpy()]
    gain = table.precision - best.reindex(keys).to_numpy()
    table = table.assign(gain=gain, is_reported=table.seed >= FIRST_SEED)
    found = [NOTE]
    for is_reported, title in ((False, "Chosen on"), (True, "Reported on")):
        names = ", ".join(REPORTED_ON if is_reported else CHOSEN_ON)
        own = at(table, is_reported=is_reported)
        found.append(f"## {title}: {names}\n\n{gain_table(own, [*map(str, trees), AUTO])}")
    return found


def gain_table(table: Any, trees: list[str]) -> str:
    """Write one row per number of rows and similarity, one column per number of trees."""
    rows = []
    for (n, similarity), group in table.groupby(["n", "similarity"]):
        values = [gain_text(at(group, n_estimators=count)) for count in trees]
        rows.append([f"{n:,}", f"`{similarity}`", *values])
    counts = [f"{count} trees" for count in trees[:-1]]
    head = ["rows", "similarity", *counts, AUTO]
    return markdown(head, rows)


def gain_text(table: Any) -> str:
    """Write the mean gain, and that of the worst data set."""
    if not len(table):
        return ""
    means = means_by(table, "dataset", "gain")
    return f"{means.mean():+.3f} ({means.min():+.3f})"


STUDY = BenchStudy(
    name="ranking",
    title="Number of trees and ranking",
    trials=trials,
    columns=("dataset", "n", "noise", "seed", "n_estimators", "similarity", "precision"),
    sections=sections,
)
