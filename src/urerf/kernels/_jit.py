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

# A kernel as a function for C code is never needed; leaving it out saves a twentieth of the time.
OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}


def jit(function: Callable[..., Any], **options: Any) -> Any:
    """Compile without the GIL, for threads, and cache the machine code on disk if possible."""
    kernel = njit(**OPTIONS, **options)(function)
    kernel._cache = KernelCache(function)
    return kernel


def leaf(function: Callable[..., Any], **options: Any) -> Any:
    """Compile a kernel that neither allocates nor returns an array, nor calls one that does.

    Numba then counts no references to the arrays, which it does for every array that is read from
    a tuple or sliced: that takes a fifth of the time to compile such a kernel. Allocating an array
    in it is an error of the compiler.
    """
    return jit(function, _nrt=False, **options)


def inlined(function: Callable[..., Any]) -> Any:
    """Compile as part of the calling kernel: for functions with only one or two call sites.

    A kernel is compiled together with all kernels that it calls, so each layer of kernels adds to
    the time of a first fit.
    """
    return jit(function, inline="always")
