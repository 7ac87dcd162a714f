"""Small forests on hostile values, and their indices."""

import hostile
import numpy as np
from hypothesis import strategies as st

from urerf.forest import Forest, Growth
from urerf.ranking.index import build_index

few_values = st.one_of(st.integers(-3, 3).map(float), st.floats(-5, 5, width=32))
few_rows = hostile.matrices(min_rows=3, max_rows=20, elements=few_values)


def small_forest(matrix, n_trees=4, seed=0, min_samples_split=4):
    n = matrix.shape[1]
    growth = Growth(
        max_features=1,
        density=0.5,
        min_samples_split=min_samples_split,
        max_samples=max(1, n * 2 // 3),
        bootstrap=False,
    )
    return Forest.grow(matrix, growth, seed=seed, trees=range(n_trees), n_jobs=1)


def without_some(leaves, seed):
    """Return the leaves with some rows in no leaf, as rows without any value are."""
    rng = np.random.default_rng(seed)
    empty = rng.random(leaves.shape[1]) < rng.choice([0.0, 0.2, 1.0], p=[0.3, 0.6, 0.1])
    return np.where(empty, np.int32(-1), leaves)


def indexed(forest, leaves, weight=None):
    """Return the index, with the paper's weights unless others are given."""
    index = build_index(forest, leaves, "leaf", n_jobs=1)
    return index if weight is None else index._replace(weight=weight)
