"""What three shortcuts of the trees change.

In `urerf.forest`, a node of more than 2 x SCREENING_ROWS rows ranks its candidates on
SCREENING_ROWS of them and cuts the winner on all; PEEL_CHAIN and PEEL_WORK bound the cuts that
split off a few extreme rows. In `urerf.kernels.bins`, values are cut without sorting all of them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import product
from typing import Any
from unittest.mock import patch

import numpy as np

from urerf import URerF, parameters
from urerf.forest import PEEL_CHAIN, PEEL_WORK, SCREENING_ROWS, Forest, Growth
from urerf.kernels.bins import BINS
from urerf.kernels.fast_bic import cut_fast_bic
from urerf.kernels.scratch import make_scratch
from urerf.kernels.settings import FAST_BIC, FLOORS, GAIN, Rule
from urerf.kernels.sort import sort_values
from urerf.kernels.split import choose_cut
from urerf.metrics import geodesic_precision

from ..._typing import Array
from ..methods.ours import fit_urerf
from ..study import BenchStudy, Plan, cross
from ..tables.speed import blobs, tall_data, tall_growth
from ..trial import Row, Trial
from ..words import at
from ..writing import fixed, markdown

N_ROOTS = 100
K = 50
CLUSTER_K = 15
TALL_TABLES = ("clustered", "gaussian", "uniform")
UNBOUNDED = 1 << 62
SCREENED = {"screened": {}, "all rows": {"screening_rows": 0}}
CHAINS: dict[str, dict[str, int]] = {
    "16 in a row": {"peel_chain": 16},
    f"{PEEL_CHAIN} in a row, in use": {},
    "any number in a row": {"peel_chain": UNBOUNDED},
    "no bound at all": {"peel_chain": UNBOUNDED, "peel_work": UNBOUNDED},
}
# The rows, columns and values of the tables of all parts but "bins".
PIVOTS = {
    "screening": ("dataset", "n", ["differs"]),
    "precision": ("row", "dataset", ["precision", "cpu_seconds"]),
    "peeling": ("row", "dataset", ["cpu_seconds", "leaves", "precision"]),
    "tall": ("row", "n", ["cpu_seconds", "leaves", "thousand_rows"]),
}
FORESTS = {"urerf": "URerF()", "urerf_paper": "URerF.paper()"}
TEXTS = {
    "screening": f"""### Candidates ranked on some rows: how often the choice differs

A node of more than {2 * SCREENING_ROWS} rows ranks its 10 candidate columns on {SCREENING_ROWS}
rows. *Differs* is the share of {N_ROOTS} root nodes, with the same candidates, in which another
column wins than on all rows. Where columns have no clusters (gaussian, uniform), candidates are
equally good, and the winner is random either way.""",
    "precision": f"""Precision with and without the screen: of {CLUSTER_K} neighbors in the same
of 100 clusters (50 columns), and of the {K} nearest along a helix (20 noise columns). CPU
seconds of the fit with one thread, mean over seeds.""",
    "bins": f"""### Cuts without sorting

The values of a node are put into up to {BINS} bins, and only the bins that may hold the best cut
are sorted. *Differs* is the share of {N_ROOTS} columns that are cut at another place than after
sorting all values; then CPU ns per value with bins, and with sorting everything. Skewed is
exponential, heavy-tailed is Student's t with two degrees of freedom.""",
    "peeling": f"""### Chains of peeling cuts

`URerF.paper()` with 1000 rows and Gaussian noise columns of variance 70, one thread, mean over
seeds: CPU seconds of the fit, leaves per tree, and precision of the {K} nearest. Except in the
last row, a tree may also look at no more than {PEEL_WORK:,} values in total for peeling cuts.""",
    "tall": """The same bounds on 10 trees alone, 100 columns, ten round clusters, nodes of 100
rows, ten candidates, one thread: what exceeds the first row is spent inside the clusters, where
there is nothing to find.""",
}


def growing(**changes: Any) -> AbstractContextManager[Any]:
    """Return a context in which all forests grow with other bounds than those in use."""
    usual = parameters.growth_of

    def changed(*arguments: Any) -> Growth:
        return usual(*arguments)._replace(**changes)

    return patch.object(parameters, "growth_of", changed)


@cache
def warm_up() -> None:
    """Compile everything, so that it is not timed."""
    X, _ = blobs(200, 5)
    URerF.paper(n_estimators=1).fit(X).kneighbors()


