"""Neighbors by the leaves that rows share in forests of other libraries."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..._typing import FloatArray, IntArray
from .common import MIN_SAMPLES_SPLIT, nearest_by_leaf, need, ties_by_seed


@ties_by_seed
def shi_cutler(X: FloatArray, k: int, *, n_estimators: int = 500, **settings: Any) -> IntArray:
    """Rank rows by shared leaves of Shi and Cutler's unsupervised forest (scikit-learn).

    The forest learns to tell the rows from copies with permuted columns. Proximity is over all
    trees, for all pairs of real rows.
    """
    from sklearn.ensemble import RandomForestClassifier

    rng = np.random.default_rng(settings["random_state"])
    copies = rng.permuted(X, axis=0)
    both = np.vstack([X, copies])
    is_real = np.repeat([1, 0], len(X))
    forest = RandomForestClassifier(n_estimators, **settings).fit(both, is_real)
    return nearest_by_leaf(forest.apply(X), k)


@ties_by_seed
def totally_random_trees(
    X: FloatArray, k: int, *, n_estimators: int = 500, **settings: Any
) -> IntArray:
    """Rank rows by shared leaves of trees that cut random columns at random (scikit-learn).

    The control that the paper lacks: a score above this one is due to the splitting criterion.
    """
    from sklearn.ensemble import RandomTreesEmbedding

    settings |= {"max_depth": None, "min_samples_split": MIN_SAMPLES_SPLIT}
    forest = RandomTreesEmbedding(n_estimators, **settings).fit(X)
    return nearest_by_leaf(forest.apply(X), k)


def random_directions(X: FloatArray, rng: np.random.Generator) -> Iterator[FloatArray]:
    """Yield projections on random directions; drawing 32 at a time is 20 times faster."""
    n_columns = X.shape[1]
    while True:
        directions = rng.normal(size=(n_columns, 32))
        yield from (X @ directions).T


def random_projection_leaves(X: FloatArray, leaf_size: int, rng: np.random.Generator) -> IntArray:
    """Return the leaf of each row in one random projection tree (Dasgupta and Freund).

    Each node is cut along a random direction at a random quantile between 1/4 and 3/4.
    """
    leaves = np.empty(len(X), dtype=np.intp)
    nodes = [np.arange(len(X))]
    n_leaves = 0
    directions = random_directions(X, rng)
    while nodes:
        rows = nodes.pop()
        if len(rows) <= leaf_size:
            leaves[rows] = n_leaves
            n_leaves += 1
            continue
        projection = next(directions)[rows]
        order = rows[np.argsort(projection, kind="stable")]
        cut = int(len(rows) * rng.uniform(0.25, 0.75))
        nodes += [order[:cut], order[cut:]]
    return leaves


@ties_by_seed
def random_projection_forest(
    X: FloatArray,
    k: int,
    *,
    random_state: int,
    n_jobs: int | None,
    n_estimators: int = 100,
) -> IntArray:
    """Rank rows by shared leaves of many random projection trees with random splits."""
    rng = np.random.default_rng(random_state)
    trees = [random_projection_leaves(X, MIN_SAMPLES_SPLIT, rng) for _ in range(n_estimators)]
    return nearest_by_leaf(np.column_stack(trees), k)


def random_projection_tree(X: FloatArray, k: int, **settings: Any) -> IntArray:
    """Rank rows by one random projection tree with random splits (Dasgupta and Freund)."""
    return random_projection_forest(X, k, n_estimators=1, **settings)


@ties_by_seed
def treeple(X: FloatArray, k: int, *, n_estimators: int = 300, **settings: Any) -> IntArray:
    """Rank rows by shared leaves of treeple's version of the paper's forest, where it is installed.

    treeple 0.10.3 cannot be imported with scikit-learn 1.8 and newer.
    """
    forest = need("treeple").UnsupervisedObliqueRandomForest(
        n_estimators,
        criterion="fastbic",
        min_samples_split=MIN_SAMPLES_SPLIT,
        **settings,
    )
    return nearest_by_leaf(forest.fit(X).apply(X), k)
