"""All methods on raw data with 2 to 10 noise columns."""

from ..figures import NOISE
from ._sweep import sweep

STUDY = sweep(
    "supplement",
    grid={"noise": range(2, 11, 2)},
    quick={"noise": (2, 6, 10)},
    x="noise",
    xlabel=NOISE,
    caption="Precision of 50 neighbors among 1000 points with 2 to 10 columns of Gaussian noise of "
    "variance 70.",
    reported={"With 10 noise columns": {"noise": 10}},
    title="The first few noise columns",
    asks="How quickly do the methods degrade? A closer look at 2 to 10 noise columns, the "
    "supplemental figure of the paper.",
    reading="As before, on raw data and a linear axis.",
)
