"""A progress bar on stderr, in a terminal and in a notebook."""

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")

# Seconds between two updates in a notebook, where each one is a message to the browser.
NOTEBOOK_SECONDS = 0.2
# Letters of the bar in a notebook.
BAR = 30


def progress(
    items: Iterable[T],
    total: int,
    what: str,
    show: bool,
) -> Iterator[T]:
    """Yield the items, with a progress bar if ``show`` is true and somebody can see it."""
    if show and in_notebook():
        yield from _in_notebook(items, total, what)
    elif show and sys.stderr.isatty():
        yield from _in_terminal(items, total, what)
    else:
        yield from items


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
    last = time.perf_counter()
    width = 0
    for done, item in enumerate(items, start=1):
        now = time.perf_counter()
        if now - last >= NOTEBOOK_SECONDS:
            last = now
            filled = BAR * done // max(total, 1)
            line = f"{what} {'█' * filled}{'·' * (BAR - filled)} {done:,} of {total:,}"
            width = max(width, len(line))
            print(f"\r{line}", end="", file=sys.stderr, flush=True)
        yield item
    if width:
        print(f"\r{' ' * width}\r", end="", file=sys.stderr, flush=True)
