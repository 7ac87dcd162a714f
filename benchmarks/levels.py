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

from urerf.kernels._jit import jit
from urerf.kernels.dip import dip_of_sorted
from urerf.relevance import Relevance, column_relevance, examine_rows

Rng = np.random.Generator
Shape = tuple[int, int]

SIZES = (20, 30, 50, 100, 200, 500, 1000, 2000)
TAILS = (
    *(0.5, 0.2, 0.1, 0.05, 0.02, 0.01),
    *(5e-3, 2e-3, 1e-3),
    *(5e-4, 2e-4, 1e-4),
    *(5e-5, 2e-5, 1e-5),
)
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
        print(f"    ({', '.join(f'{q:.4f}' for q in quantiles)}),  # {n}", flush=True)


def eigenvalue_table() -> None:
    """Print mean and standard deviation of the leading eigenvalue over sqrt(2 p)."""
    from urerf.relevance import spectral

    rng = np.random.default_rng(0)
    for n in spectral.ROWS:
        cells = []
        for p in spectral.COLUMNS:
            n_tables = int(np.clip(100_000 / p, 40, 1000))
            values = [_eigenvalue(n, p, rng) for _ in range(n_tables)]
            cells.append((np.mean(values), np.std(values)))
        for column in range(2):
            print(n, ", ".join(f"{cell[column]:.4f}" for cell in cells), flush=True)


def _eigenvalue(n: int, p: int, rng: Rng) -> float:
    from urerf.relevance import spectral

    in_order = np.tile(np.arange(n, dtype=np.float32), (p, 1))
    ranks = rng.permuted(in_order, axis=1)
    ranks -= ranks.mean()
    ranks /= ranks[0].std() * np.sqrt(n)
    correlation = ranks @ ranks.T
    matrix = np.minimum((n - 1) * correlation**2 - 1, spectral.CLIP)
    np.fill_diagonal(matrix, 0)
    value, _ = spectral.leading_eigenvector(matrix)
    return value / np.sqrt(spectral.VARIANCE * p)


def noise(kind: str, n: int, p: int, rng: Rng) -> np.ndarray:
    """Return a table of independent columns of one of `KINDS`."""
    if kind == "mixed":
        parts = [noise(KINDS[i % 10], n, 1, rng) for i in rng.permutation(p)]
        return np.hstack(parts)
    if kind == "category":
        return np.column_stack([_category(n, rng) for _ in range(p)])
    spread = rng.uniform(0.02, 0.6, p)
    return np.asarray(MAKERS[kind](rng, (n, p), spread), dtype=float)


def _rare(rng: Rng, shape: Shape, spread: np.ndarray) -> np.ndarray:
    """Return columns of 0 in which few rows are 1."""
    n, _ = shape
    share = 1 / n + spread / 20
    return rng.random(shape) < share


def _zero_inflated(rng: Rng, shape: Shape, spread: np.ndarray) -> np.ndarray:
    """Return columns of positive numbers, most of which are replaced by 0."""
    is_positive = rng.random(shape) < spread
    return np.where(is_positive, rng.gamma(2, size=shape), 0)


def _one_flat(rng: Rng, shape: Shape, spread: np.ndarray) -> np.ndarray:
    """Return Gaussian columns after a uniform one."""
    n, p = shape
    flat = rng.random((n, 1))
    return np.hstack([flat, rng.normal(size=(n, p - 1))])


def _one_skewed(rng: Rng, shape: Shape, spread: np.ndarray) -> np.ndarray:
    """Return Gaussian columns after a very skewed one."""
    n, p = shape
    skewed = rng.exponential(size=(n, 1)) ** 2
    return np.hstack([skewed, rng.normal(size=(n, p - 1))])


def _mostly_missing(rng: Rng, shape: Shape, spread: np.ndarray) -> np.ndarray:
    """Return Gaussian columns of which at least half is missing."""
    uniform = rng.random(shape)
    missing = rng.uniform(0.5, 0.97, shape[1])
    return np.where(uniform < missing, np.nan, rng.normal(size=shape))


def _category(n: int, rng: Rng) -> np.ndarray:
    """Return codes of 2 to 200 levels, with frequencies from equal to very unequal."""
    n_levels = int(2 * 100 ** rng.random())
    frequency = np.arange(1, n_levels + 1) ** -rng.uniform(0, 2)
    levels = rng.choice(n_levels, n, p=frequency / frequency.sum())
    _, first, code = np.unique(levels, return_index=True, return_inverse=True)
    rank = np.argsort(np.argsort(first))
    return rank[code] * 1.0


def _with_shared_gaps(X: np.ndarray, rng: Rng) -> np.ndarray:
    """Leave out the same rows of several columns, in blocks of columns."""
    for start in range(0, X.shape[1], 5):
        uniform = rng.random(len(X))
        is_missing = uniform < rng.uniform(0, 0.6)
        X[is_missing, start : start + 5] = np.nan
    return X


