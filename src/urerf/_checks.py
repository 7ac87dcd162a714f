"""Checks of single arguments; every error begins with the name of the argument."""

from __future__ import annotations

from collections.abc import Collection
from numbers import Integral
from typing import Any

import numpy as np

from ._messages import UnknownNameError
from ._typing import Array

LARGEST = 2**31 - 1  # kernels count in 32 bits


def is_int(value: Any) -> bool:
    """Return whether the value is an integer and not a bool."""
    return isinstance(value, Integral) and not isinstance(value, (bool, np.bool_))


def check_int(name: str, value: Any, low: int, high: float = LARGEST) -> int:
    """Return the value as an int from ``low`` to ``high``."""
    if not is_int(value):
        raise TypeError(f"{name}: must be an integer, got {value!r}")
    if value < low:
        raise ValueError(f"{name}: must be at least {low}, got {value}")
    if value > high:
        raise ValueError(f"{name}: must be at most {high}, got {value}")
    return int(value)


def check_bool(name: str, value: Any) -> bool:
    """Return the value as a bool."""
    if not isinstance(value, (bool, np.bool_)):
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
