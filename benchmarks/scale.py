"""The targets of speed and scale: `python -m benchmarks.scale [TARGET...] [--small]`.

Targets are the functions below; those that are not named keep the results of the previous run. Set
URERF_BENCH_TREEPLE and URERF_BENCH_RERF to the Python of an environment with the package of that
name to grow its trees in the same run, and URERF_BENCH_BEFORE to one with commit 9c35a40 of urerf.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks import RESULTS, SMALL, THREADS, log, publish, table
from benchmarks._methods import (
    ISOLATION,
    OURS,
    PYNN,
    FindNeighbors,
    GrowTrees,
    HelixFit,
    job,
)
from benchmarks._worker import in_turns

TURNS = 2
REDUCTION = 10 if SMALL else 1
# What the default grows for as many rows.
FEW_TREES = {"n_estimators": 60}
BY_DEPTH = {"similarity": "depth"}
BEFORE = "9c35a40"  # when the targets of small tables were set, and 300 trees were the default
LOSS = 0.005
TREEPLE_CPU = 5.8  # CPU s measured when the project began, if treeple cannot be run
N = 100_000 // REDUCTION
N_TREES = 50_000 // REDUCTION
NOTE = f"""The tasks of a target take turns in processes that have compiled before; the smallest
of {TURNS} times counts. {THREADS} threads, but one for trees alone. Clusters are 100 of
`make_blobs`, the surface is bent through 50 columns; noise columns have variance 70; *precision*
is the share of the 15 neighbors in the same cluster, or among the nearest on the surface. URerF
has its defaults unless stated otherwise; its search for relevant columns is included. Memory is
the peak of the process, with the data; *must hold* is four tables of float32 (three by depth), the
model (forest, leaf and position of each row in each tree) and the graph, and is compared with the
peak above what the process held before there were data."""

Measured = dict[str, Any]


def line(task: str, measured: str, target: str, is_met: bool) -> Measured:
    """Return one row of the page."""
    verdict = "met" if is_met else "**missed**"
    return {"task": task, "measured": measured, "target": target, "verdict": verdict}


def memory(one: Measured) -> Measured:
    """Return the row of the memory target."""
    above = one["above"] / 2**20
    must = one["must_hold"] / 2**20
    return line(
        "its memory",
        f"{above:.0f} MB",
        f"at most {must:.0f} MB (must hold)",
        above <= must,
    )


def both(one: Measured) -> str:
    """Return wall and CPU seconds."""
    return f"{one['wall']:.1f} s ({one['cpu']:.1f} CPU s)"


def beside_pynndescent(
    data: str, n: int, noise: int, ours: Measured, theirs: Measured, precision: str = ""
) -> Measured:
    """Return the row of a fit and a graph compared with pynndescent."""
    times = 1 if noise else 2
    return line(
        f"fit + graph of {data}, n={n:,}, p=50, {noise} noise columns, k=15",
        f"{both(ours)}, {ours['cpu'] / theirs['cpu']:.2f} x in CPU time{precision}",
        f"at most {times} x pynndescent's {both(theirs)}",
        ours["cpu"] <= times * theirs["cpu"],
    )


def foreign(name: str, n: int, p: int, n_trees: int) -> Measured | None:
    """Grow the trees of another implementation in its own environment, None if there is none."""
    variable = f"URERF_BENCH_{name.upper()}"
    python = os.environ.get(variable)
    if not python:
        log(f"{name} is skipped: {variable} is not set to a Python that has it")
        return None
    script = Path(__file__).with_name("_foreign.py")
    command = map(str, (python, script, name, n, p, n_trees))
    return json.loads(subprocess.check_output(list(command)))


def trees() -> Iterator[Measured]:
    """Compare our trees with those of treeple and rerf."""
    (ours,) = in_turns([job("trees", GrowTrees(OURS, N_TREES))], TURNS)
    theirs = foreign("treeple", N_TREES, 100, 10)
    limit = theirs["cpu"] if theirs else TREEPLE_CPU
    whose = f"this run, {theirs['leaves']} leaves" if theirs else "measured before"
    settings = f"min split 100, mtry 10, {ours['leaves']} leaves per tree"
    yield line(
        f"trees, n={N_TREES:,}, p=100, T=10, {settings}",
        f"{ours['cpu']:.2f} CPU s, 1/{limit / ours['cpu']:.1f}",
        f"at most 1/12 of treeple's {limit:.2f} CPU s ({whose})",
        ours["cpu"] <= limit / 12,
    )
    n = N_TREES // 10  # rerf is quadratic in the rows
    rerf = foreign("rerf", n, 100, 10)
    if rerf:
        seconds = f"{rerf['cpu']:.2f} CPU s"
        yield line(f"trees of rerf, n={n:,}", seconds, "", True) | {"verdict": ""}


def isolation() -> Iterator[Measured]:
    """Compare trees with one candidate per node with IsolationForest."""
    tasks = [GrowTrees(name, N_TREES, like_isolation=True) for name in (OURS, ISOLATION)]
    best = in_turns([job(task.method, task) for task in tasks], 4)
    sizes = [f"{x['leaves']:,} leaves per tree, {x['split']:,} thousand rows split" for x in best]
    ours, theirs = (one["cpu"] for one in best)
    yield line(
        f"trees of IsolationForest's depth, n={N_TREES:,}, p=100, T=10, one candidate per node",
        f"{ours:.2f} CPU s, {ours / theirs:.2f} x ({sizes[0]})",
        f"at most 2 x its {theirs:.2f} CPU s ({sizes[1]})",
        ours <= 2 * theirs,
    )


def compare_graphs(data: str, noise: int) -> Iterator[Measured]:
    """Compare the default with pynndescent, and with 300 trees by depth, in one run."""
    jobs = [job(PYNN, FindNeighbors(PYNN, N, noise=noise, data=data))]
    for settings in ({}, BY_DEPTH):
        label = f"{OURS} {settings}, {data}, {noise} noise columns"
        task = FindNeighbors(OURS, N, noise=noise, data=data, settings=settings)
        jobs.append(job(label, task, label))
    theirs, ours, by_depth = in_turns(jobs, TURNS)
    yield beside_pynndescent(data, N, noise, ours, theirs)
    yield line(
        "its precision",
        f"{ours['precision']:.4f} (pynndescent {theirs['precision']:.4f})",
        f"at most {LOSS} below 300 trees by depth, {by_depth['precision']:.4f}",
        ours["precision"] >= by_depth["precision"] - LOSS,
    )
    yield memory(ours)


def compare_millions(noise: int) -> Iterator[Measured]:
    """Compare the default with pynndescent on a million rows, one turn each."""
    n = 1_000_000 // REDUCTION
    for data in ("clusters", "surface"):
        tasks = [FindNeighbors(name, n, noise=noise, data=data) for name in (PYNN, OURS)]
        jobs = [job(f"{task.method}, {n} rows, {data}, {noise} noise", task) for task in tasks]
        theirs, ours = in_turns(jobs, 1)
        precision = f"{ours['precision']:.4f} (pynndescent {theirs['precision']:.4f})"
        yield beside_pynndescent(data, n, noise, ours, theirs, f"; precision {precision}")


def million() -> Iterator[Measured]:
    """Fit and graph of a million rows."""
    yield from compare_millions(noise=0)


def noisy_million() -> Iterator[Measured]:
    """Fit and graph of a million rows with 500 noise columns."""
    yield from compare_millions(noise=500)


def graph() -> Iterator[Measured]:
    """Fit and graph of clusters and of a surface."""
    yield from compare_graphs("clusters", noise=0)
    yield from compare_graphs("surface", noise=0)


def noise() -> Iterator[Measured]:
    """Fit and graph with 500 noise columns."""
    yield from compare_graphs("clusters", noise=500)
    yield from compare_graphs("surface", noise=500)


def trees_saved() -> Iterator[Measured]:
    """Compare the default with the version of the time of the target, or with 300 trees by depth.

    300 trees have become faster since then, too, so that they understate what was saved.
    """
    for n, share in ((4000 // REDUCTION, 0.25), (20_000 // REDUCTION, 0.3)):
        tasks = [FindNeighbors(OURS, n, settings=settings) for settings in ({}, BY_DEPTH)]
        names = ("default", "300 trees")
        jobs = [job(f"{name}, n={n}", task) for name, task in zip(names, tasks)]
        new, old = in_turns(jobs, TURNS)
        whose = "300 trees by depth"
        earlier = [foreign("before", n, 50, 300) for _ in range(TURNS)]
        if earlier[0]:
            old = min(earlier, key=lambda one: one["cpu"])
            whose = f"300 trees by depth of commit {BEFORE}"
        yield line(
            f"fit + graph of clusters, n={n:,}, p=50, k=15",
            f"{new['cpu']:.2f} CPU s, {new['cpu'] / old['cpu']:.2f} x",
            f"at most {share} x {whose}, {old['cpu']:.2f} CPU s",
            new["cpu"] <= share * old["cpu"],
        )


def growth(name: str, one: Measured, ten: Measured, unit: str) -> str:
    """Return how a time grows."""
    return f"{name} {one[unit]:.2f} to {ten[unit]:.2f} s, {ten[unit] / one[unit]:.1f} x"


def rows() -> Iterator[Measured]:
    """Take ten times as many rows."""
    sizes = (2000, 20_000) if SMALL else (100_000, 1_000_000)
    tasks = {n: FindNeighbors(OURS, n, settings=FEW_TREES) for n in sizes}
    one, ten = in_turns([job(f"n={n}", task, f"{n} rows") for n, task in tasks.items()], TURNS)
    yield line(
        f"fit + graph, n from {sizes[0]:,} to {sizes[1]:,}, {FEW_TREES['n_estimators']} trees",
        f"{growth('wall', one, ten, 'wall')}; {growth('CPU', one, ten, 'cpu')}",
        "CPU time grows by at most 11 x",
        ten["cpu"] <= 11 * one["cpu"],
    )
    above = (ten["above"] - ten["data"]) / 1e9
    yield line(
        f"memory at {sizes[1]:,} x 50, above that of the data",
        f"{above:.2f} GB",
        "at most 1.2 GB",
        above <= 1.2,
    )


def columns() -> Iterator[Measured]:
    """Take a hundred times as many columns, with three relevant ones."""
    sizes = (100, 10_000 // REDUCTION)
    one, hundred = in_turns([job(f"p={p}", HelixFit(p)) for p in sizes], TURNS)
    yield line(
        f"fit, n=1000, p from {sizes[0]:,} to {sizes[1]:,}, 3 relevant",
        f"{growth('CPU', one, hundred, 'cpu')}; {growth('wall', one, hundred, 'wall')}",
        "CPU time grows by at most 30 x",
        hundred["cpu"] <= 30 * one["cpu"],
    )


def ten_million() -> Iterator[Measured]:
    """Take a memmap of ten million rows, with a progress bar; once."""
    n = 10_000_000 // REDUCTION
    settings = {"n_estimators": 40, "verbose": 1}
    task = FindNeighbors(OURS, n, p=20, settings=settings, on_disk=True)
    (one,) = in_turns([job(f"n={n}", task)], 1)
    peak = one["peak"] / 1e9
    yield line(
        f"fit + graph of a memmap, n={n:,}, p=20, 40 trees, k=15",
        f"{both(one)}; peak {peak:.1f} GB; precision {one['precision']:.4f}",
        "within 24 GB",
        peak <= 24,
    )


def wide() -> Iterator[Measured]:
    """Take a hundred thousand columns, with three relevant ones; once."""
    p = 100_000 // REDUCTION
    (one,) = in_turns([job(f"p={p}", HelixFit(p, n=500))], 1)
    peak = one["peak"] / 1e9
    yield line(
        f"fit, n=500, p={p:,}, 3 relevant",
        f"{both(one)}; peak {peak:.1f} GB; {one['relevant']} columns found",
        "in minutes, within 8 GB",
        peak <= 8 and one["wall"] <= 600,
    )


def query() -> Iterator[Measured]:
    """Find the neighbors of new rows."""
    for name, settings in (("default", {}), ("300 trees by depth", BY_DEPTH)):
        task = FindNeighbors(OURS, N, new=N // 10, settings=settings)
        (one,) = in_turns([job(f"query, {name}", task)], 1)
        yield line(
            f"query of {N // 10:,} new rows against {N:,}, {name}",
            f"{one['cpu']:.2f} CPU s, precision {one['precision']:.4f}",
            "below 10 CPU s",
            one["cpu"] < 10,
        )


def threads() -> Iterator[Measured]:
    """Use two threads instead of one."""
    settings = {"n_estimators": 100}
    n = N // 2
    tasks = [FindNeighbors(OURS, n, threads=count, settings=settings) for count in (1, 2)]
    best = in_turns([job(f"n_jobs={task.threads}", task) for task in tasks], TURNS + 1)
    one, two = (x["wall"] for x in best)
    yield line(
        f"fit + graph, n={n:,}, 100 trees, n_jobs 1 to 2",
        f"{one:.1f} to {two:.1f} s, {one / two:.2f} x faster",
        "at least 1.8 x",
        one / two >= 1.8,
    )


TARGETS = {
    f.__name__: f
    for f in (
        trees,
        isolation,
        graph,
        noise,
        million,
        noisy_million,
        trees_saved,
        rows,
        ten_million,
        columns,
        wide,
        query,
        threads,
    )
}


def chosen_targets(arguments: list[str]) -> list[str]:
    """Return the names of the targets to measure, all if none is named."""
    names = [word for word in arguments if word != "--small"]
    unknown = sorted(set(names) - set(TARGETS))
    if unknown:
        sys.exit(f"must be one of {', '.join(TARGETS)}, got {', '.join(unknown)}")
    return names or list(TARGETS)


def previous() -> list[Measured]:
    """Return the rows of the previous run."""
    path = RESULTS / "scale.csv"
    if not path.exists():
        return []
    return pd.read_csv(path, skiprows=1, dtype=str, keep_default_na=False).to_dict("records")


def main() -> None:
    found = previous()
    for name in chosen_targets(sys.argv[1:]):
        new = [{"name": name, **row} for row in TARGETS[name]()]
        found = [row for row in found if row["name"] != name] + new
        found.sort(key=lambda row: list(TARGETS).index(row["name"]))
        shown = [{key: row[key] for key in row if key != "name"} for row in found]
        publish("scale", found, NOTE, table(shown))


if __name__ == "__main__":
    main()
