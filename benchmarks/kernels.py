"""Where the time goes: nanoseconds an element of each kernel beside what the machine can do, and the stages of a fit.

The machine's limits are measured in the same run: how fast a copy moves bytes, and NumPy's sort of
float32 (which uses vector instructions). A kernel that reads and writes b bytes an element cannot
take less than b over that speed.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

import numpy as np

from benchmarks import SMALL, markdown, write_csv, write_page
from benchmarks._methods import blobs
from urerf import URerF, forest, graph, relevance
from urerf.datasets import add_noise, make_helix
from urerf.kernels.bins import cut_unsorted
from urerf.kernels.fast_bic import block_sums, cut_fast_bic
from urerf.kernels.neighbors import add_similarities, empty_best, empty_tally, keep_best
from urerf.kernels.projection import project
from urerf.kernels.scratch import make_scratch
from urerf.kernels.settings import FAST_BIC, GAIN, Rule
from urerf.kernels.sort import sort_values
from urerf.kernels.tree import _partition

SIZES = (1024, 16_384) if SMALL else (1024, 16_384, 1 << 20)
N_MODEL, QUERIES = (5000, 50) if SMALL else (100_000, 500)
TREES = 40
P_HELIX = 500 if SMALL else 10_000
FLOOR = 1e-2
NOTE = """CPU nanoseconds an element, one thread, the least of several turns. *Limit* is the least the machine allows:
for the sort NumPy's own, for the others the bytes an element moves at the speed of a copy of as many elements, which
up to 16,384 happens in the cache. At 1024 elements all figures, the limit's too, hold the cost of a call from Python,
so shares say little there. *Share* is limit over measured. `gather` reads a column at ascending rows (half of them),
`scan` is Fast-BIC's search for the best cut of sorted values, `cut by bins` the same of unsorted ones (at 1024 it gives
up after the bins), `partition` parts the rows of a node, `count` adds up
how alike a row is to others (elements: rows met in all trees), `top-k` keeps the 15 best of those met (elements:
different rows met)."""
STAGES = {
    "relevance": (relevance, "examine_rows"),
    "grow": (forest.Forest, "grow"),
    "apply": (forest.Forest, "apply"),
    "index": (graph, "build_index"),
    "neighbours": (graph, "nearest_rows"),
}


def least(
    work: Callable[[], Any], prepare: Callable[[], Any] = lambda: None, seconds: float = 0.3
) -> float:
    """Return the least CPU seconds of ``work``, over as many turns as fit in ``seconds``, at least three."""
    best = np.inf
    end = time.perf_counter() + seconds
    turns = 0
    while turns < 3 or time.perf_counter() < end:
        prepare()
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
        turns = turns + 1
    return best


def times(work: Callable[[], Any], n: int) -> float:
    """Return nanoseconds an element of work on n elements, repeated inside the clock where there are few."""
    again = max(1, (1 << 20) // n)

    def often() -> None:
        for _ in range(again):
            work()

    return 1e9 * least(often) / (n * again)


def copy_speed(n: int) -> float:
    """Return nanoseconds a byte, read or written, of a copy of n float32: it moves 8 bytes an element."""
    source = np.ones(n, dtype=np.float32)
    target = np.empty_like(source)
    return times(lambda: np.copyto(target, source), n) / 8


def tree_kernels(n: int) -> Iterator[dict[str, Any]]:
    """Time the kernels that grow a tree, on a node of n rows."""
    rng = np.random.default_rng(0)
    byte = copy_speed(n)
    table = rng.normal(size=(4, 2 * n)).astype(np.float32)
    rows = np.sort(rng.choice(2 * n, n, replace=False)).astype(np.int32)
    out = np.empty(n, np.float32)
    scratch = make_scratch(n)
    rule = Rule(FAST_BIC, GAIN, FLOOR, 1)
    column = np.array([1], np.int32)
    weight = np.ones(1, np.float32)
    taken = times(lambda: project(table, rows, column, weight, out), n)
    yield {
        "kernel": "gather",
        "elements": n,
        "ns": taken,
        "limit": 12 * byte,
        "by": "copy, 12 bytes",
    }
    values = out.copy()
    z = out.copy()
    copying = times(lambda: np.copyto(z, values), n)

    def sort(how: Callable[[], Any]) -> Callable[[], None]:
        def fresh() -> None:
            np.copyto(z, values)
            how()

        return fresh

    taken = times(sort(lambda: sort_values(z, scratch.spare, scratch.counters)), n) - copying
    yield {
        "kernel": "sort",
        "elements": n,
        "ns": taken,
        "limit": times(sort(z.sort), n) - copying,
        "by": "numpy.sort",
    }
    z.sort()

    def scan() -> None:
        spread = block_sums(z, scratch.sums, scratch.squares)
        cut_fast_bic(z, rule, spread, np.inf, scratch)

    yield {
        "kernel": "scan",
        "elements": n,
        "ns": times(scan, n),
        "limit": 4 * byte,
        "by": "copy, 4 bytes",
    }
    taken = times(lambda: cut_unsorted(values, rule, np.inf, scratch), n)
    yield {
        "kernel": "cut by bins",
        "elements": n,
        "ns": taken,
        "limit": 5 * byte,
        "by": "copy, 5 bytes",
    }
    cut = np.float32(0.1)
    other = np.empty(n, np.int32)
    node = rows.copy()
    taken = times(lambda: _partition(node, values, cut, other), n)
    yield {
        "kernel": "partition",
        "elements": n,
        "ns": taken,
        "limit": 16 * byte,
        "by": "copy, 16 bytes",
    }


def met_in_all_trees(leaf: np.ndarray, index: graph.Index) -> int:
    """Return how many rows a querying row meets, counted once a tree: what `add_similarities` adds up."""
    total = 0
    for t, here in enumerate(leaf):
        first = index.first_node[t]
        node = index.leaf_node[index.first_leaf[t] + here]
        size = 0
        while node >= 0 and index.weight[first + node] > 0:
            size = index.end[first + node] - index.begin[first + node]
            node = index.parent[first + node]
        total += size
    return int(total)


def neighbour_kernels(model: URerF) -> Iterator[dict[str, Any]]:
    """Time the kernels that find neighbours, over some rows of a fitted model."""
    index = model._index()
    n = model.n_samples_fit_
    byte = copy_speed(n)
    tally = empty_tally(n)
    best = empty_best(n, 15)
    alike = np.argsort(model._leaves[0], kind="stable")[
        :QUERIES
    ]  # as the package does: rows that are alike in turn
    leaves = np.ascontiguousarray(model._leaves[:, alike].T)
    count = keep = 0.0
    different = 0
    added = sum(met_in_all_trees(leaf, index) for leaf in leaves)
    for turn in range(2):  # the first compiles
        count = 0.0
        keep = 0.0
        different = 0
        least = 0
        for leaf in leaves:
            start = time.process_time()
            met = add_similarities(leaf, index, tally)
            middle = time.process_time()
            keep_best(tally, met, least, -1, np.uint64(turn), index.original, best)
            keep += time.process_time() - middle
            count += middle - start
            least = int(tally.sums[best.places].min()) * 7 // 8
            different += int(met)
            tally.sums[tally.touched[: int(met)]] = 0
    yield {
        "kernel": "count",
        "elements": added,
        "ns": 1e9 * count / added,
        "limit": 12 * byte,
        "by": "copy, 12 bytes",
    }
    taken = 1e9 * keep / different
    yield {
        "kernel": "top-k",
        "elements": different,
        "ns": taken,
        "limit": 8 * byte,
        "by": "copy, 8 bytes",
    }


@contextmanager
def clocks() -> Iterator[dict[str, float]]:
    """Clock the stages of a fit and a graph, in CPU seconds, by wrapping the functions that do them."""
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
            stack.enter_context(
                patch.object(owner, attribute, clocked(name, getattr(owner, attribute)))
            )
        yield taken


def stages(text: str, X: np.ndarray, trees: int) -> tuple[URerF, dict[str, Any]]:
    """Fit and find the graph; return the model and the CPU seconds of each stage."""
    print(f"stages, {text}", file=sys.stderr, flush=True)
    with clocks() as taken:
        start = time.process_time()
        model = URerF(n_estimators=trees, random_state=0, n_jobs=2).fit(X)
        model.kneighbors_graph(n_neighbors=15)
        total = time.process_time() - start
    row = {name: round(seconds, 2) for name, seconds in taken.items()}
    rest = round(total - sum(taken.values()), 2)
    return model, {"data": text, **row, "rest": rest, "total": round(total, 2)}


def all_stages() -> tuple[URerF, list[dict[str, Any]]]:
    """Return a model of few trees, and the stages of every fit."""
    shape = f"{N_MODEL:,} x 50"
    model, few = stages(f"clusters, {shape}, {TREES} trees", blobs(N_MODEL, 50)[0], TREES)
    rows = [few, stages(f"clusters, {shape}, 300 trees", blobs(N_MODEL, 50)[0], 300)[1]]
    rows.append(
        stages(
            f"clusters, {shape} and 500 noise columns, {TREES} trees",
            blobs(N_MODEL, 50, 500)[0],
            TREES,
        )[1]
    )
    helix = add_noise(make_helix(1000, random_state=0).X, P_HELIX - 3, random_state=0)
    rows.append(stages(f"helix, 1000 x {P_HELIX:,}, 300 trees", helix, 300)[1])
    return model, rows


def main() -> None:
    URerF(n_estimators=2).fit(blobs(3000, 10)[0]).kneighbors_graph()  # compiles
    rows = []
    for n in SIZES:
        print(f"kernels, {n} elements", file=sys.stderr, flush=True)
        rows += list(tree_kernels(n))
    model, parts = all_stages()
    rows += list(neighbour_kernels(model))
    for row in rows:
        row |= {
            "share": round(row["limit"] / row["ns"], 2),
            "ns": round(row["ns"], 2),
            "limit": round(row["limit"], 2),
        }
    write_csv("kernels", rows)
    write_csv("stages", parts, "kernels")
    copies = [1 / copy_speed(n) for n in SIZES]
    speed = ", ".join(f"{gb:.1f} GB/s ({n:,} float32)" for gb, n in zip(copies, SIZES))
    kernel_head = ["kernel", "elements", "ns", "limit", "limit by", "share"]
    title = "### CPU seconds of a fit and a graph of 15 neighbours, by stage"
    stage_table = markdown(list(parts[0]), [list(part.values()) for part in parts])
    kernel_table = markdown(kernel_head, [list(row.values()) for row in rows])
    moved = f"A copy moves {speed}, reads and writes counted."
    write_page("kernels", NOTE, moved, kernel_table, title, stage_table)


if __name__ == "__main__":
    main()
