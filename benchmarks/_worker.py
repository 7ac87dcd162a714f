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
import traceback
from collections.abc import Callable, Mapping, Sequence
from multiprocessing.connection import Connection
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


def peak_bytes() -> int:
    """Return the peak of memory since `forget_peak`, or since the process began if not on Linux."""
    if not STATUS.exists():
        return MAXRSS_UNIT * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    lines = STATUS.read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if "VmHWM" in line)


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
    wall = time.perf_counter() - wall
    cpu = time.process_time() - cpu
    peak = peak_bytes()
    return {
        "wall": wall,
        "cpu": cpu,
        "peak": peak,
        "above": peak - base,
        **task.score(result),
    }


def serve(pipe: Connection, warm: Callable[..., None], settings: Mapping[str, Any]) -> None:
    """Warm up, then do tasks until there are no more."""
    try:
        warm(**settings)
        pipe.send(None)
        while (task := pipe.recv()) is not None:
            pipe.send(measured(task))
    except EOFError:  # the parent process is gone
        pass
    except BaseException:
        pipe.send(traceback.format_exc())
        raise


class Worker:
    """A process; use as a context."""

    def __init__(self, warm: Callable[..., None], **settings: Any) -> None:
        spawn = multiprocessing.get_context("spawn")
        self.pipe, theirs = spawn.Pipe()
        self.process = spawn.Process(
            target=serve,
            args=(theirs, warm, settings),
            daemon=True,
        )
        self.process.start()
        theirs.close()
        self._answer()

    def _answer(self) -> Any:
        answer = self.pipe.recv()
        if isinstance(answer, str):
            raise RuntimeError(f"a benchmark failed in its process:\n{answer}")
        return answer

    def measure(self, task: Task) -> dict[str, Any]:
        """Do the task once; return what `measured` returns."""
        self.pipe.send(task)
        return self._answer()

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):
            self.pipe.send(None)
        self.process.join(10)


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
            seconds = f"{new['wall']:.2f} s, {new['cpu']:.2f} CPU s"
            log(f"{turn + 1}/{turns} {job.name}: {seconds}, {new['peak'] / 2**20:.0f} MB")
    return best
