"""What selectors are told, and the columns that they keep."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..._typing import FloatArray, IntArray

Selector = Callable[..., FloatArray]


class Told(NamedTuple):
    """What a selector is told about a table, and a user would not know.

    Parameters
    ----------
    n_columns : int
        Number of true columns.
    n_clusters : int
        Number of clusters, for the selectors that look for clusters.
    """

    n_columns: int
    n_clusters: int


def best_columns(scores: FloatArray, n_columns: int) -> IntArray:
    """Return the columns with the highest scores, in the order of the table.

    Examples
    --------
    >>> best_columns(np.array([0.2, 0.9, 0.1, 0.5]), 2)
    array([1, 3])
    """
    best_first = np.argsort(-scores, kind="stable")
    return np.sort(best_first[:n_columns])


def sample_rows(X: FloatArray, n_rows: int, random_state: int) -> FloatArray:
    """Return at most `n_rows` rows, drawn without replacement."""
    if len(X) <= n_rows:
        return X
    rng = np.random.default_rng(random_state)
    return rng.choice(X, n_rows, replace=False)


def best_partner(dependence: FloatArray) -> FloatArray:
    """Return the largest dependence of each column on another one.

    Examples
    --------
    >>> best_partner(np.array([[1.0, 0.3, 0.2], [0.3, 1.0, 0.1], [0.2, 0.1, 1.0]]))
    array([0.3, 0.3, 0.2])
    """
    others = dependence.copy()
    np.fill_diagonal(others, -np.inf)
    return others.max(axis=1)