@dataclass(frozen=True)
class ShortcutTrial(Trial):
    """A part of the study, under changed bounds; `measure` is one of `PARTS`."""

    bounds: Mapping[str, Any] = field(default_factory=dict)

    is_timed = True

    def score(self, n_jobs: int) -> list[Row]:
        """Run the part."""
        warm_up()
        row = PARTS[self.measure](self)
        return [{"part": self.measure, **row}]


def tall_matrix(name: str, n: int) -> Array:
    """Return one of the tables of `tall_data` as trees read it, one row per column."""
    table = tall_data(n)[name]
    return np.ascontiguousarray(table.T, dtype=np.float32)


def grow(matrix: Array, n_trees: int, **changes: Any) -> Forest:
    """Grow trees alone: nodes of 100 rows, ten candidates, one column per cut."""
    n_columns, n = matrix.shape
    growth = tall_growth(n, n_columns)._replace(**changes)
    return Forest.grow(matrix, growth, seed=0, trees=range(n_trees), n_jobs=1)


def winners(matrix: Array, screening_rows: int) -> Array:
    """Return the columns that win in the roots of trees; the candidates are always the same.

    -1 for a root that is a leaf.
    """
    forest = grow(matrix, N_ROOTS, max_depth=1, screening_rows=screening_rows)
    winner = np.full(N_ROOTS, -1)
    for i in range(N_ROOTS):
        columns = forest.tree(i).columns
        if len(columns):
            winner[i] = columns[0]
    return winner


def measure_screening(trial: ShortcutTrial) -> Row:
    """Return how often the screen chooses another column."""
    matrix = tall_matrix(trial.dataset, trial.n)
    differs = winners(matrix, SCREENING_ROWS) != winners(matrix, 0)
    return {"differs": float(differs.mean())}


def timed(call: Callable[..., Any], *arguments: Any, **settings: Any) -> tuple[Any, float]:
    """Return the result of a call, and its CPU seconds."""
    start = time.process_time()
    result = call(*arguments, **settings)
    return result, time.process_time() - start


def measure_fit(trial: ShortcutTrial) -> Row:
    """Fit on clusters or on a manifold, with changed bounds."""
    X: Any
    truth: Any
    if trial.dataset == "clusters":
        X, truth = blobs(trial.n, 50)
        k = CLUSTER_K
    else:
        truth, X = trial.make()
        k = K
    is_paper = trial.method == "urerf_paper"
    options = trial.options(n_jobs=1)
    with growing(**trial.bounds):
        model, cpu = timed(fit_urerf, X, paper=is_paper, **options)
    indices = model.kneighbors(n_neighbors=k, return_distance=False)
    precision = geodesic_precision(indices, truth)
    return {"cpu_seconds": cpu, "leaves": leaves_per_tree(model.forest_), "precision": precision}


def leaves_per_tree(forest: Forest) -> float:
    """Return the mean number of leaves."""
    return float(np.sum(forest.child < 0) / forest.n_trees)


def shaped_columns(shape: str, n: int) -> Array:
    """Return columns of a shape, as rows of n values."""
    rng = np.random.default_rng(0)
    skewed = rng.exponential(size=(N_ROOTS, n))
    if shape == "skewed":
        return skewed.astype(np.float32)
    if shape == "heavy-tailed":
        return rng.standard_t(2, size=(N_ROOTS, n)).astype(np.float32)
    return tall_matrix(shape, n)[:N_ROOTS]


def measure_bins(trial: ShortcutTrial) -> Row:
    """Cut columns with bins and after sorting."""
    scratch = make_scratch(trial.n)
    rule = Rule(FAST_BIC, GAIN, FLOORS["gain"], 1)

    def by_bins(columns: Array) -> list[float]:
        cuts = []
        for z in columns:
            _, cut = cut_fast_bic(z, np.bool_(False), rule, np.inf, scratch)
            cuts.append(cut)
        return cuts

    def by_sorting(columns: Array) -> list[float]:
        cuts = []
        for z in columns:
            sort_values(z, scratch.spare, scratch.counters)
            _, cut = choose_cut(z, rule, np.inf, scratch)
            cuts.append(cut)
        return cuts

    columns = shaped_columns(trial.dataset, trial.n)
    for cut in (by_bins, by_sorting):
        cut(columns[:1].copy())  # compiles
    quick, bins_seconds = timed(by_bins, columns)
    slow, sorted_seconds = timed(by_sorting, columns)
    return {
        "differs": float(np.mean(np.not_equal(quick, slow))),
        "ns_bins": 1e9 * bins_seconds / columns.size,
        "ns_sorted": 1e9 * sorted_seconds / columns.size,
    }


