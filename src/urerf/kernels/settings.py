"""The choices that kernels make for a tree: their names, their codes, and all settings of a tree.

Each choice has one registry, name -> code, that everything else reads. Nothing here needs Numba, so
that the names are known before it is imported.
"""

from typing import NamedTuple

FAST_BIC = 0
TWO_MEANS = 1
MCLUST_BIC = 2
CRITERIA = {"fast_bic": FAST_BIC, "two_means": TWO_MEANS, "mclust_bic": MCLUST_BIC}
# Their gain is a difference of two BIC, below 0 if two components are better than one.
BIC_CRITERIA = ("fast_bic", "mclust_bic")

GAIN = 0
RAW = 1
SPLIT_SCORES = {"gain": GAIN, "raw": RAW}

# The smallest variance of a cluster, as a share of the variance of its node, for each split score
# (see `urerf.kernels.split`). The raw BIC relies on tight clusters; the gain is misled by ties
# (counts, pixels, the rings of a sphere's grid). Chosen by `urerf bench floor`.
FLOORS = {"gain": 1e-2, "raw": 1e-6}

AXIS = 0
OBLIQUE = 1
DIRECTION = 2
PROJECTIONS = {"axis": AXIS, "oblique": OBLIQUE, "direction": DIRECTION}


class Rule(NamedTuple):
    """How the values of one candidate are cut in two."""

    criterion: int
    split_score: int
    floor: float
    min_samples_leaf: int


class Settings(NamedTuple):
    """How a tree grows, as kernels read it; `urerf.forest.Growth` is the same by name."""

    projection: int
    max_features: int
    criterion: int
    split_score: int
    min_samples_split: int
    min_samples_leaf: int
    max_depth: int
    density: float
    random_flat_nodes: bool
    floor: float
    screening_rows: int
    peel_work: int
    peel_chain: int
