"""All methods on columns rescaled to [0, 1]."""

from urerf.lab.studies._few_columns import few_columns

STUDY = few_columns(
    "rescaled",
    "Precision of 50 neighbors among 1000 points, after all columns were rescaled to [0, 1], for "
    "all methods.",
    counts=range(0, 11, 2),
    quick_counts=(0, 4, 10),
    rescaled=True,
    title="What if all columns are rescaled?",
    asks="Noise of variance 70 is wider than the signal, and distances are dominated by the widest "
    "columns. Does rescaling all columns to [0, 1] help the other methods, and is URerF still the "
    "best?",
    reading="As before, for few noise columns. In the paper's own figure, the other methods got "
    "rescaled data and URerF the raw data; here all methods get the same data. The paper's "
    "criterion compares raw scores of columns, which depend on their scale: after rescaling, noise "
    "columns no longer stand out by their width. Our defaults score a cut by its gain over no cut, "
    "which does not depend on scale, and prefer columns that depend on other columns.",
)
