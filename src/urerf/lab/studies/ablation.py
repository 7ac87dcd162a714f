"""What each departure from the paper contributes."""

from __future__ import annotations

from itertools import product
from typing import Any

from urerf.datasets import SIMULATIONS

from ..study import FIRST_SEED, BenchStudy, Plan
from ..trial import Trial
from ..writing import short, short_name, write_frame
from ._size import COLUMNS, make_trial, size_of

# The default with one setting of the paper, or another similarity ("depth", "leaf": 300 trees).
PUT_BACK: dict[str, dict[str, Any]] = {
    "default": {},
    "feature_weighting='uniform'": {"feature_weighting": "uniform"},
    "split_score='raw'": {"split_score": "raw"},
    "density=1": {"density": 1},
    "flat_nodes='best'": {"flat_nodes": "best"},
    "similarity='depth'": {"similarity": "depth"},
    "similarity='geodesic'": {"similarity": "geodesic"},
    "similarity='leaf'": {"similarity": "leaf"},
    "similarity='leaf', min_samples_split=100": {
        "similarity": "leaf",
        "min_samples_split": 100,
    },
    "max_samples=None, bootstrap=True": {
        "max_samples": None,
        "bootstrap": True,
    },
    "min_samples_split=100": {"min_samples_split": 100},
}
RELEVANCE = {"feature_weighting": "relevance"}
# The paper's forest with departures.
ADDED: dict[str, dict[str, Any]] = {
    "paper": {},
    "paper + relevance": RELEVANCE,
    "paper + relevance + gain + random cuts": {
        **RELEVANCE,
        "split_score": "gain",
        "flat_nodes": "random",
    },
    "paper + relevance + directions": {**RELEVANCE, "density": "auto"},
    "paper + relevance + max_samples=.3": {
        **RELEVANCE,
        "max_samples": 0.3,
        "bootstrap": False,
    },
    "paper + relevance + depth, split 10": {
        **RELEVANCE,
        "similarity": "depth",
        "min_samples_split": 10,
    },
}


def trials(plan: Plan) -> list[Trial]:
    """Return the trials; forests that see noise columns get one seed where there is noise."""
    size = size_of(plan)
    counts = [count for count in (100, 1000) if count in size.counts]
    noises = [(0, "none"), *product(counts, ["gaussian"]), (counts[-1], "uniform")]
    variants = [("urerf", *departure) for departure in PUT_BACK.items()]
    variants += [("urerf_paper", *departure) for departure in ADDED.items()]
    found = []
    for seed, (noise, kind), variant in product(plan.reported_seeds, noises, variants):
        method, row, changes = variant
        is_expensive = noise and sees_noise(method, changes)
        if is_expensive and (seed > FIRST_SEED or not size.with_slow):
            continue
        setting = {"noise": noise, "kind": kind, "row": row}
        for dataset in SIMULATIONS:
            found.append(make_trial(dataset, method, seed, size, changes, **setting))
    return found


def sees_noise(method: str, changes: dict[str, Any]) -> bool:
    """Return whether a forest draws its candidates from all columns."""
    usual = "uniform" if method == "urerf_paper" else "relevance"
    return changes.get("feature_weighting", usual) == "uniform"


def sections(table: Any) -> list[str]:
    """Return the page: one row per departure, one cell per simulation."""
    means = table.pivot_table("precision", ["row", "dataset"], ["noise", "kind"], sort=False)
    means = means.sort_index(axis=1)
    names = [f"{noise} {kind}" if noise else "no noise" for noise, kind in means]
    text = (
        "The default with one setting of the paper, or another similarity, then the paper's forest "
        "with departures.\n"
        "Forests that draw from all columns have one seed where there is noise.\n\n"
        f"Precision@{table.k.max()} with raw noise columns: {', '.join(names)}."
    )
    cells = means.map(short).agg(" ".join, axis=1)
    texts = cells.unstack()
    texts = texts.loc[table.row.unique(), list(SIMULATIONS)]
    texts = texts.rename(index=name_of, columns=short_name)
    return [text, write_frame(texts.rename_axis(""))]


def name_of(row: str) -> str:
    """Return the name of a departure, as code if it is a setting."""
    is_code = "=" in row and "paper" not in row
    return f"`{row}`" if is_code else row


STUDY = BenchStudy("ablation", "Ablation", trials, COLUMNS, sections)
