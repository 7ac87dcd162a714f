"""Carry the measured costs of `benchmarks.cluster` to 10^8 and 10^9 rows on 100 machines, and simulate such a run.

A stage is so many tasks that take CPU seconds and bytes over the network. The bound of a stage is
the busiest of scheduler, network and cores, each on its own; the simulation sends the tasks out one
after the other, each to the machine that is free first, which has to fetch the task's input before
one of its cores can work on it.
"""

from __future__ import annotations

import csv
import heapq
from collections.abc import Iterator
from math import ceil, log2
from typing import NamedTuple

from benchmarks import RESULTS, markdown, write_csv, write_page
from benchmarks.cluster import SHARE
from urerf.dask.estimator import TASK_BYTES

# bytes a second: 10 Gbit/s
MACHINES = 100
CORES = 16
BANDWIDTH = 1.25e9
TREES = 100
COLUMNS = 20
CHOSEN = 3
PARTITION = 1_000_000
GROW_BYTES = 120  # of work space for every row a tree is grown on: see urerf.kernels.tree.grow_tree
MOST_SIMULATED = 100_000  # tasks; of more, each stands for several
KINDS = ("draw_rows", "take_drawn", "grow_trees", "apply_trees", "build_shard", "nearest_of_cuts")


class Stage(NamedTuple):
    """So many equal tasks: CPU seconds and bytes over the network of all, and what a machine has to hold."""

    name: str
    tasks: int
    cpu: float
    sent: float
    memory: float


