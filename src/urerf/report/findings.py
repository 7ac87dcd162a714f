"""What a report shows: neighbors, a map, clusters, labels, and Euclidean neighbors beside them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse.csgraph import connected_components

from urerf._messages import count
from urerf.clusters import cluster_graph, numbered_by_size
from urerf.embedding import layout
from urerf.graph import to_csr
from urerf.schema import CATEGORY
from urerf.stability import Stability, shared_neighbors, stability_if_quick

from .._typing import Array
from .euclidean import Euclidean, euclidean_neighbors
from .labels import LabelAgreement, label_agreement
from .markers import Cluster, describe_clusters
from .packing import packed
from .profile import Profile, profile
from .stored import StoredColumn, stored_columns
from .structure import evidence_of, n_structured, ranked_features, structure_summary

if TYPE_CHECKING:
    from urerf import URerF
    from urerf.files import FileData
    from urerf.relevance import Relevance


@dataclass(frozen=True, eq=False, repr=False)
class Findings:
    """Everything the page shows.

    Attributes
    ----------
    data, model : FileData, URerF
        What was read and fitted.
    label : str
        What the labels are called: the name of their column.
    label_was_fitted : bool
        Whether that column was used to find neighbors, so that sharing it says nothing.
    distances, neighbors : ndarray of shape (rows, k)
        Neighbors of every row according to the forest.
    nearest : Euclidean
        Neighbors of all rows, or of a sample, by Euclidean distance.
    points : ndarray of shape (rows, 2)
        Layout of the neighbor graph.
    component : ndarray of shape (rows,)
        Connected component of the neighbor graph that each row belongs to.
    component_sizes : ndarray
        Number of rows in each component, largest first.
    cluster : ndarray of shape (rows,)
        Cluster of each row; -1 for none.
    """

    data: FileData
    model: URerF
    label: str
    distances: Array
    neighbors: Array
    nearest: Euclidean
    points: Array
    component: Array
    component_sizes: Array
    cluster: Array
    label_was_fitted: bool = False

    def __repr__(self) -> str:
        """Return one line: notebooks show what `write_report` returns."""
        rows = count(len(self.neighbors), "row")
        return f"Findings({rows}; {structure_summary(self.model)})"

    @property
    def evidence(self) -> Relevance | None:
        """Evidence for the relevance of columns; None if all columns are used equally."""
        return evidence_of(self.model)

    @property
    def has_structure(self) -> bool:
        """Whether there is something to show: structure was found, or was not asked for."""
        return self.evidence is None or bool(self.structured.any())

    @cached_property
    def ranked(self) -> Array:
        """Columns that are features, from the most relevant to the least."""
        return ranked_features(self.model, self.data.frame.schema)

    @cached_property
    def structured(self) -> Array:
        """Which columns are known to carry structure."""
        if self.evidence is None:
            return np.zeros(self.model.n_features_in_, dtype=bool)
        return self.evidence.structured

    @cached_property
    def stored(self) -> list[StoredColumn]:
        """Columns whose values are stored in the page: the most relevant ones."""
        return stored_columns(self.data.frame, self.ranked)

    @property
    def euclidean(self) -> Array | None:
        """Euclidean neighbors of all rows; None for a large table."""
        if len(self.nearest.rows) < len(self.points):
            return None
        return self.nearest.neighbors

    @cached_property
    def shared(self) -> float:
        """Share of the forest's neighbors that are also Euclidean neighbors."""
        ours = self.neighbors[self.nearest.rows]
        shares = shared_neighbors(ours, self.nearest.neighbors, len(self.neighbors))
        return float(shares.mean())

    @cached_property
    def labels(self) -> LabelAgreement | None:
        """How often neighbors share the label; None without labels to compare with."""
        if self.data.labels is None or self.label_was_fitted:
            return None
        return label_agreement(self.data.labels, self.label, self.neighbors, self.nearest)

    @cached_property
    def stability(self) -> Stability | None:
        """How repeatable the neighbors are; None for a table too small or too large."""
        return stability_if_quick(self.model, self.neighbors.shape[1])

    @cached_property
    def clusters(self) -> list[Cluster]:
        """The clusters and the columns that mark them."""
        return describe_clusters(self.data.frame, self.model, self.cluster)

    @cached_property
    def profile(self) -> Profile:
        """What is in the table."""
        label = self.label if self.data.labels is not None else None
        return profile(self.data, self.ranked, label)


def find(
    data: FileData,
    model: URerF,
    k: int,
    *,
    step: Callable[[str], None],
    label: str | None = None,
    label_was_fitted: bool = False,
) -> Findings:
    """Compute what the report shows; ``step`` is called with what is being done."""
    step(f"finding {k} neighbors of every row")
    distances, neighbors = model.kneighbors(n_neighbors=k)
    step("finding Euclidean neighbors for comparison")
    schema = data.frame.schema
    features = np.flatnonzero(schema.is_feature)
    is_category = np.array(schema.kinds)[features] == CATEGORY
    nearest = euclidean_neighbors(data.frame.values[:, features], k, is_category)
    step("laying out the graph")
    component, sizes = components(neighbors)
    points = packed(layout(distances, neighbors, _seed(model)))
    step("looking for clusters")
    cluster = np.full(len(neighbors), -1)
    if n_structured(model) != 0:
        cluster = cluster_graph(distances, neighbors)
    return Findings(
        data=data,
        model=model,
        label=label or "label",
        distances=distances,
        neighbors=neighbors,
        nearest=nearest,
        points=points,
        component=component,
        component_sizes=sizes,
        cluster=cluster,
        label_was_fitted=label_was_fitted,
    )


def _seed(model: URerF) -> int:
    """Return the seed of the layout: that of the model, if it is a number."""
    seed = model.random_state
    return int(seed) if isinstance(seed, (int, np.integer)) else 0


def components(neighbors: Array) -> tuple[Array, Array]:
    """Return the connected component of every row, numbered from the largest, and their sizes.

    >>> component, sizes = components(np.array([[1], [0], [3], [4], [2]]))
    >>> component, sizes
    (array([1, 1, 0, 0, 0]), array([3, 2]))
    """
    lengths = np.ones(neighbors.shape)
    graph = to_csr(lengths, neighbors, len(neighbors))
    _, label = connected_components(graph, directed=False)
    component = numbered_by_size(label)
    return component, np.bincount(component)
