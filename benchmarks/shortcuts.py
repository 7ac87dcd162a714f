"""What three shortcuts of the trees change: candidates ranked on some rows, binned cuts, peeling that is stopped.

`urerf.forest`: a node of more than 2 x SCREENING_ROWS rows ranks its candidates on SCREENING_ROWS
of them, and cuts the winner on all; PEEL_CHAIN and PEEL_WORK bound the cuts that take a few extreme
rows off. `urerf.kernels.bins`: a node of more than BINNED_ROWS rows is cut without sorting all its
values.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import numpy as np

from benchmarks import SMALL, markdown, write_csv, write_page
from benchmarks._methods import blobs
from benchmarks.speed import tall_data
from urerf import URerF, datasets
from urerf.forest import PEEL_CHAIN, PEEL_WORK, SCREENING_ROWS, Forest, Growth
from urerf.kernels.bins import BINNED_ROWS, BINS, cut_unsorted
from urerf.kernels.scratch import make_scratch
from urerf.kernels.settings import FAST_BIC, FLOORS, GAIN, Rule
from urerf.kernels.sort import sort_values
from urerf.kernels.split import choose_cut
from urerf.metrics import geodesic_precision

N_NODES = (4096, 20_000) if SMALL else (4096, 16_384, 50_000)
ROOTS = 100
N_MODEL = 5000 if SMALL else 20_000
N_HELIX = 2000 if SMALL else 5000
NOISE, PAPER_TREES = (100, 20) if SMALL else (1000, 100)
N_TALL = 5000 if SMALL else 50_000
UNBOUNDED = 1 << 62
SEEDS = (0, 1)
K = 50
CHAINS = {
    "16 in a row": {"peel_chain": 16},
    f"{PEEL_CHAIN} in a row, in use": {},
    "any number in a row": {"peel_chain": UNBOUNDED},
    "no bound at all": {"peel_chain": UNBOUNDED, "peel_work": UNBOUNDED},
}
SCREENING = f"""A node of more than {2 * SCREENING_ROWS} rows ranks its 10 candidate columns on {SCREENING_ROWS} rows.
*Differs* is the share of {ROOTS} root nodes, with the same candidates, in which another column wins than on all rows.
Where columns have no clusters (gaussian, uniform), candidates are as good as each other, and which one wins is chance
either way."""
PRECISION = f"""Precision with the screen and without: of 15 neighbours in the same of 100 clusters (n={N_MODEL:,},
p=50), and of the {K} nearest along a helix (n={N_HELIX:,}, 20 noise columns). CPU seconds of the fit, one thread,
mean of {len(SEEDS)} seeds."""
BINNED = f"""Values of a node of more than {BINNED_ROWS:,} rows are put into {BINS} bins, and only those bins that may
hold the best cut are sorted. *Differs* is the share of {ROOTS} columns that are cut at another place than after sorting
all values; *sorted* the share where bins rule out too little and all values are sorted after all; then CPU ns a
value with bins, and when everything is sorted. Skewed is exponential, heavy-tailed is Student's with two degrees of
freedom."""
PEELING = f"""`URerF.paper(n_estimators={PAPER_TREES})`, 1000 rows, {NOISE} Gaussian noise columns of variance 70, one
thread, mean of {len(SEEDS)} seeds: CPU seconds of the fit, leaves a tree, and precision of the {K} nearest. A tree
may also look at {PEEL_WORK:,} values for peeling cuts in all, except in the last line."""

TALL = f"""The same bounds on 10 trees alone, n={N_TALL:,}, p=100, ten round clusters, nodes of 100 rows, ten
candidates, one thread: what is not in the first line is spent inside the clusters, where there is nothing to find."""


@contextmanager
def growing(**changes: Any) -> Iterator[None]:
    """Let every estimator grow with other bounds than those in use."""
    usual = URerF._growth

    def changed(self: URerF, *args: Any) -> Growth:
        return usual(self, *args)._replace(**changes)

    with patch.object(URerF, "_growth", changed):
        yield


def winners(table: np.ndarray, screening_rows: int) -> np.ndarray:
    """Return the columns that win in the roots of trees, the same candidates for any ``screening_rows``."""
    p, n = table.shape
    growth = Growth(
        10, 1 / p, 100, n, True, projection="axis", max_depth=1, screening_rows=screening_rows
    )
    grown = Forest.grow(table, growth, seed=0, trees=range(ROOTS), n_jobs=1)
    return np.array(
        [tree.columns[0] if len(tree.columns) else -1 for tree in map(grown.tree, range(ROOTS))]
    )


def differing() -> list[dict[str, Any]]:
    """Return how often the screen chooses another column, by data and size of the node."""
    rows = []
    for name, X in tall_data(max(N_NODES)).items():
        row: dict[str, Any] = {"data": name}
        for n in N_NODES:
            table = np.ascontiguousarray(X[:n].T, dtype=np.float32)
            row[f"{n:,} rows"] = float((winners(table, SCREENING_ROWS) != winners(table, 0)).mean())
        print(row, file=sys.stderr, flush=True)
        rows.append(row)
    return rows


def shaped(n: int) -> dict[str, np.ndarray]:
    """Return columns (as rows) of several shapes, n values each."""
    rng = np.random.default_rng(0)
    several = {name: np.ascontiguousarray(X.T[:ROOTS]) for name, X in tall_data(n).items()}
    several |= {
        "skewed": rng.exponential(size=(ROOTS, n)),
        "heavy-tailed": rng.standard_t(2, size=(ROOTS, n)),
    }
    return {name: columns.astype(np.float32) for name, columns in several.items()}


def cutters(n: int) -> tuple[Callable[[np.ndarray], Any], Callable[[np.ndarray], Any]]:
    """Return two ways to cut n values, by bins and after sorting, compiled."""
    scratch = make_scratch(n)
    rule = Rule(FAST_BIC, GAIN, FLOORS["gain"], 1)

    def by_bins(z: np.ndarray) -> tuple[bool, float, float]:
        return cut_unsorted(z, rule, np.inf, scratch)

    def by_sorting(z: np.ndarray) -> float:
        sort_values(z, scratch.spare, scratch.counters)
        return choose_cut(z, rule, np.inf, scratch)[1]

    for cut in (by_bins, by_sorting):
        cut(np.arange(n, dtype=np.float32))
    return by_bins, by_sorting


def binned() -> list[dict[str, Any]]:
    """Cut columns with bins and after sorting."""
    rows = []
    for n in N_NODES[1:]:
        by_bins, by_sorting = cutters(n)
        for name, columns in shaped(n).items():
            start = time.process_time()
            quick = [by_bins(z) for z in columns]
            middle = time.process_time()
            slow = [by_sorting(z) for z in columns]
            spent = middle - start, time.process_time() - middle
            differs = np.mean(
                [known and cut != exact for (known, _, cut), exact in zip(quick, slow)]
            )
            row = {"data": name, "rows": f"{n:,}", "differs": float(differs)}
            row["sorted"] = float(np.mean([not known for known, *_ in quick]))
            row |= {
                what: 1e9 * s / columns.size for what, s in zip(("ns, bins", "ns, sorted"), spent)
            }
            print(row, file=sys.stderr, flush=True)
            rows.append(row)
    return rows


def same_cluster(model: URerF, labels: np.ndarray) -> float:
    """Return the share of 15 neighbours in the same cluster."""
    ids = model.kneighbors(n_neighbors=15, return_distance=False)
    return float((labels[ids] == labels[:, None]).mean())


def fitted(model: URerF, X: np.ndarray, **changes: Any) -> tuple[URerF, float]:
    """Fit with changed bounds; return the model and its CPU seconds."""
    with growing(**changes):
        start = time.process_time()
        model.fit(X)
        return model, time.process_time() - start


def screened_precision() -> list[dict[str, Any]]:
    """Fit with the screen and without, the defaults and the paper's forest."""
    X, labels, _, _ = blobs(N_MODEL, 50)
    helix = datasets.make_helix(N_HELIX, random_state=0)
    Z = datasets.add_noise(helix.X, 20, random_state=0)
    rows = []
    for name, make in (("URerF()", URerF), ("URerF.paper()", URerF.paper)):
        for text, screening_rows in (("screened", SCREENING_ROWS), ("all rows", 0)):
            taken = []
            for seed in SEEDS:
                settings = {"n_estimators": 50, "random_state": seed, "n_jobs": 1}
                clusters, cpu = fitted(make(**settings), X, screening_rows=screening_rows)
                turns, more = fitted(make(**settings), Z, screening_rows=screening_rows)
                along = geodesic_precision(turns.kneighbors(n_neighbors=K)[1], helix)
                taken.append((same_cluster(clusters, labels), cpu, along, more))
            mean = np.mean(taken, axis=0)
            row = {"forest": f"{name}, {text}", "clusters": mean[0], "clusters CPU s": mean[1]}
            rows.append({**row, "helix": mean[2], "helix CPU s": mean[3]})
            print(rows[-1], file=sys.stderr, flush=True)
    return rows


