"""Progress on stderr: a bar in a terminal and in a notebook, now and then a line in a file."""

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")

# Seconds between two updates in a notebook, where each one is a message to the browser.
NOTEBOOK_SECONDS = 0.2
# Seconds between two lines in a file or pipe, where every one of them stays.
LINE_SECONDS = 10.0
# Letters of the bar in a notebook.
BAR = 30


def progress(
    items: Iterable[T],
    total: int,
    what: str,
    show: bool,
) -> Iterator[T]:
    """Yield the items, and show how many there were and how long the rest takes."""
    if not show:
        yield from items
    elif in_notebook():
        yield from _in_notebook(items, total, what)
    elif sys.stderr.isatty():
        yield from _in_terminal(items, total, what)
    else:
        yield from _in_lines(items, total, what)


def in_notebook() -> bool:
    """Return whether this is a kernel of Jupyter, whose stderr is shown below the cell."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return hasattr(shell, "kernel")


def _in_terminal(items: Iterable[T], total: int, what: str) -> Iterator[T]:
    from rich import progress as rich  # slow to import, and seldom needed
    from rich.console import Console

    columns = (
        rich.TextColumn("{task.description}"),
        rich.BarColumn(),
        rich.MofNCompleteColumn(),
        rich.TextColumn("{task.fields[rate]}"),
        rich.TimeRemainingColumn(),
    )
    with rich.Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total, rate="")
        start = time.perf_counter()
        for done, item in enumerate(items, start=1):
            seconds = max(time.perf_counter() - start, 1e-9)
            bar.update(task, completed=done, rate=f"{done / seconds:.3g}/s")
            yield item


def _in_notebook(items: Iterable[T], total: int, what: str) -> Iterator[T]:
    """Rewrite one line of text: needs no widgets, and an old notebook shows nothing of it."""
    start = time.perf_counter()
    last = start
    width = 0
    for done, item in enumerate(items, start=1):
        now = time.perf_counter()
        if now - last >= NOTEBOOK_SECONDS:
            last = now
            filled = BAR * done // max(total, 1)
            bar = "█" * filled + "·" * (BAR - filled)
            line = f"{what} {bar} {_state(done, total, now - start)}".ljust(width)
            width = max(width, len(line))
            print(f"\r{line}", end="", file=sys.stderr, flush=True)
        yield item
    if width:
        print(f"\r{' ' * width}\r", end="", file=sys.stderr, flush=True)


def _in_lines(items: Iterable[T], total: int, what: str) -> Iterator[T]:
    """Print plain lines, none if it takes less than `LINE_SECONDS`."""
    start = time.perf_counter()
    last = start
    for done, item in enumerate(items, start=1):
        now = time.perf_counter()
        if now - last >= LINE_SECONDS:
            last = now
            state = _state(done, total, now - start)
            print(f"urerf: {what}: {state}", file=sys.stderr, flush=True)
        yield item


def _state(done: int, total: int, seconds: float) -> str:
    """Return how much is done after some seconds, and how long the rest takes.

    >>> _state(25, 100, 60.0)
    '25 of 100, 3 min left'
    """
    left = seconds * (total - done) / done
    if left < 60:
        return f"{done:,} of {total:,}, {left:.0f} s left"
    if left < 3600:
        return f"{done:,} of {total:,}, {left / 60:.0f} min left"
    return f"{done:,} of {total:,}, {left / 3600:.1f} h left"
