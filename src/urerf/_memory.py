"""Memory of the process: how much is available, and giving freed memory back to the system."""

import ctypes
import functools
import os
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


def available_memory() -> float:
    """Return how many bytes can be allocated, as far as the system tells."""
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            for line in file:
                if line.startswith("MemAvailable:"):
                    return 1024.0 * int(line.split()[1])
    except OSError:
        pass
    try:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, ValueError, OSError):
        return float("inf")
