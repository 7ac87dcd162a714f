"""One method in one case of the arena, in every way in which it may be used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
from sklearn.preprocessing import scale

from urerf.datasets import Manifold

from ..._typing import FloatArray, IntArray
from ..methods import METHODS
from ..methods.common import Neighbors
from ..methods.distances import euclidean, isomap, pca
from ..methods.ours import fit_urerf
from ..selectors import Told, best_columns
from ..trial import Row, Trial, score_neighbors

# Isomap's default, and what is best on the simulations of the paper.
GRAPH_SIZES = (5, 15)
COMPONENTS = (2, 10, 50)
ISOMAPS: Mapping[str, Neighbors] = {
    f"Isomap of {size}": partial(isomap, n_neighbors=size) for size in GRAPH_SIZES
}
# What follows a selector of columns.
FOLLOWERS: Mapping[str, Neighbors] = {"Euclidean": euclidean, **ISOMAPS}
PCA_SIZES: Mapping[str, Neighbors] = {
    f"{size} components": partial(pca, n_components=size) for size in COMPONENTS
}
# Methods that are used in several ways; all others in one.
WAYS: Mapping[str, Mapping[str, Neighbors]] = {
    "euclidean": {"Euclidean": euclidean},
    "isomap": ISOMAPS,
    "pca": PCA_SIZES,
}
# Methods whose neighbors do not depend on the units of the columns, or that choose the units.
FREE_OF_UNITS = (
    "urerf",
    "urerf_paper",
    "urerf_depth",
    "treeple",
    "shi_cutler",
    "totally_random_trees",
)
# Selectors that look for clusters are told their number; on a curve or surface it is that of
# MCFS's own code.
CLUSTERS_OF_A_MANIFOLD = 5


@dataclass(frozen=True)
class ArenaTrial(Trial):
    """A trial with one row per way in which a method may be used.

    Parameters
    ----------
    only_true : bool
        Whether the method sees only the true columns, which shows what relevance could gain.
    """

    only_true: bool = False

    def score(self, n_jobs: int) -> list[Row]:
        """Return one row per use and number of neighbors."""
        manifold, X = self.make()
        told = told_about(manifold)
        if self.only_true:
            X = X[:, : told.n_columns]
        rows = []
        for use, indices, columns in self.uses(X, told, n_jobs):
            n_true = int(np.sum(columns < told.n_columns))
            chosen = {
                "use": use,
                "columns": told.n_columns,
                "true_columns": n_true,
                "other_columns": len(columns) - n_true,
            }
            rows += [row | chosen for row in score_neighbors(self, manifold, indices)]
        return rows

    def uses(
        self, X: FloatArray, told: Told, n_jobs: int
    ) -> Iterator[tuple[str, IntArray, IntArray]]:
        """Yield each way to use the method, the neighbors, and the columns it used."""
        if self.method == "urerf":
            yield self.use_ours(X, n_jobs)
            return
        method = METHODS[self.method]
        columns = np.arange(X.shape[1])
        if method.select is None:
            ways = WAYS.get(self.method, {"": method.neighbors or euclidean})
        else:
            scores = method.select(X, told, random_state=self.seed)
            columns = best_columns(scores, told.n_columns)
            ways = FOLLOWERS
        units = {"": X[:, columns]}
        if self.method not in FREE_OF_UNITS:
            units["standardized"] = scale(X[:, columns])
        for unit, table in units.items():
            for name, find in ways.items():
                use = ", ".join(filter(None, (name, unit)))
                indices = find(table, max(self.ks), **self.options(n_jobs))
                yield use, indices, columns

    def use_ours(self, X: FloatArray, n_jobs: int) -> tuple[str, IntArray, IntArray]:
        """Fit our forest, and return the columns in which it found structure, all if in none."""
        model = fit_urerf(X, paper=False, **self.options(n_jobs))
        _, indices = model.kneighbors(n_neighbors=max(self.ks))
        columns = np.flatnonzero(model.feature_relevance_)
        if len(columns) == 0:
            columns = np.arange(X.shape[1])
        return "", indices, columns


def told_about(manifold: Manifold) -> Told:
    """Return what selectors are told about a table."""
    n_clusters = CLUSTERS_OF_A_MANIFOLD
    if manifold.labels is not None:
        n_clusters = len(np.unique(manifold.labels))
    return Told(manifold.X.shape[1], n_clusters)
