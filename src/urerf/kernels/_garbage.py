"""Pause the search for cycles of garbage while very many objects are made that stay."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_garbage_collection() -> Iterator[None]:
    """Do not look for cycles of garbage in the meantime, neither here nor in other threads.

    Python looks through all objects again and again while their number grows. To import Numba that
    takes a third of the time, to compile the kernels a seventh.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