def _with_value_gaps(X: np.ndarray, rng: Rng) -> np.ndarray:
    """Leave out the largest values of every column, most of the time."""
    cut = rng.normal(0.5, 0.7, X.shape[1])
    is_missing = (cut < X) & (rng.random(X.shape) < 0.9)
    return np.where(is_missing, np.nan, X)


def _with_outlier(X: np.ndarray, rng: Rng) -> np.ndarray:
    """Replace one cell of every column by a huge value."""
    n, p = X.shape
    rows = rng.integers(n, size=p)
    X[rows, np.arange(p)] = 1e6
    return X


def dependent_rows(
    kind: str,
    n: int,
    p: int,
    rng: Rng,
) -> np.ndarray:
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


def noise_table(n_tables: int = 2000, first_seed: int = 1000, kinds: tuple[str, ...] = ()) -> None:
    """Print how often structure and hints are found in tables of independent columns."""
    for kind in kinds or KINDS:
        found = []
        for seed in range(first_seed, first_seed + n_tables):
            rng = np.random.default_rng(seed)
            sizes = [30, 60, 100, 200, 300]
            if kind == "category":
                sizes.append(1000)
            n = int(rng.choice(sizes))
            p = int(rng.choice([2, 5, 10, 20, 50, 100, 200]))
            X = noise(kind, n, p, rng)
            kinds_of_columns = [kind] * p if kind in ("category", "ordinal") else None
            found.append(examine_rows(X, kinds_of_columns, n_jobs=1))
        _print_verdicts(kind, found)


def rows_table(n_tables: int = 2000, first_seed: int = 1000, kinds: tuple[str, ...] = ()) -> None:
    """Print the same for dependent rows, declared where they can be."""
    for kind in kinds or DEPENDENT:
        found = []
        for seed in range(first_seed, first_seed + n_tables):
            rng = np.random.default_rng(seed)
            n = int(rng.choice([60, 100, 200, 300, 1000]))
            if kind == "patients":
                n = int(rng.choice([200, 300, 600]))
            p = int(rng.choice([2, 5, 10, 20, 50, 100]))
            X = dependent_rows(kind, n, p, rng)
            groups = np.arange(len(X)) // 10 if kind == "patients" else None
            ordered = kind in ("walk", "autocorrelated")
            found.append(column_relevance(X, groups=groups, ordered=ordered, n_jobs=1))
            if ordered:
                undeclared = column_relevance(X, n_jobs=1)
                found[-1].notices.extend(undeclared.notices)
        _print_verdicts(kind, found)
        noticed = sum(bool(record.notices) for record in found)
        print(f"  noticed, if not declared: {noticed} of {n_tables}", flush=True)


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


# By kind: from a generator, the shape of the table and one number per column in (.02, .6).
MAKERS: dict[str, Callable[[Rng, Shape, np.ndarray], np.ndarray]] = {
    "gaussian": lambda rng, shape, _: rng.normal(size=shape),
    "uniform": lambda rng, shape, _: rng.random(shape),
    "exponential": lambda rng, shape, _: rng.exponential(size=shape),
    "heavy_tailed": lambda rng, shape, _: rng.standard_t(2, size=shape),
    "binary": lambda rng, shape, spread: rng.random(shape) < spread,
    "rare": _rare,
    "poisson": lambda rng, shape, spread: rng.poisson(8 * spread, shape),
    "zero_inflated": _zero_inflated,
    "rounded": lambda rng, shape, _: rng.normal(size=shape).round(1),
    "one_flat": _one_flat,
    "one_skewed": _one_skewed,
    "shared_gaps": lambda rng, shape, _: _with_shared_gaps(rng.normal(size=shape), rng),
    "value_gaps": lambda rng, shape, _: _with_value_gaps(rng.normal(size=shape), rng),
    "mostly_missing": _mostly_missing,
    "laplace": lambda rng, shape, _: rng.laplace(size=shape),
    "lognormal": lambda rng, shape, _: rng.lognormal(sigma=1.5, size=shape),
    "cauchy": lambda rng, shape, _: rng.standard_cauchy(shape),
    "triangular": lambda rng, shape, _: rng.triangular(0, 0.2, 1, shape),
    "whole_numbers": lambda rng, shape, _: rng.integers(0, 10, shape),
    "overdispersed": lambda rng, shape, spread: rng.negative_binomial(0.5, spread / 4, shape),
    "far_from_zero": lambda rng, shape, _: 1e9 + rng.normal(size=shape),
    "one_outlier": lambda rng, shape, _: _with_outlier(rng.normal(size=shape), rng),
    "half_constant": lambda rng, shape, _: rng.normal(size=shape) * (np.arange(shape[1]) % 2),
    "ordinal": lambda rng, shape, spread: rng.binomial(4, spread, shape),
}
# "mixed" has the first ten of these.
KINDS = (*MAKERS, "mixed", "category")

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
    else:
        {"dip": dip_table, "eigenvalue": eigenvalue_table}[study]()


if __name__ == "__main__":
    main()
