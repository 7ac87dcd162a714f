"""Which floor under a cluster's variance is best: the evidence for ``FLOOR`` in `urerf.kernels.split`.

Precision of the 50 nearest of 1000 points, with the settings of the paper's authors' scripts but 100 trees. The floor
is a constant of the compiled code, so every value runs in a process of its own with a cache of its own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from benchmarks import markdown, write_csv, write_page

FLOORS = (1e-6, 1e-4, 1e-2, 3e-2, 1e-1)
NOISE = (0, 10, 100, 1000)
SEEDS = (0, 1)
DATASETS = ("linear", "helix", "sphere", "gaussian_mixture")
K = 50
PUBLISHED = {"linear": (0.81, 0.75, 0.65, 0.41), "helix": (0.83, 0.75, 0.56, 0.28), "sphere": (0.53, 0.60, 0.48, 0.32)}
NOTE = f"""Precision of the {K} nearest, mean of {len(SEEDS)} seeds, `URerF.paper(projection="axis",
min_samples_split=32, n_estimators=100)`, 1000 points, Gaussian noise columns of variance 70. A row is a floor, as a
share of the node's variance; `published` is the paper's own figure (its mixture has another truth)."""


def measure(floor: float) -> Iterator[dict[str, Any]]:
    """Score every data set under one floor; call it before anything is compiled."""
    from urerf import URerF, datasets
    from urerf.kernels import split
    from urerf.metrics import geodesic_precision

    split.FLOOR = floor
    for name in DATASETS:
        for seed in SEEDS:
            manifold = getattr(datasets, f"make_{name}")(1000, random_state=seed)
            for noise in NOISE:
                X = datasets.add_noise(manifold.X, noise, random_state=seed)
                settings = {"projection": "axis", "min_samples_split": 32, "n_estimators": 100}
                model = URerF.paper(**settings, random_state=seed, n_jobs=1).fit(X)
                precision = geodesic_precision(model.kneighbors(n_neighbors=K)[1], manifold)
                row = {"floor": floor, "dataset": name, "noise": noise, "seed": seed}
                yield {**row, "precision": round(precision, 4)}


def measure_apart(floor: float) -> list[dict[str, Any]]:
    """Run `measure` in a fresh process with an empty cache of compiled code."""
    print(f"floor {floor:g} ...", file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory() as cache:
        command = [sys.executable, "-m", "benchmarks.floor", str(floor)]
        environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
        done = subprocess.run(command, check=True, env=environment, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)


def tables(rows: list[dict[str, Any]]) -> list[str]:
    """Return a table a data set, and one of the means over all of them."""

    def mean(**where: Any) -> str:
        chosen = [row["precision"] for row in rows if where.items() <= row.items()]
        return f"{np.mean(chosen):.3f}"

    head = ["floor", *(f"{noise} noise columns" for noise in NOISE), "mean"]
    pages = []
    for name in DATASETS:
        body = [
            [f"{f:g}", *(mean(floor=f, dataset=name, noise=n) for n in NOISE), mean(floor=f, dataset=name)]
            for f in FLOORS
        ]
        if name in PUBLISHED:
            body.append(["published", *(f"{x:.2f}" for x in PUBLISHED[name]), f"{np.mean(PUBLISHED[name]):.3f}"])
        pages.append(f"## {name}\n\n{markdown(head, body)}")
    body = [[f"{f:g}", *(mean(floor=f, noise=n) for n in NOISE), mean(floor=f)] for f in FLOORS]
    return [f"## All\n\n{markdown(head, body)}", *pages]


def main() -> None:
    if len(sys.argv) > 1:  # one value, in a process of its own
        json.dump(list(measure(float(sys.argv[1]))), sys.stdout)
        return
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        rows = [row for found in pool.map(measure_apart, FLOORS) for row in found]
    write_csv("floor", rows)
    write_page("floor", NOTE, *tables(rows))


if __name__ == "__main__":
    main()
