"""Whether what a file holds is a valid model.

Everything is checked before it is used, so that no kernel can be led astray by a file: first the
header, then the types and shapes of the arrays, then every number that is used as an index.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np

from ._typing import Array
from .columns import Columns
from .fitted import Fitted
from .forest import Forest
from .relevance import Relevance
from .relevance.record import TESTS, Why
from .tree_settings import subtree_ends

# Columns of a table: answers have a value for each, even where the file has none.
MOST_FEATURES = 10_000_000


def require(condition: Any, what: str) -> None:
    """Raise a ValueError that says what is wrong unless a condition holds, in all entries."""
    if not np.all(condition):
        raise ValueError(f"{what} is wrong")


def _require_int(value: Any, low: int, high: int, what: str) -> None:
    require(type(value) is int and low <= value <= high, what)


def _require_keys(value: Any, keys: set[str], what: str) -> None:
    require(isinstance(value, dict) and set(value) == keys, what)


def _require_list(values: Any, kinds: tuple[type, ...], what: str) -> None:
    """Require a list whose entries are all of the same type, one of ``kinds``."""
    require(isinstance(values, list), what)
    types = {type(value) for value in values}
    require(len(types) <= 1 and types <= set(kinds), what)


def _require_names(names: Any, kinds: tuple[type, ...], count: int, what: str) -> None:
    """Require so many names, each of the same type; None stands for no names."""
    if names is not None:
        _require_list(names, kinds, what)
        require(len(names) == count, f"number of {what}")


def check_header(header: dict[str, Any]) -> None:
    """Check the types of all that the header holds, except for the schema."""
    require(isinstance(header["parameters"], dict), "parameters")
    _require_int(header["seed"], 0, 2**31 - 1, "seed")
    n_features = header["n_features_in"]
    _require_int(n_features, 1, MOST_FEATURES, "number of columns")
    forest = header["forest"]
    _require_keys(forest, {"n_fitted", "max_samples", "bootstrap"}, "forest")
    require(type(forest["bootstrap"]) is bool, "bootstrap")
    _require_int(forest["n_fitted"], 2, 2**31 - 1, "number of rows")
    _require_int(forest["max_samples"], 2, forest["n_fitted"], "number of rows per tree")
    _require_names(header["feature_names_in"], (str,), n_features, "feature names")
    row_names = header.get("row_names")  # absent in files of the first development versions
    _require_names(row_names, (int, str), forest["n_fitted"], "row names")
    evidence = header["relevance"]
    if evidence is not None:
        _require_keys(evidence, {"verdict", "message", "n_rows", "notices"}, "relevance")
        require(type(evidence["verdict"]) is str, "verdict")
        require(type(evidence["message"]) is str, "message")
        require(type(evidence["n_rows"]) is int, "number of rows examined")
        _require_list(evidence["notices"], (str,), "notices")


def check_fitted(fitted: Fitted) -> None:
    """Check every number that is used as an index; the arrays have the right types."""
    n_trees, n_rows = fitted.leaves.shape
    n_columns = len(fitted.columns.chosen)
    require(n_trees > 0 and n_columns > 0, "sizes")
    require(fitted.forest.n_trees == n_trees, "sizes")
    require(fitted.forest.n_fitted == n_rows, "number of fitted rows")
    require(len(fitted.fingerprints) == n_rows, "number of fingerprints")
    require(fitted.matrix.shape == (n_columns, n_rows), "matrix")
    require(~np.isinf(fitted.matrix), "matrix")
    _check_columns(fitted.columns, fitted.n_features_in)
    if fitted.relevance is not None:
        _check_relevance(fitted.relevance, fitted.n_features_in)
    _check_forest(fitted.forest, n_columns, fitted.leaves)


def _check_columns(columns: Columns, n_features: int) -> None:
    """Check which columns are used and how they are measured."""
    for field in fields(columns):
        array = getattr(columns, field.name)
        require(len(array) == len(columns.chosen), field.name)
    _require_indices(columns.chosen, n_features, "columns")
    require(np.diff(columns.chosen) > 0, "order of columns")
    require(~np.isinf(columns.donors), "donors")
    for name in ("center", "unit", "width", "level_width"):
        require(np.isfinite(getattr(columns, name)), name)
    for name in ("unit", "width", "feature_weights"):
        require(getattr(columns, name) > 0, name)
    require(columns.feature_weights <= 1, "feature_weights")
    require(columns.n_levels >= 0, "number of levels")
    is_category = columns.n_levels > 0
    require((columns.level_width > 0) == is_category, "widths of levels")


def _check_relevance(evidence: Relevance, n_features: int) -> None:
    """Check the evidence for the relevance of the columns."""
    for field in fields(evidence):
        values = getattr(evidence, field.name)
        if isinstance(values, np.ndarray) and field.name != "pairs":
            require(len(values) == n_features, field.name)
    for name in ("strength", "p_value", "weight"):
        share = getattr(evidence, name)
        require((share >= 0) & (share <= 1), name)
    limits = {
        "partner": (-1, n_features),  # -1 for none
        "group": (-1, n_features),
        "pairs": (0, n_features),
        "test_code": (0, len(TESTS)),
        "why": (0, len(Why)),
    }
    for name, (first, stop) in limits.items():
        _require_indices(getattr(evidence, name), stop, name, first)
    require(evidence.pairs.shape[1] == 2, "pairs")


def _require_indices(array: Array, stop: Any, what: str, first: int = 0) -> None:
    """Require that all entries are from ``first`` to ``stop`` - 1."""
    require((array >= first) & (array < stop), what)


def _check_forest(forest: Forest, n_columns: int, leaves: Array) -> None:
    """Check that every tree is a binary tree in preorder, and the leaves of the fitted rows.

    All trees are checked at once: a loop would make a file with a million small trees expensive.
    """
    totals = {
        "node_start": len(forest.child),
        "direction_start": len(forest.begin) - forest.n_trees,
        "nonzero_start": len(forest.columns),
    }
    for name, total in totals.items():
        start = getattr(forest, name)
        require(len(start) == forest.n_trees + 1, name)
        require(start[0] == 0 and start[-1] == total, name)
        require(start[1:] >= start[:-1], name)
    for name in ("cut", "size", "direction"):
        per_node = getattr(forest, name)
        require(len(per_node) == len(forest.child), name)
    require(len(forest.coefficients) == len(forest.columns), "coefficients")
    _require_indices(forest.columns, n_columns, "columns of a projection")
    root = forest.node_start[:-1]
    n_nodes = np.diff(forest.node_start)
    require(n_nodes > 0, "number of nodes of a tree")
    is_leaf = forest.child < 0
    n_leaves = np.add.reduceat(is_leaf, root, dtype=np.int64)
    require(2 * n_leaves == n_nodes + 1, "number of nodes of a tree")
    _require_indices(leaves, n_leaves[:, None], "leaf of a row", first=-1)
    tree = np.repeat(np.arange(forest.n_trees), n_nodes)
    _check_leaf_numbers(forest.child[is_leaf], n_leaves)
    _check_children(forest, is_leaf, tree)
    _check_directions(forest, is_leaf, tree)


def _check_leaf_numbers(child: Array, n_leaves: Array) -> None:
    """Check that the leaves of every tree are numbered from the left: leaf i has the child -1 - i.

    ``child`` has the leaves of all trees.
    """
    leaves_of_earlier_trees = np.cumsum(n_leaves) - n_leaves
    number = np.arange(len(child)) - np.repeat(leaves_of_earlier_trees, n_leaves)
    require(child == -1 - number, "numbering of leaves of a tree")


def _check_children(forest: Forest, is_leaf: Array, tree: Array) -> None:
    """Check the children of inner nodes, and that a node has as many rows as both together.

    The left child follows its parent, the right one what is below the left one. ``tree`` is the
    tree of each node.
    """
    root = forest.node_start[:-1]
    inner = np.flatnonzero(~is_leaf)
    left = inner + 1
    right = subtree_ends(is_leaf, left)
    _require_indices(right, len(is_leaf), "order of nodes", first=1)
    require(tree[right] == tree[inner], "child of a node")
    stated = forest.child[inner] + root[tree[inner]]
    require(stated == right, "child of a node")
    size = forest.size.astype(np.int64)
    require(size >= 0, "size of a node")
    require(size[root] == forest.max_samples, "size of a node")
    require(size[inner] == size[left] + size[right], "sizes of a tree")


def _check_directions(forest: Forest, is_leaf: Array, tree: Array) -> None:
    """Check the projections: direction d of tree t is begin[start[t] + t + d] and the next."""
    require(forest.direction[is_leaf] == -1, "direction of a leaf")
    used = forest.direction[~is_leaf]
    n_directions = np.diff(forest.direction_start)
    available = n_directions[tree[~is_leaf]]
    require((used >= 0) & (used < available), "direction of a node")
    numbers = np.arange(forest.n_trees)
    first = forest.direction_start[:-1] + numbers
    last = forest.direction_start[1:] + numbers
    require(forest.begin[first] == 0, "projections")
    n_nonzeros = np.diff(forest.nonzero_start)
    require(forest.begin[last] == n_nonzeros, "projections")
    ascends = forest.begin[1:] > forest.begin[:-1]
    ascends[last[:-1]] = True  # from one tree to the next
    require(ascends, "projections")
