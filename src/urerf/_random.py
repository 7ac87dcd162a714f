"""The seed of a fit."""

from typing import Any

import numpy as np
from sklearn.utils import check_random_state


def draw_seed(random_state: Any) -> int:
    """Draw the seed of a fit; equal values of ``random_state`` give equal rows and trees."""
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
