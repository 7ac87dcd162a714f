"""How every kernel is compiled.

Three habits of Numba shape the kernels:

- A negative index counts from the end, as in Python, so Numba tests the sign of every signed index
  that it cannot prove to be positive. Inner loops convert indices to unsigned first.
- A literal argument makes a version of the kernel of its own. Constants that are passed on are
  wrapped as np.int64, so that one version serves all calls.
- Arrays that are read from a tuple are reference counted. Kernels read them into local names before
  a loop, not inside it.
"""

from collections.abc import Callable
from typing import Any

from numba import njit

from ._cache import KernelCache


def jit(function: Callable[..., Any], **options: Any) -> Any:
    """Compile without the GIL, for threads, and cache the machine code on disk if possible."""
    kernel = njit(nogil=True, error_model="numpy", **options)(function)
    kernel._cache = KernelCache(function)
    return kernel


def inlined(function: Callable[..., Any]) -> Any:
    """Compile as part of the calling kernel: for functions with only one or two call sites.

    A kernel is compiled together with all kernels that it calls, so each layer of kernels adds to
    the time of a first fit.
    """
    return jit(function, inline="always")