def measure_tall(trial: ShortcutTrial) -> Row:
    """Grow trees alone on clustered rows."""
    matrix = tall_matrix("clustered", trial.n)
    forest, cpu = timed(grow, matrix, 10, **trial.bounds)
    n_rows = forest.size[forest.child >= 0].sum()
    return {
        "cpu_seconds": cpu,
        "leaves": leaves_per_tree(forest),
        "thousand_rows": float(n_rows / 10_000),
    }


PARTS: dict[str, Callable[[ShortcutTrial], Row]] = {
    "screening": measure_screening,
    "precision": measure_fit,
    "bins": measure_bins,
    "peeling": measure_fit,
    "tall": measure_tall,
}


def trials(plan: Plan) -> list[Trial]:
    """Return the trials of all parts."""
    nodes = (4096, 20_000) if plan.quick else (4096, 16_384, 50_000)
    n_tall = 5000 if plan.quick else 50_000
    n_rows = (5000, 2000) if plan.quick else (20_000, 5000)
    n_noise = 100 if plan.quick else 1000
    n_trees = 20 if plan.quick else 100
    shapes = (*TALL_TABLES, "skewed", "heavy-tailed")
    chains = [{"row": row, "bounds": bounds} for row, bounds in CHAINS.items()]
    no_peeling = {"row": "none", "bounds": {"peel_chain": 0}}
    n_clusters, n_helix = n_rows
    clusters = {"dataset": "clusters", "n": n_clusters}
    helix = {"dataset": "helix", "n": n_helix}
    screens = []
    for (method, forest), (text, bounds) in product(FORESTS.items(), SCREENED.items()):
        screen = {"method": method, "row": f"{forest}, {text}", "bounds": bounds}
        screens += [screen | clusters, screen | helix]
    tall = partial(ShortcutTrial, "clustered", n=n_tall, measure="tall")
    screened = partial(
        ShortcutTrial,
        measure="precision",
        noise=20,
        params={"n_estimators": 50},
    )
    peeled = partial(
        ShortcutTrial,
        measure="peeling",
        method="urerf_paper",
        noise=n_noise,
        params={"n_estimators": n_trees},
    )
    seeds = range(plan.seeds)
    return [
        *cross(ShortcutTrial, measure=["screening"], n=nodes, dataset=TALL_TABLES),
        *cross(ShortcutTrial, measure=["bins"], n=nodes[1:], dataset=shapes),
        *cross(tall, settings=[no_peeling, *chains]),
        *cross(screened, seed=seeds, settings=screens),
        *cross(peeled, seed=seeds, dataset=("linear", "helix", "sphere"), settings=chains),
    ]


def sections(table: Any) -> list[str]:
    """Return a text and a table for each part."""
    found = []
    for part, text in TEXTS.items():
        rows = at(table, part=part)
        shown = bins_table(rows) if part == "bins" else pivot(rows, *PIVOTS[part])
        found += [text, shown]
    return found


def pivot(table: Any, index: str, column: str, values: list[str]) -> str:
    """Write one row per value of `index`, and for each value of `column` the means of `values`."""
    means = table.pivot_table(values, index, column, sort=False)
    names = table[column].unique()
    order = [(value, name) for name, value in product(names, values)]
    heads = [f"{name}, {value.replace('_', ' ')}" for value, name in order]
    rows = means[order].itertuples()
    return markdown(["", *heads], rows, fixed(3))


def bins_table(table: Any) -> str:
    """Write one row per size and shape."""
    columns = ["dataset", "n", "differs", "ns_bins", "ns_sorted"]
    n_rows = table.n.map("{:,}".format)
    rows = table[columns].assign(n=n_rows)
    heads = ["data", "rows", "differs", "ns, bins", "ns, sorted"]
    return markdown(heads, rows.to_numpy(), fixed(3))


STUDY = BenchStudy(
    name="shortcuts",
    title="Shortcuts of the trees",
    trials=trials,
    columns=(
        "part",
        "row",
        "dataset",
        "method",
        "n",
        "noise",
        "seed",
        "precision",
        "differs",
        "ns_bins",
        "ns_sorted",
        "cpu_seconds",
        "leaves",
        "thousand_rows",
    ),
    sections=sections,
    seeds=2,
)
