"""What finding the relevant columns costs: CPU time, memory and speed of the matrix products; and a whole default fit.

Run by `python -m benchmarks.relevance`. A helix of three columns among Gaussian noise, one thread.
"""

from __future__ import annotations

import resource
import sys
import time
import tracemalloc

import numpy as np

from urerf import URerF
from urerf.relevance import column_relevance
from urerf.kernels.expansion import DEGREE
from urerf.relevance.pairs import SCREEN_PREFIXES, SCREEN_ROWS, SCREEN_WORK

SIZES = [(1000, 10), (1000, 100), (1000, 1000), (100_000, 1000), (1000, 3000), (1000, 10_000)]


def helix_in_noise(n: int, p: int) -> np.ndarray:
    rng = np.random.default_rng(0)
    X = rng.normal(scale=70**0.5, size=(n, p))
    t = rng.uniform(2 * np.pi, 9 * np.pi, n)
    X[:, :3] = np.column_stack([t * np.cos(t), t * np.sin(t), t])
    return X


def product_flops(n: int, p: int) -> float:
    """Floating point operations of the matrix products over half of all pairs."""
    if (DEGREE * p) ** 2 * n <= SCREEN_WORK:
        return (DEGREE * p) ** 2 * n
    return (SCREEN_PREFIXES * p) ** 2 * min(
        n, max(SCREEN_ROWS, SCREEN_WORK / (SCREEN_PREFIXES * p) ** 2)
    )


def main() -> None:
    URerF(n_estimators=2).fit(helix_in_noise(100, 10))  # compiles
    print(
        f"{'rows':>8} {'columns':>8} {'CPU s':>7} {'ns a pair':>10} {'GFLOPS':>7} {'peak MB':>8}  relevant"
    )
    for n, p in SIZES:
        X = helix_in_noise(n, p)
        start = time.process_time()
        found = column_relevance(X, n_jobs=1)
        seconds = time.process_time() - start
        tracemalloc.start()
        column_relevance(X, n_jobs=1)
        peak = tracemalloc.get_traced_memory()[1] / 2**20
        tracemalloc.stop()
        speed = product_flops(min(n, 2000), p) / seconds / 1e9
        pair = seconds / (p * (p - 1) / 2) * 1e9
        relevant = found.strength.nonzero()[0].tolist()
        print(f"{n:8d} {p:8d} {seconds:7.2f} {pair:10.0f} {speed:7.1f} {peak:8.0f}  {relevant}")
    for p in (100, 1000, 10_000):
        X = helix_in_noise(1000, p)
        start = time.process_time()
        URerF(random_state=0, n_jobs=1).fit(X)
        print(
            f"a whole default fit, 1000 rows x {p} columns: {time.process_time() - start:.1f} CPU s"
        )
    scale = 2**20 if sys.platform == "darwin" else 2**10  # bytes there, kilobytes elsewhere
    print(
        f"peak of the process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / scale:.0f} MB"
    )


if __name__ == "__main__":
    main()
