"""Whether what a file holds is a valid model.

Everything is checked before it is used, so that no kernel can be led astray by a file.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np

from .columns import Columns
from .fitted import Fitted
from .forest import Forest
from .relevance import Relevance
from .relevance.record import TESTS, Why
from .schema import Schema
from .tree_settings import subtree_ends

# Columns of a table: answers have a value for each, even where the file has none.
MOST_FEATURES = 10_000_000


def require(condition: Any, what: str) -> None:
    """Raise a ValueError that says what is wrong unless a condition holds, in all entries."""
    if not np.all(condition):
        raise ValueError(f"{what} is wrong")


def _require_indices(
    array: np.ndarray,
    stop: int,
    what: str,
    first: int = 0,
) -> None:
    """Require that all entries are from ``first`` to ``stop`` - 1."""
    require((array >= first) & (array < stop), what)


def check_header(header: dict[str, Any]) -> None:
    """Check the types of what the header holds, other than the relevance of the columns."""
    require(isinstance(header["parameters"], dict), "parameters")
    seed = header["seed"]
    require(type(seed) is int and 0 <= seed < 2**31, "seed")
    n_features = header["n_features_in"]
    require(type(n_features) is int, "number of columns")
    require(0 < n_features <= MOST_FEATURES, "number of columns")
    _check_sampling(header["forest"])
    _check_names(header["feature_names_in"], n_features)
    row_names = header.get("row_names")  # absent in files of the first development versions
    _check_row_names(row_names, header["forest"]["n_fitted"])
    if header["schema"] is not None:
        schema = Schema.from_json(header["schema"])
        require(len(schema.columns) == n_features, "schema")


def _check_sampling(forest: Any) -> None:
    """Check how the rows of a forest were drawn."""
    names = {"n_fitted", "max_samples", "bootstrap"}
    require(isinstance(forest, dict) and set(forest) == names, "forest")
    require(type(forest["bootstrap"]) is bool, "bootstrap")
    require(type(forest["n_fitted"]) is int, "number of rows")
    require(type(forest["max_samples"]) is int, "number of rows per tree")
    require(2 <= forest["max_samples"] <= forest["n_fitted"], "number of rows per tree")


def _check_names(names: Any, n_features: int) -> None:
    if names is None:
        return
    require(isinstance(names, list) and len(names) == n_features, "feature names")
    require(all(isinstance(name, str) for name in names), "feature names")


def _check_row_names(names: Any, n_rows: int) -> None:
    if names is None:
        return
    require(isinstance(names, list), "row names")
    require(len(names) == n_rows, "number of row names")
    types = {type(name) for name in names}
    require(types in ({int}, {str}), "row names")


def check_fitted(fitted: Fitted) -> None:
    """Check every number that is used as an index; the arrays have the right types."""
    n_trees, n_rows = fitted.leaves.shape
    n_columns = len(fitted.columns.chosen)
    require(n_trees > 0 and n_columns > 0 and n_rows > 1, "sizes")
    require(fitted.forest.n_trees == n_trees, "sizes")
    require(fitted.forest.n_fitted == n_rows, "number of fitted rows")
    require(len(fitted.fingerprints) == n_rows, "number of fingerprints")
    require(fitted.matrix.shape == (n_columns, n_rows), "matrix")
    require(~np.isinf(fitted.matrix), "matrix")
    _check_columns(fitted.columns, fitted.n_features_in)
    if fitted.relevance is not None:
        _check_relevance(fitted.relevance, fitted.n_features_in)
    _check_lengths(fitted.forest, n_columns)
    n_leaves = _check_trees(fitted.forest)
    require(fitted.leaves >= -1, "leaf of a row")
    require(fitted.leaves < n_leaves[:, None], "leaf of a row")


def _check_columns(columns: Columns, n_features: int) -> None:
    """Check which columns are used and how they are measured."""
    for field in fields(columns):
        array = getattr(columns, field.name)
        require(len(array) == len(columns.chosen), field.name)
    _require_indices(columns.chosen, n_features, "columns")
    require(np.diff(columns.chosen) > 0, "order of columns")
    require(columns.n_levels >= 0, "number of levels")
    is_category = columns.n_levels > 0
    require(np.isfinite(columns.level_width), "widths of levels")
    require((columns.level_width > 0) == is_category, "widths of levels")
    require(~np.isinf(columns.donors), "donors")
    require(np.isfinite(columns.center), "centers")
    for name in ("unit", "width"):
        measure = getattr(columns, name)
        require(np.isfinite(measure), name)
        require(measure > 0, name)
    weights = columns.feature_weights
    require((weights > 0) & (weights <= 1), "feature weights")


def _check_relevance(evidence: Relevance, n_features: int) -> None:
    """Check the evidence for the relevance of the columns."""
    for name in ("verdict", "message"):
        require(type(getattr(evidence, name)) is str, name)
    require(type(evidence.n_rows) is int, "number of rows examined")
    require(type(evidence.notices) is list, "notices")
    require(all(isinstance(notice, str) for notice in evidence.notices), "notices")
    for name in ("strength", "p_value", "weight"):
        array = getattr(evidence, name)
        require(array.shape == (n_features,), name)
        require((array >= 0) & (array <= 1), name)
    limits = {
        "partner": (-1, n_features),  # -1 for none
        "group": (-1, n_features),
        "test_code": (0, len(TESTS)),
        "why": (0, len(Why)),
    }
    for name, (first, stop) in limits.items():
        array = getattr(evidence, name)
        require(array.shape == (n_features,), name)
        _require_indices(array, stop, name, first)
    require(evidence.n_present.shape == (n_features,), "n_present")
    require(evidence.pairs.shape[1] == 2, "pairs")
    _require_indices(evidence.pairs, n_features, "pairs")


def _check_lengths(forest: Forest, n_columns: int) -> None:
    """Check where trees begin, and that all arrays of a kind have the same length."""
    n_trees = forest.n_trees
    n_nodes = len(forest.child)
    totals = {
        "node_start": n_nodes,
        "direction_start": len(forest.begin) - n_trees,
        "nonzero_start": len(forest.columns),
    }
    for name, total in totals.items():
        start = getattr(forest, name)
        require(len(start) == n_trees + 1, name)
        require(start[0] == 0 and start[-1] == total, name)
        require(start[1:] >= start[:-1], name)
    for name in ("cut", "size", "direction"):
        require(len(getattr(forest, name)) == n_nodes, name)
    require(len(forest.coefficients) == len(forest.columns), "coefficients")
    _require_indices(forest.columns, n_columns, "columns of a projection")


def _check_trees(forest: Forest) -> np.ndarray:
    """Check that every tree is a binary tree in preorder; return its number of leaves.

    All trees are checked at once: a loop would make a file with a million small trees expensive.
    """
    root = forest.node_start[:-1]
    n_nodes = np.diff(forest.node_start)
    require(n_nodes > 0, "number of nodes of a tree")
    is_leaf = forest.child < 0
    n_leaves = np.add.reduceat(is_leaf, root, dtype=np.int64)
    require(2 * n_leaves == n_nodes + 1, "number of nodes of a tree")
    tree = np.repeat(np.arange(forest.n_trees), n_nodes)
    _check_leaf_numbers(forest, is_leaf, n_leaves, tree)
    inner = np.flatnonzero(~is_leaf)
    left = inner + 1
    right = _right_children(is_leaf)
    require(tree[right] == tree[inner], "child of a node")
    stated = forest.child[inner] + root[tree[inner]]
    require(stated == right, "child of a node")
    size = forest.size.astype(np.int64)
    require(size >= 0, "size of a node")
    require(size[root] == forest.max_samples, "size of a node")
    require(size[inner] == size[left] + size[right], "sizes of a tree")
    _check_directions(forest, is_leaf, tree)
    return n_leaves


def _check_leaf_numbers(
    forest: Forest,
    is_leaf: np.ndarray,
    n_leaves: np.ndarray,
    tree: np.ndarray,
) -> None:
    """Check that the leaves of every tree are numbered from the left: leaf i has the child -1 - i.

    ``tree`` is the tree of each node.
    """
    leaves_of_earlier_trees = np.cumsum(n_leaves) - n_leaves
    number = np.cumsum(is_leaf) - 1 - leaves_of_earlier_trees[tree]
    expected = -1 - number[is_leaf]
    require(forest.child[is_leaf] == expected, "numbering of leaves of a tree")


def _right_children(is_leaf: np.ndarray) -> np.ndarray:
    """Return the right child of every inner node: it follows what is below the left one."""
    left = np.flatnonzero(~is_leaf) + 1
    right = subtree_ends(is_leaf, left)
    _require_indices(right, len(is_leaf), "order of nodes", first=1)
    return right


def _check_directions(forest: Forest, is_leaf: np.ndarray, tree: np.ndarray) -> None:
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
