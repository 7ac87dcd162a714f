"""Signals that end a command, as exceptions: what is in progress is then cleaned up."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from typing import Any, NoReturn

# Signals by which systems ask a program to end. SIGBREAK exists on Windows, SIGHUP elsewhere.
ENDING = ("SIGTERM", "SIGHUP", "SIGBREAK")


class Terminated(BaseException):
    """The system asked the program to end by a signal; the argument is its number."""


@contextlib.contextmanager
def signals_as_exceptions() -> Iterator[None]:
    """Within this block, a request to end is an exception, so that partial files are removed."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = [getattr(signal, name) for name in ENDING if hasattr(signal, name)]
    # A program that was started to ignore a signal (nohup) goes on ignoring it.
    numbers = [number for number in numbers if signal.getsignal(number) != signal.SIG_IGN]
    old = {number: signal.signal(number, _end) for number in numbers}
    try:
        yield
    finally:
        for number, handler in old.items():
            signal.signal(number, handler)


def _end(number: int, _: Any) -> NoReturn:
    signal.signal(number, signal.SIG_IGN)  # a second one must not interrupt the cleaning up
    raise Terminated(number)
