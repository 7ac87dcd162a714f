"""How every kernel is compiled.

Three habits of Numba shape the kernels:

- A negative index counts from the end, as in Python, so Numba tests the sign of every signed index
  that it cannot prove to be positive. Inner loops convert indices to unsigned first.
- A literal argument makes a version of the kernel of its own. Constants that are passed on are
  wrapped as np.int64, so that one version serves all calls.
- Arrays that are read from a tuple are reference counted. Kernels read them into local names before
  a loop, not inside it.
"""

import functools
from collections.abc import Callable
from typing import Any

from numba import njit

from . import _compiling  # noqa: F401 - listens to the compiler
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


def inner(function: Callable[..., Any], **options: Any) -> Any:
    """Compile a `leaf` that other kernels call.

    The code for calls from Python is left out: taking named tuples of arrays apart is often longer
    than the kernel. Tests and benchmarks do call it from Python, and get a second version of it.
    """
    kernel = leaf(function, no_cpython_wrapper=True, **options)
    kernel._cache = KernelCache(function, variant="inner")
    # Numba would jump to the code that was left out. If it knows no version for the arguments, it
    # asks for one, and calls what it gets.
    kernel.add_overload = functools.partial(_remember, kernel)
    kernel._compile_for_args = functools.partial(_for_python, kernel, tuple(options.items()))
    return kernel


def _remember(kernel: Any, compiled: Any) -> None:
    """Keep a compiled version for other kernels only."""
    kernel.overloads[tuple(compiled.signature.args)] = compiled


@functools.cache
def _version_for_python(kernel: Any, options: tuple[tuple[str, Any], ...]) -> Any:
    return leaf(kernel.py_func, **dict(options))


def _for_python(
    kernel: Any, options: tuple[tuple[str, Any], ...], *_args: Any, **_named: Any
) -> Any:
    """Return what is called from Python in place of an inner kernel."""
    return _version_for_python(kernel, options)


def inlined(function: Callable[..., Any]) -> Any:
    """Compile as part of the calling kernel: for functions with only one or two call sites.

    A kernel is compiled together with all kernels that it calls, so each layer of kernels adds to
    the time of a first fit.
    """
    return jit(function, inline="always")
