"""One process per method, which does one task after the other and reports what each took.

Methods that compile (pynndescent, UMAP, our own) do so when their process starts, so that compiled
code is timed. Processes wait while others work: tasks take turns, and none runs beside another.
"""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
import resource
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from benchmarks import log

STATUS = Path("/proc/self/status")
CLEAR = Path("/proc/self/clear_refs")
MAXRSS_UNIT = 1 if sys.platform == "darwin" else 1024  # bytes on macOS, kilobytes elsewhere


class Task(Protocol):
    """What a process can be asked to do; only `run` is timed."""

    def load(self) -> None:
        """Make the data."""

    def run(self) -> Any:
        """Do the work."""

    def score(self, result: Any) -> dict[str, Any]:
        """Return how good the result is."""


def forget_peak() -> None:
    """Reset the peak of memory, where the system can (Linux)."""
    with contextlib.suppress(OSError):
        CLEAR.write_text("5", encoding="ascii")


def status_bytes(name: str) -> int:
    """Return a number of bytes that Linux tells about this process."""
    lines = STATUS.read_text().splitlines()
    (kilobytes,) = [int(line.split()[1]) for line in lines if line.startswith(name)]
    return 1024 * kilobytes


def peak_bytes() -> int:
    """Return the peak of memory since `forget_peak`, or since the process began if not on Linux."""
    if STATUS.exists():
        return status_bytes("VmHWM")
    return MAXRSS_UNIT * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def measured(task: Task) -> dict[str, Any]:
    """Do a task; return seconds, peak memory, the peak above that before the data, and scores."""
    gc.collect()
    forget_peak()
    base = peak_bytes()
    task.load()
    gc.collect()
    forget_peak()
    wall = time.perf_counter()
    cpu = time.process_time()
    result = task.run()
    taken = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
    peak = peak_bytes()
    return {**taken, "peak": peak, "above": peak - base, **task.score(result)}


class Worker(ProcessPoolExecutor):
    """A process that warms up before its first task; use as a context."""

    def __init__(self, warm: Callable[..., None], **settings: Any) -> None:
        spawn = multiprocessing.get_context("spawn")
        super().__init__(1, spawn, initializer=partial(warm, **settings))

    def measure(self, task: Task) -> dict[str, Any]:
        """Do the task once; return what `measured` returns."""
        return self.submit(measured, task).result()


class Job(NamedTuple):
    """A named task and its process."""

    name: str
    worker: Worker
    task: Task


def in_turns(jobs: Sequence[Job], turns: int) -> list[dict[str, Any]]:
    """Do each job `turns` times, in turn; return the smallest times and the largest memory."""
    best: list[dict[str, Any]] = [{} for _ in jobs]
    for turn in range(turns):
        for i, job in enumerate(jobs):
            new = job.worker.measure(job.task)
            old = best[i] or new
            least = {key: min(new[key], old[key]) for key in ("wall", "cpu")}
            most = {key: max(new[key], old[key]) for key in ("peak", "above")}
            best[i] = {**new, **least, **most}
            taken = f"{new['wall']:.2f} s, {new['cpu']:.2f} CPU s, {new['peak'] / 2**20:.0f} MB"
            log(f"{turn + 1}/{turns} {job.name}: {taken}")
    return best
