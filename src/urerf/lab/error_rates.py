"""How often structure is found in tables without any: `python -m urerf.lab.error_rates STUDY`.

The studies are "noise", tables of independent columns, and "rows", tables whose rows depend on each
other as well. Each prints a table with the number of tables in which structure is found, with a 95
% interval, and the share with a hint.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import numpy as np
from scipy.stats import binomtest

from urerf.relevance import Relevance, column_relevance, examine_rows

from .tables.independent import (
    DEPENDENT,
    KINDS,
    ROWS_PER_PATIENT,
    dependent_rows,
    independent_columns,
)


def look_at_columns(kind: str, seed: int) -> Relevance:
    """Return what is found in a table of independent columns."""
    rng = np.random.default_rng(seed)
    sizes = [30, 60, 100, 200, 300]
    if kind == "category":
        sizes.append(1000)
    n = int(rng.choice(sizes))
    p = int(rng.choice([2, 5, 10, 20, 50, 100, 200]))
    X = independent_columns(kind, n, p, rng)
    is_declared = kind in ("category", "ordinal")
    kinds = [kind] * p if is_declared else None
    return examine_rows(X, kinds, n_jobs=1)


def look_at_rows(kind: str, seed: int) -> tuple[Relevance, Relevance]:
    """Return what is found in a table of dependent rows: if that is declared, and if it is not."""
    rng = np.random.default_rng(seed)
    sizes = [60, 100, 200, 300, 1000]
    if kind == "patients":
        sizes = [200, 300, 600]
    n = int(rng.choice(sizes))
    p = int(rng.choice([2, 5, 10, 20, 50, 100]))
    X = dependent_rows(kind, n, p, rng)
    undeclared = column_relevance(X, n_jobs=1)
    if kind == "patients":
        patients = np.arange(len(X)) // ROWS_PER_PATIENT
        return column_relevance(X, groups=patients, n_jobs=1), undeclared
    if kind in ("walk", "autocorrelated"):
        return column_relevance(X, ordered=True, n_jobs=1), undeclared
    return undeclared, undeclared


def verdicts(kind: str, found: Sequence[Relevance]) -> str:
    """Return a row of the printed table."""
    given = [record.verdict for record in found]
    result = binomtest(given.count("structure"), len(given))
    interval = result.proportion_ci(0.95, method="exact")
    share_of_hints = given.count("hint") / len(given)
    cells = [
        kind,
        f"{result.k} of {result.n}",
        f"{result.statistic:.2%}",
        f"{interval.low:.2%} to {interval.high:.2%}",
        f"{share_of_hints:.1%}",
    ]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Print the rows of the chosen kinds."""
    parser = argparse.ArgumentParser(prog="python -m urerf.lab.error_rates")
    parser.add_argument("study", choices=["noise", "rows"])
    parser.add_argument("n_tables", type=int, nargs="?", default=2000, help="tables of each kind")
    parser.add_argument("first_seed", type=int, nargs="?", default=1000)
    parser.add_argument("kinds", nargs="*", help="all if none is named")
    asked = parser.parse_args()
    seeds = range(asked.first_seed, asked.first_seed + asked.n_tables)
    if asked.study == "noise":
        for kind in asked.kinds or KINDS:
            found = [look_at_columns(kind, seed) for seed in seeds]
            print(verdicts(kind, found), flush=True)
        return
    for kind in asked.kinds or DEPENDENT:
        pairs = [look_at_rows(kind, seed) for seed in seeds]
        declared, undeclared = zip(*pairs)
        print(verdicts(kind, declared))
        n_noticed = sum(bool(record.notices) for record in undeclared)
        print(f"  noticed, if not declared: {n_noticed} of {len(seeds)}", flush=True)


if __name__ == "__main__":
    main()
