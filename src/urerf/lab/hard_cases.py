"""What relevance finds in the hard cases of the arena: `python -m urerf.lab.hard_cases CASE`.

A case is called by its data set and number of rows, such as "rough_moons_60"; "all" is all of them.
For each, a row of a table is printed: the mean precision with its standard error, how often each
verdict was given, and how many true and false columns were named on average.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
import pandas as pd

from urerf import URerF
from urerf.metrics import geodesic_precision

from .arena.cases import Case, hard_cases
from .trial import Trial

TREES = 100
CASES = {f"{case.dataset}_{case.n}": case for case in hard_cases()}


def results(case: Case, seed: int) -> dict[str, Any]:
    """Fit a table of a case."""
    trial = Trial(seed=seed, **case.settings())
    manifold, X = trial.make()
    model = URerF(TREES, random_state=0).fit(X)
    neighbors = model.kneighbors(n_neighbors=case.k, return_distance=False)
    named = np.flatnonzero(model.feature_relevance_)
    n_true = manifold.X.shape[1]
    is_true = named < n_true
    return {
        "precision": geodesic_precision(neighbors, manifold),
        "verdict": model.relevance_.verdict,
        "n_true": n_true,
        "true_named": is_true.sum(),
        "false_named": (~is_true).sum(),
    }


def row_of(name: str, seeds: range) -> str:
    """Return the results of a case as a row of a table: means over the seeds."""
    case = CASES[name]
    table = pd.DataFrame([results(case, seed) for seed in seeds])
    mean = table.mean(numeric_only=True)
    verdicts = table.verdict.value_counts()
    cells = [
        name,
        f"{mean.precision:.3f} +- {table.precision.sem(ddof=0):.3f}",
        ", ".join(f"{count} {verdict}" for verdict, count in verdicts.items()),
        f"{mean.true_named:.1f} of {mean.n_true:.0f}",
        f"{mean.false_named:.1f}",
    ]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Print the results of one case or of all."""
    parser = argparse.ArgumentParser(prog="python -m urerf.lab.hard_cases")
    parser.add_argument("case", choices=[*CASES, "all"], nargs="?", default="all")
    parser.add_argument("first_seed", type=int, nargs="?", default=1000)
    parser.add_argument("n_seeds", type=int, nargs="?", default=5)
    asked = parser.parse_args()
    seeds = range(asked.first_seed, asked.first_seed + asked.n_seeds)
    names = list(CASES) if asked.case == "all" else [asked.case]
    for name in names:
        print(row_of(name, seeds), flush=True)


if __name__ == "__main__":
    main()
