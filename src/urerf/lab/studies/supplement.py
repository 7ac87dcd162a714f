"""All methods on raw data with 2 to 10 noise columns."""

from urerf.lab.studies._few_columns import few_columns

STUDY = few_columns(
    "supplement",
    "Precision of 50 neighbors among 1000 points with 2 to 10 columns of Gaussian noise of "
    "variance 70.",
    counts=range(2, 11, 2),
    quick_counts=(2, 6, 10),
    rescaled=False,
    title="The first few noise columns",
    asks="How quickly do the methods degrade? A closer look at 2 to 10 noise columns, the "
    "supplemental figure of the paper.",
    reading="As before, on raw data and a linear axis.",
)
