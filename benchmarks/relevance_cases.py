"""What the relevance test says of the hard cases of the arena: weak, wavy, few rows, groups.

``python -m benchmarks.relevance_cases CASE FIRST_SEED N_SEEDS`` prints the mean precision, how
often each verdict was given, and how many true and false columns were named. Cases: see `CASES`.
"""

from __future__ import annotations

import sys
from collections import Counter

import numpy as np

from urerf import URerF
from urerf.lab.arena.cases import hard_cases
from urerf.lab.trial import Trial
from urerf.metrics import geodesic_precision

TREES = 100
CASES = {f"{case.dataset}_{case.n}": case for case in hard_cases()}


def main() -> None:
    """Print the results of the cases that the command line names; all if it names none."""
    name, first_seed, n_seeds = [*sys.argv[1:], "all", "1000", "5"][:3]
    seeds = range(int(first_seed), int(first_seed) + int(n_seeds))
    names = list(CASES) if name == "all" else [name]
    for case_name in names:
        print(row_of(case_name, seeds), flush=True)


def row_of(name: str, seeds: range) -> str:
    """Return the results of a case as a row of a table: means over the seeds."""
    case = CASES[name]
    precision = []
    verdicts: Counter[str] = Counter()
    n_true_named = 0
    n_false_named = 0
    for seed in seeds:
        manifold, X = Trial(seed=seed, **case.settings()).make()
        n_true = manifold.X.shape[1]
        model = URerF(TREES, random_state=0).fit(X)
        neighbors = model.kneighbors(n_neighbors=case.k, return_distance=False)
        precision.append(geodesic_precision(neighbors, manifold))
        verdicts[model.relevance_.verdict] += 1
        named = np.flatnonzero(model.feature_relevance_)
        is_true = named < n_true
        n_true_named += int(is_true.sum())
        n_false_named += int((~is_true).sum())
    n_seeds = len(seeds)
    error = np.std(precision) / np.sqrt(n_seeds)
    cells = [
        name,
        f"{np.mean(precision):.3f} +- {error:.3f}",
        ", ".join(f"{count} {verdict}" for verdict, count in verdicts.most_common()),
        f"{n_true_named / n_seeds:.1f} of {n_true}",
        f"{n_false_named / n_seeds:.1f}",
    ]
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
