"""Whether a forest can have been grown with the settings of a model.

A forest does not say how it was grown, but its trees show some of it: a tree that is deeper than
``max_depth``, or a leaf smaller than ``min_samples_leaf``, was grown with other settings. This is
checked when a model is saved or loaded, and before trees are added to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._typing import Array
from .forest import UNLIMITED_DEPTH, Forest, Growth
from .parameters import growth_of

if TYPE_CHECKING:
    from .estimator import URerF
    from .fitted import Fitted
    from .relevance import Relevance


def check_settings(model: URerF, fitted: Fitted) -> None:
    """Raise a ValueError that names a parameter that contradicts what was fitted.

    ``n_estimators`` is not checked: it may ask for more trees.
    """
    check_tested(model, fitted.relevance)
    forest = fitted.forest
    growth = growth_of(model, forest.n_fitted, len(fitted.columns.chosen))
    require_equal("max_samples", growth.max_samples, forest.max_samples)
    require_equal("bootstrap", growth.bootstrap, forest.bootstrap)
    is_leaf = forest.child < 0
    if not is_leaf.all():
        smallest_split = int(forest.size[~is_leaf].min())
        if smallest_split < growth.min_samples_split:
            found = f"has split a node of {smallest_split}"
            raise _contradiction("min_samples_split", growth.min_samples_split, found)
        is_cut_off = is_leaf.copy()
        is_cut_off[forest.node_start[:-1]] = False  # a tree without any cut
        smallest_leaf = int(forest.size[is_cut_off].min())
        if smallest_leaf < growth.min_samples_leaf:
            found = f"has a leaf of {smallest_leaf}"
            raise _contradiction("min_samples_leaf", growth.min_samples_leaf, found)
    if growth.max_depth != UNLIMITED_DEPTH:
        depth = int(node_depths(is_leaf).max())
        if depth > growth.max_depth:
            raise _contradiction("max_depth", growth.max_depth, f"has a tree of depth {depth}")
    _check_coefficients(forest, growth, model.density)


def check_tested(model: URerF, evidence: Relevance | None) -> None:
    """Require that the columns were tested for relevance if the model says so, and only then."""
    was_tested = evidence is not None
    if was_tested != (model.feature_weighting != "uniform"):
        found = "was" if was_tested else "was not"
        raise ValueError(
            f"feature_weighting: is {model.feature_weighting!r}, but the relevance of the columns "
            f"{found} tested; set it back, or fit a new model"
        )


def require_equal(name: str, stated: Any, actual: Any) -> None:
    """Require that the forest was grown with the stated value of a parameter."""
    if stated != actual:
        raise _contradiction(name, stated, f"was grown with {actual}")


def node_depths(is_leaf: Array) -> Array:
    """Return the depths of the nodes of trees in preorder, one tree after the other.

    >>> node_depths(np.array([False, True, False, True, True, True]))  # the last tree is one leaf
    array([0, 1, 1, 2, 2, 0])
    """
    inner = np.flatnonzero(~is_leaf)
    change = np.zeros(len(is_leaf) + 1, np.int64)
    change[inner + 1] = 1
    np.subtract.at(change, subtree_ends(is_leaf, inner), 1)
    return np.cumsum(change[:-1])


def subtree_ends(is_leaf: Array, nodes: Array) -> Array:
    """Return the node after the last one below each of ``nodes``, for trees in preorder.

    Count +1 for a leaf and -1 for an inner node: a subtree ends where the count first exceeds its
    start by one. If it never does, which is not a tree, the result is larger than the number of
    nodes.
    """
    n_nodes = len(is_leaf)
    step = np.where(is_leaf, 1, -1)
    level = np.concatenate([[0], np.cumsum(step)])
    stride = n_nodes + 1
    by_level = np.sort(level * stride + np.arange(stride))
    target = (level[nodes] + 1) * stride
    position = np.searchsorted(by_level, target + nodes)
    beyond = (n_nodes + 2) * stride
    return np.append(by_level, beyond)[position] - target


def _check_coefficients(forest: Forest, growth: Growth, density: Any) -> None:
    """Check the candidates: single columns, sums of columns with signs, or random directions."""
    is_gaussian = np.abs(forest.coefficients) != 1.0
    n_gaussian = np.concatenate([[0], np.cumsum(is_gaussian)])
    has_directions = np.diff(n_gaussian[forest.nonzero_start]) > 0
    if growth.projection == "direction":
        if not has_directions.all():
            raise _contradiction("density", density, "has a tree without random directions")
        return
    n_directions = len(forest.begin) - forest.n_trees
    is_sum = n_directions != len(forest.columns)
    has_signs = bool((forest.coefficients != 1.0).any())
    if growth.projection == "axis" and (is_sum or has_signs):
        raise _contradiction("projection", "axis", "has candidates that combine columns")
    if has_directions.any():
        raise _contradiction("density", density, "has a tree of random directions")


def _contradiction(name: str, stated: Any, found: str) -> ValueError:
    return ValueError(
        f"{name}: is {stated}, but the forest {found}; set it back, or fit a new model"
    )
