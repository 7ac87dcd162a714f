"""Call every kernel of a default fit once, with the array types that real data have."""

import numpy as np

from .forest import Forest, Growth
from .graph import build_index, nearest_rows
from .kernels.table import row_fingerprints


def warm_up() -> None:
    """Compile, or load from the cache, what `URerF.fit` and `URerF.kneighbors` need."""
    table = np.arange(24, dtype=np.float32).reshape(2, 12)
    growth = Growth(n_candidates=1, density=0.5, min_split=4, n_drawn=12, replace=False)
    row_fingerprints(table)
    forest = Forest.grow(table, growth, seed=0, trees=[0], n_jobs=1)
    leaves = forest.apply(table, n_jobs=1)
    index, _ = build_index(forest, leaves, "depth", n_jobs=1)
    nearest_rows(index, leaves, 2, selves=np.arange(12), seed=0, n_jobs=1)
