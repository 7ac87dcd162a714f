"""A process for each method, which does one work after the other and says what each took.

Methods that compile (pynndescent, UMAP, we) do so when their process starts, so what is timed is
warm. Processes wait while others work: works take turns, none runs beside another.
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
from typing import Any, Protocol

STATUS = Path("/proc/self/status")
CLEAR = Path("/proc/self/clear_refs")
KILO = 1 if sys.platform == "darwin" else 1024  # ru_maxrss: bytes there, kilobytes elsewhere


class Work(Protocol):
    """What a process can be asked to do: only `run` is timed."""

    def load(self) -> None:
        """Make the data."""

    def run(self) -> Any:
        """Do the work."""

    def score(self, result: Any) -> dict[str, Any]:
        """Say how good the result is."""


def forget_peak() -> None:
    """Start a new peak of memory, where the system can (Linux)."""
    with contextlib.suppress(OSError):
        CLEAR.write_text("5", encoding="ascii")


def peak_bytes() -> int:
    """Return the most memory held since `forget_peak`; elsewhere than on Linux since the process began."""
    if STATUS.exists():
        return 1024 * next(
            int(line.split()[1]) for line in STATUS.read_text().splitlines() if "VmHWM" in line
        )
    return KILO * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def measured(work: Work) -> dict[str, Any]:
    """Do a work; return seconds, the peak of memory, what of it was not there before the data were, and the scores."""
    gc.collect()
    forget_peak()
    base = peak_bytes()
    work.load()
    gc.collect()
    forget_peak()
    wall = time.perf_counter()
    cpu = time.process_time()
    result = work.run()
    wall = time.perf_counter() - wall
    cpu = time.process_time() - cpu
    peak = peak_bytes()
    return {"wall": wall, "cpu": cpu, "peak": peak, "above": peak - base, **work.score(result)}


def serve(pipe: Connection, warm: Callable[..., None], settings: Mapping[str, Any]) -> None:
    """Warm up, then answer works until there is none."""
    try:
        warm(**settings)
        pipe.send(None)
        while (asked := pipe.recv()) is not None:
            make, arguments = asked
            pipe.send(measured(make(**arguments)))
    except EOFError:  # the one who asked is gone
        pass
    except BaseException:
        pipe.send(traceback.format_exc())
        raise


class Worker:
    """A process of its own; use as a context."""

    def __init__(self, warm: Callable[..., None], **settings: Any) -> None:
        spawn = multiprocessing.get_context("spawn")
        self.pipe, theirs = spawn.Pipe()
        self.process = spawn.Process(target=serve, args=(theirs, warm, settings), daemon=True)
        self.process.start()
        theirs.close()
        self._answer()

    def _answer(self) -> Any:
        answer = self.pipe.recv()
        if isinstance(answer, str):
            raise RuntimeError(f"a benchmark failed in its process:\n{answer}")
        return answer

    def measure(self, make: Callable[..., Work], **arguments: Any) -> dict[str, Any]:
        """Do the work ``make(**arguments)`` once; return what `measured` says."""
        self.pipe.send((make, arguments))
        return self._answer()

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):
            self.pipe.send(None)
        self.process.join(10)


def in_turns(
    jobs: Sequence[tuple[str, Worker, Callable[..., Work], dict[str, Any]]], turns: int
) -> list[dict[str, Any]]:
    """Do each job (name, process, work, arguments) ``turns`` times, in turn; return the best seconds of each.

    The least wall and the least CPU time may come from different turns; memory is the most of all
    turns.
    """
    best: list[dict[str, Any]] = [{} for _ in jobs]
    for turn in range(turns):
        for at, (name, worker, make, arguments) in enumerate(jobs):
            new = worker.measure(make, **arguments)
            old = best[at]
            merged = {key: min(new[key], old.get(key, new[key])) for key in ("wall", "cpu")}
            merged |= {key: max(new[key], old.get(key, new[key])) for key in ("peak", "above")}
            best[at] = {**new, **merged}
            text = f"{turn + 1}/{turns} {name}: {new['wall']:.2f} s, {new['cpu']:.2f} CPU s"
            print(f"{text}, {new['peak'] / 2**20:.0f} MB", file=sys.stderr, flush=True)
    return best
