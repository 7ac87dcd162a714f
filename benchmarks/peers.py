"""Ours beside the peers in one run: trees, fit and graph, queries of new rows, relevance.

UMAP and Isomap embed, so their seconds hold more than a graph, and their neighbours are those of
the embedding. Peers that are not installed are left out with a word.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

from benchmarks import SMALL, markdown, write_csv, write_page
from benchmarks._methods import (
    BRUTE,
    HNSW,
    ISOLATION,
    ISOMAP,
    OURS,
    PYNN,
    RANDOM_TREES,
    THREADS,
    UMAP,
    Neighbours,
    Relevance,
    Trees,
    missing,
    worker,
)
from benchmarks._worker import in_turns

TURNS = 2
N, N_ISOMAP, N_TREES, P = (2000, 1000, 5000, 200) if SMALL else (20_000, 4000, 50_000, 1000)
FEW = f"{OURS}, 40 trees"
SPEARMAN = "spearmanr"
NOTE = f"""The least of {TURNS} turns, which the methods of a table take in turn, each in a process of its own that
has compiled before; {THREADS} threads, but trees alone have one. `x` is our CPU time, in the first line of a table,
over the method's: above 1 we are slower. *Precision* is the share of neighbours in the same cluster of `make_blobs`
(100 clusters, 50 columns, 15 neighbours); for relevance, of the three best columns that are the helix's. Random trees
and IsolationForest cut at random, ours look at 10 candidates a node (trees) or at one (trees of IsolationForest's
size). UMAP and Isomap embed, and their precision is that of neighbours in the embedding; Isomap first has to join the
clusters."""


def neighbours(
    n: int, methods: Sequence[str], new: int = 0
) -> dict[str, tuple[str, Any, dict[str, Any]]]:
    """Return the jobs of a table of neighbours: name, method, work, arguments."""
    jobs = {}
    for name in methods:
        method = OURS if name == FEW else name
        settings = {"n_estimators": 40} if name == FEW else {}
        size = {"n": n, "p": 50, "k": 15, "threads": THREADS, "new": new, "settings": settings}
        jobs[name] = (method, Neighbours, {"method": method, **size})
    return jobs


def trees(methods: Sequence[str], like: str) -> dict[str, tuple[str, Any, dict[str, Any]]]:
    """Return the jobs of a table of trees."""
    size = {"n": N_TREES, "p": 100, "trees": 10, "like": like}
    return {name: (name, Trees, {"method": name, **size}) for name in methods}


def tables() -> dict[str, dict[str, tuple[str, Callable[..., Any], dict[str, Any]]]]:
    """Return the tables: a title, and its jobs, ours first."""
    pairs = {"n": 1000, "p": P, "threads": THREADS}
    return {
        f"trees of nodes of 100 rows, n={N_TREES:,}, p=100, T=10": trees((OURS, RANDOM_TREES), ""),
        f"trees of IsolationForest's depth, n={N_TREES:,}, p=100, T=10": trees(
            (OURS, ISOLATION), ISOLATION
        ),
        f"fit and graph, n={N:,}": neighbours(N, (OURS, FEW, PYNN, HNSW, BRUTE, UMAP)),
        f"fit and graph, n={N_ISOMAP:,}": neighbours(
            N_ISOMAP, (OURS, FEW, PYNN, HNSW, BRUTE, UMAP, ISOMAP)
        ),
        f"query of {N // 4:,} new rows, n={N:,}": neighbours(
            N, (OURS, FEW, PYNN, HNSW, BRUTE, UMAP), N // 4
        ),
        f"dependence of all pairs of columns, n=1000, p={P}": {
            name: (OURS, Relevance, {"method": name, **pairs}) for name in (OURS, SPEARMAN)
        },
    }


def measure(title: str, jobs: dict[str, Any]) -> list[dict[str, Any]]:
    """Do the jobs of a table in turn; return a row for each."""
    there = {name: job for name, job in jobs.items() if not missing(job[0])}
    for name in sorted(set(jobs) - set(there)):
        print(f"{name} is skipped: it is not installed", file=sys.stderr)
    taken = in_turns(
        [(name, worker(method), work, size) for name, (method, work, size) in there.items()], TURNS
    )
    return [
        {
            "table": title,
            "method": name,
            "cpu_seconds": round(one["cpu"], 3),
            "wall_seconds": round(one["wall"], 3),
            "ratio": round(taken[0]["cpu"] / one["cpu"], 2),
            "peak_mb": round(one["peak"] / 2**20),
            "precision": round(one["precision"], 4) if "precision" in one else "",
        }
        for name, one in zip(there, taken)
    ]


def main() -> None:
    rows = []
    parts = []
    for title, jobs in tables().items():
        part = measure(title, jobs)
        rows += part
        head = ["method", "CPU s", "s", "x", "peak MB", "precision"]
        parts.append(f"### {title}\n\n{markdown(head, [list(row.values())[1:] for row in part])}")
    absent = [name for name in (PYNN, HNSW, UMAP) if missing(name)]
    words = f"Not installed where this was run, so left out: {', '.join(absent)}." if absent else ""
    write_csv("peers", rows)
    write_page("peers", NOTE, *([words] if words else []), *parts)


if __name__ == "__main__":
    main()