def peeled() -> list[dict[str, Any]]:
    """Fit the paper's forest among noise under each bound."""
    rows = []
    for name in ("linear", "helix", "sphere"):
        for bound, changes in CHAINS.items():
            for seed in SEEDS:
                manifold = getattr(datasets, f"make_{name}")(1000, random_state=seed)
                X = datasets.add_noise(manifold.X, NOISE, random_state=seed)
                model = URerF.paper(n_estimators=PAPER_TREES, random_state=seed, n_jobs=1)
                model, cpu = fitted(model, X, **changes)
                precision = geodesic_precision(model.kneighbors(n_neighbors=K)[1], manifold)
                leaves = (model.forest_.child < 0).sum() / PAPER_TREES
                row = {"data": name, "bound": bound, "seed": seed, "cpu_seconds": cpu}
                rows.append({**row, "leaves": leaves, "precision": precision})
                print(rows[-1], file=sys.stderr, flush=True)
    return rows


def tall() -> list[dict[str, Any]]:
    """Grow trees alone on clustered rows under each bound, and with no peeling cut at all."""
    table = np.ascontiguousarray(tall_data(N_TALL)["clustered"].T, dtype=np.float32)
    usual = Growth(10, 1 / len(table), 100, N_TALL, True, projection="axis")
    rows = []
    for bound, changes in {"none": {"peel_chain": 0}, **CHAINS}.items():
        start = time.process_time()
        grown = Forest.grow(table, usual._replace(**changes), seed=0, trees=range(10), n_jobs=1)
        cpu = time.process_time() - start
        inner = grown.child >= 0
        parted = float(grown.size[inner].sum() / 10_000)
        rows.append(
            {
                "peeling cuts": bound,
                "CPU s": cpu,
                "leaves a tree": float((~inner).sum() / 10),
                "thousand rows parted a tree": parted,
            }
        )
        print(rows[-1], file=sys.stderr, flush=True)
    return rows


