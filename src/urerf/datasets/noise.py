"""Noise columns, and columns rescaled to the same range."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import cycle, islice
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from urerf._checks import check_choice, check_int

from .._typing import FloatArray
from ._random import RandomState, stream

Shape = tuple[int, int]  # (columns, rows): the first columns must not depend on how many follow


def add_noise(
    X: ArrayLike,
    n_columns: int,
    *,
    kind: str = "gaussian",
    variance: float = 70.0,
    random_state: RandomState = None,
) -> FloatArray:
    """Append noise columns to `X`.

    Parameters
    ----------
    X : array-like of shape (n, p)
        The table.
    n_columns : int
        Number of columns to append.
    kind : str, default="gaussian"
        Distribution of the noise. "gaussian", "uniform", "bimodal" (two equal Gaussians six
        standard deviations apart) and "heavy_tailed" (Student's t with three degrees of freedom)
        are independent columns. "correlated" is blocks of 10 Gaussian columns with correlation 0.7.
        "poisson" (counts with mean 3), "mixed" (six distributions in turn) and "random_scales"
        (Gaussian columns with standard deviations from 0.001 to 1000) have scales of their own.
    variance : float, default=70.0
        Variance of the noise, which has mean 0. The paper uses 70. Not used by "poisson", "mixed"
        and "random_scales".
    random_state : int, Generator, RandomState or None, default=None
        Draws the noise. With an int, the first columns of independent noise do not depend on
        `n_columns`.

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
    n_columns = check_int("n_columns", n_columns, 0)
    is_number = isinstance(variance, (int, float, np.number))
    if not is_number or not 0 < variance < math.inf:
        raise ValueError(f"variance: must be a finite number above 0, got {variance!r}")
    name = check_choice("kind", kind, NOISE_KINDS)
    noise = NOISE_KINDS[name]
    shape = (n_columns, len(X))
    rng = stream(random_state, "noise")
    drawn = noise.draw(rng, shape)
    if noise.has_unit_variance:
        drawn *= math.sqrt(variance)
    return np.hstack([X, drawn.T])


def rescale(X: ArrayLike) -> FloatArray:
    """Map each column linearly to [0, 1]; a constant column becomes 0.

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
    is_bad = ~np.isfinite(X).all(axis=0)
    if is_bad.any():
        column = is_bad.argmax()
        raise ValueError(
            f"X: column {column} has NaN or infinite values; fill them or drop the column"
        )
    with np.errstate(over="ignore"):
        width = np.ptp(X, axis=0)
    overflows = np.isinf(width)
    X = np.where(overflows, X / 2, X)  # exact
    low = X.min(axis=0)
    span = X.max(axis=0) - low
    divisor = np.where(span > 0, span, 1.0)
    return (X - low) / divisor


def _check_table(X: ArrayLike) -> FloatArray:
    try:
        table = np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"X: must be a table of numbers, but it could not be converted ({error})"
        ) from error
    if table.ndim != 2:
        raise ValueError(f"X: must have two dimensions (rows, columns), got shape {table.shape}")
    if len(table) == 0:
        raise ValueError("X: has no rows; pass at least one row")
    return table


def _uniform(rng: Generator, shape: Shape) -> FloatArray:
    half_width = math.sqrt(3)
    return rng.uniform(-half_width, half_width, shape)


def _bimodal(rng: Generator, shape: Shape) -> FloatArray:
    n_columns, n = shape
    drawn = rng.standard_normal((n_columns, 2, n))
    is_left = drawn[:, 0] < 0
    center = np.where(is_left, -3, 3)
    values = center + drawn[:, 1]
    return values / math.sqrt(10)


def _heavy_tailed(rng: Generator, shape: Shape) -> FloatArray:
    return rng.standard_t(3, shape) / math.sqrt(3)


def _correlated(rng: Generator, shape: Shape) -> FloatArray:
    n_columns, n = shape
    n_blocks = math.ceil(n_columns / 10)
    of_block = rng.standard_normal((n_blocks, n))
    shared = np.repeat(of_block, 10, axis=0)[:n_columns]
    own = rng.standard_normal(shape)
    return math.sqrt(0.7) * shared + math.sqrt(0.3) * own


def _poisson(rng: Generator, shape: Shape) -> FloatArray:
    counts = rng.poisson(3.0, shape)
    return counts.astype(float)


def _mixed(rng: Generator, shape: Shape) -> FloatArray:
    n_columns, n = shape
    draws: list[Callable[[], FloatArray]] = [
        lambda: rng.normal(0, 8, n),
        lambda: rng.uniform(-15, 15, n),
        lambda: rng.normal(0, 3, n) + rng.choice([-9.0, 9.0], n),
        lambda: 5 * rng.standard_t(3, n),
        lambda: _poisson(rng, (1, n))[0],
        lambda: rng.exponential(8, n),
    ]
    in_turn = islice(cycle(draws), n_columns)
    return np.array([draw() for draw in in_turn])


def _random_scales(rng: Generator, shape: Shape) -> FloatArray:
    n_columns, _ = shape
    exponent = rng.uniform(-3, 3, (n_columns, 1))
    scale = 10**exponent
    return scale * rng.standard_normal(shape)


class Noise(NamedTuple):
    """How noise is drawn, and whether it has mean 0 and variance 1 or a scale of its own."""

    draw: Callable[[Generator, Shape], FloatArray]
    has_unit_variance: bool = True


NOISE_KINDS: dict[str, Noise] = {
    "gaussian": Noise(Generator.standard_normal),
    "uniform": Noise(_uniform),
    "bimodal": Noise(_bimodal),
    "heavy_tailed": Noise(_heavy_tailed),
    "correlated": Noise(_correlated),
    "poisson": Noise(_poisson, has_unit_variance=False),
    "mixed": Noise(_mixed, has_unit_variance=False),
    "random_scales": Noise(_random_scales, has_unit_variance=False),
}
