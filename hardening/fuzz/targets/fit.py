"""Arrays and parameters: a forest and its answers, or an error that names the argument."""

from __future__ import annotations

import warnings
from random import Random
from typing import Any

import numpy as np
import scipy.sparse as sp

from urerf import URerF

from .seeded import Seeded

EXPECTED = (ValueError, TypeError)
ODD = [None, True, 0, -1, 1, 2, 0.5, 1.0, 1e9, float("nan"), "auto", "sqrt", "x", [], (1,), 2**40]
PARAMETERS: dict[str, list[Any]] = {
    "n_estimators": [1, 2, 3],
    "n_neighbors": [1, 2, 5],
    "criterion": ["fast_bic", "two_means", "mclust_bic"],
    "split_score": ["gain", "raw"],
    "projection": ["oblique", "axis"],
    "max_features": ["sqrt", 1, 3, 0.5],
    "density": ["auto", 1, 2, 0.3, 1.0],
    "min_samples_split": [2, 5, 10, 0.2],
    "min_samples_leaf": [1, 3],
    "max_depth": [None, 1, 4],
    "max_samples": ["auto", None, 0.5, 3],
    "bootstrap": [True, False],
    "feature_weighting": ["relevance", "all_groups", "uniform"],
    "similarity": ["depth", "leaf"],
    "flat_nodes": ["random", "best"],
    "missing": ["handle", "error"],
    "n_jobs": [None, 1, 2],
    "random_state": [0, 1, None],
}
KINDS = ["category", "ordinal", "number", "id", "ignore", "datetime", "odd"]


def attempt(rng: Random) -> None:
    """Fit a random table with random parameters and ask questions."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        X = table(rng)
        parameters = draw_parameters(rng)
        try:
            model = URerF(**parameters).fit(X)
        except EXPECTED as error:
            _check_message(error)
            return
        check_model(model, X, rng)


def draw_parameters(rng: Random) -> dict[str, Any]:
    """Return a few parameters, some of them with values that make no sense."""
    chosen = rng.sample(list(PARAMETERS), rng.randint(0, 6))
    parameters = {name: rng.choice(PARAMETERS[name]) for name in chosen}
    if rng.random() < 0.2:
        parameters[rng.choice(list(PARAMETERS))] = rng.choice(ODD)
    if rng.random() < 0.2:
        parameters["column_kinds"] = {rng.randrange(4): rng.choice(KINDS)}
    n_trees = parameters.setdefault("n_estimators", 2)
    if n_trees in (1e9, 2**40):
        parameters["n_estimators"] = 3
    return parameters


def check_model(model: URerF, X: Any, rng: Random) -> None:
    """Ask questions; the answers must make sense."""
    n = model.n_samples_fit_
    k = min(rng.randint(1, 5), n - 1)
    distances, indices = model.kneighbors(n_neighbors=k)
    assert indices.shape == (n, k)
    assert indices.min() >= 0
    assert indices.max() < n
    assert in_unit_interval(distances)
    assert (np.diff(distances, axis=1) >= 0).all()
    own = np.arange(n)[:, None]
    assert not (indices == own).any()
    assert in_unit_interval(model.feature_weights_)
    try:
        _, again = model.kneighbors(X, n_neighbors=1)
        assert again.shape == (n, 1)
        if n <= 60:
            assert in_unit_interval(model.proximity())
            assert not np.isnan(model.geodesic_distances([0])).any()
    except EXPECTED as error:
        _check_message(error)


def in_unit_interval(values: np.ndarray) -> bool:
    """Return whether all values are between 0 and 1, and none is NaN."""
    return bool(((values >= 0) & (values <= 1)).all())


def table(rng: Random) -> Any:
    """Return an array of any kind, often with values that are hard."""
    generator = np.random.default_rng(rng.getrandbits(32))
    n = rng.choice([0, 1, 2, 3, 5, 12, 30, 60, 200])
    p = rng.choice([0, 1, 2, 3, 4, 9])
    X = generator.normal(size=(n, p))
    for column in range(p):
        match rng.randrange(9):
            case 0:
                X[:, column] = generator.integers(0, 3, n)
            case 1:
                X[:, column] = rng.choice([0.0, 1e308, -1e-320, 7.5])
            case 2:
                X[:, column] *= rng.choice([1e300, 1e-300, 1e38, 1e20])
            case 3:
                X[:, column] = X[:, column - 1] ** 2  # of the last column for the first
            case 4:
                X[generator.random(n) < rng.choice([0.1, 0.5, 1.0]), column] = np.nan
    if X.size and rng.random() < 0.05:
        X.flat[rng.randrange(X.size)] = rng.choice([np.inf, -np.inf])
    finite = np.nan_to_num(X, posinf=1, neginf=1)
    with np.errstate(all="ignore"):
        match rng.randrange(12):
            case 0:
                return X.astype(np.float32)
            case 1:
                return sp.csr_matrix(finite)
            case 2:
                return X.astype(object)
            case 3:
                return finite.clip(-1e9, 1e9).astype(int)
            case 4:
                return X[:, ::-1] if p else X.T
            case 5:
                return np.asfortranarray(X)
            case 6:
                return rng.choice([X.tolist(), X.ravel(), X[None], "x", None, 5, X + 1j, X > 0])
    return X


def _check_message(error: Exception) -> None:
    """Require that an error names an argument, or is one of scikit-learn's about X."""
    text = str(error)
    assert text, repr(error)
    first = text.split(":")[0].split()[0]
    known = {*PARAMETERS, "X", "column_kinds", "rows", "proximity", "geodesic_distances"}
    names_x = "X" in text or "array" in text.lower() or "NaN" in text
    assert first in known or names_x, f"{error!r} names no argument"


FIT = Seeded("fit", attempt, n_to_compile=40)
