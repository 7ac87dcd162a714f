"""Tables of independent columns, in which there is no structure to find; also of dependent rows."""

from __future__ import annotations

import numpy as np
from scipy.signal import lfilter

from ..._typing import Array

Rng = np.random.Generator
Shape = tuple[int, int]

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
KINDS = (
    *MIXED,
    "laplace",
    "lognormal",
    "cauchy",
    "triangular",
    "whole_numbers",
    "one_skewed",
    "shared_gaps",
    "value_gaps",
    "mostly_missing",
    "overdispersed",
    "far_from_zero",
    "one_outlier",
    "half_constant",
    "ordinal",
    "category",
    "mixed",
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
        columns = []
        for i in rng.permutation(p):
            column_kind = MIXED[i % len(MIXED)]
            column = independent_columns(column_kind, n, 1, rng)
            columns.append(column)
        return np.hstack(columns)
    if kind == "category":
        codes = [category(n, rng) for _ in range(p)]
        return np.column_stack(codes)
    spread = rng.uniform(0.02, 0.6, p)
    if kind in ("binary", "rare", "poisson", "overdispersed", "ordinal", "zero_inflated"):
        X = counts(kind, (n, p), spread, rng)
    elif kind in ("one_flat", "one_skewed", "one_outlier", "half_constant"):
        X = with_exception(kind, (n, p), rng)
    elif kind in ("shared_gaps", "value_gaps", "mostly_missing"):
        X = with_gaps(kind, (n, p), rng)
    else:
        X = numbers(kind, (n, p), rng)
    return np.asarray(X, dtype=float)


def numbers(kind: str, shape: Shape, rng: Rng) -> Array:
    """Return columns that all have the same distribution."""
    match kind:
        case "gaussian":
            return rng.normal(size=shape)
        case "uniform":
            return rng.random(shape)
        case "exponential":
            return rng.exponential(size=shape)
        case "heavy_tailed":
            return rng.standard_t(2, shape)
        case "laplace":
            return rng.laplace(size=shape)
        case "lognormal":
            return rng.lognormal(sigma=1.5, size=shape)
        case "cauchy":
            return rng.standard_cauchy(shape)
        case "triangular":
            return rng.triangular(0, 0.2, 1, shape)
        case "whole_numbers":
            return rng.integers(10, size=shape)
        case "rounded":
            return rng.normal(size=shape).round(1)
        case "far_from_zero":
            return 1e9 + rng.normal(size=shape)
    raise KeyError(kind)


def counts(kind: str, shape: Shape, spread: Array, rng: Rng) -> Array:
    """Return columns with many zeros; ``spread`` has a number in (0.02, 0.6) for each."""
    match kind:
        case "binary":
            return rng.random(shape) < spread
        case "rare":
            n_rows, _ = shape
            probability = 1 / n_rows + spread / 20
            return rng.random(shape) < probability
        case "poisson":
            return rng.poisson(8 * spread, shape)
        case "overdispersed":
            return rng.negative_binomial(0.5, spread / 4, shape)
        case "ordinal":
            return rng.binomial(4, spread, shape)
        case "zero_inflated":
            is_positive = rng.random(shape) < spread
            values = rng.gamma(2, size=shape)
            return np.where(is_positive, values, 0)
    raise KeyError(kind)


def with_exception(kind: str, shape: Shape, rng: Rng) -> Array:
    """Return Gaussian columns with an odd one, one huge value each, or every other one constant."""
    n, p = shape
    match kind:
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
            columns = np.arange(p)
            X[rows, columns] = 1e6
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
        missing_share = rng.uniform(0.5, 0.97, p)
        values = rng.normal(size=shape)
        return np.where(drawn < missing_share, np.nan, values)
    X = rng.normal(size=shape)
    if kind == "value_gaps":
        threshold = rng.normal(0.5, 0.7, p)
        is_large = threshold < X
        is_drawn = rng.random(shape) < 0.9
        X[is_large & is_drawn] = np.nan
        return X
    for start in range(0, p, 5):
        drawn = rng.random(n)
        share = rng.uniform(0, 0.6)
        is_missing = drawn < share
        X[is_missing, start : start + 5] = np.nan
    return X


def category(n: int, rng: Rng) -> Array:
    """Return codes of 2 to 200 levels, with frequencies from equal to very unequal."""
    import pandas as pd  # optional

    n_levels = int(2 * 100 ** rng.random())
    inequality = rng.uniform(0, 2)
    frequency = np.arange(1, n_levels + 1) ** -inequality
    probability = frequency / frequency.sum()
    levels = rng.choice(n_levels, n, p=probability)
    codes, _ = pd.factorize(levels)
    return codes.astype(float)


def dependent_rows(kind: str, n: int, p: int, rng: Rng) -> Array:
    """Return a table of independent columns whose rows depend on each other, as `DEPENDENT`."""
    if kind.startswith("twice"):
        once_kind = kind.removeprefix("twice_")
        once = independent_columns(once_kind, n // 2, p, rng)
        return np.repeat(once, 2, axis=0)
    steps = rng.normal(size=(n, p))
    if kind == "walk":
        return steps.cumsum(axis=0)
    if kind == "autocorrelated":
        return lfilter([1], [1, -0.9], steps, axis=0)
    n_patients = n // ROWS_PER_PATIENT
    patients = rng.normal(size=(n_patients, p))
    spread = rng.choice([0.5, 1, 3])
    means = np.repeat(patients * spread, ROWS_PER_PATIENT, axis=0)
    return means + steps[: len(means)]
