"""Seeds, from what scikit-learn takes as ``random_state``."""

from typing import Any

import numpy as np
from sklearn.utils import check_random_state


def check_state(random_state: Any) -> np.random.RandomState:
    """Return the generator of a ``random_state``, or raise an error that names the argument."""
    try:
        return check_random_state(random_state)
    except ValueError as error:
        raise ValueError(
            "random_state: must be None, an int from 0 to 2**32 - 1 or a RandomState, "
            f"got {random_state!r}"
        ) from error


def draw_seed(random_state: Any) -> int:
    """Draw the seed of a fit; equal values of ``random_state`` give equal rows and trees."""
    generator = check_state(random_state)
    limit = np.iinfo(np.int32).max
    return int(generator.randint(limit))


def seed_of(random_state: Any) -> int:
    """Return an int as it is; otherwise draw a seed."""
    generator = check_state(random_state)
    is_int = isinstance(random_state, (int, np.integer))
    return int(random_state) if is_int else draw_seed(generator)
