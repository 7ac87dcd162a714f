"""Random streams of the makers."""

from __future__ import annotations

from typing import Literal

import numpy as np

from urerf._checks import check_int

RandomState = int | np.random.Generator | np.random.RandomState | None


def stream(random_state: RandomState, purpose: Literal["make", "noise"]) -> np.random.Generator:
    """Return a random generator for points or for noise.

    With a single stream, the same seed would draw the points again as noise.
    """
    if isinstance(random_state, np.random.Generator):
        return random_state
    spawn_key = (0,) if purpose == "make" else (1,)
    seed = seed_of(random_state)
    sequence = np.random.SeedSequence(seed, spawn_key=spawn_key)
    return np.random.default_rng(sequence)


def seed_of(random_state: RandomState) -> int:
    """Return an int as it is, and a number that a generator draws; None is a new generator."""
    if random_state is None or isinstance(random_state, np.random.Generator):
        rng = np.random.default_rng(random_state)
        return int(rng.integers(2**32))
    if isinstance(random_state, np.random.RandomState):
        drawn = random_state.randint(2**32, dtype=np.uint32)
        return int(drawn)
    return check_int("random_state", random_state, 0, high=np.inf)
