"""What the user sees while waiting: progress on stderr, and a word when code is being compiled."""

import sys
import threading
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")
_compiled = threading.Event()


def progress(items: Iterable[T], total: int, what: str, show: bool) -> Iterator[T]:
    """Pass items through with a bar on stderr; silent unless asked for and stderr is a terminal."""
    if not (show and sys.stderr.isatty()):
        yield from items
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    rate = TextColumn("{task.fields[rate]}")
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        rate,
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total, rate="")
        began = time.perf_counter()
        for done, item in enumerate(items, start=1):
            bar.update(
                task, completed=done, rate=f"{done / max(time.perf_counter() - began, 1e-9):.3g}/s"
            )
            yield item


def compile_kernels() -> None:
    """Run the kernels once on a toy table, so that compiling happens here, announced, and not inside a thread."""
    if _compiled.is_set():
        return

    def announce() -> None:
        print(
            "urerf: compiling its kernels for this machine; this happens once",
            file=sys.stderr,
            flush=True,
        )

    timer = threading.Timer(2.0, announce)
    timer.daemon = True
    timer.start()
    began = time.perf_counter()
    try:
        from .warmup import warm_up

        warm_up()
    finally:
        timer.cancel()
    if (took := time.perf_counter() - began) > 2.0:
        print(f"urerf: compiled in {took:.0f} s", file=sys.stderr, flush=True)
    _compiled.set()
