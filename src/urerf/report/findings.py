"""What a report shows: neighbors, Euclidean neighbors to compare with, a layout, components."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from sklearn.neighbors import NearestNeighbors

from urerf.embedding import layout
from urerf.graph import to_csr

from .structure import evidence_of

if TYPE_CHECKING:
    from urerf import URerF
    from urerf.files import FileData
    from urerf.relevance import Relevance

# Multiplications (rows x rows x columns) up to which Euclidean neighbors are computed for
# comparison: about a minute. For larger tables the comparison would take longer than the forest.
MOST_PRODUCTS = 1e12
# Values of the table that are stored in the page: 10 MB as float32. It bounds the size of the file.
MOST_VALUES = 2_500_000


@dataclass(frozen=True, eq=False)
class Findings:
    """Everything the page shows.

    Attributes
    ----------
    data, model : FileData, URerF
        What was read and fitted.
    distances, neighbors : ndarray of shape (rows, k)
        Neighbors of every row according to the forest.
    euclidean : ndarray of shape (rows, k) or None
        Neighbors by Euclidean distance between standardized columns; None for a large table.
    points : ndarray of shape (rows, 2)
        Layout of the neighbor graph.
    component : ndarray of shape (rows,)
        Connected component of the neighbor graph that each row belongs to.
    component_sizes : ndarray
        Number of rows in each component, largest first.
    """

    data: FileData
    model: URerF
    distances: np.ndarray
    neighbors: np.ndarray
    euclidean: np.ndarray | None
    points: np.ndarray
    component: np.ndarray
    component_sizes: np.ndarray

    @property
    def evidence(self) -> Relevance | None:
        """Evidence for the relevance of columns; None if all columns are used equally."""
        return evidence_of(self.model)

    @cached_property
    def ranked(self) -> np.ndarray:
        """Columns that are features, from the most relevant to the least."""
        is_feature = np.array(self.data.frame.schema.is_feature)
        if self.evidence is None:
            return np.flatnonzero(is_feature)
        order = self.evidence.ranking
        return order[is_feature[order]]

    @cached_property
    def structured(self) -> np.ndarray:
        """Which columns are known to carry structure."""
        if self.evidence is None:
            return np.zeros(self.model.n_features_in_, dtype=bool)
        return self.evidence.structured

    @property
    def shown(self) -> np.ndarray:
        """Columns whose values are stored in the page: the most relevant ones."""
        n_columns = max(1, MOST_VALUES // len(self.points))
        return self.ranked[:n_columns]

    @cached_property
    def shared(self) -> float | None:
        """Share of the forest's neighbors that are also Euclidean neighbors."""
        if self.euclidean is None:
            return None
        pairs = zip(self.neighbors, self.euclidean)
        n_shared = sum(len(np.intersect1d(ours, theirs)) for ours, theirs in pairs)
        return n_shared / self.neighbors.size


def find(data: FileData, model: URerF, k: int, *, step: Callable[[str], None]) -> Findings:
    """Compute what the report shows; ``step`` is called with what is being done."""
    step(f"finding {k} neighbors of every row")
    distances, neighbors = model.kneighbors(n_neighbors=k)
    step("finding Euclidean neighbors for comparison")
    features = np.flatnonzero(data.frame.schema.is_feature)
    euclidean = euclidean_neighbors(data.frame.values[:, features], k)
    step("laying out the graph")
    points = layout(distances, neighbors, int(model.random_state))
    component, sizes = components(neighbors)
    return Findings(data, model, distances, neighbors, euclidean, points, component, sizes)


def euclidean_neighbors(X: Any, k: int) -> np.ndarray | None:
    """Return the k nearest other rows by standardized columns; missing values are at the mean."""
    n, p = X.shape
    if float(n) * n * p > MOST_PRODUCTS:
        return None
    search = NearestNeighbors(n_neighbors=k, algorithm="brute").fit(_standardized(X))
    return search.kneighbors(return_distance=False)


def _standardized(X: Any) -> Any:
    """Return columns in units of their standard deviation; sparse ones are not centered."""
    if sp.issparse(X):
        mean = X.mean(axis=0).A1
        variance = X.multiply(X).mean(axis=0).A1 - mean**2
        scale = np.sqrt(np.maximum(variance, 0.0))
        return X @ sp.diags(1.0 / np.where(scale > 0, scale, 1.0))
    scale = np.nanstd(X, axis=0)
    center = np.nanmean(X, axis=0)
    units = (X - center) / np.where(scale > 0, scale, 1.0)
    return np.nan_to_num(units, nan=0.0).astype(np.float32)


def components(neighbors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the connected component of every row, numbered from the largest, and their sizes.

    >>> component, sizes = components(np.array([[1], [0], [3], [4], [2]]))
    >>> component, sizes
    (array([1, 1, 0, 0, 0]), array([3, 2]))
    """
    lengths = np.ones(neighbors.shape)
    graph = to_csr(lengths, neighbors, len(neighbors))
    _, label = connected_components(graph, directed=False)
    sizes = np.bincount(label)
    order = np.argsort(-sizes, kind="stable")
    rank = np.argsort(order)
    return rank[label], sizes[order]
