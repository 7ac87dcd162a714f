"""What three shortcuts of the trees change.

In `urerf.forest`, a node of more than 2 x SCREENING_ROWS rows ranks its candidates on
SCREENING_ROWS of them and cuts the winner on all; PEEL_CHAIN and PEEL_WORK bound the cuts that
split off a few extreme rows. In `urerf.kernels.bins`, values are cut without sorting all of them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
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
from urerf.lab.methods.ours import fit_urerf
from urerf.lab.study import BenchStudy, Plan
from urerf.lab.tables.speed import blobs, tall_data, tall_growth
from urerf.lab.trial import Row, Trial
from urerf.lab.words import at
from urerf.lab.writing import fixed, markdown
from urerf.metrics import geodesic_precision

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


@contextmanager
def growing(**changes: Any) -> Iterator[None]:
    """Grow all forests with other bounds than those in use."""
    usual = parameters.growth_of

    def changed(model: URerF, n: int, p: int) -> Growth:
        return usual(model, n, p)._replace(**changes)

    with patch.object(parameters, "growth_of", changed):
        yield


@cache
def warm_up() -> None:
    """Compile everything, so that it is not timed."""
    X, _ = blobs(200, 5)
    URerF.paper(n_estimators=1).fit(X).kneighbors()


@dataclass(frozen=True)
class ShortcutTrial(Trial):
    """A part of the study, under changed bounds."""

    part: str = ""
    bounds: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_timed(self) -> bool:
        """Whether nothing else should run at the same time."""
        return True

    def score(self, n_jobs: int) -> list[Row]:
        """Run the part."""
        warm_up()
        return [{"part": self.part, **PARTS[self.part](self)}]


def tall_matrix(name: str, n: int) -> np.ndarray:
    """Return one of the tables of `tall_data` as trees read it, one row per column."""
    return np.ascontiguousarray(tall_data(n)[name].T, dtype=np.float32)


def grow(matrix: np.ndarray, n_trees: int, **changes: Any) -> Forest:
    """Grow trees alone: nodes of 100 rows, ten candidates, one column per cut."""
    n_columns, n = matrix.shape
    growth = tall_growth(n, n_columns)._replace(**changes)
    return Forest.grow(matrix, growth, seed=0, trees=range(n_trees), n_jobs=1)


def winners(matrix: np.ndarray, screening_rows: int) -> np.ndarray:
    """Return the columns that win in the roots of trees; the candidates are always the same."""
    forest = grow(matrix, N_ROOTS, max_depth=1, screening_rows=screening_rows)
    columns = [forest.tree(i).columns for i in range(N_ROOTS)]
    return np.array([own[0] if len(own) else -1 for own in columns])


def measure_screening(trial: ShortcutTrial) -> Row:
    """Return how often the screen chooses another column."""
    matrix = tall_matrix(trial.dataset, trial.n)
    differs = winners(matrix, SCREENING_ROWS) != winners(matrix, 0)
    return {"differs": float(differs.mean())}


def timed_fit(trial: ShortcutTrial, X: np.ndarray) -> tuple[URerF, float]:
    """Fit with changed bounds; return the model and the CPU seconds."""
    settings = {"random_state": trial.seed, "n_jobs": 1, **trial.params}
    with growing(**trial.bounds):
        start = time.process_time()
        model = fit_urerf(X, paper=trial.method == "urerf_paper", **settings)
        return model, time.process_time() - start


def measure_fit(trial: ShortcutTrial) -> Row:
    """Fit on clusters or on a manifold."""
    X: Any
    truth: Any
    if trial.dataset == "clusters":
        X, truth = blobs(trial.n, 50)
        k = CLUSTER_K
    else:
        truth, X = trial.make()
        k = K
    model, cpu = timed_fit(trial, X)
    indices = model.kneighbors(n_neighbors=k, return_distance=False)
    precision = geodesic_precision(indices, truth)
    forest = model.forest_
    leaves = float((forest.child < 0).sum() / forest.n_trees)
    return {"cpu_seconds": cpu, "leaves": leaves, "precision": precision}


def cutters(
    n: int,
) -> tuple[Callable[[np.ndarray], Any], Callable[[np.ndarray], Any]]:
    """Return two compiled ways to cut n values, by bins and after sorting."""
    scratch = make_scratch(n)
    rule = Rule(FAST_BIC, GAIN, FLOORS["gain"], 1)

    def by_bins(z: np.ndarray) -> float:
        return cut_fast_bic(z, np.bool_(False), rule, np.inf, scratch)[1]

    def by_sorting(z: np.ndarray) -> float:
        sort_values(z, scratch.spare, scratch.counters)
        return choose_cut(z, rule, np.inf, scratch)[1]

    for cut in (by_bins, by_sorting):
        cut(np.arange(n, dtype=np.float32))
    return by_bins, by_sorting


def shaped_columns(shape: str, n: int) -> np.ndarray:
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
    by_bins, by_sorting = cutters(trial.n)
    columns = shaped_columns(trial.dataset, trial.n)
    start = time.process_time()
    quick = [by_bins(z) for z in columns]
    middle = time.process_time()
    slow = [by_sorting(z) for z in columns]
    end = time.process_time()
    differs = [cut != exact for cut, exact in zip(quick, slow)]
    return {
        "differs": float(np.mean(differs)),
        "ns_bins": 1e9 * (middle - start) / columns.size,
        "ns_sorted": 1e9 * (end - middle) / columns.size,
    }


def measure_tall(trial: ShortcutTrial) -> Row:
    """Grow trees alone on clustered rows."""
    matrix = tall_matrix("clustered", trial.n)
    start = time.process_time()
    forest = grow(matrix, 10, **trial.bounds)
    cpu = time.process_time() - start
    is_inner = forest.child >= 0
    return {
        "cpu_seconds": cpu,
        "leaves": float((~is_inner).sum() / 10),
        "thousand_rows": float(forest.size[is_inner].sum() / 10_000),
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
    found: list[Trial] = []
    for n, name in product(nodes, TALL_TABLES):
        found.append(ShortcutTrial(name, n=n, part="screening"))
    for n, name in product(nodes[1:], (*TALL_TABLES, "skewed", "heavy-tailed")):
        found.append(ShortcutTrial(name, n=n, part="bins"))
    n_tall = 5000 if plan.quick else 50_000
    tall = partial(ShortcutTrial, "clustered", n=n_tall, part="tall")
    for row, bounds in {"none": {"peel_chain": 0}, **CHAINS}.items():
        found.append(tall(bounds=bounds, row=row))
    for seed in range(plan.seeds):
        found += seeded_trials(plan.quick, seed)
    return found


def seeded_trials(quick: bool, seed: int) -> list[Trial]:
    """Return the trials that are repeated."""
    n_rows = {"clusters": 5000, "helix": 2000} if quick else {"clusters": 20_000, "helix": 5000}
    screened = partial(ShortcutTrial, part="precision", noise=20, params={"n_estimators": 50})
    peeled = partial(
        ShortcutTrial,
        part="peeling",
        method="urerf_paper",
        seed=seed,
        noise=100 if quick else 1000,
        params={"n_estimators": 20 if quick else 100},
    )
    found: list[Trial] = []
    for method, text, dataset in product(FORESTS, SCREENED, n_rows):
        row = f"{FORESTS[method]}, {text}"
        n = n_rows[dataset]
        found.append(screened(dataset, method, seed, n=n, bounds=SCREENED[text], row=row))
    for dataset, row in product(("linear", "helix", "sphere"), CHAINS):
        found.append(peeled(dataset, bounds=CHAINS[row], row=row))
    return found


def sections(table: Any) -> list[str]:
    """Return a text and a table for each part."""
    by_part = {part: at(table, part=part) for part in PARTS}
    costs = ["cpu_seconds", "leaves"]
    tables = {
        "screening": pivot(by_part["screening"], "dataset", "n", ["differs"]),
        "precision": pivot(by_part["precision"], "row", "dataset", ["precision", "cpu_seconds"]),
        "bins": bins_table(by_part["bins"]),
        "peeling": pivot(by_part["peeling"], "row", "dataset", [*costs, "precision"]),
        "tall": pivot(by_part["tall"], "row", "n", [*costs, "thousand_rows"]),
    }
    found = []
    for part in PARTS:
        found += [TEXTS[part], tables[part]]
    return found


def pivot(table: Any, index: str, column: str, values: list[str]) -> str:
    """Write one row per value of `index`, and for each value of `column` the means of `values`."""
    means = table.pivot_table(index=index, columns=column, values=values, sort=False)
    heads = [""]
    order = []
    for name, value in product(dict.fromkeys(table[column]), values):
        heads.append(f"{name}, {value.replace('_', ' ')}")
        order.append((value, name))
    return markdown(heads, means[order].itertuples(), fixed(3))


def bins_table(table: Any) -> str:
    """Write one row per size and shape."""
    columns = ["dataset", "n", "differs", "ns_bins", "ns_sorted"]
    rows = table[columns].assign(n=table.n.map("{:,}".format))
    heads = ["data", "rows", "differs", "ns, bins", "ns, sorted"]
    return markdown(heads, rows.itertuples(index=False), fixed(3))


STUDY = BenchStudy(
    name="shortcuts",
    title="Shortcuts of the trees",
    trials=trials,
    columns=(
        *("part", "row", "dataset", "method", "n", "noise", "seed"),
        *("precision", "differs", "ns_bins", "ns_sorted"),
        *("cpu_seconds", "leaves", "thousand_rows"),
    ),
    sections=sections,
    seeds=2,
)
