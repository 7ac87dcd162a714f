"""Null distributions and error rates of the relevance tests.

``python -m benchmarks.levels dip`` prints the table of `urerf.relevance.marginals`,
``python -m benchmarks.levels eigenvalue`` that of `urerf.relevance.spectral`, and
``python -m benchmarks.levels noise`` the share of noise tables in which structure is found.
"""

from __future__ import annotations

import sys

import numpy as np

from urerf.kernels._jit import jit
from urerf.kernels.dip import dip

SIZES = (20, 30, 50, 100, 200, 500, 1000, 2000)
TAILS = (0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 5e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4, 5e-5, 2e-5, 1e-5)
# Samples per size: the quantile at 1e-5 rests on the five largest of each 500,000.
SAMPLES = 500_000


@jit
def _dips_of_uniform(n, samples, seed, out):
    """Write sqrt(n) times the dip of uniform samples: sums of exponentials are their order."""
    np.random.seed(seed)
    x = np.empty(n)
    for s in range(samples):
        total = 0.0
        for k in range(n):
            total -= np.log(1.0 - np.random.random())
            x[k] = total
        out[s] = np.sqrt(n) * dip(x)


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


def _eigenvalue(n: int, p: int, rng: np.random.Generator) -> float:
    from urerf.relevance import spectral

    ranks = rng.permuted(np.tile(np.arange(n, dtype=np.float32), (p, 1)), axis=1)
    ranks -= ranks.mean()
    ranks /= ranks[0].std() * np.sqrt(n)
    matrix = np.minimum((n - 1) * (ranks @ ranks.T) ** 2 - 1, spectral.CLIP)
    np.fill_diagonal(matrix, 0)
    value, _ = spectral.leading_eigenvector(matrix)
    return value / np.sqrt(spectral.VARIANCE * p)


def main() -> None:
    """Run the study that the command line names."""
    studies = {"dip": dip_table, "eigenvalue": eigenvalue_table}
    studies[sys.argv[1]]()


if __name__ == "__main__":
    main()
