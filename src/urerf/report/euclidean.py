"""Neighbors by Euclidean distance, for comparison: what a user without a forest would compute.

Numbers are standardized, categories are one column of 0 and 1 per level, and missing values are at
the mean.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.neighbors import NearestNeighbors

from urerf.schema import CATEGORY, Schema

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

    rows: np.ndarray
    """The rows asked about."""
    neighbors: np.ndarray
    """Their neighbors, (rows, k)."""


def euclidean_neighbors(X: Any, k: int, schema: Schema | None = None) -> Euclidean:
    """Return the k nearest other rows; of a large table, for a random sample of rows."""
    points = comparable(X, schema)
    n, p = points.shape
    if float(n) * n * p <= MOST_PRODUCTS:
        rows = np.arange(n)
    else:
        n_sampled = int(np.clip(SAMPLE_PRODUCTS / (float(n) * p), 1, min(SAMPLE_ROWS, n)))
        rows = np.sort(np.random.default_rng(0).choice(n, n_sampled, replace=False))
    search = NearestNeighbors(n_neighbors=k + 1, algorithm="brute").fit(points)
    found = search.kneighbors(points[rows], return_distance=False)
    return Euclidean(rows, _without_self(found, rows))


def _without_self(found: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Leave out each row itself; if equal rows crowded it out, leave out the last one."""
    is_self = found == rows[:, None]
    is_self[~is_self.any(axis=1), -1] = True
    return found[~is_self].reshape(len(rows), -1)


def comparable(X: Any, schema: Schema | None = None) -> Any:
    """Return columns in units of their standard deviation, and one per level of a category."""
    if sp.issparse(X):
        return _scaled_sparse(X)
    is_category = np.zeros(X.shape[1], dtype=bool)
    if schema is not None:
        is_category[:] = [column.kind == CATEGORY for column in schema.columns]
    numbers = X[:, ~is_category]
    blocks = [_standardized(numbers)]
    for i in np.flatnonzero(is_category):
        blocks.append(_indicators(X[:, i]))
    return np.hstack(blocks)


def _standardized(X: np.ndarray) -> np.ndarray:
    present = ~np.isnan(X)
    n_present = np.maximum(present.sum(axis=0), 1)
    center = np.where(present, X, 0.0).sum(axis=0) / n_present
    offset = np.where(present, X - center, 0.0)
    scale = np.sqrt((offset**2).sum(axis=0) / n_present)
    return (offset / np.where(scale > 0, scale, 1.0)).astype(np.float32)


def _indicators(codes: np.ndarray) -> np.ndarray:
    """Return a column for each frequent level, 1 where a row has it."""
    levels, n_rows = np.unique(codes[~np.isnan(codes)], return_counts=True)
    frequent = levels[np.argsort(-n_rows, kind="stable")[:MOST_LEVELS]]
    return (codes[:, None] == frequent).astype(np.float32)


def _scaled_sparse(X: Any) -> Any:
    """Return columns in units of their standard deviation; centering would fill the matrix."""
    mean = np.asarray(X.mean(axis=0)).ravel()
    variance = np.asarray(X.multiply(X).mean(axis=0)).ravel() - mean**2
    scale = np.sqrt(np.maximum(variance, 0.0))
    return sp.csr_matrix(X @ sp.diags(1.0 / np.where(scale > 0, scale, 1.0)))
