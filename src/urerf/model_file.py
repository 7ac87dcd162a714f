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
from .parameters import check_parameters, growth_of
from .relevance import Relevance
from .relevance.examine import unnamed
from .relevance.record import TESTS, Why
from .schema import Schema

if TYPE_CHECKING:
    from .estimator import URerF

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
_RELEVANCE_HEADER = {"verdict": str, "message": str, "n_rows": int}


def save_model(model: URerF, path: str | os.PathLike) -> None:
    """Write a fitted model."""
    fitted = model._fitted
    _check_parameters(model, fitted)
    parameters = model.get_params(deep=False)
    if not isinstance(parameters["random_state"], (Integral, type(None))):
        # A generator has no lasting form; its first draw is the seed.
        parameters["random_state"] = fitted.seed
    parameters["column_kinds"] = column_kinds.to_json(parameters["column_kinds"])
    names = getattr(model, "feature_names_in_", None)
    forest = fitted.forest
    header: dict[str, Any] = {
        "urerf_version": __version__,
        "parameters": {name: _plain(value) for name, value in parameters.items()},
        "n_features_in": fitted.n_features_in,
        "feature_names_in": None if names is None else [str(name) for name in names],
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
    return model


def _parameters_from(stored: dict[str, Any]) -> dict[str, Any]:
    """Return parameters as `URerF` takes them."""
    return {**stored, "column_kinds": column_kinds.from_json(stored["column_kinds"])}


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
    """Check all parameters, including those that depend on the size of the table."""
    check_parameters(model)
    growth_of(model, fitted.n_samples, fitted.n_features_in)


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
    _require(type(n_features) is int and n_features > 0, "number of columns")
    names = header["feature_names_in"]
    if names is not None:
        _require(isinstance(names, list) and len(names) == n_features, "feature names")
        _require(all(isinstance(name, str) for name in names), "feature names")
    if header["schema"] is not None:
        _require(len(Schema.from_json(header["schema"]).columns) == n_features, "schema")


def _check_arrays(header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    """Check every number that kernels use as an index."""
    for name, dtype in ARRAYS.items():
        _require(name in arrays, f"the list of arrays (without {name})")
        _require(arrays[name].dtype == dtype, f"type of {name}")
        _require(arrays[name].ndim == (2 if name in _TWO_DIMENSIONAL else 1), f"shape of {name}")
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
    for t in range(n_trees):
        _check_tree(arrays, t, header["forest"]["max_samples"])


def _check_columns(arrays: dict[str, np.ndarray], n_features: int, n_columns: int) -> None:
    """Check which columns are used and how they are measured."""
    for name in _COLUMN_ARRAYS:
        _require(len(arrays[name]) == n_columns, name)
    chosen = arrays["chosen"]
    _require((chosen >= 0).all() and (chosen < n_features).all(), "columns")
    _require((np.diff(chosen) > 0).all(), "order of columns")
    _require((arrays["n_levels"] >= 0).all(), "number of levels")
    width = arrays["level_width"]
    _require(np.isfinite(width).all(), "widths of levels")
    _require(((width > 0) == (arrays["n_levels"] > 0)).all(), "widths of levels")
    _require(not np.isinf(arrays["donors"]).any(), "donors")
    _require(np.isfinite(arrays["center"]).all(), "centers")
    for name in ("unit", "width"):
        array = arrays[name]
        _require(np.isfinite(array).all() and (array > 0).all(), name)
    weights = arrays["feature_weights"]
    _require(((weights > 0) & (weights <= 1)).all(), "feature weights")


def _check_relevance(header: Any, arrays: dict[str, np.ndarray], n_features: int) -> None:
    """Check the evidence for the relevance of the columns."""
    _require(isinstance(header, dict) and set(header) == set(_RELEVANCE_HEADER), "relevance")
    for name, kind in _RELEVANCE_HEADER.items():
        _require(type(header[name]) is kind, "relevance")
    for name, dtype in _RELEVANCE_ARRAYS.items():
        array = arrays[f"relevance_{name}"]
        _require(array.dtype == dtype and array.shape == (n_features,), name)
    for name in ("strength", "p_value", "weight"):
        array = arrays[f"relevance_{name}"]
        _require(((array >= 0) & (array <= 1)).all(), name)
    limits = {"partner": n_features, "group": n_features}
    limits |= {"test_code": len(TESTS), "why": len(Why)}
    for name, limit in limits.items():
        array = arrays[f"relevance_{name}"]
        smallest = -1 if name in ("partner", "group") else 0
        _require(((array >= smallest) & (array < limit)).all(), name)
    pairs = arrays["relevance_pairs"]
    _require(pairs.dtype == "int64" and pairs.ndim == 2 and pairs.shape[1] == 2, "pairs")
    _require(((pairs >= 0) & (pairs < n_features)).all(), "pairs")


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
    _require(((columns >= 0) & (columns < n_columns)).all(), "columns of a projection")


def _check_tree(arrays: dict[str, np.ndarray], t: int, max_samples: int) -> None:
    """Check that tree t is a binary tree in preorder, its leaves numbered from the left."""
    nodes = slice(arrays["node_start"][t], arrays["node_start"][t + 1])
    child = arrays["child"][nodes]
    size = arrays["size"][nodes].astype(np.int64)
    direction = arrays["direction"][nodes]
    leaf = child < 0
    n_leaves = int(leaf.sum())
    _require(2 * n_leaves == len(child) + 1, f"number of nodes of tree {t}")
    _require((child[leaf] == -1 - np.arange(n_leaves)).all(), f"numbering of leaves of tree {t}")
    _require((child[~leaf] == _right_children(leaf)).all(), f"child of a node of tree {t}")
    inner = np.flatnonzero(~leaf)
    _require(size[0] == max_samples and (size >= 0).all(), f"size of a node of tree {t}")
    children_size = size[inner + 1] + size[child[inner]]
    _require((size[inner] == children_size).all(), f"sizes of tree {t}")
    start = arrays["direction_start"]
    begin = arrays["begin"][start[t] + t : start[t + 1] + t + 1]
    used = direction[~leaf]
    _require((direction[leaf] == -1).all(), f"direction of a leaf of tree {t}")
    _require(((used >= 0) & (used < len(begin) - 1)).all(), f"direction of a node of tree {t}")
    n_nonzeros = arrays["nonzero_start"][t + 1] - arrays["nonzero_start"][t]
    _require(begin[0] == 0 and begin[-1] == n_nonzeros, f"projections of tree {t}")
    _require((begin[1:] > begin[:-1]).all(), f"projections of tree {t}")
    rows = arrays["leaves"][t]
    _require(((rows >= -1) & (rows < n_leaves)).all(), f"leaf of a row in tree {t}")


def _right_children(leaf: np.ndarray) -> np.ndarray:
    """Return the right child of every inner node of a tree in preorder.

    Count +1 for a leaf and -1 for an inner node: a subtree ends where the count first exceeds its
    start by one.
    """
    n_nodes = len(leaf)
    level = np.concatenate([[0], np.cumsum(np.where(leaf, 1, -1))])
    by_level = np.sort(level * (n_nodes + 1) + np.arange(n_nodes + 1))
    left = np.flatnonzero(~leaf) + 1
    target = (level[left] + 1) * (n_nodes + 1)
    position = np.searchsorted(by_level, target + left)
    _require((position <= n_nodes).all(), "order of nodes")
    end = by_level[position] - target
    _require(((end > 0) & (end < n_nodes)).all(), "order of nodes")
    return end
