"""Work, traffic and memory of a forest on a Dask cluster of 1, 2 and 4 worker processes.

The processes share the cores of one machine, so seconds on the clock say nothing about a cluster;
what is counted is CPU seconds of all workers, bytes sent between them, tasks, and the largest
memory of a worker. What every kind of task cost goes to results/cluster_costs.csv, from which
`benchmarks.cluster_plan` plans larger clusters.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import dask.array as da
import numpy as np
from dask import delayed
from distributed import Client, LocalCluster
from distributed.diagnostics import SchedulerPlugin

from benchmarks import markdown, write_csv, write_page
from urerf.dask import DaskURerF, estimator, tasks

SHARE = 0.1  # of the rows that a tree is grown on
NEIGHBORS = 15
SHOWN = (
    "rows",
    "order",
    "stage",
    "workers",
    "wall_seconds",
    "cpu_seconds",
    "moved_mb",
    "tasks",
    "peak_mb",
)
HEAD = ["clock s", "CPU s", "moved MB", "tasks", "peak MB"]


class Ledger(SchedulerPlugin):
    """Counts tasks by the name of their function: how many, seconds, bytes of their results."""

    def __init__(self) -> None:
        self.kinds: dict[str, list[float]] = defaultdict(lambda: [0, 0.0, 0.0])

    def transition(self, key: Any, start: str, finish: str, *args: Any, **kwargs: Any) -> None:
        """Note a task that is done."""
        if start == "processing" and finish == "memory":
            kind = self.kinds[str(key[0] if isinstance(key, tuple) else key).rsplit("-", 5)[0]]
            kind[0] += 1
            kind[1] += sum(
                x["stop"] - x["start"]
                for x in kwargs.get("startstops") or ()
                if x["action"] == "compute"
            )
            kind[2] += kwargs.get("nbytes") or 0


def helix_block(i: int, blocks: int, rows: int, columns: int, ordered: bool) -> np.ndarray:
    """Return rows of a helix among noise columns, at random places or, ``ordered``, on the i-th part of the helix."""
    rng = np.random.default_rng([0, i])
    t = rng.uniform(i / blocks, (i + 1) / blocks, rows) if ordered else rng.uniform(size=rows)
    t = (2 + 7 * t) * np.pi
    X = rng.normal(scale=70**0.5, size=(rows, columns)).astype(np.float32)
    X[:, :3] = np.column_stack([t * np.cos(t), t * np.sin(t), t])
    return X


def helix(rows: int, columns: int, blocks: int, ordered: bool) -> da.Array:
    size = rows // blocks
    parts = [delayed(helix_block)(i, blocks, size, columns, ordered) for i in range(blocks)]
    return da.concatenate([da.from_delayed(part, (size, columns), np.float32) for part in parts])


def usage(dask_worker: Any) -> tuple[float, int, float]:
    """Run in a worker: CPU seconds, bytes sent to others, largest memory in MB, all since it started."""
    scale = 2**20 if sys.platform == "darwin" else 2**10
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / scale
    return time.process_time(), dask_worker.transfer_outgoing_bytes_total, peak


def measure(
    client: Client, ledger: Ledger, stage: str, job: Callable[[], Any]
) -> tuple[Any, dict[str, Any], list[dict]]:
    """Do a job; return its result, what it took, and what each kind of task took."""
    ledger.kinds.clear()
    before = client.run(usage)
    start = time.perf_counter()
    result = job()
    seconds = time.perf_counter() - start
    after = client.run(usage)
    cpu = sum(after[w][0] - before[w][0] for w in before)
    row = {"stage": stage, "wall_seconds": round(seconds, 1), "cpu_seconds": round(cpu, 2)}
    row["moved_mb"] = round(sum(after[w][1] - before[w][1] for w in before) / 1e6, 1)
    row["tasks"] = int(sum(kind[0] for kind in ledger.kinds.values()))
    row["peak_mb"] = round(max(after[w][2] for w in after))
    print(row, file=sys.stderr, flush=True)
    # Seconds of a task count the time it waits for a core: the kinds share the CPU seconds in
    # proportion.
    waited = sum(kind[1] for kind in ledger.kinds.values())
    kinds = []
    for name, (n, s, b) in sorted(ledger.kinds.items()):
        costs = {
            "tasks": n,
            "cpu_seconds": round(s / waited * cpu, 4),
            "result_mb": round(b / 1e6, 3),
        }
        kinds.append({"stage": stage, "kind": name, **costs})
    return result, row, kinds


def run(workers: int, X: da.Array, trees: int, ordered: bool) -> tuple[list[dict], list[dict]]:
    """Fit, and make the graph in both ways, on so many workers."""
    cluster = LocalCluster(
        n_workers=workers, threads_per_worker=1, dashboard_address=":0", memory_limit="5GB"
    )
    with cluster, Client(cluster) as client:
        ledger = Ledger()
        cluster.scheduler.add_plugin(ledger)
        settings = {
            "n_estimators": trees,
            "max_samples": SHARE,
            "random_state": 0,
            "n_neighbors": NEIGHBORS,
        }
        DaskURerF(client=client, **{**settings, "n_estimators": workers}).fit(
            X[:2000]
        ).kneighbors()  # loads kernels
        model, row, kinds = measure(
            client, ledger, "fit", lambda: DaskURerF(client=client, **settings).fit(X)
        )
        rows = [row]
        costs = kinds
        for name, fits in (("graph, broadcast", True), ("graph, sharded", False)):
            if ordered and fits:
                continue  # the order of the rows makes no difference to it
            with patch.object(estimator, "fits_a_worker", lambda client, size, fits=fits: fits):
                _, row, kinds = measure(client, ledger, name, model.kneighbors)
            rows.append(row)
            costs += kinds
        costs.append(single_rows(client, model))
    where = {"workers": workers, "order": "ordered" if ordered else "random"}
    return [{**where, **row} for row in rows], [{**where, **kind} for kind in costs]


def single_rows(client: Client, model: DaskURerF, count: int = 300) -> dict[str, Any]:
    """Return what single rows, each on its own, need of the index of a tree."""
    (shards,) = [kept for name, kept in model._kept.items() if name[0] == "shards"]
    leaves = model._leaf_parts[0][0]

    def total(shard: tasks.Shard, leaves: np.ndarray) -> int:
        order = np.arange(count)
        return sum(
            tasks.cut_shard(shard, leaves, order, slice(i, i + 1)).nbytes for i in range(count)
        ) // len(leaves)

    size = client.compute(delayed(total)(shards[0], leaves)).result()
    return {
        "stage": "graph, sharded",
        "kind": "single row",
        "tasks": count,
        "cpu_seconds": "",
        "result_mb": size / 1e6,
    }


def scheduler_seconds(count: int = 2000) -> float:
    """Return the CPU seconds that scheduler and client take for a task that does nothing."""
    cluster = LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0")
    with cluster, Client(cluster) as client:
        client.gather(client.map(str, range(100)))
        start = time.process_time()
        client.gather(client.compute(delayed(len)([delayed(abs)(i) for i in range(count)])))
        return (time.process_time() - start) / count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--rows",
        type=int,
        nargs="+",
        default=[10_000, 50_000],
        help="the last size is the one tabled",
    )
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--trees", type=int, default=8)
    parser.add_argument("--partitions", type=int, default=16)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    asked = parser.parse_args()
    rows = []
    costs = []
    most = asked.workers[-1:]
    plan = [(n, False, most) for n in asked.rows[:-1]]
    plan += [(asked.rows[-1], False, asked.workers), (asked.rows[-1], True, most)]
    for n, ordered, numbers in plan:
        X = helix(n, asked.columns, asked.partitions, ordered)
        size = {
            "rows": n,
            "columns": asked.columns,
            "trees": asked.trees,
            "partitions": asked.partitions,
        }
        for workers in numbers:
            more, kinds = run(workers, X, asked.trees, ordered)
            rows += [{**size, **row} for row in more]
            costs += [{**size, **kind} for kind in kinds]
    idle = scheduler_seconds()
    write_csv("cluster", rows)
    write_csv("cluster_costs", [{"scheduler_seconds": round(idle, 6), **kind} for kind in costs])
    command = f"python -m benchmarks.cluster --rows {' '.join(map(str, asked.rows))} --trees {asked.trees}"
    note = (
        f"`{command}`: rows of a helix and {asked.columns - 3} noise\ncolumns in {asked.partitions} partitions, "
        f"{asked.trees} trees on a tenth of the rows each, {NEIGHBORS} neighbours.\nWorkers are processes of one "
        "thread that share the cores, so the seconds on the clock are no speed-up.\nMoved: from worker to worker. "
        "Peak: the largest memory any worker had since it started.\n"
        f"An empty task costs scheduler and client {idle * 1e6:.0f} us of CPU."
    )
    shown = [[row[name] for name in SHOWN] for row in rows]
    body = [[", ".join(map(str, cells[:3])), *cells[3:]] for cells in shown]
    write_page("cluster", note, markdown(["rows, order, stage", "workers", *HEAD], body))


if __name__ == "__main__":
    main()
