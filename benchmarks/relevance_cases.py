"""Cases that are hard for the relevance test: weak, wavy, few rows, groups in single columns.

``python -m benchmarks.relevance_cases CASE FIRST_SEED N_SEEDS`` prints the mean precision, how
often each verdict was given, and how many true and false columns were named. Cases: see `CASES`.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from urerf import URerF
from urerf.lab.agreement import agreement

TREES = 100


class Case(NamedTuple):
    """A table, the number of its true columns (the first ones), and which rows belong together."""

    X: np.ndarray
    n_true: int
    k: int
    precision: Callable[[np.ndarray], float]


def moons(n: int, n_noise: int, rng: np.random.Generator) -> Case:
    """Two half circles with noise of a tenth of their radius; neighbors should be of the same."""
    angle = rng.uniform(0, np.pi, n)
    upper = rng.random(n) < 0.5
    cosine = np.cos(angle)
    sine = np.sin(angle)
    x = np.where(upper, cosine, 1 - cosine)
    y = np.where(upper, sine, 0.5 - sine)
    true = np.column_stack([x, y])
    true += rng.normal(scale=0.1, size=(n, 2))
    X = np.hstack([true, rng.normal(size=(n, n_noise))])
    return Case(X, n_true=2, k=5, precision=lambda found: agreement(found, upper))


def weak_clusters(n: int, shift: float, rng: np.random.Generator) -> Case:
    """Three clusters whose means differ by a standard deviation of ``shift`` in 50 columns."""
    label = rng.integers(0, 3, n)
    means = shift * rng.normal(size=(3, 50))
    X = rng.normal(size=(n, 1000))
    X[:, :50] += means[label]
    k = 20 if n > 100 else 10
    return Case(X, n_true=50, k=k, precision=lambda found: agreement(found, label))


def bimodal(rng: np.random.Generator) -> Case:
    """Eight independent columns of two groups, 4 standard deviations apart, of 300 rows."""
    groups = rng.integers(0, 2, (300, 8))
    X = rng.normal(size=(300, 100))
    X[:, :8] += 4 * groups
    return Case(X, n_true=8, k=10, precision=lambda found: agreement(found, groups))


def ten_turns(rng: np.random.Generator) -> Case:
    """Put a helix of ten turns among 100 uniform columns; neighbors should be those along it."""
    t = rng.uniform(0, 2 * np.pi, 1000)
    angle = 10 * t
    helix = np.column_stack([np.cos(angle), np.sin(angle), t])
    X = np.hstack([helix, rng.random((1000, 100))])
    distance = np.abs(t[:, None] - t)
    np.fill_diagonal(distance, np.inf)
    true = np.argsort(distance, axis=1)[:, :20]
    return Case(X, n_true=3, k=20, precision=lambda found: _shared(true, found))


CASES: dict[str, Callable[[np.random.Generator], Case]] = {
    "moons_60_18": lambda rng: moons(60, 18, rng),
    "moons_100_100": lambda rng: moons(100, 100, rng),
    "weak_300": lambda rng: weak_clusters(300, 0.6, rng),
    "weak_80": lambda rng: weak_clusters(80, 0.8, rng),
    "weak_60": lambda rng: weak_clusters(60, 0.8, rng),
    "bimodal": bimodal,
    "ten_turns": ten_turns,
}


def _shared(true: np.ndarray, found: np.ndarray) -> float:
    hits = [len(np.intersect1d(a, b)) for a, b in zip(true, found)]
    return float(np.mean(hits)) / true.shape[1]


def main() -> None:
    """Print the results of the cases that the command line names; all if it names none."""
    name, first_seed, n_seeds = [*sys.argv[1:], "all", "1000", "5"][:3]
    seeds = range(int(first_seed), int(first_seed) + int(n_seeds))
    names = list(CASES) if name == "all" else [name]
    for case_name in names:
        print(row_of(case_name, seeds), flush=True)


def row_of(name: str, seeds: range) -> str:
    """Return the results of a case as a row of a table: means over the seeds."""
    precision = []
    verdicts: Counter[str] = Counter()
    n_true_named = 0
    n_false_named = 0
    for seed in seeds:
        case = CASES[name](np.random.default_rng(seed))
        model = URerF(TREES, random_state=0).fit(case.X)
        neighbors = model.kneighbors(n_neighbors=case.k, return_distance=False)
        precision.append(case.precision(neighbors))
        verdicts[model.relevance_.verdict] += 1
        named = np.flatnonzero(model.feature_relevance_)
        is_true = named < case.n_true
        n_true_named += int(is_true.sum())
        n_false_named += int((~is_true).sum())
    error = np.std(precision) / np.sqrt(len(seeds))
    counts = ", ".join(f"{count} {verdict}" for verdict, count in verdicts.most_common())
    return (
        f"| {name} | {np.mean(precision):.3f} +- {error:.3f} | {counts} "
        f"| {n_true_named / len(seeds):.1f} of {case.n_true} | {n_false_named / len(seeds):.1f} |"
    )


if __name__ == "__main__":
    main()
