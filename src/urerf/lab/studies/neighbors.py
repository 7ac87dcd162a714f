"""Precision against the number of neighbors, with noise columns."""

from ..figures import NEIGHBORS
from ..study import KS
from ._sweep import sweep

STUDY = sweep(
    "neighbors",
    grid={"noise": (10, 1000), "ks": [KS]},
    quick={"noise": [10]},
    x="k",
    xlabel=NEIGHBORS,
    caption="Precision of 2 to 200 neighbors among 1000 points with {noise:,} noise columns.",
    reported={
        "With 10 noise columns, at k = 10": {"noise": 10, "k": 10},
        "With 10 noise columns, at k = 200": {"noise": 10, "k": 200},
    },
    title="Few neighbors or many?",
    asks="The noise figure asks for 50 neighbors. Is it different for 2 or 200 neighbors? The "
    "authors planned this figure.",
    reading="Precision of few neighbors tests the fine order, precision of many the coarse one. "
    "The dotted line, chance, rises with k; a method that rises no faster does not find more.",
)
