"""A fitted URerF as the header and arrays of `urerf.storage`, and back."""

from __future__ import annotations

import os
from collections.abc import Iterable
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

from . import __version__, storage
from ._typing import Array
from .columns import Columns
from .fitted import Fitted
from .forest import Forest
from .kinds import declared
from .model_checks import check_fitted, check_header, require
from .parameters import check_parameters
from .relevance import Relevance
from .relevance.examine import unnamed
from .schema import Schema
from .tree_settings import check_settings, require_equal

if TYPE_CHECKING:
    from .estimator import URerF

# The names and data types of what is stored.
FOREST_HEADER = ("n_fitted", "max_samples", "bootstrap")
FOREST = {
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
COLUMNS = {
    "chosen": "int64",
    "center": "float64",
    "unit": "float64",
    "width": "float64",
    "n_levels": "int32",
    "level_width": "float64",
    "feature_weights": "float64",
    "donors": "float32",
}
ROWS = {"leaves": "int32", "matrix": "float32", "fingerprints": "uint64"}
TWO_DIMENSIONAL = ("leaves", "matrix", "donors", "pairs")
RELEVANCE = {
    "strength": "float64",
    "p_value": "float64",
    "weight": "float64",
    "partner": "int64",
    "group": "int64",
    "n_present": "int64",
    "test_code": "int64",
    "why": "int64",
    "pairs": "int64",
}
RELEVANCE_HEADER = ("verdict", "message", "n_rows", "notices")


def save_model(model: URerF, path: str | os.PathLike) -> None:
    """Write a fitted model."""
    fitted = model._fitted
    _check_parameters(model, fitted)
    storage.write(path, _header_of(model, fitted), _arrays_of(fitted))


def _header_of(model: URerF, fitted: Fitted) -> dict[str, Any]:
    """Return all that is stored except for arrays."""
    names = getattr(model, "feature_names_in_", None)
    evidence = fitted.relevance
    return {
        "urerf_version": __version__,
        "parameters": _parameters_to_json(model, fitted.seed),
        "n_features_in": fitted.n_features_in,
        "feature_names_in": None if names is None else [str(name) for name in names],
        "row_names": _row_names_to_json(getattr(model, "row_names_", None)),
        "schema": None if fitted.schema is None else fitted.schema.to_json(),
        "seed": fitted.seed,
        "forest": _select(FOREST_HEADER, fitted.forest),
        "relevance": None if evidence is None else _select(RELEVANCE_HEADER, evidence),
    }


def _arrays_of(fitted: Fitted) -> dict[str, Array]:
    """Return the arrays that are stored, by name."""
    arrays = _select(FOREST, fitted.forest)
    arrays |= _select(COLUMNS, fitted.columns)
    arrays |= _select(ROWS, fitted)
    if fitted.relevance is not None:
        evidence = _select(RELEVANCE, fitted.relevance)
        arrays |= {f"relevance_{name}": array for name, array in evidence.items()}
    return arrays


def _select(names: Iterable[str], record: Any) -> dict[str, Any]:
    """Return attributes of a record."""
    return {name: getattr(record, name) for name in names}


def _parameters_to_json(model: URerF, seed: int) -> dict[str, Any]:
    """Return the parameters of a model in a form that lasts."""
    parameters = model.get_params(deep=False)
    if not isinstance(parameters["random_state"], (Integral, type(None))):
        # A generator has no lasting form; its first draw is the seed.
        parameters["random_state"] = seed
    parameters["column_kinds"] = declared.to_json(parameters["column_kinds"])
    parameters["n_jobs"] = None  # belongs to a machine, not to a model
    return parameters


def load_model(cls: type[URerF], path: str | os.PathLike) -> URerF:
    """Read a model; raise ValueError for a file that does not hold a valid one."""
    header, arrays = storage.read(path)
    try:
        check_header(header)
        fitted = _fitted_from(header, arrays)
        check_fitted(fitted)
        stored = header["parameters"]
        kinds = declared.from_json(stored["column_kinds"])
        # A file does not decide how many threads the reader's machine starts.
        model = cls(**{**stored, "column_kinds": kinds, "n_jobs": None})
        _check_parameters(model, fitted)
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, OverflowError) as error:
        raise ValueError(
            f"path: {str(path)!r} does not hold a valid urerf model ({error}); save it again"
        ) from error
    model._fitted = fitted
    model.n_features_in_ = fitted.n_features_in
    if header["feature_names_in"] is not None:
        model.feature_names_in_ = np.array(header["feature_names_in"], dtype=object)
    row_names = header.get("row_names")
    if row_names is not None:
        is_number = type(row_names[0]) is int
        model.row_names_ = np.array(row_names, dtype=np.int64 if is_number else object)
    return model


def _row_names_to_json(names: Array | None) -> list[Any] | None:
    """Return names of rows as numbers, if they are whole numbers, or else as text."""
    if names is None:
        return None
    if names.dtype.kind in "iu":
        return names.tolist()
    return [str(name) for name in names]


def _fitted_from(header: dict[str, Any], arrays: dict[str, Array]) -> Fitted:
    """Put the header, which is right, and the arrays together."""
    n_features = header["n_features_in"]
    schema = None
    if header["schema"] is not None:
        schema = Schema.from_json(header["schema"])
        require(len(schema.columns) == n_features, "schema")
    relevance = None
    if header["relevance"] is not None:
        evidence = _typed(arrays, RELEVANCE, "relevance_")
        named = schema or unnamed(n_features)
        relevance = Relevance(**header["relevance"], **evidence, schema=named)
    return Fitted(
        columns=Columns(**_typed(arrays, COLUMNS)),
        forest=Forest(**header["forest"], **_typed(arrays, FOREST)),
        **_typed(arrays, ROWS),
        seed=header["seed"],
        n_features_in=n_features,
        relevance=relevance,
        schema=schema,
    )


def _typed(
    arrays: dict[str, Array],
    dtypes: dict[str, str],
    prefix: str = "",
) -> dict[str, Any]:
    """Return some of the arrays; check that they are there, and their types and dimensions."""
    chosen = {}
    for name, dtype in dtypes.items():
        stored = f"{prefix}{name}"
        require(stored in arrays, f"the list of arrays (without {stored})")
        array = arrays[stored]
        n_dimensions = 2 if name in TWO_DIMENSIONAL else 1
        require(array.dtype == dtype, f"type of {stored}")
        require(array.ndim == n_dimensions, f"shape of {stored}")
        chosen[name] = array
    return chosen


def _check_parameters(model: URerF, fitted: Fitted) -> None:
    """Check all parameters, and that the forest was grown with them."""
    check_parameters(model)
    if not isinstance(model.n_estimators, str):
        require_equal("n_estimators", model.n_estimators, fitted.forest.n_trees)
    check_settings(model, fitted)
