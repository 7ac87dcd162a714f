"""Our methods compared with the peers in one run: trees, fit and graph, queries, dependence.

UMAP and Isomap embed, so that their times include more than a graph, and their neighbors are those
in the embedding. Peers that are not installed are skipped.
"""

from __future__ import annotations

from typing import Any

from benchmarks import SMALL, THREADS, log, publish, table
from benchmarks._methods import (
    EUCLIDEAN,
    HNSW,
    ISOLATION,
    ISOMAP,
    OURS,
    PAPER,
    PYNN,
    RANDOM_TREES,
    UMAP,
    Dependence,
    FindNeighbors,
    GrowTrees,
    WideFit,
    is_missing,
    job,
)
from benchmarks._worker import in_turns

TURNS = 2
N = 2000 if SMALL else 20_000
N_ISOMAP = 1000 if SMALL else 4000
N_TREES = 5000 if SMALL else 50_000
P = 200 if SMALL else 1000
BY_DEPTH = f"{OURS}, 300 trees by depth"
NEIGHBORS = (OURS, BY_DEPTH, PYNN, HNSW, EUCLIDEAN, UMAP)
NOTE = f"""The smallest of {TURNS} runs; the methods of a table take turns, each in its
own process, compiled before; {THREADS} threads, but one for trees alone and for the fit among
noise columns. *Ratio* is our CPU time, in the first row of a table, over that of the method:
above 1, ours is slower. *Precision* is the share of neighbors in the same cluster of
`make_blobs` (100 clusters, 50 columns, 15 neighbors); for dependence, the share of the three
best columns that belong to the helix. Random trees and IsolationForest cut at random, without
looking at the values; ours look at 10 candidates per node, at 32 among noise columns, or at one
(trees of IsolationForest's depth). UMAP and Isomap embed, and their precision is that of
neighbors in the embedding; Isomap first has to join the clusters."""


def find_neighbors(n: int, methods: tuple[str, ...], new: int = 0) -> dict[str, Any]:
    """Return the tasks of a table of neighbors."""
    tasks = {name: FindNeighbors(name, n, new=new) for name in methods if name != BY_DEPTH}
    by_depth = FindNeighbors(OURS, n, new=new, settings={"similarity": "depth"})
    return {OURS: tasks[OURS], BY_DEPTH: by_depth, **tasks}


def tables() -> dict[str, dict[str, Any]]:
    """Return the tables: titles and tasks, ours first."""
    found: dict[str, dict[str, Any]] = {}
    for data in ("clustered", "gaussian", "uniform"):
        found[f"trees of nodes of 100 rows, {data}, n={N_TREES:,}, p=100, T=10"] = {
            OURS: GrowTrees(OURS, N_TREES, data=data),
            f"{OURS}, gain": GrowTrees(OURS, N_TREES, data=data, split_score="gain"),
            RANDOM_TREES: GrowTrees(RANDOM_TREES, N_TREES, data=data),
        }
    isolation = {name: GrowTrees(name, N_TREES, like_isolation=True) for name in (OURS, ISOLATION)}
    found[f"trees of IsolationForest's depth, n={N_TREES:,}, p=100, T=10"] = isolation
    wide = {name: WideFit(method=name) for name in (PAPER, OURS, RANDOM_TREES, ISOLATION)}
    found["fit among noise columns, n=1000, p=1003, T=100"] = wide
    found[f"fit and graph, n={N:,}"] = find_neighbors(N, NEIGHBORS)
    found[f"fit and graph, n={N_ISOMAP:,}"] = find_neighbors(N_ISOMAP, (*NEIGHBORS, ISOMAP))
    title = f"query of {N // 4:,} new rows, n={N:,}"
    found[title] = find_neighbors(N, NEIGHBORS, N // 4)
    found[f"dependence of all pairs of columns, n=1000, p={P}"] = {
        OURS: Dependence(P),
        "spearmanr": Dependence(P, by_rank=True),
    }
    return found


def measure(tasks: dict[str, Any]) -> list[dict[str, Any]]:
    """Do the tasks of a table in turn; return one row for each."""
    present = {name: task for name, task in tasks.items() if not is_missing(task.method)}
    for name in sorted(set(tasks) - set(present)):
        log(f"{name} is skipped: it is not installed")
    best = in_turns([job(name, task) for name, task in present.items()], TURNS)
    return [
        {
            "method": name,
            "cpu_seconds": round(one["cpu"], 3),
            "wall_seconds": round(one["wall"], 3),
            "ratio": round(best[0]["cpu"] / one["cpu"], 2),
            "peak_mb": round(one["peak"] / 2**20),
            "precision": round(one["precision"], 4) if "precision" in one else "",
        }
        for name, one in zip(present, best)
    ]


def main() -> None:
    rows = []
    sections = []
    for title, tasks in tables().items():
        mine = measure(tasks)
        rows += [{"table": title, **row} for row in mine]
        sections.append(f"### {title}\n\n{table(mine)}")
    absent = [name for name in (PYNN, HNSW, UMAP) if is_missing(name)]
    if absent:
        sections.insert(0, f"Skipped because it was not installed: {', '.join(absent)}.")
    publish("peers", rows, NOTE, *sections)


if __name__ == "__main__":
    main()
