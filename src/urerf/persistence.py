"""A fitted URerF to and from the arrays and header of `urerf.storage`, checked so that no kernel is led astray."""

from __future__ import annotations

import os
from dataclasses import fields
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np

from . import storage
from .columns import Columns
from .forest import Forest
from .relevance import Relevance
from .schema import Schema

if TYPE_CHECKING:
    from .estimator import URerF

_FOREST_ARRAYS = [f.name for f in fields(Forest) if f.type == "np.ndarray" or f.type is np.ndarray]
_DTYPES = {
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
    "weights": "float32",
    "leaves": "int32",
    "chosen": "int64",
    "centre": "float64",
    "unit": "float64",
    "chance": "float64",
    "donors": "float32",
    "table": "float32",
    "feature_relevance": "float64",
    "fingerprints": "uint64",
}
_COLUMN_ARRAYS = [f.name for f in fields(Columns)]
_RELEVANCE_DTYPES = {
    "relevance": "float64",
    "statistic": "float64",
    "p_value": "float64",
    "partner": "int64",
}


def save_model(model: URerF, path: str | os.PathLike) -> None:
    """Write a fitted model."""
    from . import __version__

    forest = model.forest_
    _check_parameters(model)
    parameters = model.get_params(deep=False)
    if not (parameters["random_state"] is None or isinstance(parameters["random_state"], Integral)):
        parameters["random_state"] = (
            model._seed
        )  # a generator has no lasting form; its first draw is the seed
    names = getattr(model, "feature_names_in_", None)
    schema = getattr(model, "schema_", None)
    header: dict[str, Any] = {
        "urerf_version": __version__,
        "parameters": {name: _plain(value) for name, value in parameters.items()},
        "feature_names_in": None if names is None else [str(name) for name in names],
        "schema": None if schema is None else schema.to_json(),
        "seed": model._seed,
        "relevance": None,
        "forest": {
            "n_fitted": forest.n_fitted,
            "n_drawn": forest.n_drawn,
            "replace": bool(forest.replace),
        },
    }
    arrays = {name: getattr(forest, name) for name in _FOREST_ARRAYS}
    arrays |= {name: getattr(model._columns, name) for name in _COLUMN_ARRAYS}
    arrays |= {"leaves": model._leaves, "table": model._table, "fingerprints": model._fingerprints}
    arrays["feature_relevance"] = model.feature_relevance_
    found = getattr(model, "relevance_", None)
    if found is not None:
        header["relevance"] = {"method": found.method, "message": found.message}
        arrays |= {
            f"relevance_{name}": getattr(found, name) for name in (*_RELEVANCE_DTYPES, "pairs")
        }
    storage.write(path, header, arrays)


def load_model(cls: type[URerF], path: str | os.PathLike) -> URerF:
    """Read a model; raises ValueError for a file that does not hold a sound one."""
    header, arrays = storage.read(path)
    try:
        _check_header(header)
        _check_arrays(header, arrays)
        model = cls(**header["parameters"])
        forest: dict[str, Any] = {
            **header["forest"],
            **{name: arrays[name] for name in _FOREST_ARRAYS},
        }
        model.forest_ = Forest(**forest)
        model._columns = Columns(**{name: arrays[name] for name in _COLUMN_ARRAYS})
        model._leaves = arrays["leaves"]
        model._table = arrays["table"]
        model._fingerprints = arrays["fingerprints"]
        model.feature_relevance_ = arrays["feature_relevance"]
        model.n_features_in_ = len(model.feature_relevance_)
        if header["relevance"] is not None:
            evidence: dict[str, Any] = {
                name: arrays[f"relevance_{name}"] for name in (*_RELEVANCE_DTYPES, "pairs")
            }
            model.relevance_ = Relevance(**evidence, **header["relevance"])
        model.n_samples_fit_ = model._n_features_out = model._leaves.shape[1]
        model.schema_ = _schema(header["schema"], model.n_features_in_)
        _check_parameters(model)
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, OverflowError) as error:
        raise ValueError(
            f"path: {str(path)!r} holds no sound urerf model ({error}); save it again"
        ) from error
    if header["feature_names_in"] is not None:
        model.feature_names_in_ = np.array(header["feature_names_in"], dtype=object)
    model._seed = header["seed"]
    model._cache = {}
    return model


