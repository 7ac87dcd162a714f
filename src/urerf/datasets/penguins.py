"""Penguins of three species, by four body measurements."""

from __future__ import annotations

import csv
from importlib.resources import files

import numpy as np

from .manifold import Manifold, discrete_manifold

MEASUREMENTS = ("bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g")


def load_penguins() -> Manifold:
    """Load body measurements of penguins of the Palmer Archipelago, Antarctica.

    There are 342 penguins of three species. Two more penguins of the original table, which were not
    measured, are left out; ``data/penguins/penguins.csv`` of this package has all 344 with their
    island, sex and year. The data are in the public domain (CC0).

    Returns
    -------
    Manifold
        `X` has shape (342, 4): length and depth of the bill and length of the flipper in
        millimeters, and body mass in grams. `labels` are the species. Two penguins are near when
        they are of the same species.

    References
    ----------
    Horst, Hill and Gorman, "palmerpenguins: Palmer Archipelago (Antarctica) penguin data", 2020,
    doi:10.5281/zenodo.3960218. Gorman, Williams and Fraser, "Ecological sexual dimorphism and
    environmental variability within a community of Antarctic penguins (genus Pygoscelis)",
    PLoS ONE 9(3), e90081, 2014.

    Examples
    --------
    >>> import numpy as np
    >>> from urerf.datasets import load_penguins
    >>> penguins = load_penguins()
    >>> penguins.X.shape
    (342, 4)
    >>> dict(zip(*(values.tolist() for values in np.unique(penguins.labels, return_counts=True))))
    {'Adelie': 151, 'Chinstrap': 68, 'Gentoo': 123}
    """
    path = files("urerf") / "data" / "penguins" / "penguins.csv"
    with path.open(encoding="utf-8") as file:
        records = list(csv.DictReader(file))
    rows = []
    species = []
    for record in records:
        is_measured = record["bill_length_mm"] not in ("", "NA")
        if is_measured:
            row = [float(record[name]) for name in MEASUREMENTS]
            rows.append(row)
            species.append(record["species"])
    return discrete_manifold(np.array(rows), np.array(species), "penguins")
