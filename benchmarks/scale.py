"""The bars of speed and scale, each measured beside its peer: `python -m benchmarks.scale [ROW...] [--small]`.

Rows are named below; those not asked for keep the figures of the run before. Set
URERF_BENCH_TREEPLE and URERF_BENCH_RERF to the Python of an environment that has the package of
that name to grow its trees in the same run.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks import SMALL, markdown, read_csv, write_csv, write_page
from benchmarks._methods import ISOLATION, OURS, PYNN, THREADS, HelixFit, Neighbours, Trees, worker
from benchmarks._worker import in_turns

TURNS = 2
SMALLER = 10 if SMALL else 1
FEW = {"n_estimators": 40}
TREEPLE_BEFORE = (
    5.8  # CPU s, measured when the project began; used where treeple is not there to be run
)
FIELDS = ("row", "method", "n", "p", "noise", "k", "new", "threads", "trees")
TAKEN = ("wall_seconds", "cpu_seconds", "peak_mb", "precision", "relevant", "leaves", "parted")
NOTE = f"""Each row in one run: the works of a row take turns in processes that have compiled before, the least of
{TURNS} turns. {THREADS} threads but for trees alone (one). Clusters are 100 of `make_blobs`; noise columns have
variance 70; *precision* is the share of the 15 neighbours that are of the same cluster. URerF has its defaults, 300
trees, unless it says otherwise; its relevance search is in its seconds. Memory is the peak of the process while it
works, the data included; *must hold* is three tables of float32, the model (forest, each row's leaf and place in
every tree) and the graph, and is compared with the peak less what the process held before there were data."""

Measures = list[dict[str, Any]]


class Bars:
    """What a row yields: measurements for the CSV, and lines (work, measured, bar, met or missed) for the page."""

    def __init__(self, row: str) -> None:
        self.row = row
        self.measures = []
        self.lines = []

    def keep(self, method: str, taken: dict[str, Any], **size: Any) -> None:
        """Keep one measurement."""
        seconds = {"wall_seconds": round(taken["wall"], 3), "cpu_seconds": round(taken["cpu"], 3)}
        more = {"peak_mb": round(taken["peak"] / 2**20) if "peak" in taken else ""}
        more |= {key: round(taken[key], 4) for key in TAKEN[3:] if key in taken}
        self.measures.append(
            {**dict.fromkeys((*FIELDS, *TAKEN), ""), "row": self.row, "method": method, **size}
        )
        self.measures[-1] |= {**seconds, **more}

    def line(self, work: str, measured: str, bar: str, met: bool | None) -> None:
        """Add a line; ``met`` None where there is no bar."""
        verdict = {True: "met", False: "**missed**", None: ""}[met]
        self.lines.append(
            {"row": self.row, "work": work, "measured": measured, "bar": bar, "verdict": verdict}
        )

    def memory(self, work: str, taken: dict[str, Any]) -> None:
        """Add the line of the memory bar."""
        above = taken["above"] / 2**20
        must = taken["must_hold"] / 2**20
        self.line(
            f"memory of {work}",
            f"{above:.0f} MB",
            f"at most {must:.0f} MB (must hold)",
            above <= must,
        )


def size(rows: int) -> int:
    """Return a number of rows, smaller in a trial."""
    return rows // SMALLER


def count(rows: int) -> str:
    """Write a number of rows."""
    return f"{rows:,}"


def foreign(name: str, n: int, p: int, trees: int) -> dict[str, float] | None:
    """Grow another implementation's trees in its own environment; None where none is given."""
    python = os.environ.get(f"URERF_BENCH_{name.upper()}")
    if not python:
        print(
            f"{name} is skipped: URERF_BENCH_{name.upper()} names no Python that has it",
            file=sys.stderr,
        )
        return None
    script = str(Path(__file__).with_name("_foreign.py"))
    done = subprocess.run(
        [python, script, name, *map(str, (n, p, trees))], check=True, stdout=subprocess.PIPE
    )
    return json.loads(done.stdout)


