"""Return freed memory to the system."""

import ctypes
import functools
from collections.abc import Callable


@functools.cache
def _malloc_trim() -> Callable[[int], int] | None:
    try:
        return ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):  # not glibc; other allocators need no help
        return None


def release_memory() -> None:
    """Return freed memory to the system: glibc keeps much of it, for each thread there ever was."""
    trim = _malloc_trim()
    if trim is not None:
        trim(0)
