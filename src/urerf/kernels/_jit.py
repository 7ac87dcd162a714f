"""The one way every kernel is compiled.

Numba lets a negative index count from the end, as Python does, and asks for the sign of every
signed index it cannot prove to be positive. Where an index comes from an array of int32, kernels
make it unsigned first, which spares loops that do little else that question. A kernel that gets a
constant is compiled for that constant: constants are wrapped as np.int64 where one compiled version
is to serve all.
"""

import warnings
from collections.abc import Callable
from typing import Any

from numba import njit


def jit(function: Callable[..., Any], **options: Any) -> Any:
    """Compile for threads (no GIL) and keep the machine code on disk, where the disk lets us."""
    try:
        return njit(nogil=True, cache=True, error_model="numpy", **options)(function)
    except RuntimeError:  # neither the package nor the user's cache folder can be written
        warnings.warn(
            "urerf: no folder for compiled code can be written, so every process compiles anew; "
            "set NUMBA_CACHE_DIR to a writable folder",
            RuntimeWarning,
            stacklevel=2,
        )
        return njit(nogil=True, error_model="numpy", **options)(function)


def inlined(function: Callable[..., Any]) -> Any:
    """Compile as part of the kernel that calls it: for what is called from one or two places.

    A kernel is compiled together with all kernels below it, so every layer that is a kernel of its
    own adds to the time that a first fit takes.
    """
    return jit(function, inline="always")
