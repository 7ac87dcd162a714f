"""A fitted URerF to and from the arrays and header of `urerf.storage`, checked so that no kernel is led astray."""

from __future__ import annotations

import os
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np

from . import storage
from .forest import Forest

if TYPE_CHECKING:
    from .estimator import URerF

_FOREST_ARRAYS = [f.name for f in fields(Forest) if f.type == "np.ndarray" or f.type is np.ndarray]
_DTYPES = {
    "tree_key": "uint64",
    "node_start": "int64",
    "nonzero_start": "int64",
    "child": "int32",
    "cut": "float32",
    "size": "int32",
    "begin": "int64",
    "columns": "int32",
    "weights": "float32",
    "leaves": "int32",
    "centre": "float64",
    "fingerprints": "uint64",
}


def save_model(model: URerF, path: str | os.PathLike) -> None:
    """Write a fitted model."""
    from . import __version__

    forest = model.forest_
    parameters = model.get_params(deep=False)
    if not (parameters["random_state"] is None or isinstance(parameters["random_state"], int)):
        parameters["random_state"] = model._seed  # a generator has no lasting form; its first draw is the seed
    names = getattr(model, "feature_names_in_", None)
    header = {
        "urerf_version": __version__,
        "parameters": {name: _plain(value) for name, value in parameters.items()},
        "feature_names_in": None if names is None else [str(name) for name in names],
        "seed": model._seed,
        "forest": {"n_fitted": forest.n_fitted, "n_drawn": forest.n_drawn, "replace": bool(forest.replace)},
    }
    arrays = {name: getattr(forest, name) for name in _FOREST_ARRAYS}
    arrays |= {"leaves": model._leaves, "centre": model._centre, "fingerprints": model._fingerprints}
    storage.write(path, header, arrays)


def load_model(cls: type[URerF], path: str | os.PathLike) -> URerF:
    """Read a model; raises ValueError for a file that does not hold a sound one."""
    header, arrays = storage.read(path)
    try:
        _check_arrays(header, arrays)
        model = cls(**header["parameters"])
        model._check_parameters()
        own: dict[str, Any] = {name: arrays[name] for name in _FOREST_ARRAYS}
        model.forest_ = Forest(**header["forest"], **own)
        if header["feature_names_in"] is not None:
            model.feature_names_in_ = np.array(header["feature_names_in"], dtype=object)
        model._seed = int(header["seed"])
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise ValueError(f"path: {str(path)!r} is no complete urerf model ({error!r}); save it again") from error
    model._leaves, model._centre, model._fingerprints = arrays["leaves"], arrays["centre"], arrays["fingerprints"]
    model.n_features_in_ = len(model._centre)
    model.n_samples_fit_ = model._n_features_out = model._leaves.shape[1]
    model._cache = {}
    return model


def _plain(value: Any) -> Any:
    """Return NumPy scalars as Python's."""
    return value.item() if isinstance(value, np.generic) else value


def _require(condition: Any, what: str) -> None:
    if not condition:
        raise ValueError(f"path: the model in the file is not sound ({what}); save it again")


def _check_arrays(header: dict[str, Any], a: dict[str, np.ndarray]) -> None:
    """Check every number that kernels use as an index."""
    for name, dtype in _DTYPES.items():
        _require(a[name].dtype == dtype and a[name].ndim == (2 if name == "leaves" else 1), f"type of {name}")
    T, p, n = len(a["tree_key"]), len(a["centre"]), a["leaves"].shape[1]
    _require(T > 0 and p > 0 and n > 1 and len(a["leaves"]) == T, "sizes")
    _require(header["forest"]["n_fitted"] == n == len(a["fingerprints"]), "number of fitted rows")
    _require(isinstance(header["forest"]["n_drawn"], int) and header["forest"]["n_drawn"] >= 2, "rows drawn")
    for name, total in (("node_start", len(a["child"])), ("nonzero_start", len(a["columns"]))):
        start = a[name]
        _require(len(start) == T + 1 and start[0] == 0 and start[-1] == total and (np.diff(start) >= 0).all(), name)
    nodes = len(a["child"])
    _require(len(a["cut"]) == len(a["size"]) == nodes and len(a["begin"]) == nodes + T, "nodes")
    _require(len(a["weights"]) == len(a["columns"]), "weights")
    _require(((a["columns"] >= 0) & (a["columns"] < p)).all(), "columns")
    for t in range(T):
        _check_tree(a, t)


def _check_tree(a: dict[str, np.ndarray], t: int) -> None:
    """Check that tree t is a binary tree in preorder with leaves numbered from the left."""
    first, last = a["node_start"][t], a["node_start"][t + 1]
    child, begin = a["child"][first:last], a["begin"][first + t : last + t + 1]
    nodes = last - first
    _require(nodes % 2 == 1, "number of nodes")
    _require(begin[0] == 0 and (np.diff(begin) >= 0).all(), "projections")
    _require(begin[-1] == a["nonzero_start"][t + 1] - a["nonzero_start"][t], "projections")
    leaf = child < 0
    _require(
        (child[leaf] == -1 - np.arange((nodes + 1) // 2)).all() if leaf.sum() * 2 == nodes + 1 else False, "leaves"
    )
    inner = np.flatnonzero(~leaf)
    _require(((child[inner] > inner + 1) & (child[inner] < nodes)).all(), "children")
    # In preorder the right child is where the left subtree ends: every node but the root is a child exactly once.
    children = np.concatenate([inner + 1, child[inner]])
    _require(len(np.unique(children)) == nodes - 1, "children")
    leaves = a["leaves"][t]
    _require(((leaves >= 0) & (leaves < (nodes + 1) // 2)).all(), "leaf numbers of the rows")
