"""A fitted URerF as the header and arrays of `urerf.storage`, and back.

Everything that is read is checked before it is used, so that no kernel can be led astray by a file.
"""

from __future__ import annotations

import os
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np

from . import __version__, column_kinds, storage
from .columns import Columns
from .fitted import Fitted
from .forest import Forest
from .parameters import check_parameters
from .relevance import Relevance
from .relevance.examine import unnamed
from .relevance.record import TESTS, Why
from .schema import Schema
from .tree_settings import check_settings, require_equal, subtree_ends

if TYPE_CHECKING:
    from .estimator import URerF

# Columns of a table: answers have a value for each, even where the file has none.
MOST_FEATURES = 10_000_000
_FOREST_NUMBERS = ("n_fitted", "max_samples", "bootstrap")
_FOREST_ARRAYS = {
    "tree_key": "uint64",
    "node_start": "int64",
    "direction_start": "int64",
    "nonzero_start": "int64",
    "child": "int32",
    "cut": "float32",
    "size": "int32",
    "direction": "int32",
    "begin": "int64",
    "columns": "int32",
    "coefficients": "float32",
}
_COLUMN_ARRAYS = {
    "chosen": "int64",
    "center": "float64",
    "unit": "float64",
    "width": "float64",
    "n_levels": "int32",
    "level_width": "float64",
    "feature_weights": "float64",
    "donors": "float32",
}
_ROW_ARRAYS = {"leaves": "int32", "matrix": "float32", "fingerprints": "uint64"}
ARRAYS = {**_FOREST_ARRAYS, **_COLUMN_ARRAYS, **_ROW_ARRAYS}
_TWO_DIMENSIONAL = ("leaves", "matrix", "donors")
_RELEVANCE_ARRAYS = {
    "strength": "float64",
    "p_value": "float64",
    "weight": "float64",
    "partner": "int64",
    "group": "int64",
    "n_present": "int64",
    "test_code": "int64",
    "why": "int64",
}
_RELEVANCE_HEADER = {"verdict": str, "message": str, "n_rows": int, "notices": list}


def save_model(model: URerF, path: str | os.PathLike) -> None:
    """Write a fitted model."""
    fitted = model._fitted
    _check_parameters(model, fitted)
    names = getattr(model, "feature_names_in_", None)
    forest = fitted.forest
    header: dict[str, Any] = {
        "urerf_version": __version__,
        "parameters": _parameters_to_json(model, fitted.seed),
        "n_features_in": fitted.n_features_in,
        "feature_names_in": None if names is None else [str(name) for name in names],
        "row_names": _row_names_to_json(getattr(model, "row_names_", None)),
        "schema": None if fitted.schema is None else fitted.schema.to_json(),
        "seed": fitted.seed,
        "forest": {name: _plain(getattr(forest, name)) for name in _FOREST_NUMBERS},
        "relevance": None,
    }
    arrays = {name: getattr(forest, name) for name in _FOREST_ARRAYS}
    arrays |= {name: getattr(fitted.columns, name) for name in _COLUMN_ARRAYS}
    arrays |= {name: getattr(fitted, name) for name in _ROW_ARRAYS}
    evidence = fitted.relevance
    if evidence is not None:
        header["relevance"] = {name: getattr(evidence, name) for name in _RELEVANCE_HEADER}
        for name in (*_RELEVANCE_ARRAYS, "pairs"):
            arrays[f"relevance_{name}"] = getattr(evidence, name)
    storage.write(path, header, arrays)


def _parameters_to_json(model: URerF, seed: int) -> dict[str, Any]:
    """Return the parameters of a model in a form that lasts."""
    parameters = model.get_params(deep=False)
    if not isinstance(parameters["random_state"], (Integral, type(None))):
        # A generator has no lasting form; its first draw is the seed.
        parameters["random_state"] = seed
    parameters["column_kinds"] = column_kinds.to_json(parameters["column_kinds"])
    parameters["n_jobs"] = None  # belongs to a machine, not to a model
    return {name: _plain(value) for name, value in parameters.items()}


