"""URerF against every method that a person might use, on tables with noise columns."""

from __future__ import annotations

from functools import partial
from typing import Any

from ..arena import figure, page
from ..arena.cases import HARD, Case, all_cases, quick_cases
from ..arena.trial import ArenaTrial
from ..methods import SELECTORS, need
from ..study import BenchStudy, Plan, cross
from ..trial import Trial

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
    skipped = set(NOT_IN_QUICK if plan.quick else ())
    if not has_treeple():
        skipped.add("treeple")
    methods = [name for name in ("urerf", *ALL_COLUMNS) if name not in skipped]
    found = []
    for case in cases:
        n_seeds = plan.seeds
        if case.group == HARD and case.n <= SMALL and not plan.quick:
            n_seeds *= SEEDS_OF_SMALL
        for seed in range(FIRST_SEED, FIRST_SEED + n_seeds):
            found += case_trials(case, seed, methods)
    found.sort(key=lambda trial: (trial.method == "umap", trial.seed))
    return plan.cheaper(found, spared=["urerf"])


def case_trials(case: Case, seed: int, methods: list[str]) -> list[Trial]:
    """Return the trials of one case: without noise columns, there is nothing to select."""
    make = partial(ArenaTrial, seed=seed, **case.settings())
    if not case.noise:
        more = ON_CONNECTOME if case.dataset == "connectome" else ()
        return cross(make, method=[*methods, *more])
    if seed > FIRST_SEED:
        # UMAP takes a third of the time of all methods, and is close to chance.
        methods = [name for name in methods if name != "umap"]
    played = cross(make, method=[*methods, *SELECTORS])
    return played + cross(make, method=CONTROLS, only_true=[True])


def has_treeple() -> bool:
    """Return whether treeple is installed and can be imported with this scikit-learn."""
    try:
        need("treeple")
    except ImportError:
        return False
    return True


def summarize(table: Any) -> Any:
    """Return the mean of each method and use in each case."""
    groups = table.groupby(["row", "k", "method", "use", "only_true"], sort=False)
    means = groups[["chance", "precision", "true_columns", "other_columns"]].mean()
    means["seeds"] = groups.seed.nunique()
    means["deviation"] = groups.precision.std()
    return means.reset_index()


STUDY = BenchStudy(
    name="arena",
    title="Arena",
    trials=trials,
    columns=(
        "row",
        "k",
        "method",
        "use",
        "only_true",
        "seeds",
        "chance",
        "precision",
        "deviation",
        "true_columns",
        "other_columns",
    ),
    sections=page.sections,
    draw=figure.draw,
    summarize=summarize,
    seeds=3,
)
