"""Random streams of the makers, and validation of counts."""

from __future__ import annotations

import operator
from typing import Literal

import numpy as np

RandomState = int | np.random.Generator | None


def stream(random_state: RandomState, purpose: Literal["make", "noise"]) -> np.random.Generator:
    """Return a random generator for points or for noise.

    With a single stream, the same seed would draw the points again as noise.
    """
    if isinstance(random_state, np.random.Generator):
        return random_state
    seed = None if random_state is None else check_count("random_state", random_state, at_least=0)
    spawn_key = (0,) if purpose == "make" else (1,)
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=spawn_key))


def check_count(name: str, value: int, *, at_least: int) -> int:
    try:
        count = operator.index(value)
    except TypeError:
        raise TypeError(
            f"{name}: must be an integer, got {value!r} ({type(value).__name__})"
        ) from None
    if count < at_least:
        raise ValueError(f"{name}: must be at least {at_least}, got {count}")
    return count
