"""Work over threads, which Ctrl-C ends at once.

Python raises KeyboardInterrupt in the main thread, wherever that happens to be. In a compiled
function it waits until that returns, or comes out as SystemError; in the bookkeeping of a pool it
may leave the pool waiting for ever. So tasks run in threads of their own, even one at a time, while
the main thread does nothing but wait for what they return. How many threads there are is joblib's
say: ``n_jobs``, `joblib.parallel_config`, one inside of other parallel work.
"""

import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from joblib.parallel import get_active_backend

from ._progress import progress

T = TypeVar("T")
PATIENCE = 0.1  # seconds a wait lasts, because on Windows Ctrl-C does not end one
FAREWELL = (
    0.5  # seconds that an interrupted main thread waits for the others, each of which ends its task
)


def n_threads(n_jobs: int | None) -> int:
    """Return the number of threads that joblib would use here."""
    backend, configured = get_active_backend(prefer="threads", require="sharedmem")
    return int(backend.effective_n_jobs(configured if n_jobs is None else n_jobs))


def row_blocks(n_rows: int, block: int) -> Iterator[slice]:
    """Cut 0..n_rows into slices of at most ``block``, each for one task."""
    return (slice(start, min(start + block, n_rows)) for start in range(0, n_rows, block))


def run(
    tasks: Sequence[Callable[[], T]],
    n_jobs: int | None = None,
    what: str = "",
    show_progress: bool = False,
) -> list[T]:
    """Do the tasks; return what they return."""
    with closing(in_order(tasks, n_jobs)) as results:
        return list(progress(results, len(tasks), what, show_progress))


def in_order(
    tasks: Sequence[Callable[[], T]], n_jobs: int | None = None
) -> Generator[T, None, None]:
    """Yield what the tasks return, in their order; close the iterator and no more are begun."""
    count = min(n_threads(n_jobs), len(tasks))
    if count <= 1 and threading.current_thread() is not threading.main_thread():
        yield from (task() for task in tasks)
        return
    todo = iter(enumerate(tasks))
    lock = threading.Lock()
    stopped = False
    done: SimpleQueue[tuple[int, Any, BaseException | None]] = SimpleQueue()

    def work() -> None:
        nonlocal stopped
        while not stopped:
            with lock:
                at, task = next(todo, (-1, None))
            if task is None:
                return
            try:
                done.put((at, task(), None))
            except BaseException as error:
                done.put((at, None, error))
                stopped = True

    threads = [threading.Thread(target=work, name=f"urerf-{x}", daemon=True) for x in range(count)]
    finished = False
    try:
        for thread in threads:
            thread.start()
        yield from _sorted(done, len(tasks))
        finished = True
    finally:
        stopped = True
        for thread in threads:
            if thread.ident is not None:
                thread.join(None if finished else FAREWELL / count)


def _sorted(
    done: "SimpleQueue[tuple[int, Any, BaseException | None]]", count: int
) -> Iterator[Any]:
    """Yield the results 0, 1, ... of those that come in any order; raise the first error that comes."""
    early: dict[int, Any] = {}
    for at in range(count):
        while at not in early:
            place, result, error = _take(done)
            if error is not None:
                raise error
            early[place] = result
        yield early.pop(at)


def _take(done: SimpleQueue) -> Any:
    while True:
        try:
            return done.get(timeout=PATIENCE)
        except Empty:
            pass
