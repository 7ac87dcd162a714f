"""How similar two rows are: the registry of similarities.

In a tree, two rows are as similar as the weight of the smallest node that holds both. A leaf weighs
most, and no node weighs more than its children. A similarity says what nodes weigh, and what ranks
the rows that the forest proposes:

- "forest": the sum of these weights over all trees;
- "blend": the forest and the straight distance together; see `urerf.ranking.blend`;
- "path": the lengths of paths along the manifold; see `urerf.geodesic`.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from .._checks import check_choice
from .._typing import Array

# Each further split that two rows survive together closes a tenth of the remaining distance. The
# value trades the ranking of close rows (a small base saturates early) for that of distant ones.
FADE = 0.9


class NodeWeights(NamedTuple):
    """The weights of the nodes of a tree."""

    leaf_weight: int
    share: Callable[[Array], Array]
    """Weight of an inner node as a share of that of a leaf, by the splits above it."""


class Similarity(NamedTuple):
    """What nodes weigh, a key of `NODE_WEIGHTS`, and what ranks the rows that share nodes."""

    nodes: str
    ranking: str


# Weights are integers, so that sums are exact in any order; 4096 levels are finer than the
# similarity needs, and leave room for 4095 trees in the 24 bits that a ranking key has.
NODE_WEIGHTS = {
    "depth": NodeWeights(4096, lambda splits: 1.0 - FADE**splits),
    "leaf": NodeWeights(1, lambda splits: np.zeros(splits.shape)),
}
SIMILARITIES = {
    "blend": Similarity("depth", "blend"),
    "depth": Similarity("depth", "forest"),
    "leaf": Similarity("leaf", "forest"),
    "geodesic": Similarity("depth", "path"),
}


def get_similarity(name: str) -> Similarity:
    """Return the similarity of that name."""
    return SIMILARITIES[check_choice("similarity", name, SIMILARITIES)]
