"""Runs cells that are not in the store yet, in this process or in several, and shows how long it will take."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import ExitStack, contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from urerf.paper.baselines import COMPILED
from urerf.paper.store import Store
from urerf.paper.tasks import TASKS, Cell

Lane = ProcessPoolExecutor  # of one worker


def compute(cell: Cell, store: Store, n_jobs: int) -> None:
    """Compute one cell and keep its rows."""
    wall = time.perf_counter()
    cpu = time.process_time()
    with threadpool_limits(cell.get("cores", n_jobs)):
        rows = TASKS[cell["task"]](cell, n_jobs)
    store.put(cell, rows, seconds=time.perf_counter() - wall, cpu_seconds=time.process_time() - cpu)


@contextmanager
def open_lanes(jobs: int) -> Iterator[list[Lane]]:
    """Start one worker process a lane; no lane at all for one job, which then runs in this process."""
    with ExitStack() as stack:
        context = multiprocessing.get_context(
            "spawn"
        )  # forking a process that has threads can hang
        yield [
            stack.enter_context(
                ProcessPoolExecutor(1, mp_context=context, initializer=_start_worker)
            )
            for _ in range(jobs if jobs > 1 else 0)
        ]


def _start_worker() -> None:
    """Let a worker die with its parent, and at Ctrl-C without a word."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    parent = multiprocessing.parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def run(
    cells: Sequence[Cell], store: Store, lanes: Sequence[Lane], done: Callable[[Cell], None]
) -> None:
    """Compute all cells that the store does not have.

    Parameters
    ----------
    cells : sequence of dict
        What is wanted; cells that two experiments share are computed once.
    store : Store
        Where results are and go.
    lanes : sequence of Lane
        Worker processes. UMAP and pynndescent stay in the first one, since each process compiles
        them anew; cells that measure time also do, and nothing runs beside them.
    done : callable
        Called with each cell as it is finished, found or computed.
    """
    todo = {}
    for cell in cells:
        if store.has(cell):
            done(cell)
        else:
            todo[store.path(cell)] = cell
    n_jobs = max(1, (os.cpu_count() or 1) // max(1, len(lanes)))
    if lanes:
        timed = any(cell["task"] == "runtime" for cell in todo.values())
        _run_in_lanes(list(todo.values()), store, lanes[:1] if timed else lanes, n_jobs, done)
        return
    for cell in todo.values():
        compute(cell, store, n_jobs)
        done(cell)


def _run_in_lanes(
    cells: list[Cell],
    store: Store,
    lanes: Sequence[Lane],
    n_jobs: int,
    done: Callable[[Cell], None],
) -> None:
    """Keep every lane busy with one cell at a time."""
    compiled = deque(cell for cell in cells if cell.get("method") in COMPILED)
    others = deque(cell for cell in cells if cell.get("method") not in COMPILED)
    running: dict[Future[None], tuple[Lane, Cell]] = {}

    def feed(lane: Lane) -> None:
        queue = compiled if lane is lanes[0] and compiled else others
        if queue:
            cell = queue.popleft()
            running[lane.submit(compute, cell, store, n_jobs)] = (lane, cell)

    for lane in lanes:
        feed(lane)
    while running:
        for future in wait(running, return_when=FIRST_COMPLETED).done:
            lane, cell = running.pop(future)
            future.result()
            done(cell)
            feed(lane)


def effort(cell: Cell) -> float:
    """Guess the seconds a cell takes; only the time left that the bar shows depends on it."""
    slow = {
        "shi_cutler": 10.0,
        "urerf": 10.0,
        "urerf_paper": 10.0,
        "urerf_scripts": 10.0,
        "urf": 10.0,
        "umap": 1.0,
    }
    columns = 3 + cell["noise"]
    return 0.5 + cell["n"] / 1000 * columns / 1000 * slow.get(cell.get("method", ""), 0.5)


@contextmanager
def progress(cells: Sequence[Cell]) -> Iterator[Callable[[Cell], None]]:
    """Show a bar with the time left on the terminal, if there is one; yields what to call after each cell."""
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[count]} of {task.fields[cells]} cells"),
        TimeElapsedColumn(),
        TextColumn("· left"),
        TimeRemainingColumn(),
    )
    # Cells differ a thousandfold in length: a window of ten minutes keeps the time left from
    # jumping about.
    with Progress(
        *columns, console=console, disable=not sys.stderr.isatty(), speed_estimate_period=600
    ) as bar:
        shown = bar.add_task("starting", total=sum(map(effort, cells)), count=0, cells=len(cells))

        def done(cell: Cell) -> None:
            count = bar.tasks[0].fields["count"] + 1
            words = [str(cell[key]) for key in ("dataset", "method", "noise") if key in cell]
            bar.update(shown, advance=effort(cell), count=count, description=" · ".join(words))

        yield done
