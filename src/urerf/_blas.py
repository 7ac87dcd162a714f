"""One BLAS thread while we run threads of our own.

`threadpoolctl.threadpool_limits` remembers the number of threads when it begins. Of two fits at the
same time, the second one remembers the limit of the first, and restores that for good. Here all
fits of a process share one limit, which the last to end lifts. Libraries that have a number of
their own for every thread (MKL, and OpenBLAS on top of OpenMP) are limited thread by thread.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

import threadpoolctl  # type: ignore[import-untyped]

Numbers = list[tuple[Any, int]]  # libraries, and their numbers of threads before the limit

_lock = threading.Lock()
_n_users = 0
_shared: Numbers = []


@contextlib.contextmanager
def one_blas_thread() -> Iterator[None]:
    """Within this block, in any thread, BLAS uses one thread per call."""
    global _n_users, _shared
    libraries = threadpoolctl.ThreadpoolController().select(user_api="blas").lib_controllers
    own = _numbers([library for library in libraries if _is_local(library)])
    with _lock:
        if _n_users == 0:
            _shared = _numbers([library for library in libraries if not _is_local(library)])
            _set([(library, 1) for library, _ in _shared])
        _n_users += 1
    try:
        _set([(library, 1) for library, _ in own])
        yield
    finally:
        _set(own)
        with _lock:
            _n_users -= 1
            if _n_users == 0:
                _set(_shared)
                _shared = []


def _numbers(libraries: list[Any]) -> Numbers:
    return [(library, library.num_threads) for library in libraries]


def _is_local(library: Any) -> bool:
    """Return whether a library has a number of its own for every thread."""
    if library.internal_api == "mkl":  # versions of threadpoolctl before 3.8 set that of all
        return "MKL_Set_Num_Threads_Local" in library.check_symbols
    return getattr(library, "threading_layer", None) == "openmp"


def _set(numbers: Numbers) -> None:
    """Set the number of threads of libraries.

    Since threadpoolctl 3.8, only the first thread that sets the number of OpenBLAS may set it
    again, and others are ignored without a word; but the last fit to end may be in another thread.
    """
    for library, number in numbers:
        _let_any_thread_set(library)
        library.set_num_threads(number)
        _let_any_thread_set(library)


def _let_any_thread_set(library: Any) -> None:
    if hasattr(library, "clear_controlling_thread"):
        library.clear_controlling_thread(force=True)
