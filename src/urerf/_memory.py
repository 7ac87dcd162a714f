"""Give memory back to the system."""

import ctypes
import functools
from collections.abc import Callable


@functools.cache
def _malloc_trim() -> Callable[[int], int] | None:
    try:
        return ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):  # not glibc: other allocators do it by themselves
        return None


def release_memory() -> None:
    """Let the system have what was freed: glibc keeps much of it, for each thread that there ever was."""
    if (trim := _malloc_trim()) is not None:
        trim(0)
