"""Clusters by the Leiden algorithm, for those who install leidenalg, whose license is the GPL."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

import numpy as np

from ._checks import check_choice
from ._typing import Array
from .clusters import may_have_clusters, numbered_by_size
from .graph import symmetrize

if TYPE_CHECKING:
    from .estimator import URerF

METHODS = ("hdbscan", "leiden")


def check_method(method: str) -> None:
    """Refuse a method that is unknown or not installed."""
    check_choice("method", method, METHODS)
    packages = ("leidenalg", "igraph")
    if method == "leiden" and not all(map(find_spec, packages)):
        raise ImportError(
            "leiden: needs leidenalg and igraph, which are licensed under the GPL; install them "
            "with 'pip install leidenalg igraph'"
        )


def leiden(
    model: URerF,
    *,
    resolution: float = 1.0,
    n_neighbors: int | None = None,
    random_state: int = 0,
) -> Array:
    """Assign every fitted row to a cluster by the Leiden algorithm, as is usual for cells.

    Unlike HDBSCAN, it assigns every row, and the number of clusters depends on ``resolution``.

    Parameters
    ----------
    model : URerF
        A fitted model.
    resolution : float, default=1.0
        Larger values give more clusters.
    n_neighbors : int, optional
        Neighbors of every row in the graph; None for the model's own ``n_neighbors``.
    random_state : int, default=0
        Seed of the algorithm.

    Returns
    -------
    ndarray of int of shape (rows,)
        The cluster of every row, numbered from the largest cluster; -1 everywhere if the model
        found no structure in the table.
    """
    check_method("leiden")
    import igraph  # optional
    import leidenalg

    if not may_have_clusters(model):
        return np.full(model.n_samples_fit_, -1)
    graph = model.kneighbors_graph(n_neighbors=n_neighbors)
    edges = symmetrize(graph).tocoo()
    once = edges.row < edges.col
    starts = edges.row[once]
    ends = edges.col[once]
    pairs = np.column_stack([starts, ends])
    network = igraph.Graph(n=model.n_samples_fit_, edges=pairs.tolist())
    partition = leidenalg.find_partition(
        network,
        leidenalg.RBConfigurationVertexPartition,
        weights=1.0 - edges.data[once],
        resolution_parameter=resolution,
        seed=random_state,
    )
    return numbered_by_size(np.array(partition.membership))
