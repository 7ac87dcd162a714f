"""Simulate the null distributions of two tests of relevance.

`python -m urerf.lab.null_distributions dip` prints the table of `urerf.relevance.marginals`, and
`python -m urerf.lab.null_distributions eigenvalue` those of `urerf.relevance.spectral`.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import Any

import numpy as np

from urerf.kernels._jit import jit
from urerf.kernels.dip import dip_of_sorted
from urerf.relevance import spectral
from urerf.relevance.marginals import SIZES, TAILS

# Samples per size: the quantile at 1e-5 rests on the five largest of each 500,000.
SAMPLES = 500_000


@jit
def dips_of_uniform(n, samples, seed, out):
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


def dip_table(samples: int = SAMPLES) -> None:
    """Print the quantiles of sqrt(n) * dip for uniform samples, one size per row."""
    probabilities = 1 - np.array(TAILS)
    for n in SIZES:
        values = np.empty(samples)
        dips_of_uniform(n, samples, n, values)
        print_row(np.quantile(values, probabilities), n)


def eigenvalue_tables() -> None:
    """Print mean and standard deviation of the leading eigenvalue over sqrt(2 p)."""
    rng = np.random.default_rng(0)
    for n in spectral.ROWS:
        moments = []
        for p in spectral.COLUMNS:
            n_tables = int(np.clip(100_000 / p, 40, 1000))
            values = [eigenvalue(n, p, rng) for _ in range(n_tables)]
            moments.append((np.mean(values), np.std(values)))
        for row in zip(*moments):
            print_row(row, n)


def eigenvalue(n: int, p: int, rng: np.random.Generator) -> float:
    """Return the leading eigenvalue over sqrt(2 p) of a table of independent columns."""
    in_order = np.arange(n, dtype=np.float32)
    columns = np.tile(in_order, (p, 1))
    ranks = rng.permuted(columns, axis=1)
    ranks -= ranks.mean()
    ranks /= ranks[0].std() * np.sqrt(n)
    correlation = ranks @ ranks.T
    excess = (n - 1) * correlation**2 - 1
    matrix = np.minimum(excess, spectral.CLIP)
    np.fill_diagonal(matrix, 0)
    value, _ = spectral.leading_eigenvector(matrix)
    return value / np.sqrt(spectral.VARIANCE * p)


def print_row(values: Iterable[Any], n: int) -> None:
    """Print a row of a table in the sources, with the number of rows of the sample."""
    numbers = ", ".join(f"{value:.4f}" for value in values)
    print(f"[{numbers}],  # {n}", flush=True)


def main() -> None:
    """Print the tables of the test that the command line names."""
    parser = argparse.ArgumentParser(prog="python -m urerf.lab.null_distributions")
    parser.add_argument("test", choices=["dip", "eigenvalue"])
    asked = parser.parse_args()
    if asked.test == "dip":
        dip_table()
    else:
        eigenvalue_tables()


if __name__ == "__main__":
    main()
