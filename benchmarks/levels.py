"""Null distributions and error rates of the relevance tests.

``python -m benchmarks.levels dip`` prints the table of `urerf.relevance.marginals`,
``python -m benchmarks.levels eigenvalue`` that of `urerf.relevance.spectral`, and
``python -m benchmarks.levels noise`` the share of noise tables in which structure is found.
``python -m benchmarks.levels rows`` does the same for rows that are not independent.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
from scipy.signal import lfilter
from scipy.stats import beta

from urerf._typing import Array
from urerf.kernels._jit import jit
from urerf.kernels.dip import dip_of_sorted
from urerf.relevance import Relevance, column_relevance, examine_rows, spectral
from urerf.relevance.marginals import SIZES, TAILS

Rng = np.random.Generator
Shape = tuple[int, int]

# Samples per size: the quantile at 1e-5 rests on the five largest of each 500,000.
SAMPLES = 500_000


@jit
def _dips_of_uniform(n, samples, seed, out):
    """Write sqrt(n) times the dip of uniform samples: sums of exponentials are their order."""
    np.random.seed(seed)  # noqa: NPY002 - the generators of Numba
    x = np.empty(n)
    lower = np.empty(n, np.int64)
    upper = np.empty(n, np.int64)
    for s in range(samples):
        total = 0.0
        for k in range(n):
            total -= np.log(1.0 - np.random.random())  # noqa: NPY002
            x[k] = total
        out[s] = np.sqrt(n) * dip_of_sorted(x, lower, upper)


def dip_table() -> None:
    """Print the quantiles of sqrt(n) * dip for uniform samples."""
    for n in SIZES:
        values = np.empty(SAMPLES)
        _dips_of_uniform(n, SAMPLES, n, values)
        quantiles = np.quantile(values, 1 - np.array(TAILS))
        numbers = ", ".join(f"{q:.4f}" for q in quantiles)
        print(f"    ({numbers}),  # {n}", flush=True)


def eigenvalue_table() -> None:
    """Print mean and standard deviation of the leading eigenvalue over sqrt(2 p)."""
    rng = np.random.default_rng(0)
    for n in spectral.ROWS:
        cells = []
        for p in spectral.COLUMNS:
            n_tables = int(np.clip(100_000 / p, 40, 1000))
            values = [_eigenvalue(n, p, rng) for _ in range(n_tables)]
            cells.append((np.mean(values), np.std(values)))
        for moment in np.transpose(cells):
            numbers = ", ".join(f"{value:.4f}" for value in moment)
            print(n, numbers, flush=True)


def _eigenvalue(n: int, p: int, rng: Rng) -> float:
    in_order = np.tile(np.arange(n, dtype=np.float32), (p, 1))
    ranks = rng.permuted(in_order, axis=1)
    ranks -= ranks.mean()
    ranks /= ranks[0].std() * np.sqrt(n)
    correlation = ranks @ ranks.T
    matrix = np.minimum((n - 1) * correlation**2 - 1, spectral.CLIP)
    np.fill_diagonal(matrix, 0)
    value, _ = spectral.leading_eigenvector(matrix)
    return value / np.sqrt(spectral.VARIANCE * p)


def noise(kind: str, n: int, p: int, rng: Rng) -> Array:
    """Return a table of independent columns of one of `KINDS`."""
    if kind == "mixed":
        order = rng.permutation(p)
        parts = [noise(MIXED[i % len(MIXED)], n, 1, rng) for i in order]
        return np.hstack(parts)
    if kind == "category":
        columns = [_category(n, rng) for _ in range(p)]
        return np.column_stack(columns)
    shape = (n, p)
    spread = rng.uniform(0.02, 0.6, p)
    if kind in DRAWN:
        method, arguments = DRAWN[kind]
        draw = getattr(rng, method)
        X = draw(size=shape, **arguments)
    else:
        X = MADE[kind](rng, shape, spread)
    return np.asarray(X, dtype=float)


def _binary(rng: Rng, shape: Shape, spread: Array) -> Array:
    return rng.random(shape) < spread


def _poisson(rng: Rng, shape: Shape, spread: Array) -> Array:
    return rng.poisson(8 * spread, shape)


def _overdispersed(rng: Rng, shape: Shape, spread: Array) -> Array:
    return rng.negative_binomial(0.5, spread / 4, shape)


def _ordinal(rng: Rng, shape: Shape, spread: Array) -> Array:
    return rng.binomial(4, spread, shape)


def _rounded(rng: Rng, shape: Shape, spread: Array) -> Array:
    return rng.normal(size=shape).round(1)


def _far_from_zero(rng: Rng, shape: Shape, spread: Array) -> Array:
    return 1e9 + rng.normal(size=shape)


def _half_constant(rng: Rng, shape: Shape, spread: Array) -> Array:
    """Return Gaussian columns of which every other one is 0."""
    _, p = shape
    is_odd = np.arange(p) % 2
    return rng.normal(size=shape) * is_odd


def _rare(rng: Rng, shape: Shape, spread: Array) -> Array:
    """Return columns of 0 in which few rows are 1."""
    n, _ = shape
    share = 1 / n + spread / 20
    return rng.random(shape) < share


def _zero_inflated(rng: Rng, shape: Shape, spread: Array) -> Array:
    """Return columns of positive numbers, most of which are replaced by 0."""
    is_positive = rng.random(shape) < spread
    return np.where(is_positive, rng.gamma(2, size=shape), 0)


def _one_flat(rng: Rng, shape: Shape, spread: Array) -> Array:
    """Return Gaussian columns after a uniform one."""
    n, p = shape
    flat = rng.random((n, 1))
    return np.hstack([flat, rng.normal(size=(n, p - 1))])


def _one_skewed(rng: Rng, shape: Shape, spread: Array) -> Array:
    """Return Gaussian columns after a very skewed one."""
    n, p = shape
    skewed = rng.exponential(size=(n, 1)) ** 2
    return np.hstack([skewed, rng.normal(size=(n, p - 1))])


def _mostly_missing(rng: Rng, shape: Shape, spread: Array) -> Array:
    """Return Gaussian columns of which at least half is missing."""
    uniform = rng.random(shape)
    missing = rng.uniform(0.5, 0.97, shape[1])
    return np.where(uniform < missing, np.nan, rng.normal(size=shape))


def _category(n: int, rng: Rng) -> Array:
    """Return codes of 2 to 200 levels, with frequencies from equal to very unequal."""
    n_levels = int(2 * 100 ** rng.random())
    frequency = np.arange(1, n_levels + 1) ** -rng.uniform(0, 2)
    levels = rng.choice(n_levels, n, p=frequency / frequency.sum())
    _, first, code = np.unique(levels, return_index=True, return_inverse=True)
    rank = np.argsort(np.argsort(first))
    return rank[code] * 1.0


def _shared_gaps(rng: Rng, shape: Shape, spread: Array) -> Array:
    """Return Gaussian columns; in blocks of these, the same rows are missing."""
    X = rng.normal(size=shape)
    n, p = shape
    for start in range(0, p, 5):
        uniform = rng.random(n)
        is_missing = uniform < rng.uniform(0, 0.6)
        X[is_missing, start : start + 5] = np.nan
    return X


def _value_gaps(rng: Rng, shape: Shape, spread: Array) -> Array:
    """Return Gaussian columns whose largest values are missing, most of the time."""
    X = rng.normal(size=shape)
    cut = rng.normal(0.5, 0.7, shape[1])
    is_large = cut < X
    is_missing = is_large & (rng.random(shape) < 0.9)
    return np.where(is_missing, np.nan, X)


def _one_outlier(rng: Rng, shape: Shape, spread: Array) -> Array:
    """Return Gaussian columns with one huge value each."""
    X = rng.normal(size=shape)
    n, p = shape
    rows = rng.integers(n, size=p)
    X[rows, np.arange(p)] = 1e6
    return X


def dependent_rows(
    kind: str,
    n: int,
    p: int,
    rng: Rng,
) -> Array:
    """Return a table of independent columns whose rows are not independent."""
    if kind.startswith("twice"):
        once = noise(kind.removeprefix("twice_"), n // 2, p, rng)
        return np.repeat(once, 2, axis=0)
    steps = rng.normal(size=(n, p))
    if kind == "walk":
        return steps.cumsum(axis=0)
    if kind == "autocorrelated":
        return lfilter([1], [1, -0.9], steps, axis=0)
    n_patients = n // 10
    patients = rng.normal(size=(n_patients, p)) * rng.choice([0.5, 1, 3])
    return np.repeat(patients, 10, axis=0) + steps[: 10 * n_patients]


def noise_table(n_tables: int, first_seed: int, kinds: tuple[str, ...]) -> None:
    """Print how often structure and hints are found in tables of independent columns."""
    for kind in kinds or KINDS:
        sizes = [30, 60, 100, 200, 300]
        if kind == "category":
            sizes.append(1000)
        found = []
        for seed in range(first_seed, first_seed + n_tables):
            rng = np.random.default_rng(seed)
            n = int(rng.choice(sizes))
            p = int(rng.choice([2, 5, 10, 20, 50, 100, 200]))
            X = noise(kind, n, p, rng)
            is_declared = kind in ("category", "ordinal")
            kinds_of_columns = [kind] * p if is_declared else None
            found.append(examine_rows(X, kinds_of_columns, n_jobs=1))
        _print_verdicts(kind, found)


def rows_table(n_tables: int, first_seed: int, kinds: tuple[str, ...]) -> None:
    """Print the same for dependent rows, declared where they can be."""
    for kind in kinds or DEPENDENT:
        is_grouped = kind == "patients"
        is_ordered = kind in ("walk", "autocorrelated")
        sizes = [200, 300, 600] if is_grouped else [60, 100, 200, 300, 1000]
        found = []
        n_noticed = 0
        for seed in range(first_seed, first_seed + n_tables):
            rng = np.random.default_rng(seed)
            n = int(rng.choice(sizes))
            p = int(rng.choice([2, 5, 10, 20, 50, 100]))
            X = dependent_rows(kind, n, p, rng)
            groups = np.arange(len(X)) // 10 if is_grouped else None
            declared = column_relevance(X, groups=groups, ordered=is_ordered, n_jobs=1)
            found.append(declared)
            undeclared = column_relevance(X, n_jobs=1) if is_ordered else declared
            n_noticed += bool(undeclared.notices)
        _print_verdicts(kind, found)
        print(f"  noticed, if not declared: {n_noticed} of {n_tables}", flush=True)


def _print_verdicts(kind: str, found: list[Relevance]) -> None:
    verdicts = [record.verdict for record in found]
    n_tables = len(found)
    k = verdicts.count("structure")
    high = beta.ppf(0.975, k + 1, n_tables - k)
    low = beta.ppf(0.025, k, n_tables - k + 1) if k else 0.0
    hints = verdicts.count("hint") / n_tables
    print(
        f"| {kind} | {k} of {n_tables} | {k / n_tables:.2%} | {low:.2%} to {high:.2%} "
        f"| {hints:.1%} |",
        flush=True,
    )


# Kinds that NumPy draws: the method of its generator, and its arguments.
DRAWN: dict[str, tuple[str, dict[str, float]]] = {
    "gaussian": ("normal", {}),
    "uniform": ("random", {}),
    "exponential": ("exponential", {}),
    "heavy_tailed": ("standard_t", {"df": 2}),
    "laplace": ("laplace", {}),
    "lognormal": ("lognormal", {"sigma": 1.5}),
    "cauchy": ("standard_cauchy", {}),
    "triangular": ("triangular", {"left": 0, "mode": 0.2, "right": 1}),
    "whole_numbers": ("integers", {"low": 0, "high": 10}),
}
# The other kinds: from a generator, the shape of the table and one number per column in (.02, .6).
MADE: dict[str, Callable[[Rng, Shape, Array], Array]] = {
    "binary": _binary,
    "rare": _rare,
    "poisson": _poisson,
    "zero_inflated": _zero_inflated,
    "rounded": _rounded,
    "one_flat": _one_flat,
    "one_skewed": _one_skewed,
    "shared_gaps": _shared_gaps,
    "value_gaps": _value_gaps,
    "mostly_missing": _mostly_missing,
    "overdispersed": _overdispersed,
    "far_from_zero": _far_from_zero,
    "one_outlier": _one_outlier,
    "half_constant": _half_constant,
    "ordinal": _ordinal,
}
# Kinds that are mixed in tables of the kind "mixed".
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
KINDS = (*DRAWN, *MADE, "mixed", "category")

DEPENDENT = (
    "twice_gaussian",
    "twice_rounded",
    "twice_mixed",
    "walk",
    "autocorrelated",
    "patients",
)


def main() -> None:
    """Run the study that the command line names."""
    study, *arguments = sys.argv[1:]
    if study in ("noise", "rows"):
        n_tables, first_seed, *kinds = arguments or ["2000", "1000"]
        table = noise_table if study == "noise" else rows_table
        table(int(n_tables), int(first_seed), tuple(kinds))
    elif study == "dip":
        dip_table()
    else:
        eigenvalue_table()


if __name__ == "__main__":
    main()
