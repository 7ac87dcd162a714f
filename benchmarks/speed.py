"""CPU seconds to grow a forest on one thread, beside scikit-learn's forests of as many trees in the same run.

Wide: `URerF.paper(n_estimators=100).fit`, and the defaults, on 1000 rows and 1003 columns. Tall:
trees alone, 10 of them, on 50,000 rows and 100 columns. Nodes of 100 rows and more are split.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.datasets import make_blobs
from sklearn.ensemble import IsolationForest, RandomTreesEmbedding

from benchmarks import best_cpu, markdown, write_csv, write_page
from urerf import URerF
from urerf.datasets import add_noise, make_helix
from urerf.forest import Forest, Growth

REPEATS = 5
MIN_SPLIT = 100
BARS = {"wide": 3.0, "tall": 1.5}
NOTE = """CPU seconds, one thread, the best of 5 turns; the machine is shared, so the ratios say more than the
seconds. `leaves` is the mean of a tree. scikit-learn's RandomTreesEmbedding also encodes the leaves it finds;
its IsolationForest, here grown on as many rows, has no smallest node and stops at a depth of log2(rows). Both cut at
random: they do not look at the values, where ours sorts 32 (wide) or 10 (tall) candidates a node. `URerF` has this
package's defaults: smaller nodes, a third of the rows, and the search for relevant columns is in its seconds."""


class Job:
    """Something to time; keeps the leaves a tree of what it grew last."""

    def __init__(self, grow: Callable[[], float]) -> None:
        self.grow = grow
        self.leaves = 0.0

    def __call__(self) -> None:
        """Grow once."""
        self.leaves = self.grow()


def grown_isolation_forest(X: np.ndarray, trees: int) -> IsolationForest:
    return IsolationForest(n_estimators=trees, max_samples=len(X), random_state=0).fit(X)


def grown_random_trees(X: np.ndarray, trees: int) -> RandomTreesEmbedding:
    return RandomTreesEmbedding(
        trees, max_depth=None, min_samples_split=MIN_SPLIT, random_state=0, n_jobs=1
    ).fit(X)


def isolation_forest(X: np.ndarray, trees: int) -> float:
    return mean_leaves(grown_isolation_forest(X, trees).estimators_)


def random_trees(X: np.ndarray, trees: int) -> float:
    return mean_leaves(grown_random_trees(X, trees).estimators_)


def mean_leaves(trees: list[Any]) -> float:
    return float(np.mean([tree.get_n_leaves() for tree in trees]))


def forest_leaves(forest: Forest) -> float:
    return float((forest.child < 0).sum() / forest.n_trees)


def fit(make: Callable[..., URerF], X: np.ndarray, trees: int) -> float:
    return forest_leaves(make(n_estimators=trees, random_state=0, n_jobs=1).fit(X).forest_)


def grown_alone(table: np.ndarray, score: str, trees: int) -> Forest:
    p, n = table.shape
    growth = Growth(10, 1 / p, MIN_SPLIT, n, True, projection="axis", split_score=score)
    return Forest.grow(table, growth, seed=0, trees=range(trees), n_jobs=1)


def trees_alone(table: np.ndarray, score: str, trees: int) -> float:
    return forest_leaves(grown_alone(table, score, trees))


def peers(X: np.ndarray, trees: int) -> dict[str, Job]:
    X = X.astype(np.float32)
    return {
        "RandomTreesEmbedding": Job(partial(random_trees, X, trees)),
        "IsolationForest": Job(partial(isolation_forest, X, trees)),
    }


def wide_jobs(trees: int = 100) -> dict[str, Job]:
    X = add_noise(make_helix(1000).X, 1000, random_state=0)
    ours = {
        "URerF.paper": Job(partial(fit, URerF.paper, X, trees)),
        "URerF": Job(partial(fit, URerF, X, trees)),
    }
    return {**ours, **peers(X, trees)}


def tall_jobs(X: np.ndarray, trees: int = 10) -> dict[str, Job]:
    table = np.ascontiguousarray(X.T, dtype=np.float32)
    ours = {
        f"trees, {score}": Job(partial(trees_alone, table, score, trees))
        for score in ("raw", "gain")
    }
    return {**ours, **peers(X, trees)}


def tall_data(n: int = 50_000, p: int = 100) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    return {
        "clustered": make_blobs(n, p, centers=10, random_state=0)[0],
        "gaussian": rng.normal(size=(n, p)),
        "uniform": rng.uniform(size=(n, p)),
    }


def measure(task: str, data: str, jobs: dict[str, Job]) -> list[dict[str, Any]]:
    """Time the jobs of one task; ours first."""
    seconds = best_cpu(jobs, REPEATS)
    rows = []
    for name, job in jobs.items():
        row = {"task": task, "data": data, "method": name, "cpu_seconds": round(seconds[name], 3)}
        row |= {
            "bar": BARS[task] if name.startswith(("URerF.paper", "trees")) else "",
            "leaves": round(job.leaves),
        }
        row |= {"over_random_trees": round(seconds[name] / seconds["RandomTreesEmbedding"], 2)}
        row |= {"over_isolation": round(seconds[name] / seconds["IsolationForest"], 2)}
        rows.append(row)
    return rows


def main() -> None:
    URerF.paper(n_estimators=1).fit(np.random.default_rng(0).normal(size=(200, 5)))  # compiles
    rows = measure("wide", "helix, noise", wide_jobs())
    for name, X in tall_data().items():
        rows += measure("tall", name, tall_jobs(X))
    write_csv("speed", rows)
    head = [
        "task, data, method",
        "CPU s",
        "bar",
        "leaves",
        "over random trees",
        "over isolation forest",
    ]
    cells = [[", ".join(list(row.values())[:3]), *list(row.values())[3:]] for row in rows]
    write_page("speed", NOTE, markdown(head, cells))


if __name__ == "__main__":
    main()
