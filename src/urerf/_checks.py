"""Checks of single arguments; every error begins with the name of the argument."""

from __future__ import annotations

from collections.abc import Collection
from numbers import Integral
from typing import Any

import numpy as np

from ._messages import UnknownNameError
from ._typing import Array

LARGEST = 2**31 - 1  # kernels count in 32 bits


def is_bool(value: Any) -> bool:
    """Return whether the value is a bool, of Python or of NumPy."""
    return isinstance(value, (bool, np.bool_))


def is_int(value: Any) -> bool:
    """Return whether the value is an integer and not a bool."""
    return isinstance(value, Integral) and not is_bool(value)


def check_int(name: str, value: Any, low: int, high: float = LARGEST) -> int:
    """Return the value as an int from ``low`` to ``high``."""
    if not is_int(value):
        raise TypeError(f"{name}: must be an integer, got {value!r}")
    if value < low:
        raise ValueError(f"{name}: must be at least {low}, got {value}")
    if value > high:
        raise ValueError(f"{name}: must be at most {high}, got {value}")
    return int(value)


def check_n_jobs(value: Any) -> int | None:
    """Return n_jobs as joblib takes it."""
    if value is None:
        return None
    if not is_int(value):
        raise TypeError(f"n_jobs: must be None or an integer, got {value!r}")
    n_jobs = check_int("n_jobs", value, -LARGEST)
    if n_jobs == 0:
        raise ValueError("n_jobs: must not be 0; use None or 1 for one thread, -1 for all cores")
    return n_jobs


def check_bool(name: str, value: Any) -> bool:
    """Return the value as a bool."""
    if not is_bool(value):
        raise TypeError(f"{name}: must be True or False, got {value!r}")
    return bool(value)


def check_choice(name: str, value: Any, choices: Collection[str]) -> str:
    """Return the value if it is one of the choices.

    >>> check_choice("method", "pca", ["layout", "umap"])
    Traceback (most recent call last):
    urerf._messages.UnknownNameError: method: must be one of 'layout', 'umap', got 'pca'
    """
    if isinstance(value, str) and value in choices:
        return value
    error = UnknownNameError if isinstance(value, str) else TypeError
    expected = ", ".join(map(repr, choices))
    raise error(f"{name}: must be one of {expected}, got {value!r}")


def check_integers(name: str, values: Any, low: int, high: int) -> Array:
    """Return a list of integers from ``low`` to ``high`` as an array."""
    given = np.asarray(values)
    if given.ndim != 1:
        raise ValueError(f"{name}: must be a one-dimensional list, got shape {given.shape}")
    if given.size == 0:
        return given.astype(np.intp)
    if given.dtype.kind not in "iu":
        raise TypeError(
            f"{name}: must be integers, got dtype {given.dtype}; use np.flatnonzero for a mask"
        )
    is_outside = (given < low) | (given > high)
    if is_outside.any():
        first = given[is_outside][0]
        raise ValueError(f"{name}: must lie between {low} and {high}, got {first}")
    return given.astype(np.intp)


def check_codes(column: str, codes: Array, n_levels: int) -> None:
    """Raise ValueError unless the values of a category are codes of its levels, or NaN.

    Kernels read them as positions. If ``n_levels`` is 0, any code is a level.
    """
    is_code = (codes >= 0) & (codes == np.floor(codes))
    known = "0, 1, 2, ..."
    if n_levels:
        is_code &= codes < n_levels
        known = f"from 0 to {n_levels - 1}"
    bad = codes[~is_code & ~np.isnan(codes)]
    if len(bad):
        raise ValueError(
            f"X: column {column!r} is a category, whose values must be codes {known}, "
            f"got {bad[0]:g}"
        )
