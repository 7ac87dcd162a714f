"""Run tasks in threads, in a way that Ctrl-C ends at once.

Python raises KeyboardInterrupt in the main thread, wherever that happens to be. In a compiled
function it waits until the function returns, or comes out as SystemError; in the bookkeeping of a
pool it may leave the pool waiting forever. Tasks therefore run in threads of their own, even a
single one, while the main thread only waits for their results. joblib decides how many threads
there are: by ``n_jobs``, by `joblib.parallel_config`, and one inside of other parallel work.
"""

import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from joblib.parallel import get_active_backend

from ._progress import progress

T = TypeVar("T")
Result = tuple[int, Any, BaseException | None]  # number of the task, what it returned or raised
# Seconds that a wait lasts. On Windows, Ctrl-C does not end a wait without a limit.
PATIENCE = 0.1
# Seconds that an interrupted main thread waits for the other threads to finish their tasks.
FAREWELL = 0.5


def n_threads(n_jobs: int | None) -> int:
    """Return the number of threads that joblib would use here."""
    backend, configured = get_active_backend(prefer="threads", require="sharedmem")
    return int(backend.effective_n_jobs(configured if n_jobs is None else n_jobs))


def row_blocks(n_rows: int, block: int) -> Iterator[slice]:
    """Cut 0..n_rows into slices of at most ``block``, each for one task."""
    for start in range(0, n_rows, block):
        end = min(start + block, n_rows)
        yield slice(start, end)


def run_blocks(
    work: Callable[[slice], None],
    n_rows: int,
    block: int,
    n_jobs: int | None = None,
) -> None:
    """Do the work on blocks of rows, each as one task."""
    tasks = [partial(work, rows) for rows in row_blocks(n_rows, block)]
    run(tasks, n_jobs)


def run(
    tasks: Sequence[Callable[[], T]],
    n_jobs: int | None = None,
    what: str = "",
    show_progress: bool = False,
) -> list[T]:
    """Run the tasks; return their results in order."""
    with closing(in_order(tasks, n_jobs)) as results:
        return list(progress(results, len(tasks), what, show_progress))


def in_order(
    tasks: Sequence[Callable[[], T]],
    n_jobs: int | None = None,
) -> Generator[T, None, None]:
    """Yield the results of the tasks in order; no task is started after the iterator is closed."""
    count = min(n_threads(n_jobs), len(tasks))
    if count <= 1 and threading.current_thread() is not threading.main_thread():
        yield from (task() for task in tasks)
        return
    todo = iter(enumerate(tasks))
    lock = threading.Lock()
    stopped = False
    done: SimpleQueue[Result] = SimpleQueue()

    def work() -> None:
        nonlocal stopped
        while not stopped:
            with lock:
                number, task = next(todo, (-1, None))
            if task is None:
                return
            try:
                done.put((number, task(), None))
            except BaseException as error:
                done.put((number, None, error))
                stopped = True

    threads = []
    for number in range(count):
        thread = threading.Thread(target=work, name=f"urerf-{number}", daemon=True)
        threads.append(thread)
    finished = False
    started: list[threading.Thread] = []
    try:
        for thread in threads:
            if not _start(thread):
                break
            started.append(thread)
        if threads and not started:
            raise OSError(
                "n_jobs: the system starts no more threads; raise its limits (ulimit -u, ulimit "
                "-v), or end other programs"
            )
        yield from _sorted(done, len(tasks), started)
        finished = True
    finally:
        stopped = True
        for thread in started:
            thread.join(None if finished else FAREWELL / count)


def _start(thread: threading.Thread) -> bool:
    """Start a thread; return False if the system refuses, so that fewer threads do the work."""
    try:
        thread.start()
    except RuntimeError:
        return False
    return True


def _sorted(
    done: "SimpleQueue[Result]",
    count: int,
    threads: Sequence[threading.Thread],
) -> Iterator[Any]:
    """Yield the results 0, 1, ... as soon as they are there; raise the first error that comes."""
    early: dict[int, Any] = {}
    for wanted in range(count):
        while wanted not in early:
            number, result, error = _take(done, threads)
            if error is not None:
                raise error
            early[number] = result
        yield early.pop(wanted)


def _take(done: "SimpleQueue[Result]", threads: Sequence[threading.Thread]) -> Result:
    while True:
        was_alive = any(thread.is_alive() for thread in threads)
        try:
            return done.get(timeout=PATIENCE)
        except Empty:
            if not was_alive:  # without memory, a thread cannot even say so
                raise MemoryError("all threads ended for lack of memory") from None