def measured() -> list[dict[str, str]]:
    """Return what `benchmarks.cluster` wrote: a row for every kind of task."""
    with (RESULTS / "cluster_costs.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


class Costs:
    """What was measured at one size with one order of the rows, per unit of work."""

    def __init__(self, rows: int, order: str = "random") -> None:
        table = measured()
        most = max(int(row["workers"]) for row in table)
        mine = [
            r
            for r in table
            if (int(r["rows"]), r["order"], int(r["workers"])) == (rows, order, most)
        ]
        self.n = rows
        self.trees = int(mine[0]["trees"])
        self.scheduler = float(mine[0]["scheduler_seconds"])
        self.cpu = {r["kind"]: float(r["cpu_seconds"] or 0) for r in mine}
        self.bytes = {r["kind"]: 1e6 * float(r["result_mb"]) for r in mine}
        self.tasks = {r["kind"]: int(r["tasks"]) for r in mine}

    def seconds(self, kind: str, n: float, trees: int) -> float:
        """Return the CPU seconds of all tasks of a kind for another size."""
        return self.cpu[kind] * work(kind, n) * trees / (work(kind, self.n) * self.trees)


def work(kind: str, n: float) -> float:
    """Return how the work of a kind of task grows with the rows."""
    return n * log2(SHARE * n) if kind in ("grow_trees", "apply_trees") else n


def stages(n: int, costs: Costs, cut_bytes: float) -> Iterator[Stage]:
    """Return the stages of fit and graph; ``cut_bytes`` is what a row needs of the index of a tree."""
    m = SHARE * n
    parts = ceil(n / PARTITION)
    kept = 4 * n * CHOSEN / MACHINES  # the table
    reading = (
        sum(costs.cpu[kind] for kind in ("checked", "make_table", "_take", "is_varied"))
        * n
        / costs.n
    )
    yield Stage(
        "read, three times",
        3 * parts,
        reading,
        3 * 4.0 * n * COLUMNS,
        kept + CORES * 8 * PARTITION * COLUMNS,
    )
    draw = costs.seconds("draw_rows", n, TREES) + costs.seconds("take_drawn", n, TREES)
    to_all = MACHINES * TREES * 4 * m  # every machine has to know which rows a tree drew
    yield Stage("draw and take", TREES * (1 + parts), draw, to_all, kept + 4 * m * (1 + CHOSEN))
    here = ceil(TREES / MACHINES)  # trees at a time on a machine
    grow = here * m * (2 * 4 * CHOSEN + GROW_BYTES)
    yield Stage(
        "grow", TREES, costs.seconds("grow_trees", n, TREES), 4 * CHOSEN * m * TREES, kept + grow
    )
    tree = costs.bytes["grow_trees"] / (costs.trees * SHARE * costs.n) * m
    kept += 4 * n * TREES / MACHINES  # and the leaves
    apply = costs.seconds("apply_trees", n, TREES)
    yield Stage("apply", parts * TREES, apply, MACHINES * TREES * tree, kept + TREES * tree)
    shard = costs.bytes["build_shard"] / (costs.trees * costs.n) * n
    yield Stage(
        "index",
        TREES,
        costs.seconds("build_shard", n, TREES),
        4 * n * TREES,
        kept + here * (shard + 4 * n),
    )
    rows = min(PARTITION, max(1, TASK_BYTES // (TREES * cut_bytes)))
    near = costs.seconds("nearest_of_cuts", n, TREES) + costs.seconds("cut_shard", n, TREES)
    blocks = ceil(n / rows) * (TREES + 1)
    search = CORES * (2 * TASK_BYTES + 4 * n) + 4 * n  # every core adds up over all fitted rows
    yield Stage("neighbours", blocks, near, n * TREES * cut_bytes, kept + here * shard + search)


def bounds(stage: Stage, per_task: float) -> dict[str, float]:
    """Return the seconds that each resource needs for a stage if nothing else is in its way."""
    at_once = min(MACHINES * CORES, stage.tasks)
    return {
        "scheduler": stage.tasks * per_task,
        "network": stage.sent / (min(MACHINES, stage.tasks) * BANDWIDTH),
        "cores": stage.cpu / at_once,
    }


def simulate(stage: Stage, per_task: float) -> float:
    """Return the seconds of a stage: a scheduler, machines with one network port and some cores each."""
    count = min(stage.tasks, MOST_SIMULATED)
    each = stage.tasks / count
    sent = stage.sent / count / BANDWIDTH
    cpu = stage.cpu / count
    cores = [
        (0.0, core, machine) for core in range(CORES) for machine in range(MACHINES)
    ]  # a heap, being sorted
    port = [0.0] * MACHINES
    last = 0.0
    for i in range(count):
        free, core, machine = heapq.heappop(cores)
        port[machine] = max(port[machine], (i + 1) * each * per_task) + sent
        done = max(port[machine], free) + cpu
        heapq.heappush(cores, (done, core, machine))
        last = max(last, done)
    return last


def plan(n: int, order: str, costs: Costs, cut_bytes: float) -> list[dict]:
    rows = []
    for stage in stages(n, costs, cut_bytes):
        bound = bounds(stage, costs.scheduler)
        row = {"rows": n, "order": order, "stage": stage.name, "tasks": stage.tasks}
        row |= {"core_hours": round(stage.cpu / 3600, 2), "sent_gb": round(stage.sent / 1e9)}
        row |= {
            "machine_gb": round(stage.memory / 1e9, 1),
            "bottleneck": max(bound, key=lambda name: bound[name]),
        }
        row |= {
            "bound_s": round(max(bound.values())),
            "simulated_s": round(simulate(stage, costs.scheduler)),
        }
        rows.append(row)
    return rows


def check_of_scaling(small: Costs, large: Costs) -> str:
    """Return a table of CPU seconds at the larger size, foretold from the smaller and measured."""
    body = []
    for kind in KINDS:
        foretold = small.seconds(kind, large.n, large.trees)
        body.append(
            [kind, f"{foretold:.2f}", f"{large.cpu[kind]:.2f}", f"{foretold / large.cpu[kind]:.2f}"]
        )
    return markdown(["kind of task", "foretold CPU s", "measured CPU s", "ratio"], body)


def main() -> None:
    *smaller, largest = sorted({int(row["rows"]) for row in measured()})
    costs = Costs(largest)
    ordered = Costs(largest, "ordered")
    alone = costs.bytes["single row"] / costs.tasks["single row"]
    together = ordered.bytes["cut_shard"] / (ordered.n * ordered.trees)
    rows = []
    for n in (10**8, 10**9):
        # A block is a run of its partition in the order of a tree, so it shares what it touches, up
        # to a point.
        rows += plan(n, "random", costs, min(alone, together * n / PARTITION))
        rows += plan(n, "ordered", ordered, together)[-1:]  # only the last stage differs
    write_csv("cluster_plan", rows)
    note = (
        f"Costs measured at {largest} rows, carried to {MACHINES} machines of {CORES} cores and 10 Gbit/s: {COLUMNS}\n"
        f"columns of which {CHOSEN} carry structure, {TREES} trees on a tenth of the rows each, partitions of\n"
        f"{PARTITION} rows. A row needs {alone:.0f} bytes of the index of a tree on its own, {together:.0f} where the\n"
        f"partitions follow the manifold. A task costs scheduler and client {1e6 * costs.scheduler:.0f} us."
    )
    head = [
        "rows, order, stage",
        "tasks",
        "core hours",
        "sent GB",
        "GB a machine",
        "bottleneck",
        "bound s",
        "simulated s",
    ]
    body = [[f"{r['rows']:.0e}, {r['order']}, {r['stage']}", *list(r.values())[3:]] for r in rows]
    parts = [note, markdown(head, body)]
    if smaller:
        parts += [
            f"From {smaller[-1]} to {largest} rows:",
            check_of_scaling(Costs(smaller[-1]), costs),
        ]
    write_page("cluster_plan", *parts)


if __name__ == "__main__":
    main()
