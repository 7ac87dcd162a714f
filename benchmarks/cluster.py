"""CPU time, traffic and memory of a forest on a Dask cluster of 1, 2 and 4 worker processes.

The processes share the cores of one machine, so that wall time says nothing about a cluster. What
is counted is CPU seconds of all workers, bytes sent between them, tasks, and the peak memory of a
worker.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import dask.array as da
import numpy as np
from dask import delayed
from distributed import Client, LocalCluster
from distributed.diagnostics import SchedulerPlugin

from benchmarks import log, publish, table
from benchmarks._worker import MAXRSS_UNIT
from urerf._typing import Array
from urerf.dask import DaskURerF, estimator

MAX_SAMPLES = 0.1
K = 15
N_COLUMNS = 20
N_PARTITIONS = 16
WORKERS = (1, 2, 4)


class Counter(SchedulerPlugin):
    """Counts finished tasks."""

    n_tasks = 0

    def transition(self, key: Any, start: str, finish: str, *args: Any, **kwargs: Any) -> None:
        """Count a task that is done."""
        self.n_tasks += start == "processing" and finish == "memory"


def helix_block(
    i: int,
    blocks: int,
    rows: int,
    columns: int,
    ordered: bool,
) -> Array:
    """Return rows of a helix among noise columns, from all of it or from its i-th part."""
    rng = np.random.default_rng([0, i])
    t = rng.uniform(size=rows)
    if ordered:
        t = (i + t) / blocks
    t = (2 + 7 * t) * np.pi
    X = rng.normal(scale=70**0.5, size=(rows, columns)).astype(np.float32)
    X[:, :3] = np.column_stack([t * np.cos(t), t * np.sin(t), t])
    return X


def helix(rows: int, columns: int, blocks: int, ordered: bool) -> da.Array:
    shape = (rows // blocks, columns)
    parts = [delayed(helix_block)(i, blocks, *shape, ordered) for i in range(blocks)]
    return da.concatenate([da.from_delayed(part, shape, np.float32) for part in parts])


def usage(dask_worker: Any) -> Array:
    """Run in a worker: return CPU seconds, MB sent, and peak MB since it started."""
    peak = MAXRSS_UNIT * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    sent = dask_worker.transfer_outgoing_bytes_total
    return np.array([time.process_time(), sent / 1e6, peak / 2**20])


def measure(
    client: Client, counter: Counter, stage: str, task: Callable[[], Any]
) -> tuple[Any, dict[str, Any]]:
    """Do a task; return its result and what it took."""
    n_before = counter.n_tasks
    before = np.array(list(client.run(usage).values()))
    start = time.perf_counter()
    result = task()
    seconds = time.perf_counter() - start
    after = np.array(list(client.run(usage).values()))
    cpu, sent, _ = (after - before).sum(axis=0)
    row = {
        "stage": stage,
        "wall_seconds": round(seconds, 1),
        "cpu_seconds": round(cpu, 2),
    }
    row |= {"sent_mb": round(sent, 1), "tasks": counter.n_tasks - n_before}
    row["peak_mb"] = round(after[:, 2].max())
    log(row)
    return result, row


def run(
    workers: int,
    X: da.Array,
    trees: int,
    ordered: bool,
) -> list[dict[str, Any]]:
    """Fit, and make the graph in both ways, on so many workers."""
    cluster = LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        dashboard_address=":0",
        memory_limit="5GB",
    )
    with cluster, Client(cluster) as client:
        counter = Counter()
        cluster.scheduler.add_plugin(counter)
        settings = {
            "max_samples": MAX_SAMPLES,
            "random_state": 0,
            "n_neighbors": K,
        }
        small = DaskURerF(client=client, n_estimators=workers, **settings)
        small.fit(X[:2000]).kneighbors()  # loads the kernels
        model = DaskURerF(client=client, n_estimators=trees, **settings)
        _, row = measure(client, counter, "fit", lambda: model.fit(X))
        rows = [row]
        # The order of the rows makes no difference when the index is broadcast.
        ways = {"graph, broadcast": True, "graph, sharded": False}
        for name in list(ways)[ordered:]:
            with patch.object(estimator, "fits_a_worker", lambda *_, fits=ways[name]: fits):
                rows.append(measure(client, counter, name, model.kneighbors)[1])
    return [{"workers": workers, **row} for row in rows]


def scheduler_seconds(count: int = 2000) -> float:
    """Return the CPU seconds of scheduler and client for a task that does nothing."""
    cluster = LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0")
    with cluster, Client(cluster) as client:
        client.gather(client.map(str, range(100)))
        start = time.process_time()
        client.gather(client.compute(delayed(len)([delayed(abs)(i) for i in range(count)])))
        return (time.process_time() - start) / count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 50_000])
    parser.add_argument("--trees", type=int, default=8)
    parser.add_argument("--small", action="store_true")
    asked = parser.parse_args()
    *smaller, largest = asked.rows
    most = WORKERS[-1:]
    plan = [(n, False, most) for n in smaller]
    plan += [(largest, False, WORKERS), (largest, True, most)]
    rows = []
    for n, ordered, numbers in plan:
        X = helix(n, N_COLUMNS, N_PARTITIONS, ordered)
        size = {"rows": n, "order": "ordered" if ordered else "random"}
        for workers in numbers:
            rows += [{**size, **row} for row in run(workers, X, asked.trees, ordered)]
    idle = scheduler_seconds()
    command = f"python -m benchmarks.cluster --rows {' '.join(map(str, asked.rows))}"
    note = (
        f"`{command} --trees {asked.trees}`: rows of a helix and {N_COLUMNS - 3} noise columns "
        f"in {N_PARTITIONS} partitions, {asked.trees} trees on 10 % of the rows each, {K} "
        "neighbors. Workers are processes of one thread that share the cores, so that wall time "
        "does not show the speed-up. *Sent* is from worker to worker. *Peak* is the largest memory "
        "of any worker since it started.\n"
        f"An empty task costs scheduler and client {idle * 1e6:.0f} us of CPU."
    )
    publish("cluster", rows, note, table(rows))


if __name__ == "__main__":
    main()
