"""What happens around the compiler: whoever waits for it is told, and garbage is not collected.

Numba tells its listeners when it starts and stops to compile a kernel, also when it compiles a
kernel for another one. Only the time of the outermost counts.
"""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from typing import Any

from numba.core import event

from ._garbage import without_garbage_collection

# Seconds of compiling after which a message says what the user is waiting for.
PATIENCE = 2.0


class Compiling(event.Listener):
    """Counts the seconds that are spent on compiling, and tells the user if they become many.

    Only the kernels of one package count, not those of Numba and of the user. Numba compiles one
    kernel at a time, in whichever thread, under a lock.
    """

    def __init__(self, package: str) -> None:
        self._package = package
        self.seconds = 0.0
        self.is_announced = False
        self._what = "its kernels for this machine"
        self._start = 0.0
        self._depth = 0
        self._timer: threading.Timer | None = None
        self._around = contextlib.ExitStack()

    def on_start(self, event: Any) -> None:
        """Set the alarm, unless another kernel is being compiled already."""
        if not self._is_ours(event):
            return
        self._depth += 1
        if self._depth > 1:
            return
        self._around.enter_context(without_garbage_collection())
        self._start = time.perf_counter()
        if not self.is_announced:
            patience_left = max(PATIENCE - self.seconds, 0.0)
            self._timer = threading.Timer(patience_left, self._announce)
            self._timer.daemon = True
            self._timer.start()

    def on_end(self, event: Any) -> None:
        """Add up the time, and stop the alarm."""
        if not self._is_ours(event):
            return
        self._depth -= 1
        if self._depth > 0:
            return
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        elapsed = time.perf_counter() - self._start
        self.seconds += elapsed
        self._around.close()

    def finish(self) -> None:
        """Say how long it took, if it was announced; what follows is more of it."""
        if self.is_announced:
            say(f"compiled in {self.seconds:.0f} s")
            self._what = "more kernels, for this kind of table or call"
        self.restart()

    def restart(self) -> None:
        """Count from zero, and announce what is compiled from now on."""
        self.seconds = 0.0
        self.is_announced = False

    def _is_ours(self, event: Any) -> bool:
        # Functions of others may be made without a module, as pynndescent does.
        function = getattr(event.data["dispatcher"], "py_func", None)
        module = getattr(function, "__module__", None) or ""
        return module.startswith(self._package)

    def _announce(self) -> None:
        self.is_announced = True
        say(f"compiling {self._what}; this happens once")


def say(text: str) -> None:
    """Print a line on stderr."""
    print(f"urerf: {text}", file=sys.stderr, flush=True)


compiling = Compiling(__package__)
event.register("numba:compile", compiling)
