"""What a report tells: neighbours, what Euclidean distance would have given, a picture, connected parts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from urerf.embedding import layout
from urerf.graph import to_csr

if TYPE_CHECKING:
    from urerf import URerF
    from urerf.files import Table

MOST_PRODUCTS = (
    1e12  # rows x rows x columns up to which Euclidean neighbours are looked for: a minute or so
)
MOST_VALUES = 2_500_000  # values of the table that go into the page: 10 MB


@dataclass(frozen=True, eq=False)
class Findings:
    """Everything the page shows.

    Attributes
    ----------
    table, model : Table, URerF
        What was read and fitted.
    distances, neighbors : ndarray of shape (rows, k)
        By the forest.
    euclidean : ndarray of shape (rows, k) or None
        Neighbours by Euclidean distance, every column in units of its standard deviation; None for
        a table too large.
    points : ndarray of shape (rows, 2)
        The picture.
    part, sizes : ndarray
        The connected part of the neighbour graph every row is in, and the rows of each, largest
        first.
    ranked : ndarray of int
        Columns from the most relevant to the least.
    """

    table: Table
    model: URerF
    distances: np.ndarray
    neighbors: np.ndarray
    euclidean: np.ndarray | None
    points: np.ndarray
    part: np.ndarray
    sizes: np.ndarray
    ranked: np.ndarray

    @property
    def shown(self) -> np.ndarray:
        """Columns whose values go into the page: the most relevant ones."""
        return self.ranked[: max(1, MOST_VALUES // len(self.points))]

    @cached_property
    def shared(self) -> float | None:
        """Share of the forest's neighbours that are Euclidean neighbours too."""
        if self.euclidean is None:
            return None
        both = [len(np.intersect1d(a, b)) for a, b in zip(self.neighbors, self.euclidean)]
        return float(np.sum(both)) / self.neighbors.size


def find(table: Table, model: URerF, k: int, *, step: Callable[[str], None]) -> Findings:
    """Gather what the report shows; ``step`` is told what is being done."""
    step(f"finding {k} neighbours of every row")
    distances, neighbors = model.kneighbors(n_neighbors=k)
    step("finding the Euclidean neighbours, to compare")
    euclidean = euclidean_neighbors(table.values, k)
    step("laying out the picture")
    points = layout(distances, neighbors, int(model.random_state))
    part, sizes = parts(distances, neighbors)
    return Findings(
        table, model, distances, neighbors, euclidean, points, part, sizes, ranking(model)
    )


def euclidean_neighbors(X: Any, k: int) -> np.ndarray | None:
    """Return the k nearest other rows, every column in units of its standard deviation, missing values at its mean."""
    n, p = X.shape
    if float(n) * n * p > MOST_PRODUCTS:
        return None
    from sklearn.neighbors import NearestNeighbors

    if sp.issparse(X):
        scale = np.sqrt(np.maximum(X.multiply(X).mean(axis=0).A1 - X.mean(axis=0).A1 ** 2, 0.0))
        units = X @ sp.diags(1.0 / np.where(scale > 0, scale, 1.0))
    else:
        scale = np.nanstd(X, axis=0)
        centre = np.nanmean(X, axis=0)
        units = np.nan_to_num((X - centre) / np.where(scale > 0, scale, 1.0), nan=0.0).astype(
            np.float32
        )
    return (
        NearestNeighbors(n_neighbors=k, algorithm="brute")
        .fit(units)
        .kneighbors(return_distance=False)
    )


def parts(distances: np.ndarray, neighbors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the connected part every row is in, numbered from the largest, and the sizes.

    >>> part, sizes = parts(np.ones((3, 1)), np.array([[1], [0], [1]]))
    >>> part, sizes
    (array([0, 0, 0]), array([3]))
    """
    _, found = connected_components(
        to_csr(np.ones_like(distances), neighbors, len(neighbors)), directed=False
    )
    sizes = np.bincount(found)
    order = np.argsort(-sizes, kind="stable")
    return np.argsort(order)[found], sizes[order]


def ranking(model: URerF) -> np.ndarray:
    """Return the columns from the most relevant to the least."""
    if not hasattr(model, "relevance_"):
        return np.arange(model.n_features_in_)
    found = model.relevance_
    return np.lexsort((-found.statistic, found.p_value, -found.relevance))