def peeling_table(rows: list[dict[str, Any]]) -> str:
    """Return a line for each bound: seconds, leaves and precision on each manifold."""
    names = list(dict.fromkeys(row["data"] for row in rows))
    lines = []
    for bound in CHAINS:
        line = [bound]
        for name in names:
            some = [row for row in rows if (row["data"], row["bound"]) == (name, bound)]
            mean = {
                key: np.mean([row[key] for row in some])
                for key in ("cpu_seconds", "leaves", "precision")
            }
            line += [
                f"{mean['cpu_seconds']:.1f}",
                f"{mean['leaves']:.0f}",
                f"{mean['precision']:.3f}",
            ]
        lines.append(line)
    return markdown(
        [
            "peeling cuts",
            *(f"{name}, {what}" for name in names for what in ("CPU s", "leaves", "precision")),
        ],
        lines,
    )


def shown(rows: list[dict[str, Any]]) -> str:
    """Return rows as a table, numbers with three digits."""
    return markdown(
        list(rows[0]),
        [[f"{x:.3f}" if isinstance(x, float) else x for x in row.values()] for row in rows],
    )


def main() -> None:
    URerF.paper(n_estimators=1).fit(blobs(200, 5)[0]).kneighbors()  # compiles
    differs = differing()
    precision = screened_precision()
    bins = binned()
    bounds = peeled()
    trees = tall()
    written = {"screening": differs, "screening_precision": precision, "binned": bins}
    written |= {"peeling": bounds, "peeling_tall": trees}
    for name, rows in written.items():
        short = [
            {k: round(x, 4) if isinstance(x, float) else x for k, x in row.items()} for row in rows
        ]
        write_csv(name, short, "shortcuts")
    parts = [
        "### Candidates ranked on some rows: how often the choice differs",
        SCREENING,
        shown(differs),
    ]
    parts += [
        PRECISION,
        shown(precision),
        "### Cuts without sorting",
        BINNED,
        shown(bins),
        "### Chains of peeling cuts",
        PEELING,
        peeling_table(bounds),
        TALL,
        shown(trees),
    ]
    write_page("shortcuts", *parts)


if __name__ == "__main__":
    main()