def trees(bars: Bars) -> None:
    """Our trees beside treeple's and rerf's."""
    shape = {"n": size(50_000), "p": 100, "trees": 10}
    ours: dict[str, Any] = {}
    theirs: dict[str, Any] | None = None
    for _ in range(TURNS):
        ours = quicker(
            ours, in_turns([("trees", worker(OURS), Trees, {"method": OURS, **shape})], 1)[0]
        )
        theirs = quicker(theirs, foreign("treeple", **shape))
    bars.keep(OURS, ours, threads=1, **shape)
    work = f"trees, n={count(shape['n'])}, p=100, T=10, min split 100, mtry 10, {ours['leaves']} leaves a tree"
    if theirs:
        bars.keep("treeple", theirs, threads=1, **shape)
        limit = theirs["cpu"]
        whose = f"this run, {theirs['leaves']} leaves"
    else:
        limit = TREEPLE_BEFORE
        whose = "measured before"
    bar = f"at most 1/10 of treeple's {limit:.2f} CPU s ({whose})"
    bars.line(
        work,
        f"{ours['cpu']:.2f} CPU s, 1/{limit / ours['cpu']:.1f}",
        bar,
        ours["cpu"] <= limit / 10,
    )
    few = {**shape, "n": shape["n"] // 10}  # rerf takes the square of the rows
    if rerf := foreign("rerf", **few):
        bars.keep("rerf", rerf, threads=1, **few)
        bars.line(f"rerf's trees, n={count(few['n'])}", f"{rerf['cpu']:.2f} CPU s", "", None)


def quicker(old: dict[str, Any] | None, new: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return the one of two measurements that took less CPU time."""
    return new if not old or (new and new["cpu"] < old["cpu"]) else old


def isolation(bars: Bars) -> None:
    """Trees that look at one candidate a node, beside IsolationForest, which cuts it at random."""
    shape = {"n": size(50_000), "p": 100, "trees": 10}
    jobs = [
        (name, worker(name), Trees, {"method": name, **shape, "like": ISOLATION})
        for name in (OURS, ISOLATION)
    ]
    ours, theirs = in_turns(jobs, 4)
    bars.keep(OURS, ours, threads=1, **shape)
    bars.keep(ISOLATION, theirs, threads=1, **shape)
    ratio = ours["cpu"] / theirs["cpu"]
    work = f"trees of IsolationForest's depth, n={count(shape['n'])}, p=100, T=10, one candidate a node"
    measured = f"{ours['cpu']:.2f} CPU s, {ratio:.2f} x ({tree_size(ours)})"
    bar = f"at most 2 x its {theirs['cpu']:.2f} CPU s ({tree_size(theirs)})"
    bars.line(work, measured, bar, ratio <= 2)


def tree_size(taken: dict[str, Any]) -> str:
    """Say how large trees are."""
    return f"{taken['leaves']:,} leaves a tree, {taken['parted']:,} thousand rows parted"


def beside_pynndescent(
    bars: Bars, noise: int, settings: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Fit and graph with pynndescent and with ours, in each setting; return what each took, theirs first."""
    shape = {"n": size(100_000), "p": 50, "k": 15, "noise": noise, "threads": THREADS}
    jobs = [(PYNN, worker(PYNN), Neighbours, {"method": PYNN, **shape})]
    for chosen in settings:
        name = f"{OURS} {chosen or ''}"
        own = worker(OURS, f"{name}, {noise} noise columns")
        jobs.append((name, own, Neighbours, {"method": OURS, **shape, "settings": chosen}))
    taken = in_turns(jobs, TURNS)
    for (name, *_), chosen, one in zip(jobs, [{}, *settings], taken):
        trees = "" if name == PYNN else chosen.get("n_estimators", 300)
        bars.keep(OURS if trees else PYNN, one, **shape, trees=trees)
    return taken


def graph_lines(bars: Bars, noise: int, work: str, quick: str, found: str, times: int) -> None:
    """Set fit and graph beside pynndescent: no slower, and ``times`` as many neighbours of the same cluster."""
    theirs, *ours = beside_pynndescent(bars, noise, [{}, FEW])
    enough = "not below" if times == 1 else f"at least {times} x"
    for trees, one in zip((300, 40), ours):
        measured = (
            f"{one['wall']:.1f} s ({one['cpu']:.1f} CPU s), {one['wall'] / theirs['wall']:.2f} x"
        )
        bar = f"{quick} pynndescent's {theirs['wall']:.1f} s ({theirs['cpu']:.1f} CPU s)"
        bars.line(f"{work}, {trees} trees", measured, bar, one["wall"] <= theirs["wall"])
        bar = f"{enough} pynndescent's {theirs['precision']:.4f}"
        bars.line(
            found, f"{one['precision']:.4f}", bar, one["precision"] >= times * theirs["precision"]
        )
        bars.memory("it", one)


def graph(bars: Bars) -> None:
    """Fit and graph on clusters, beside pynndescent."""
    work = f"fit + graph, n={count(size(100_000))}, p=50, k=15"
    graph_lines(bars, 0, work, "at most", "same-cluster neighbours of it", 1)


def noise(bars: Bars) -> None:
    """Add 500 noise columns to that."""
    graph_lines(bars, 500, "the same with 500 noise columns", "faster than", "precision of it", 3)


def rows(bars: Bars) -> None:
    """Ten times the rows."""
    few, many = (2000, 20_000) if SMALL else (100_000, 1_000_000)
    shape = {"p": 50, "k": 15, "threads": THREADS}
    jobs = [
        (
            f"n={n}",
            worker(OURS, f"{n} rows"),
            Neighbours,
            {"method": OURS, "n": n, **shape, "settings": FEW},
        )
        for n in (few, many)
    ]
    taken = in_turns(jobs, TURNS)
    for n, one in zip((few, many), taken):
        bars.keep(OURS, one, n=n, **shape, trees=40)
    one, ten = taken
    work = f"fit + graph, n from {count(few)} to {count(many)}, 40 trees"
    measured = f"{one['wall']:.1f} to {ten['wall']:.1f} s, {ten['wall'] / one['wall']:.1f} x"
    measured += f"; CPU {one['cpu']:.1f} to {ten['cpu']:.1f} s, {ten['cpu'] / one['cpu']:.1f} x"
    bars.line(work, measured, "wall time grows by at most 13 x", ten["wall"] <= 13 * one["wall"])
    bars.line(
        f"peak of the process at {count(many)} x 50",
        f"{ten['peak'] / 1e9:.2f} GB",
        "below 6 GB",
        ten["peak"] < 6e9,
    )
    bars.memory("it", ten)


def columns(bars: Bars) -> None:
    """Take a hundred times the columns, three of which matter."""
    few = 100
    many = 10_000 // SMALLER
    jobs = [
        (f"p={p}", worker(OURS), HelixFit, {"n": 1000, "p": p, "threads": THREADS})
        for p in (few, many)
    ]
    taken = in_turns(jobs, TURNS)
    for p, one in zip((few, many), taken):
        bars.keep(OURS, one, n=1000, p=p, threads=THREADS, trees=300)
    one, hundred = taken
    measured = (
        f"{one['cpu']:.2f} to {hundred['cpu']:.2f} CPU s, {hundred['cpu'] / one['cpu']:.1f} x"
    )
    measured += f"; wall {one['wall']:.2f} to {hundred['wall']:.2f} s, {hundred['wall'] / one['wall']:.1f} x"
    work = f"fit, n=1000, p from {count(few)} to {count(many)}, 3 relevant"
    bars.line(work, measured, "CPU time grows by at most 30 x", hundred["cpu"] <= 30 * one["cpu"])


def query(bars: Bars) -> None:
    """Ask for neighbours of new rows."""
    shape = {"n": size(100_000), "p": 50, "k": 15, "new": size(10_000), "threads": THREADS}
    for trees in (300, 40):
        settings = {"n_estimators": trees}
        job = (
            f"query, {trees} trees",
            worker(OURS),
            Neighbours,
            {"method": OURS, **shape, "settings": settings},
        )
        (one,) = in_turns([job], 1)
        bars.keep(OURS, one, **shape, trees=trees)
        work = f"query of {count(shape['new'])} new rows against {count(shape['n'])}, {trees} trees"
        measured = f"{one['cpu']:.2f} CPU s, precision {one['precision']:.4f}"
        bars.line(work, measured, "below 10 CPU s", one["cpu"] < 10)


def threads(bars: Bars) -> None:
    """One thread, and two."""
    shape = {"n": size(50_000), "p": 50, "k": 15}
    settings = {"n_estimators": 100}
    jobs = [
        (
            f"n_jobs={jobs}",
            worker(OURS),
            Neighbours,
            {"method": OURS, **shape, "threads": jobs, "settings": settings},
        )
        for jobs in (1, 2)
    ]
    taken = in_turns(jobs, TURNS + 1)
    for jobs, one in zip((1, 2), taken):
        bars.keep(OURS, one, **shape, threads=jobs, trees=100)
    one, two = (x["wall"] for x in taken)
    work = f"fit + graph, n={count(shape['n'])}, 100 trees, n_jobs 1 to 2"
    bars.line(
        work,
        f"{one:.1f} to {two:.1f} s, {one / two:.2f} x faster",
        "at least 1.8 x",
        one / two >= 1.8,
    )


ROWS: dict[str, Callable[[Bars], None]] = {
    f.__name__: f for f in (trees, isolation, graph, noise, rows, columns, query, threads)
}


def chosen_rows(arguments: list[str]) -> list[str]:
    """Return the names of the rows to run, all unless some are named."""
    named = [word for word in arguments if word != "--small"]
    unknown = sorted(set(named) - set(ROWS))
    if unknown:
        sys.exit(f"no such row: {', '.join(unknown)}; there are: {', '.join(ROWS)}")
    return named or list(ROWS)


def main() -> None:
    kept = read_csv("scale")
    lines = read_csv("scale_bars")
    for row in chosen_rows(sys.argv[1:]):
        bars = Bars(row)
        ROWS[row](bars)
        kept = [one for one in kept if one["row"] != row] + bars.measures
        lines = [one for one in lines if one["row"] != row] + bars.lines
        in_order = list(ROWS).index
        kept, lines = (sorted(part, key=lambda one: in_order(one["row"])) for part in (kept, lines))
        write_csv("scale", kept)
        write_csv("scale_bars", lines, "scale")
    head = ["work", "measured", "bar", ""]
    write_page("scale", NOTE, markdown(head, [list(line.values())[1:] for line in lines]))


if __name__ == "__main__":
    main()
