"""A progress bar on stderr."""

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")


def progress(items: Iterable[T], total: int, what: str, show: bool) -> Iterator[T]:
    """Yield the items, with a progress bar if ``show`` is true and stderr is a terminal."""
    if not (show and sys.stderr.isatty()):
        yield from items
        return
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
