"""Where the time goes: each kernel compared with the limit of the machine, and the stages of a fit.

The limits are measured in the same run: the speed of a copy, and NumPy's sort of float32 (which
uses vector instructions). A kernel that reads and writes b bytes per element cannot take less than
b divided by the speed of the copy.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

import numpy as np

from benchmarks import SMALL, THREADS, log, publish, table
from urerf import URerF, fitted, fitting, forest, graph
from urerf._typing import Array
from urerf.kernels.best import empty_best, keep_best
from urerf.kernels.fast_bic import cut_fast_bic
from urerf.kernels.neighbors import add_similarities, empty_tally
from urerf.kernels.projection import project
from urerf.kernels.scratch import make_scratch
from urerf.kernels.settings import FAST_BIC, GAIN, Rule
from urerf.kernels.sort import sort_values
from urerf.kernels.tree import _partition
from urerf.lab.tables.speed import blobs
from urerf.lab.trial import Trial

SIZES = (1024, 16_384) if SMALL else (1024, 16_384, 1 << 20)
N = 5000 if SMALL else 100_000
N_QUERIES = 50 if SMALL else 500
N_TREES = 40
P_HELIX = 500 if SMALL else 10_000
K = 15
FLOOR = 1e-2
NOTE = """CPU nanoseconds per element, one thread, the smallest of several runs. *Limit* is the
shortest time that the machine allows: for the sort, NumPy's own; for the others, the bytes per
element at the speed of a copy of as many elements, which stays in the cache up to 16,384. At 1024
elements, all numbers, including the limit, contain the cost of a call from Python, so that
shares say little. *Share* is limit over measured. `gather` reads a column at ascending rows
(half of them), `scan` is Fast-BIC's search for the best cut of sorted values, `cut by bins` the
same for unsorted values, `partition` splits the rows of a
node, `count` adds up the similarity of a row to others (elements: rows met in all trees),
`top-k` keeps the 15 best of them (elements: distinct rows met), both without the cost of a call
from Python."""
STAGES = {
    "relevance": (fitting, "examine_rows"),
    "grow": (forest.Forest, "grow"),
    "apply": (forest.Forest, "apply"),
    "index": (fitted, "build_index"),
    "neighbors": (fitted, "nearest_rows"),
}


def least(task: Callable[[], Any], n: int, seconds: float = 0.3) -> float:
    """Return the smallest ns per element of as many runs as fit in `seconds`, at least three."""
    repeats = max(1, (1 << 20) // n)
    best = np.inf
    end = time.perf_counter() + seconds
    turns = 0
    while turns < 3 or time.perf_counter() < end:
        start = time.process_time()
        for _ in range(repeats):
            task()
        best = min(best, time.process_time() - start)
        turns += 1
    return 1e9 * best / (n * repeats)


def copy_speed(n: int) -> float:
    """Return ns per byte, read or written, of a copy of n float32, which moves 8 bytes each."""
    source = np.ones(n, dtype=np.float32)
    target = np.empty_like(source)
    return least(lambda: np.copyto(target, source), n) / 8


def result(
    kernel: str,
    n: int,
    ns: float,
    limit: float,
    by: str,
) -> dict[str, Any]:
    """Return one row of the table."""
    return {
        "kernel": kernel,
        "elements": n,
        "ns": round(ns, 2),
        "limit": round(limit, 2),
        "limit by": by,
        "share": round(limit / ns, 2),
    }


def by_copy(
    kernel: str,
    n: int,
    ns: float,
    byte: float,
    n_bytes: int,
) -> dict[str, Any]:
    """Return one row, for a kernel that is limited by moving bytes."""
    return result(kernel, n, ns, n_bytes * byte, f"copy, {n_bytes} bytes")


def tree_kernels(n: int) -> Iterator[dict[str, Any]]:
    """Time the kernels that grow a tree, on a node of n rows."""
    rng = np.random.default_rng(0)
    byte = copy_speed(n)
    matrix = rng.normal(size=(4, 2 * n)).astype(np.float32)
    rows = np.sort(rng.choice(2 * n, n, replace=False)).astype(np.int32)
    values = np.empty(n, np.float32)
    scratch = make_scratch(n)
    rule = Rule(FAST_BIC, GAIN, FLOOR, 1)
    column = np.array([1], np.int32)
    one = np.ones(1, np.float32)
    ns = least(lambda: project(matrix, rows, column, one, values), n)
    yield by_copy("gather", n, ns, byte, 12)

    z = values.copy()
    copying = least(lambda: np.copyto(z, values), n)

    def sort_copy(sort: Callable[[], Any]) -> float:
        return least(lambda: (np.copyto(z, values), sort()), n) - copying

    ns = sort_copy(lambda: sort_values(z, scratch.spare, scratch.counters))
    yield result("sort", n, ns, sort_copy(z.sort), "numpy.sort")

    z.sort()
    ns = least(lambda: cut_fast_bic(z, np.bool_(True), rule, np.inf, scratch), n)
    yield by_copy("scan", n, ns, byte, 4)
    ns = least(lambda: cut_fast_bic(values, np.bool_(False), rule, np.inf, scratch), n)
    yield by_copy("cut by bins", n, ns, byte, 5)

    other = np.empty(n, np.int32)
    node = rows.copy()
    ns = least(lambda: _partition(node, values, np.float32(0.1), other), n)
    yield by_copy("partition", n, ns, byte, 16)


def met_in_all_trees(leaf: Array, index: graph.Index) -> int:
    """Return how many rows a row meets, counted once per tree: what `add_similarities` adds up."""
    total = 0
    for tree, own in enumerate(leaf):
        first = index.first_node[tree]
        node = index.leaf_node[index.first_leaf[tree] + own]
        size = 0
        while node >= 0 and index.weight[first + node] > 0:
            size = index.end[first + node] - index.begin[first + node]
            node = index.parent[first + node]
        total += size
    return int(total)


def neighbor_kernels(model: URerF) -> Iterator[dict[str, Any]]:
    """Time the kernels that find neighbors, over some rows of a fitted model."""
    index = model._fitted._index(model.similarity_, THREADS)
    fitted_leaves = model._fitted.leaves
    n = model.n_samples_fit_
    byte = copy_speed(n)
    tally = empty_tally(n, len(fitted_leaves))
    best = empty_best(n, K)
    # As in the package, rows that are similar follow each other.
    similar = np.argsort(fitted_leaves[0], kind="stable")[:N_QUERIES]
    leaves = np.ascontiguousarray(fitted_leaves[:, similar].T)
    n_added = sum(met_in_all_trees(leaf, index) for leaf in leaves)
    nowhere = np.full_like(leaves[0], -1)  # a row in no leaf: what a call costs from Python
    for turn in range(2):  # the first compiles
        count = 0.0
        keep = 0.0
        n_distinct = 0
        bound = 0
        stamp = np.uint64(turn)
        for leaf in leaves:
            start = time.process_time()
            none = int(add_similarities(nowhere, index, tally))
            keep_best(tally, none, bound, -1, stamp, index.original, best)
            both_calls = time.process_time() - start
            start = time.process_time()
            met = int(add_similarities(leaf, index, tally))
            middle = time.process_time()
            keep_best(tally, met, bound, -1, stamp, index.original, best)
            keep += time.process_time() - middle - both_calls / 2
            count += middle - start - both_calls / 2
            bound = int(tally.sums[best.places[:K]].min()) * 7 // 8
            n_distinct += met
            tally.sums[tally.touched[:met]] = 0
    yield by_copy("count", n_added, 1e9 * count / n_added, byte, 12)
    yield by_copy("top-k", n_distinct, 1e9 * keep / n_distinct, byte, 8)


@contextmanager
def clocks() -> Iterator[dict[str, float]]:
    """Measure the stages of a fit and a graph, in CPU seconds, by wrapping their functions."""
    taken = dict.fromkeys(STAGES, 0.0)

    def clocked(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any, **kwargs: Any) -> Any:
            start = time.process_time()
            try:
                return function(*args, **kwargs)
            finally:
                taken[name] += time.process_time() - start

        return run

    with ExitStack() as stack:
        for name, (owner, attribute) in STAGES.items():
            wrapped = clocked(name, getattr(owner, attribute))
            stack.enter_context(patch.object(owner, attribute, wrapped))
        yield taken


def stages(text: str, X: Array, n_trees: int) -> tuple[URerF, dict[str, Any]]:
    """Fit and find the graph; return the model and the CPU seconds of each stage."""
    text = f"{text}, {len(X):,} x {X.shape[1]:,}, {n_trees} trees"
    log(text)
    with clocks() as taken:
        start = time.process_time()
        model = URerF(n_estimators=n_trees, random_state=0, n_jobs=THREADS).fit(X)
        model.kneighbors_graph(n_neighbors=K)
        total = time.process_time() - start
    seconds = {**taken, "rest": total - sum(taken.values()), "total": total}
    return model, {"data": text} | {name: round(s, 2) for name, s in seconds.items()}


def main() -> None:
    URerF(n_estimators=2).fit(blobs(3000, 10)[0]).kneighbors_graph()  # compiles
    rows = []
    for n in SIZES:
        log(f"kernels, {n} elements")
        rows += tree_kernels(n)
    model, first = stages("clusters", blobs(N, 50)[0], N_TREES)
    rows += neighbor_kernels(model)
    _, helix = Trial("helix", noise=P_HELIX - 3).make()
    parts = [
        first,
        stages("clusters", blobs(N, 50)[0], 300)[1],
        stages("clusters and noise columns", blobs(N, 50, 500)[0], N_TREES)[1],
        stages("helix", helix, 300)[1],
    ]
    speeds = [f"{1 / copy_speed(n):.1f} GB/s ({n:,} float32)" for n in SIZES]
    moved = f"A copy moves {', '.join(speeds)}, with reads and writes counted."
    title = f"### CPU seconds of a fit and a graph of {K} neighbors, by stage"
    publish("kernels", rows, NOTE, moved, table(rows), title, table(parts))


if __name__ == "__main__":
    main()