def load_model(cls: type[URerF], path: str | os.PathLike) -> URerF:
    """Read a model; raise ValueError for a file that does not hold a valid one."""
    header, arrays = storage.read(path)
    try:
        _check_header(header)
        _check_arrays(header, arrays)
        fitted = _fitted_from(header, arrays)
        model = cls(**_parameters_from(header["parameters"]))
        _check_parameters(model, fitted)
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, OverflowError) as error:
        raise ValueError(
            f"path: {str(path)!r} does not hold a valid urerf model ({error}); save it again"
        ) from error
    model._fitted = fitted
    model.n_features_in_ = fitted.n_features_in
    if header["feature_names_in"] is not None:
        model.feature_names_in_ = np.array(header["feature_names_in"], dtype=object)
    if header.get("row_names") is not None:
        model.row_names_ = _row_names_from_json(header["row_names"])
    return model


def _row_names_to_json(names: np.ndarray | None) -> list[Any] | None:
    """Return names of rows as numbers, if they are whole numbers, or else as text."""
    if names is None:
        return None
    return names.tolist() if names.dtype.kind in "iu" else [str(name) for name in names]


def _row_names_from_json(names: list[Any]) -> np.ndarray:
    is_number = type(names[0]) is int
    return np.array(names, dtype=np.int64 if is_number else object)


def _parameters_from(stored: dict[str, Any]) -> dict[str, Any]:
    """Return parameters as `URerF` takes them."""
    kinds = column_kinds.from_json(stored["column_kinds"])
    # A file does not decide how many threads the reader's machine starts.
    return {**stored, "column_kinds": kinds, "n_jobs": None}


def _fitted_from(header: dict[str, Any], arrays: dict[str, np.ndarray]) -> Fitted:
    """Put the checked header and arrays together."""
    schema = None if header["schema"] is None else Schema.from_json(header["schema"])
    evidence = None
    if header["relevance"] is not None:
        tests: dict[str, Any] = dict(header["relevance"])
        for name in (*_RELEVANCE_ARRAYS, "pairs"):
            tests[name] = arrays[f"relevance_{name}"]
        evidence = Relevance(**tests, schema=schema or unnamed(header["n_features_in"]))
    forest: dict[str, Any] = dict(header["forest"])
    forest |= {name: arrays[name] for name in _FOREST_ARRAYS}
    return Fitted(
        columns=Columns(**{name: arrays[name] for name in _COLUMN_ARRAYS}),
        forest=Forest(**forest),
        **{name: arrays[name] for name in _ROW_ARRAYS},
        seed=header["seed"],
        n_features_in=header["n_features_in"],
        relevance=evidence,
        schema=schema,
    )


def _check_parameters(model: URerF, fitted: Fitted) -> None:
    """Check all parameters, and that the forest was grown with them."""
    check_parameters(model)
    if not isinstance(model.n_estimators, str):
        require_equal("n_estimators", model.n_estimators, fitted.forest.n_trees)
    check_settings(model, fitted)


