"""A fitted URerF as the header and arrays of `urerf.storage`, and back."""

from __future__ import annotations

import os
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np

from . import __version__, column_kinds, storage
from .columns import Columns
from .fitted import Fitted
from .forest import Forest
from .model_checks import check_fitted, check_header, require
from .parameters import check_parameters
from .relevance import Relevance
from .relevance.examine import unnamed
from .schema import Schema
from .tree_settings import check_settings, require_equal

if TYPE_CHECKING:
    from .estimator import URerF

# The names and data types of what is stored.
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
_TWO_DIMENSIONAL = ("leaves", "matrix", "donors", "relevance_pairs")
_RELEVANCE_ARRAYS = {
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
_RELEVANCE_HEADER = ("verdict", "message", "n_rows", "notices")


def save_model(model: URerF, path: str | os.PathLike) -> None:
    """Write a fitted model."""
    fitted = model._fitted
    _check_parameters(model, fitted)
    storage.write(path, _header_of(model, fitted), _arrays_of(fitted))


def _header_of(model: URerF, fitted: Fitted) -> dict[str, Any]:
    """Return all that is stored but arrays."""
    names = getattr(model, "feature_names_in_", None)
    forest = fitted.forest
    evidence = fitted.relevance
    tests = None
    if evidence is not None:
        tests = {name: getattr(evidence, name) for name in _RELEVANCE_HEADER}
    return {
        "urerf_version": __version__,
        "parameters": _parameters_to_json(model, fitted.seed),
        "n_features_in": fitted.n_features_in,
        "feature_names_in": None if names is None else [str(name) for name in names],
        "row_names": _row_names_to_json(getattr(model, "row_names_", None)),
        "schema": None if fitted.schema is None else fitted.schema.to_json(),
        "seed": fitted.seed,
        "forest": {name: _plain(getattr(forest, name)) for name in _FOREST_NUMBERS},
        "relevance": tests,
    }


def _arrays_of(fitted: Fitted) -> dict[str, np.ndarray]:
    """Return the arrays that are stored, by name."""
    arrays = {name: getattr(fitted.forest, name) for name in _FOREST_ARRAYS}
    arrays |= {name: getattr(fitted.columns, name) for name in _COLUMN_ARRAYS}
    arrays |= {name: getattr(fitted, name) for name in _ROW_ARRAYS}
    if fitted.relevance is not None:
        for name in _RELEVANCE_ARRAYS:
            arrays[f"relevance_{name}"] = getattr(fitted.relevance, name)
    return arrays


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
        check_header(header)
        _check_types(header, arrays)
        fitted = _fitted_from(header, arrays)
        check_fitted(fitted)
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


def _check_types(header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    """Check that all arrays are there, with their data types and numbers of dimensions."""
    expected = dict(ARRAYS)
    if header["relevance"] is not None:
        expected |= {f"relevance_{name}": dtype for name, dtype in _RELEVANCE_ARRAYS.items()}
    for name, dtype in expected.items():
        require(name in arrays, f"the list of arrays (without {name})")
        require(arrays[name].dtype == dtype, f"type of {name}")
        n_dimensions = 2 if name in _TWO_DIMENSIONAL else 1
        require(arrays[name].ndim == n_dimensions, f"shape of {name}")


def _fitted_from(header: dict[str, Any], arrays: dict[str, np.ndarray]) -> Fitted:
    """Put the header and the arrays together; their types are right."""
    schema = None if header["schema"] is None else Schema.from_json(header["schema"])
    forest: dict[str, Any] = {name: arrays[name] for name in _FOREST_ARRAYS}
    columns = {name: arrays[name] for name in _COLUMN_ARRAYS}
    rows = {name: arrays[name] for name in _ROW_ARRAYS}
    n_features = header["n_features_in"]
    return Fitted(
        columns=Columns(**columns),
        forest=Forest(**header["forest"], **forest),
        **rows,
        seed=header["seed"],
        n_features_in=n_features,
        relevance=_relevance_from(header["relevance"], arrays, schema or unnamed(n_features)),
        schema=schema,
    )


def _relevance_from(
    header: Any,
    arrays: dict[str, np.ndarray],
    schema: Schema,
) -> Relevance | None:
    if header is None:
        return None
    require(isinstance(header, dict) and set(header) == set(_RELEVANCE_HEADER), "relevance")
    evidence: dict[str, Any] = {name: arrays[f"relevance_{name}"] for name in _RELEVANCE_ARRAYS}
    return Relevance(**header, **evidence, schema=schema)


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
