"""Tables of independent columns, in which there is no structure to find; also of dependent rows."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy.signal import lfilter

from ..._typing import Array

Rng = np.random.Generator
Shape = tuple[int, int]

# Kinds that NumPy draws.
DRAWN: dict[str, Callable[..., Any]] = {
    "gaussian": Rng.normal,
    "uniform": Rng.random,
    "exponential": Rng.exponential,
    "heavy_tailed": partial(Rng.standard_t, df=2),
    "laplace": Rng.laplace,
    "lognormal": partial(Rng.lognormal, sigma=1.5),
    "cauchy": Rng.standard_cauchy,
    "triangular": partial(Rng.triangular, left=0, mode=0.2, right=1),
    "whole_numbers": partial(Rng.integers, low=10),
}
COUNTS = ("binary", "rare", "poisson", "overdispersed", "ordinal", "zero_inflated")
ALTERED = ("rounded", "far_from_zero", "one_flat", "one_skewed", "one_outlier", "half_constant")
GAPS = ("shared_gaps", "value_gaps", "mostly_missing")
KINDS = (*DRAWN, *COUNTS, *ALTERED, *GAPS, "category", "mixed")
# Kinds of columns that take turns in a table of the kind "mixed".
MIXED = (
    "gaussian",
    "uniform",
    "exponential",
    "heavy_tailed",
    "binary",
    "rare",
    "poisson",
    "zero_inflated",
    "rounded",
    "one_flat",
)
DEPENDENT = (
    "twice_gaussian",
    "twice_rounded",
    "twice_mixed",
    "walk",
    "autocorrelated",
    "patients",
)
ROWS_PER_PATIENT = 10


def independent_columns(kind: str, n: int, p: int, rng: Rng) -> Array:
    """Return a table of n rows and p columns of one of `KINDS`."""
    if kind == "mixed":
        kinds = [MIXED[i % len(MIXED)] for i in rng.permutation(p)]
        parts = [independent_columns(own_kind, n, 1, rng) for own_kind in kinds]
        return np.hstack(parts)
    if kind == "category":
        columns = [category(n, rng) for _ in range(p)]
        return np.column_stack(columns)
    spread = rng.uniform(0.02, 0.6, p)
    if kind in COUNTS:
        X = counts(kind, (n, p), spread, rng)
    elif kind in ALTERED:
        X = altered(kind, (n, p), rng)
    elif kind in GAPS:
        X = with_gaps(kind, (n, p), rng)
    else:
        X = DRAWN[kind](rng, size=(n, p))
    return np.asarray(X, dtype=float)


def counts(kind: str, shape: Shape, spread: Array, rng: Rng) -> Array:
    """Return columns with many zeros; ``spread`` has a number in (0.02, 0.6) for each."""
    match kind:
        case "binary":
            return rng.random(shape) < spread
        case "rare":
            return rng.random(shape) < 1 / shape[0] + spread / 20
        case "poisson":
            return rng.poisson(8 * spread, shape)
        case "overdispersed":
            return rng.negative_binomial(0.5, spread / 4, shape)
        case "ordinal":
            return rng.binomial(4, spread, shape)
        case "zero_inflated":
            is_positive = rng.random(shape) < spread
            return np.where(is_positive, rng.gamma(2, size=shape), 0)
    raise KeyError(kind)


def altered(kind: str, shape: Shape, rng: Rng) -> Array:
    """Return Gaussian columns that are rounded or moved, or of which some are unlike the others."""
    n, p = shape
    match kind:
        case "rounded":
            return rng.normal(size=shape).round(1)
        case "far_from_zero":
            return 1e9 + rng.normal(size=shape)
        case "one_flat":
            flat = rng.random((n, 1))
            others = rng.normal(size=(n, p - 1))
            return np.hstack([flat, others])
        case "one_skewed":
            skewed = rng.exponential(size=(n, 1)) ** 2
            others = rng.normal(size=(n, p - 1))
            return np.hstack([skewed, others])
        case "one_outlier":
            X = rng.normal(size=shape)
            rows = rng.integers(n, size=p)
            X[rows, np.arange(p)] = 1e6
            return X
        case "half_constant":
            is_odd = np.arange(p) % 2
            return rng.normal(size=shape) * is_odd
    raise KeyError(kind)


def with_gaps(kind: str, shape: Shape, rng: Rng) -> Array:
    """Return Gaussian columns with missing values.

    They are in the same rows of five columns in turn, mostly the largest, or at least half of all.
    """
    n, p = shape
    if kind == "mostly_missing":
        drawn = rng.random(shape)
        share_missing = rng.uniform(0.5, 0.97, p)
        return np.where(drawn < share_missing, np.nan, rng.normal(size=shape))
    X = rng.normal(size=shape)
    if kind == "value_gaps":
        is_large = rng.normal(0.5, 0.7, p) < X
        X[is_large & (rng.random(shape) < 0.9)] = np.nan
        return X
    for start in range(0, p, 5):
        is_missing = rng.random(n) < rng.uniform(0, 0.6)
        X[is_missing, start : start + 5] = np.nan
    return X


def category(n: int, rng: Rng) -> Array:
    """Return codes of 2 to 200 levels, with frequencies from equal to very unequal."""
    import pandas as pd  # optional

    n_levels = int(2 * 100 ** rng.random())
    inequality = rng.uniform(0, 2)
    frequency = np.arange(1, n_levels + 1) ** -inequality
    levels = rng.choice(n_levels, n, p=frequency / frequency.sum())
    codes, _ = pd.factorize(levels)
    return codes.astype(float)


def dependent_rows(kind: str, n: int, p: int, rng: Rng) -> Array:
    """Return a table of independent columns whose rows depend on each other, as `DEPENDENT`."""
    if kind.startswith("twice"):
        once = independent_columns(kind.removeprefix("twice_"), n // 2, p, rng)
        return np.repeat(once, 2, axis=0)
    steps = rng.normal(size=(n, p))
    if kind == "walk":
        return steps.cumsum(axis=0)
    if kind == "autocorrelated":
        return lfilter([1], [1, -0.9], steps, axis=0)
    patients = rng.normal(size=(n // ROWS_PER_PATIENT, p))
    patients *= rng.choice([0.5, 1, 3])
    means = np.repeat(patients, ROWS_PER_PATIENT, axis=0)
    return means + steps[: len(means)]
