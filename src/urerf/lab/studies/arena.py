"""URerF against every method that a person might use, on tables with noise columns."""

from __future__ import annotations

from functools import cache
from typing import Any

from urerf.lab.arena import figure, page
from urerf.lab.arena.cases import HARD, Case, all_cases, quick_cases
from urerf.lab.arena.trial import ArenaTrial
from urerf.lab.methods import SELECTORS, need
from urerf.lab.study import BenchStudy, Plan
from urerf.lab.trial import Trial

# Seeds from here on report and were used for nothing else.
FIRST_SEED = 7000
# Small tables are cheap, and differ most from seed to seed.
SMALL = 300
SEEDS_OF_SMALL = 4
# On all columns. treeple is run where it can be imported.
ALL_COLUMNS = (
    "euclidean",
    "isomap",
    "pca",
    "totally_random_trees",
    "shi_cutler",
    "umap",
    "treeple",
)
CONTROLS = ("urerf", "euclidean", "isomap")
ON_CONNECTOME = ("urerf_paper", "urerf_depth", "random_projection_forest")
NOT_IN_QUICK = ("umap", "treeple")


def trials(plan: Plan) -> list[Trial]:
    """Return all trials, UMAP last."""
    cases = quick_cases() if plan.quick else all_cases()
    found: list[Trial] = []
    for case in cases:
        is_small = case.group == HARD and case.n <= SMALL and not plan.quick
        n_seeds = plan.seeds * (SEEDS_OF_SMALL if is_small else 1)
        for seed in range(FIRST_SEED, FIRST_SEED + n_seeds):
            found += case_trials(case, seed, plan)
    return sorted(found, key=lambda trial: (trial.method == "umap", trial.seed))


def case_trials(case: Case, seed: int, plan: Plan) -> list[Trial]:
    """Return the trials of one case: without noise columns, there is nothing to select."""
    methods = ["urerf"]
    methods += [name for name in ALL_COLUMNS if is_run(name, plan)]
    if case.noise and seed > FIRST_SEED and "umap" in methods:
        methods.remove("umap")  # a third of the time of all methods, and close to chance
    if case.noise:
        methods += SELECTORS
    elif case.dataset == "connectome":
        methods += ON_CONNECTOME
    settings = case.settings()
    found: list[Trial] = [
        ArenaTrial(method=method, seed=seed, params=params(plan, method), **settings)
        for method in methods
    ]
    if case.noise:
        for method in CONTROLS:
            found.append(
                ArenaTrial(
                    method=method,
                    seed=seed,
                    only_true=True,
                    **settings,
                )
            )
    return found


def params(plan: Plan, method: str) -> dict[str, Any]:
    """Return fewer trees for the other forests in a quick run; URerF keeps its defaults."""
    return {} if method == "urerf" else plan.params(method)


def is_run(method: str, plan: Plan) -> bool:
    """Return whether a method is part of this run."""
    if plan.quick and method in NOT_IN_QUICK:
        return False
    return method != "treeple" or has_treeple()


@cache
def has_treeple() -> bool:
    """Return whether treeple is installed and can be imported with this scikit-learn."""
    try:
        need("treeple")
    except ImportError:
        return False
    return True


def summarize(table: Any) -> Any:
    """Return the mean of each method and use in each case."""
    keys = ["row", "k", "method", "use", "only_true"]
    groups = table.groupby(keys, sort=False)
    means = groups[["chance", "precision", "true_columns", "other_columns"]].mean()
    means["seeds"] = groups.seed.nunique()
    means["deviation"] = groups.precision.std()
    return means.reset_index()


STUDY = BenchStudy(
    name="arena",
    title="Arena",
    trials=trials,
    columns=(
        *("row", "k", "method", "use", "only_true", "seeds", "chance"),
        *("precision", "deviation", "true_columns", "other_columns"),
    ),
    sections=page.sections,
    draw=figure.draw,
    summarize=summarize,
    seeds=3,
)
