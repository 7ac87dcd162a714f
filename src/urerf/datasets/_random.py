"""Random streams of the makers, and validation of counts."""

from __future__ import annotations

import operator
from typing import Literal

import numpy as np

RandomState = int | np.random.Generator | np.random.RandomState | None


def stream(random_state: RandomState, purpose: Literal["make", "noise"]) -> np.random.Generator:
    """Return a random generator for points or for noise.

    With a single stream, the same seed would draw the points again as noise.
    """
    if isinstance(random_state, np.random.Generator):
        return random_state
    spawn_key = (0,) if purpose == "make" else (1,)
    return np.random.default_rng(np.random.SeedSequence(seed_of(random_state), spawn_key=spawn_key))


def seed_of(random_state: RandomState) -> int:
    """Return an int as it is, and a number that a generator draws; None is a new generator."""
    if random_state is None or isinstance(random_state, np.random.Generator):
        return int(np.random.default_rng(random_state).integers(2**32))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**32, dtype=np.uint32))
    return check_count("random_state", random_state, at_least=0)


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
