"""Progress on stderr: a bar in a terminal and in a notebook, now and then a line in a file."""

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")

# Seconds between two updates of a bar: in a notebook, each one is a message to the browser.
BAR_SECONDS = 0.2
# Seconds between two lines in a file or pipe, where every one of them stays.
LINE_SECONDS = 10.0
# Letters of the bar.
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
        return
    in_place = in_notebook() or sys.stderr.isatty()
    interval = BAR_SECONDS if in_place else LINE_SECONDS
    start = time.perf_counter()
    last = start
    width = 0
    try:
        for done, item in enumerate(items, start=1):
            now = time.perf_counter()
            if now - last >= interval:
                last = now
                state = _state(done, total, now - start)
                if in_place:
                    width = _rewrite(f"{what} {_bar(done, total)} {state}", width)
                else:
                    print(f"urerf: {what}: {state}", file=sys.stderr, flush=True)
            yield item
    finally:
        if width:
            _rewrite("", width)
            _rewrite("", 0)


def in_notebook() -> bool:
    """Return whether this is a kernel of Jupyter, whose stderr is shown below the cell."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return hasattr(shell, "kernel")


def _rewrite(line: str, width: int) -> int:
    """Replace a line of ``width`` letters in place, and return the width of the new one.

    This needs no widgets, and an old notebook shows nothing of it.
    """
    padded = line.ljust(width)
    print(f"\r{padded}", end="", file=sys.stderr, flush=True)
    return len(padded)


def _bar(done: int, total: int) -> str:
    filled = BAR * done // max(total, 1)
    return "█" * filled + "·" * (BAR - filled)


def _state(done: int, total: int, seconds: float) -> str:
    """Return how much is done after some seconds, and how long the rest takes.

    >>> _state(25, 100, 60.0)
    '25 of 100, 3 min left'
    """
    left = seconds * (total - done) / done
    time_left = f"{left / 3600:.1f} h"
    if left < 60:
        time_left = f"{left:.0f} s"
    elif left < 3600:
        time_left = f"{left / 60:.0f} min"
    return f"{done:,} of {total:,}, {time_left} left"