def _plain(value: Any) -> Any:
    """Return numbers of any kind (NumPy's, fractions) as Python's."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return float(value)
    return value


def _require(condition: Any, what: str) -> None:
    if not condition:
        raise ValueError(f"{what} is wrong")


def _require_indices(
    array: np.ndarray,
    stop: int,
    what: str,
    first: int = 0,
) -> None:
    """Require that all entries are from ``first`` to ``stop`` - 1."""
    _require(((array >= first) & (array < stop)).all(), what)


def _require_positive(array: np.ndarray, what: str) -> None:
    _require(np.isfinite(array).all() and (array > 0).all(), what)


def _check_header(header: dict[str, Any]) -> None:
    """Check the types of what the header holds."""
    _require(isinstance(header["parameters"], dict), "parameters")
    _require(type(header["seed"]) is int and 0 <= header["seed"] < 2**31, "seed")
    forest = header["forest"]
    _require(isinstance(forest, dict) and set(forest) == set(_FOREST_NUMBERS), "forest")
    _require(type(forest["bootstrap"]) is bool, "bootstrap")
    _require(type(forest["n_fitted"]) is int, "number of rows")
    _require(type(forest["max_samples"]) is int, "number of rows per tree")
    _require(2 <= forest["max_samples"] <= forest["n_fitted"], "number of rows per tree")
    n_features = header["n_features_in"]
    _require(type(n_features) is int, "number of columns")
    _require(0 < n_features <= MOST_FEATURES, "number of columns")
    names = header["feature_names_in"]
    if names is not None:
        _require(isinstance(names, list) and len(names) == n_features, "feature names")
        _require(all(isinstance(name, str) for name in names), "feature names")
    row_names = header.get("row_names")  # absent in files of the first development versions
    if row_names is not None:
        _require(isinstance(row_names, list), "row names")
        _require(len(row_names) == forest["n_fitted"], "number of row names")
        types = {type(name) for name in row_names}
        _require(types in ({int}, {str}), "row names")
    if header["schema"] is not None:
        schema = Schema.from_json(header["schema"])
        _require(len(schema.columns) == n_features, "schema")


def _check_arrays(header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    """Check every number that kernels use as an index."""
    for name, dtype in ARRAYS.items():
        _require(name in arrays, f"the list of arrays (without {name})")
        _require(arrays[name].dtype == dtype, f"type of {name}")
        n_dimensions = 2 if name in _TWO_DIMENSIONAL else 1
        _require(arrays[name].ndim == n_dimensions, f"shape of {name}")
    n_trees = len(arrays["tree_key"])
    n_columns = len(arrays["chosen"])
    n_rows = arrays["leaves"].shape[1]
    _require(n_trees > 0 and n_columns > 0 and n_rows > 1, "sizes")
    _require(len(arrays["leaves"]) == n_trees, "sizes")
    _require(header["forest"]["n_fitted"] == n_rows, "number of fitted rows")
    _require(len(arrays["fingerprints"]) == n_rows, "number of fingerprints")
    _check_columns(arrays, header["n_features_in"], n_columns)
    _require(arrays["matrix"].shape == (n_columns, n_rows), "matrix")
    _require(not np.isinf(arrays["matrix"]).any(), "matrix")
    if header["relevance"] is not None:
        _check_relevance(header["relevance"], arrays, header["n_features_in"])
    _check_forest(arrays, n_trees, n_columns)
    _check_trees(arrays, n_trees, header["forest"]["max_samples"])


def _check_columns(arrays: dict[str, np.ndarray], n_features: int, n_columns: int) -> None:
    """Check which columns are used and how they are measured."""
    for name in _COLUMN_ARRAYS:
        _require(len(arrays[name]) == n_columns, name)
    chosen = arrays["chosen"]
    _require_indices(chosen, n_features, "columns")
    _require((np.diff(chosen) > 0).all(), "order of columns")
    _require((arrays["n_levels"] >= 0).all(), "number of levels")
    width = arrays["level_width"]
    _require(np.isfinite(width).all(), "widths of levels")
    _require(((width > 0) == (arrays["n_levels"] > 0)).all(), "widths of levels")
    _require(not np.isinf(arrays["donors"]).any(), "donors")
    _require(np.isfinite(arrays["center"]).all(), "centers")
    for name in ("unit", "width"):
        _require_positive(arrays[name], name)
    weights = arrays["feature_weights"]
    _require(((weights > 0) & (weights <= 1)).all(), "feature weights")


def _check_relevance(header: Any, arrays: dict[str, np.ndarray], n_features: int) -> None:
    """Check the evidence for the relevance of the columns."""
    _require(isinstance(header, dict) and set(header) == set(_RELEVANCE_HEADER), "relevance")
    for name, kind in _RELEVANCE_HEADER.items():
        _require(type(header[name]) is kind, "relevance")
    _require(all(isinstance(notice, str) for notice in header["notices"]), "relevance")
    for name, dtype in _RELEVANCE_ARRAYS.items():
        array = arrays[f"relevance_{name}"]
        _require(array.dtype == dtype and array.shape == (n_features,), name)
    for name in ("strength", "p_value", "weight"):
        array = arrays[f"relevance_{name}"]
        _require(((array >= 0) & (array <= 1)).all(), name)
    for name in ("partner", "group"):  # -1 for none
        _require_indices(arrays[f"relevance_{name}"], n_features, name, first=-1)
    _require_indices(arrays["relevance_test_code"], len(TESTS), "test_code")
    _require_indices(arrays["relevance_why"], len(Why), "why")
    pairs = arrays["relevance_pairs"]
    _require(pairs.dtype == "int64" and pairs.ndim == 2 and pairs.shape[1] == 2, "pairs")
    _require_indices(pairs, n_features, "pairs")


def _check_forest(arrays: dict[str, np.ndarray], n_trees: int, n_columns: int) -> None:
    """Check where trees begin, and that all arrays of a kind have the same length."""
    n_nodes = len(arrays["child"])
    totals = {
        "node_start": n_nodes,
        "direction_start": len(arrays["begin"]) - n_trees,
        "nonzero_start": len(arrays["columns"]),
    }
    for name, total in totals.items():
        start = arrays[name]
        _require(len(start) == n_trees + 1, name)
        _require(start[0] == 0 and start[-1] == total, name)
        _require((start[1:] >= start[:-1]).all(), name)
    for name in ("cut", "size", "direction"):
        _require(len(arrays[name]) == n_nodes, name)
    columns = arrays["columns"]
    _require(len(arrays["coefficients"]) == len(columns), "coefficients")
    _require_indices(columns, n_columns, "columns of a projection")


def _check_trees(arrays: dict[str, np.ndarray], n_trees: int, max_samples: int) -> None:
    """Check that every tree is a binary tree in preorder, its leaves numbered from the left.

    All trees are checked at once: a loop would make a file with a million small trees expensive.
    """
    child = arrays["child"].astype(np.int64)
    size = arrays["size"].astype(np.int64)
    direction = arrays["direction"]
    first = arrays["node_start"][:-1]
    n_nodes = np.diff(arrays["node_start"])
    _require((n_nodes > 0).all(), "number of nodes of a tree")
    leaf = child < 0
    n_leaves = np.add.reduceat(leaf, first, dtype=np.int64)
    _require((2 * n_leaves == n_nodes + 1).all(), "number of nodes of a tree")
    tree = np.repeat(np.arange(n_trees), n_nodes)
    leaves_before = np.cumsum(n_leaves) - n_leaves
    number = np.cumsum(leaf) - 1 - leaves_before[tree]
    _require((child[leaf] == -1 - number[leaf]).all(), "numbering of leaves of a tree")
    inner = np.flatnonzero(~leaf)
    right = _right_children(leaf)
    _require((tree[right] == tree[inner]).all(), "child of a node")
    _require((child[inner] == right - first[tree[inner]]).all(), "child of a node")
    _require((size >= 0).all() and (size[first] == max_samples).all(), "size of a node")
    _require((size[inner] == size[inner + 1] + size[right]).all(), "sizes of a tree")
    _check_directions(arrays, direction, leaf, tree)
    rows = arrays["leaves"]
    _require((rows >= -1).all() and (rows < n_leaves[:, None]).all(), "leaf of a row")


def _check_directions(
    arrays: dict[str, np.ndarray],
    direction: np.ndarray,
    leaf: np.ndarray,
    tree: np.ndarray,
) -> None:
    """Check the projections: direction d of tree t is begin[start[t] + t + d] and the next."""
    start = arrays["direction_start"]
    n_trees = len(start) - 1
    n_directions = np.diff(start)
    _require((direction[leaf] == -1).all(), "direction of a leaf")
    used = direction[~leaf]
    available = n_directions[tree[~leaf]]
    _require(((used >= 0) & (used < available)).all(), "direction of a node")
    begin = arrays["begin"]
    first = start[:-1] + np.arange(n_trees)
    last = start[1:] + np.arange(n_trees)
    n_nonzeros = np.diff(arrays["nonzero_start"])
    _require((begin[first] == 0).all() and (begin[last] == n_nonzeros).all(), "projections")
    ascends = begin[1:] > begin[:-1]
    ascends[last[:-1]] = True  # from one tree to the next
    _require(ascends.all(), "projections")


def _right_children(leaf: np.ndarray) -> np.ndarray:
    """Return the right child of every inner node: it follows what is below the left one."""
    right = subtree_ends(leaf, np.flatnonzero(~leaf) + 1)
    _require(((right > 0) & (right < len(leaf))).all(), "order of nodes")
    return right
