"""How often neighbors share the label: by the forest, by Euclidean distance, and by chance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from sklearn.metrics import r2_score

from urerf.kinds.convert import is_number

from .._typing import Array
from .euclidean import Euclidean

# Labels with more different numbers than this are numbers, not names of classes.
MOST_CLASSES = 24


class Agreement(NamedTuple):
    """Agreement of the labels of neighbors: the share that is equal, or for numbers R squared."""

    name: str
    """The label, or the level that the other entries are about."""
    n_rows: int
    forest: float
    euclidean: float
    chance: float


class LabelAgreement(NamedTuple):
    """What neighbors say about the labels."""

    total: Agreement
    levels: list[Agreement]
    """The same for the rows of each level; empty for numbers."""
    is_number: bool


def label_levels(labels: Sequence[str] | None) -> list[str] | None:
    """Return the different labels; None for no labels, and for many different numbers.

    A few numbers come in their order, other labels by frequency. Empty labels are missing.
    """
    if labels is None:
        return None
    counts = Counter(label for label in labels if label)
    are_numbers = all(map(is_number, counts))
    if are_numbers and len(counts) > MOST_CLASSES:
        return None
    if are_numbers:
        return sorted(counts, key=float)
    return sorted(counts, key=lambda label: (-counts[label], label))


def label_codes(labels: Sequence[str]) -> Array:
    """Return labels as numbers: their own value, or their position among the levels; or NaN."""
    levels = label_levels(labels)
    if levels is None:
        values = [float(label or "nan") for label in labels]
    else:
        code_of = {level: float(code) for code, level in enumerate(levels)}
        values = [code_of.get(label, np.nan) for label in labels]
    return np.array(values, dtype=np.float64)


def label_agreement(
    labels: Sequence[str],
    name: str,
    neighbors: Array,
    euclidean: Euclidean,
) -> LabelAgreement | None:
    """Compare the labels of rows with those of their neighbors; rows without a label are left out.

    None if fewer than two different labels occur, or if all are different, so that none is shared.
    """
    levels = label_levels(labels)
    codes = label_codes(labels)
    present = codes[~np.isnan(codes)]
    n_different = len(np.unique(present))
    are_names = levels is not None and n_different == len(present)
    if n_different < 2 or are_names:
        return None
    every = np.arange(len(codes))
    rows = euclidean.rows
    if levels is None:
        forest = _r_squared(codes, every, neighbors)
        other = _r_squared(codes, rows, euclidean.neighbors)
        total = Agreement(name, len(present), forest, other, 0.0)
        return LabelAgreement(total, [], is_number=True)
    ours = _share_equal(codes, every, neighbors)
    theirs = _share_equal(codes, rows, euclidean.neighbors)
    by_level = []
    for code, name_of_level in enumerate(levels):
        n_rows = int((present == code).sum())
        chance = (n_rows - 1) / (len(present) - 1)
        forest = float(_means(ours[codes == code]))
        other = float(_means(theirs[codes[rows] == code]))
        by_level.append(Agreement(name_of_level, n_rows, forest, other, chance))
    n_equal_by_chance = sum(level.n_rows * level.chance for level in by_level)
    total = Agreement(
        name=name,
        n_rows=len(present),
        forest=float(_means(ours)),
        euclidean=float(_means(theirs)),
        chance=n_equal_by_chance / len(present),
    )
    return LabelAgreement(total, by_level, is_number=False)


def _share_equal(codes: Array, rows: Array, neighbors: Array) -> Array:
    """Return the share of neighbors with the label of the row, of those that have a label."""
    own = codes[rows, None]
    theirs = codes[neighbors]
    is_missing = np.isnan(own) | np.isnan(theirs)
    return _means(np.where(is_missing, np.nan, theirs == own))


def _means(values: Array) -> Array:
    """Return means along the last axis, of what is not missing; NaN if everything is."""
    n_known = (~np.isnan(values)).sum(axis=-1)
    total = np.nansum(values, axis=-1)
    means = total / np.maximum(n_known, 1)
    return np.where(n_known > 0, means, np.nan)


def _r_squared(codes: Array, rows: Array, neighbors: Array) -> float:
    """Return the share of the variance that the mean label of the neighbors explains."""
    guess = _means(codes[neighbors])
    is_known = ~np.isnan(codes[rows] + guess)
    truth = codes[rows][is_known]
    if len(np.unique(truth)) < 2:
        return float("nan")
    return float(r2_score(truth, guess[is_known]))
