"""Tables with categories: `python -m benchmarks.mixed [--small]`.

What categories cost compared with numbers, in the same run, and the memory of a million rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks import SMALL, THREADS, publish, table
from benchmarks._methods import OURS, warm_up
from benchmarks._worker import Job, Task, Worker, in_turns
from urerf import URerF
from urerf.schema import CATEGORY, Column, Frame, Schema

TURNS = 2
N = 2000 if SMALL else 20_000
N_LARGE = 20_000 if SMALL else 1_000_000
N_COLUMNS = 20
N_LEVELS = 12
MOST_TIMES = 2.0
MOST_BYTES = 6e9
NOTE = f"""Every row has a position on a closed curve, and every column is a wave of it with noise.
A category is such a column, cut at its quantiles into {N_LEVELS} levels. `fit` with the defaults
and the graph of 15 neighbors, {THREADS} threads; all {N_COLUMNS} columns carry structure. The times
of different kinds were taken in turns in one run, and the smallest of {TURNS} counts; memory is the
peak of the process, with the data."""


def waves(n: int, n_categories: int) -> Frame:
    """Return a table whose first columns are categories."""
    rng = np.random.default_rng(0)
    position = rng.uniform(0, 2 * np.pi, n)
    values = np.empty((n, N_COLUMNS))
    columns = []
    levels = tuple(map(str, range(N_LEVELS)))
    for j in range(N_COLUMNS):
        wave = np.cos((1 + j % 3) * position + j) + rng.normal(0, 0.2, n)
        if j < n_categories:
            cuts = np.quantile(wave, np.arange(1, N_LEVELS) / N_LEVELS)
            wave = rng.permutation(N_LEVELS)[np.searchsorted(cuts, wave)]
            columns.append(Column(f"c{j}", CATEGORY, levels))
        else:
            columns.append(Column(f"x{j}"))
        values[:, j] = wave
    return Frame(values, Schema(tuple(columns)))


@dataclass
class FitMixed(Task):
    """Fit a table and make its graph."""

    n: int
    n_categories: int

    def load(self) -> None:
        """Make the table."""
        self.frame = waves(self.n, self.n_categories)

    def run(self) -> Any:
        """Fit, and find the neighbors of all rows."""
        model = URerF(random_state=0, n_jobs=THREADS).fit(self.frame)
        model.kneighbors_graph()
        return model

    def score(self, model: Any) -> dict[str, Any]:
        """Return how many columns carry structure."""
        return {"used": int((model.feature_relevance_ > 0).sum())}


def row(
    name: str,
    one: dict[str, Any],
    compared: str,
    is_met: bool,
) -> dict[str, Any]:
    """Return one row of the page."""
    return {
        "table": name,
        "CPU s": f"{one['cpu']:.1f}",
        "peak": f"{one['peak'] / 1e9:.2f} GB",
        "columns used": one["used"],
        "compared": compared,
        "target": "met" if is_met else "**missed**",
    }


def main() -> None:
    kinds = {"numbers": 0, "half categories": N_COLUMNS // 2, "categories": N_COLUMNS}
    with Worker(warm_up, method=OURS) as worker:
        jobs = [Job(name, worker, FitMixed(N, count)) for name, count in kinds.items()]
        found = in_turns(jobs, TURNS)
    with Worker(warm_up, method=OURS) as worker:
        (large,) = in_turns([Job("large", worker, FitMixed(N_LARGE, N_COLUMNS))], 1)
    rows = []
    for name, one in zip(kinds, found):
        times = one["cpu"] / found[0]["cpu"]
        rows.append(row(f"{N:,} x {N_COLUMNS}, {name}", one, f"{times:.2f} x", times <= MOST_TIMES))
    peak = f"{large['peak'] / 1e9:.2f} GB"
    is_small = large["peak"] <= MOST_BYTES
    rows.append(row(f"{N_LARGE:,} x {N_COLUMNS}, categories", large, peak, is_small))
    publish("mixed", rows, NOTE, table(rows))


if __name__ == "__main__":
    main()
