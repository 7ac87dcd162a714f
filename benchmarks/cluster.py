"""CPU time, traffic and memory of a forest on a Dask cluster of 1, 2 and 4 worker processes.

The processes share the cores of one machine, so that wall time says nothing about a cluster. What
is counted is CPU seconds of all workers, bytes sent between them, tasks, and the peak memory of a
worker.
"""

from __future__ import annotations

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

from benchmarks import SMALL, log, publish, table
from benchmarks._worker import MAXRSS_UNIT
from urerf._typing import Array
from urerf.dask import DaskURerF, fitted

FEW, MANY = (2000, 8000) if SMALL else (100_000, 1_000_000)
# Rows, whether they are in the order of the helix, and workers.
RUNS = (
    (FEW, False, 4),
    (MANY, False, 1),
    (MANY, False, 2),
    (MANY, False, 4),
    (MANY, True, 4),
)
N_TREES = 8
MAX_SAMPLES = 0.1
K = 15
N_COLUMNS = 20
N_PARTITIONS = 16
N_EMPTY_TASKS = 2000
NOTE = f"""Rows of a helix and {N_COLUMNS - 3} noise columns in {N_PARTITIONS} partitions,
{N_TREES} trees on {100 * MAX_SAMPLES:.0f} % of the rows each, {K} neighbors. Workers are processes
of one thread that share the cores, so that wall time does not show the speed-up. *Sent* is from
worker to worker. *Peak* is the largest memory of any worker since it started."""


class Counter(SchedulerPlugin):
    """Counts finished tasks."""

    n_tasks = 0

    def transition(self, key: Any, start: str, finish: str, *args: Any, **kwargs: Any) -> None:
        """Count a task that is done."""
        self.n_tasks += start == "processing" and finish == "memory"


def helix_block(i: int, n: int, is_ordered: bool) -> Array:
    """Return n rows of a helix among noise columns, from all of it or from its i-th part."""
    rng = np.random.default_rng([0, i])
    t = rng.uniform(size=n)
    if is_ordered:
        t = (i + t) / N_PARTITIONS
    t = (2 + 7 * t) * np.pi
    X = rng.normal(scale=70**0.5, size=(n, N_COLUMNS)).astype(np.float32)
    X[:, :3] = np.column_stack([t * np.cos(t), t * np.sin(t), t])
    return X


def helix(n: int, is_ordered: bool) -> da.Array:
    """Return the rows of a helix in partitions."""
    n_rows = n // N_PARTITIONS
    parts = []
    for i in range(N_PARTITIONS):
        block = delayed(helix_block)(i, n_rows, is_ordered)
        parts.append(da.from_delayed(block, (n_rows, N_COLUMNS), np.float32))
    return da.concatenate(parts)


def usage(dask_worker: Any) -> Array:
    """Run in a worker: return CPU seconds, MB sent, and peak MB since it started."""
    peak = MAXRSS_UNIT * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    sent = dask_worker.transfer_outgoing_bytes_total
    return np.array([time.process_time(), sent / 1e6, peak / 2**20])


def measure(client: Client, counter: Counter, task: Callable[[], Any]) -> dict[str, Any]:
    """Do a task; return what it took."""
    n_before = counter.n_tasks
    before = np.array(list(client.run(usage).values()))
    start = time.perf_counter()
    task()
    seconds = time.perf_counter() - start
    after = np.array(list(client.run(usage).values()))
    cpu, sent, _ = (after - before).sum(axis=0)
    return {
        "wall_seconds": round(seconds, 1),
        "cpu_seconds": round(cpu, 2),
        "sent_mb": round(sent, 1),
        "tasks": counter.n_tasks - n_before,
        "peak_mb": round(after[:, 2].max()),
    }


def run(n: int, is_ordered: bool, workers: int) -> list[dict[str, Any]]:
    """Fit, and make the graph in both ways, on so many workers."""
    X = helix(n, is_ordered)
    cluster = LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        dashboard_address=":0",
        memory_limit="5GB",
    )
    with cluster, Client(cluster) as client:
        counter = Counter()
        cluster.scheduler.add_plugin(counter)
        model = DaskURerF(
            client=client,
            n_estimators=workers,
            max_samples=MAX_SAMPLES,
            n_neighbors=K,
            random_state=0,
        )
        model.fit(X[:2000]).kneighbors()  # loads the kernels
        model.set_params(n_estimators=N_TREES)
        stages = {"fit": measure(client, counter, lambda: model.fit(X))}
        # The order of the rows makes no difference when the index is broadcast.
        ways = {"sharded": False} if is_ordered else {"broadcast": True, "sharded": False}
        for way, is_broadcast in ways.items():
            with patch.object(fitted, "fits_every_worker", return_value=is_broadcast):
                stages[f"graph, {way}"] = measure(client, counter, model.kneighbors)
    size = {"rows": n, "order": "ordered" if is_ordered else "random", "workers": workers}
    return [{**size, "stage": stage, **taken} for stage, taken in stages.items()]


def seconds_per_task() -> float:
    """Return the CPU seconds of scheduler and client for a task that does nothing."""
    cluster = LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0")
    with cluster, Client(cluster) as client:
        client.gather(client.map(str, range(100)))
        start = time.process_time()
        empty = [delayed(abs)(i) for i in range(N_EMPTY_TASKS)]
        client.gather(client.compute(delayed(len)(empty)))
        return (time.process_time() - start) / N_EMPTY_TASKS


def main() -> None:
    rows = []
    for n, is_ordered, workers in RUNS:
        log(f"{n} rows, {'' if is_ordered else 'not '}in order, {workers} workers")
        rows += run(n, is_ordered, workers)
    idle = f"An empty task costs scheduler and client {1e6 * seconds_per_task():.0f} us of CPU."
    publish("cluster", rows, f"{NOTE}\n{idle}", table(rows))


if __name__ == "__main__":
    main()
