"""Noise columns of four laws, and columns on one scale."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from ._random import RandomState, check_count, stream
from .manifold import FloatArray

NoiseKind = Literal["gaussian", "uniform", "bimodal", "heavy_tailed"]


def add_noise(
    X: ArrayLike,
    n_columns: int,
    *,
    kind: NoiseKind = "gaussian",
    variance: float = 70.0,
    random_state: RandomState = None,
) -> FloatArray:
    """Append columns of independent noise to `X`.

    Parameters
    ----------
    X : array-like of shape (n, p)
        The table.
    n_columns : int
        Number of columns to append.
    kind : {"gaussian", "uniform", "bimodal", "heavy_tailed"}, default="gaussian"
        The law of the noise. "bimodal" is two equal Gaussians six standard deviations apart;
        "heavy_tailed" is Student's t with three degrees of freedom.
    variance : float, default=70.0
        The variance of every kind; the mean is 0. The paper's is 70.
    random_state : int, Generator or None, default=None
        Draws the noise. With an int, the first columns are the same however many are asked for.

    Returns
    -------
    ndarray of shape (n, p + n_columns)
        `X`, then the noise.

    Examples
    --------
    >>> from urerf.datasets import add_noise, make_helix
    >>> add_noise(make_helix(100).X, 10, random_state=0).shape
    (100, 13)
    """
    X = _check_table(X)
    n_columns = check_count("n_columns", n_columns, at_least=0)
    if kind not in _NOISE:
        raise ValueError(f"kind: must be one of {', '.join(map(repr, _NOISE))}, got {kind!r}.")
    if not (isinstance(variance, (int, float, np.number)) and 0 < variance < math.inf):
        raise ValueError(f"variance: must be a finite number above 0, got {variance!r}.")
    n, p = X.shape
    Z = np.empty((n, p + n_columns))
    Z[:, :p] = X
    # One row of the draw is one column of noise, so that asking for more columns leaves the first
    # as they are.
    Z[:, p:] = _NOISE[kind](stream(random_state, "noise"), (n_columns, n)).T
    Z[:, p:] *= math.sqrt(variance)
    return Z


def rescale(X: ArrayLike) -> FloatArray:
    """Map every column linearly to [0, 1]; a constant column becomes 0.

    Parameters
    ----------
    X : array-like of shape (n, p)
        A table of finite numbers.

    Returns
    -------
    ndarray of shape (n, p)
        A new table.

    Examples
    --------
    >>> from urerf.datasets import rescale
    >>> rescale([[1, 7], [2, 7], [5, 7]])
    array([[0.  , 0.  ],
           [0.25, 0.  ],
           [1.  , 0.  ]])
    """
    X = _check_table(X)
    bad = ~np.isfinite(X).all(axis=0)
    if bad.any():
        raise ValueError(
            f"X: column {bad.argmax()} has NaN or infinite values; fill them or leave the column out."
        )
    low = X.min(axis=0)
    span = X.max(axis=0) - low
    return (X - low) / np.where(span > 0, span, 1.0)


def _check_table(X: ArrayLike) -> FloatArray:
    try:
        table = np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"X: must be a table of numbers; could not convert it ({error})."
        ) from error
    if table.ndim != 2:
        raise ValueError(f"X: must have two dimensions (rows, columns), got shape {table.shape}.")
    if len(table) == 0:
        raise ValueError("X: has no rows; give at least one.")
    return table


def _gaussian(rng: np.random.Generator, shape: tuple[int, int]) -> FloatArray:
    return rng.standard_normal(shape)


def _uniform(rng: np.random.Generator, shape: tuple[int, int]) -> FloatArray:
    return rng.uniform(-math.sqrt(3), math.sqrt(3), shape)


def _bimodal(rng: np.random.Generator, shape: tuple[int, int]) -> FloatArray:
    n_columns, n = shape
    side, z = np.moveaxis(rng.standard_normal((n_columns, 2, n)), 1, 0)
    return (3 * np.where(side < 0, -1, 1) + z) / math.sqrt(10)


def _heavy_tailed(rng: np.random.Generator, shape: tuple[int, int]) -> FloatArray:
    return rng.standard_t(3, shape) / math.sqrt(3)


# Each draws noise of mean 0 and variance 1.
_NOISE: dict[str, Callable[[np.random.Generator, tuple[int, int]], FloatArray]] = {
    "gaussian": _gaussian,
    "uniform": _uniform,
    "bimodal": _bimodal,
    "heavy_tailed": _heavy_tailed,
}
