"""How much a node that holds two rows says about their similarity: the registry of similarities.

Two rows are as similar in a tree as the weight of the smallest node that holds both. A leaf weighs
most, and no node weighs more than its children.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

# Each further split that two rows survive together closes a tenth of the remaining distance. The
# value trades the ranking of close rows (a small base saturates early) for that of distant ones.
FADE = 0.9


class Similarity(NamedTuple):
    """The weights of the nodes of a tree."""

    leaf_weight: int
    share: Callable[[np.ndarray], np.ndarray]
    """Weight of an inner node as a share of that of a leaf, by the splits above it."""


# Weights are integers, so that sums are exact in any order; 4096 levels are finer than the
# similarity needs, and leave room for 4095 trees in the 24 bits that a ranking key has.
SIMILARITIES = {
    "depth": Similarity(4096, lambda splits: 1.0 - FADE**splits),
    "leaf": Similarity(1, lambda splits: np.zeros(splits.shape)),
}


def get_similarity(name: str) -> Similarity:
    """Return the similarity of that name."""
    if name not in SIMILARITIES:
        names = ", ".join(map(repr, SIMILARITIES))
        raise ValueError(f"similarity: must be one of {names}, got {name!r}")
    return SIMILARITIES[name]
