"""Neighbors by Euclidean distance, for comparison: what a user without a forest would compute.

Numbers are standardized, categories are one column of 0 and 1 per level, and missing values are at
the mean.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import StandardScaler

from urerf.graph import without_self

from .._typing import Array

# Multiplications (rows x rows x columns) up to which Euclidean neighbors of all rows are computed:
# about ten seconds. Larger tables are compared on a sample.
MOST_PRODUCTS = 5e10
# Size of that sample: a share of label matches is then known to about 0.005 (15 neighbors each).
SAMPLE_ROWS = 1000
# Multiplications for the sample: about one second.
SAMPLE_PRODUCTS = 5e9
# Levels of a category that get a column of their own; rarer ones hardly matter to a distance.
MOST_LEVELS = 50


class Euclidean(NamedTuple):
    """Euclidean neighbors of all rows, or of a sample."""

    rows: Array
    """The rows asked about."""
    neighbors: Array
    """Their neighbors, (rows, k)."""


def euclidean_neighbors(X: Any, k: int, is_category: Array | bool = False) -> Euclidean:
    """Return the k nearest other rows; of a large table, for a random sample of rows."""
    points = comparable(X, is_category)
    n, p = points.shape
    products_per_row = float(n) * p
    rows = np.arange(n)
    if n * products_per_row > MOST_PRODUCTS:
        affordable = int(SAMPLE_PRODUCTS / products_per_row)
        n_sampled = min(max(affordable, 1), SAMPLE_ROWS, n)
        rng = np.random.default_rng(0)
        rows = np.sort(rng.choice(n, n_sampled, replace=False))
    search = NearestNeighbors(n_neighbors=k + 1, algorithm="brute")
    search.fit(points)
    ids = search.kneighbors(points[rows], return_distance=False)
    return Euclidean(rows, without_self(ids, rows))


def comparable(X: Any, is_category: Array | bool) -> Any:
    """Return columns in units of their standard deviation, and one per level of a category."""
    if sp.issparse(X):
        return StandardScaler(with_mean=False).fit_transform(X)  # centering would fill the matrix
    is_category = np.broadcast_to(is_category, X.shape[1])
    blocks = []
    if not is_category.all():
        standardized = StandardScaler().fit_transform(X[:, ~is_category])
        blocks.append(np.nan_to_num(standardized).astype(np.float32))
    for i in np.flatnonzero(is_category):
        blocks.append(_indicators(X[:, i]))
    return np.hstack(blocks)


def _indicators(codes: Array) -> Array:
    """Return a column for each frequent level, 1 where a row has it."""
    present = codes[~np.isnan(codes)]
    levels, n_rows = np.unique(present, return_counts=True)
    most_rows_first = np.argsort(-n_rows, kind="stable")
    frequent = levels[most_rows_first[:MOST_LEVELS]]
    return (codes[:, None] == frequent).astype(np.float32)