def _schema(entries: Any, n_columns: int) -> Schema | None:
    if entries is None:
        return None
    schema = Schema.from_json(entries)
    _require(len(schema.columns) == n_columns, "schema")
    return schema


def _check_parameters(model: URerF) -> None:
    """Check all parameters, those that depend on the size of the table as well."""
    model._check_parameters()
    model._growth(model.n_samples_fit_, model.n_features_in_)


def _plain(value: Any) -> Any:
    """Return numbers of any kind (NumPy's, fractions) as Python's."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, Integral):
        return int(value)
    return float(value) if isinstance(value, Real) else value


def _require(condition: Any, what: str) -> None:
    if not condition:
        raise ValueError(f"{what} is wrong")


def _check_header(header: dict[str, Any]) -> None:
    """Check the types of what the header holds."""
    _require(isinstance(header["parameters"], dict), "parameters")
    _require(type(header["seed"]) is int and 0 <= header["seed"] < 2**31, "seed")
    forest = header["forest"]
    _require(
        isinstance(forest, dict) and set(forest) == {"n_fitted", "n_drawn", "replace"}, "forest"
    )
    _require(type(forest["replace"]) is bool, "replace")
    _require(type(forest["n_fitted"]) is int and type(forest["n_drawn"]) is int, "number of rows")
    _require(2 <= forest["n_drawn"] <= forest["n_fitted"], "number of rows drawn")
    names = header["feature_names_in"]
    _require(
        names is None or (isinstance(names, list) and all(isinstance(x, str) for x in names)),
        "feature names",
    )


def _check_columns(header: dict[str, Any], a: dict[str, np.ndarray], p: int, n: int) -> None:
    """Check how columns are chosen and measured, and the evidence for it."""
    all_columns = len(a["feature_relevance"])
    _require(
        header["feature_names_in"] is None or len(header["feature_names_in"]) == all_columns,
        "feature names",
    )
    _require(
        len(a["centre"]) == len(a["unit"]) == len(a["chance"]) == len(a["donors"]) == p, "columns"
    )
    _require(not np.isinf(a["donors"]).any(), "donors")
    _require(a["table"].shape == (p, n) and np.isfinite(a["table"]).all(), "table")
    _require(
        ((a["chosen"] >= 0) & (a["chosen"] < all_columns)).all()
        and (np.diff(a["chosen"]) > 0).all(),
        "columns",
    )
    _require(
        np.isfinite(a["centre"]).all() and np.isfinite(a["unit"]).all() and (a["unit"] > 0).all(),
        "units",
    )
    _require(((a["chance"] > 0) & (a["chance"] <= 1)).all(), "chances")
    _require(
        ((a["feature_relevance"] >= 0) & (a["feature_relevance"] <= 1)).all(), "feature relevance"
    )
    if header["relevance"] is not None:
        _check_relevance(header["relevance"], a, all_columns)


def _check_relevance(found: dict[str, Any], a: dict[str, np.ndarray], p: int) -> None:
    """Check the evidence for the relevance of p columns."""
    _require(isinstance(found, dict) and set(found) == {"method", "message"}, "relevance")
    _require(all(isinstance(text, str) for text in found.values()), "relevance")
    for name, dtype in _RELEVANCE_DTYPES.items():
        _require(
            a[f"relevance_{name}"].dtype == dtype and a[f"relevance_{name}"].shape == (p,), name
        )
    pairs = a["relevance_pairs"]
    partner = a["relevance_partner"]
    _require(pairs.dtype == "int64" and pairs.ndim == 2 and pairs.shape[1] == 2, "pairs")
    _require(
        ((pairs >= 0) & (pairs < p)).all() and ((partner >= -1) & (partner < p)).all(), "pairs"
    )


def _check_arrays(header: dict[str, Any], a: dict[str, np.ndarray]) -> None:
    """Check every number that kernels use as an index."""
    for name, dtype in _DTYPES.items():
        _require(name in a, f"that there is no array {name}")
        _require(
            a[name].dtype == dtype
            and a[name].ndim == (2 if name in ("leaves", "table", "donors") else 1),
            f"type of {name}",
        )
    T = len(a["tree_key"])
    p = len(a["chosen"])
    n = a["leaves"].shape[1]
    _check_columns(header, a, p, n)
    _require(T > 0 and p > 0 and n > 1 and len(a["leaves"]) == T, "sizes")
    _require(header["forest"]["n_fitted"] == n == len(a["fingerprints"]), "number of fitted rows")
    nodes = len(a["child"])
    directions = len(a["begin"]) - T
    for name, total in (
        ("node_start", nodes),
        ("direction_start", directions),
        ("nonzero_start", len(a["columns"])),
    ):
        start = a[name]
        _require(
            len(start) == T + 1
            and start[0] == 0
            and start[-1] == total
            and (start[1:] >= start[:-1]).all(),
            name,
        )
    _require(len(a["cut"]) == len(a["size"]) == len(a["direction"]) == nodes, "nodes")
    _require(len(a["weights"]) == len(a["columns"]), "weights")
    _require(((a["columns"] >= 0) & (a["columns"] < p)).all(), "columns")
    for t in range(T):
        _check_tree(a, t, header["forest"]["n_drawn"])


def _check_tree(a: dict[str, np.ndarray], t: int, n_drawn: int) -> None:
    """Check that tree t is a binary tree in preorder with leaves numbered from the left, and its rows' leaves."""
    first = a["node_start"][t]
    last = a["node_start"][t + 1]
    child = a["child"][first:last]
    size = a["size"][first:last]
    direction = a["direction"][first:last]
    begin = a["begin"][a["direction_start"][t] + t : a["direction_start"][t + 1] + t + 1]
    nodes = len(child)
    leaf = child < 0
    _require(nodes % 2 == 1 and 2 * leaf.sum() == nodes + 1, f"number of nodes of tree {t}")
    _require((child[leaf] == -1 - np.arange(leaf.sum())).all(), f"numbering of leaves of tree {t}")
    _require((child[~leaf] == _right_children(leaf)).all(), f"child of a node of tree {t}")
    inner = np.flatnonzero(~leaf)
    right = child[~leaf]
    _require(size[0] == n_drawn and (size >= 0).all(), f"size of a node of tree {t}")
    _require(
        (size[inner].astype(np.int64) == size[inner + 1].astype(np.int64) + size[right]).all(),
        f"sizes of tree {t}",
    )
    _require((direction[leaf] == -1).all(), f"direction of a leaf of tree {t}")
    _require(
        ((direction[~leaf] >= 0) & (direction[~leaf] < len(begin) - 1)).all(),
        f"direction of a node of tree {t}",
    )
    _require(begin[0] == 0 and (begin[1:] > begin[:-1]).all(), f"projections of tree {t}")
    _require(
        begin[-1] == a["nonzero_start"][t + 1] - a["nonzero_start"][t], f"projections of tree {t}"
    )
    rows = a["leaves"][t]
    _require(((rows >= 0) & (rows < leaf.sum())).all(), f"leaf of a row in tree {t}")


def _right_children(leaf: np.ndarray) -> np.ndarray:
    """Return the right child of every inner node of a tree in preorder, from which nodes are leaves.

    Count +1 for a leaf and -1 for an inner node: a subtree ends where the count first is one above
    that at its start.
    """
    nodes = len(leaf)
    level = np.concatenate([[0], np.cumsum(np.where(leaf, 1, -1))])
    by_level = np.sort(level * (nodes + 1) + np.arange(nodes + 1))
    left = np.flatnonzero(~leaf) + 1
    target = (level[left] + 1) * (nodes + 1)
    at = np.searchsorted(by_level, target + left)
    _require((at <= nodes).all(), "order of nodes")
    end = by_level[at] - target
    _require(((end > 0) & (end < nodes)).all(), "order of nodes")
    return end
