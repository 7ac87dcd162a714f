"""Which cells each bench runs: all of the settings that are asked for, most telling first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from typing import Any

from urerf.bench.tasks import score_cell
from urerf.paper.tasks import SIMULATIONS, Cell

METHODS = ("urerf", "urerf_paper", "euclidean", "screen", "isomap", "umap")
FIRST_SEED = 100  # defaults were chosen on other seeds
KINDS = (("gaussian", 70.0), ("uniform", 70.0), ("bimodal", 70.0), ("heavy_tailed", 70.0))
VARIANCES = (("gaussian", 1.0), ("gaussian", 10.0), ("gaussian", 700.0))
KS_CONNECTOME = [50, 70, 90, 110, 150]
CONNECTOME_RIVALS = (
    "isomap",
    "shi_cutler",
    "euclidean",
    "random_projection_forest",
    "totally_random_trees",
    "flann",
)


@dataclass(frozen=True)
class Size:
    """How much to run.

    Parameters
    ----------
    n : int
        Rows of a simulation.
    k : int
        Neighbours.
    seeds : int
        Repeats, from seed 100 on.
    counts : tuple of int
        Numbers of noise columns; the largest, 10,000, for Gaussian (variance 70) and uniform noise
        only.
    trees : int or None
        Trees of our forests; None for their own 300.
    slow : bool
        Whether to run UMAP and the paper's forest at all counts (one seed).
    """

    n: int = 1000
    k: int = 50
    seeds: int = 3
    counts: tuple[int, ...] = (10, 100, 1000, 10_000)
    trees: int | None = None
    slow: bool = True

    def all_seeds(self) -> range:
        """Seeds of the quick methods."""
        return range(FIRST_SEED, FIRST_SEED + self.seeds)


QUICK = Size(n=300, k=30, seeds=1, counts=(10, 100), trees=50, slow=False)


def noises(size: Size) -> list[dict[str, Any]]:
    """List the settings of a column of the table: none, then every kind and count, raw and rescaled.

    Rescaled to [0, 1], Gaussian columns of any variance are the same table, so one variance stands
    for all.
    """
    found: list[dict[str, Any]] = [{"rescaled": False}, {"rescaled": True}]
    for count in size.counts:
        for kind, variance in (*KINDS, *VARIANCES):
            if count < 10_000 or (kind in ("gaussian", "uniform") and variance == 70.0):
                setting = {"noise": count, "kind": kind, "variance": variance}
                scales = (False, True) if variance == 70.0 else (False,)
                found += [setting | {"rescaled": rescaled} for rescaled in scales]
    return found


def is_reduced(setting: dict[str, Any]) -> bool:
    """Whether a setting is in the smaller table of the slow methods: raw, Gaussian of variance 70 or uniform."""
    usual = (
        setting.get("kind", "gaussian") in ("gaussian", "uniform")
        and setting.get("variance", 70.0) == 70.0
    )
    return usual and not setting["rescaled"] and setting.get("noise", 0) < 10_000


def accuracy_cells(size: Size, methods: Iterable[str]) -> list[Cell]:
    """List the cells of the accuracy table, seeds outermost."""
    cells = []
    methods = tuple(methods)
    for seed in size.all_seeds():
        for setting in noises(size):
            for method in methods:
                slow = method in ("umap", "isomap", "urerf_paper")
                if slow and (seed > FIRST_SEED or not is_reduced(setting)):
                    continue
                if method in ("umap", "urerf_paper") and not size.slow:
                    continue
                cells += [accuracy_cell(name, method, seed, size, setting) for name in SIMULATIONS]
    return sorted(cells, key=lambda cell: (cell["seed"], cell["method"] == "umap", cell["noise"]))


def accuracy_cell(
    dataset: str,
    method: str,
    seed: int,
    size: Size,
    setting: dict[str, Any],
    changes: dict[str, Any] | None = None,
) -> Cell:
    """Say one cell of the accuracy table; distances are judged without noise and with 100 raw columns."""
    judged = setting.get("noise", 0) in (0, 100) and not setting["rescaled"] and not changes
    judged = judged and method in ("urerf", "isomap")
    params = (
        {"n_estimators": size.trees or 300, **(changes or {})} if method.startswith("urerf") else {}
    )
    return score_cell(
        dataset, method, seed, n=size.n, ks=[size.k], geodesic=judged, params=params, **setting
    )


def other_cells(size: Size) -> list[Cell]:
    """List the cells of other manifolds and noises, real tables, the connectome and pure noise."""
    trees = {"n_estimators": size.trees or 300}
    cells = [
        {
            "task": "false_alarm",
            "dataset": "noise",
            "n": 200,
            "noise": 50,
            "tables": 200,
            "seed": FIRST_SEED,
        }
    ]
    for seed in size.all_seeds():
        for method, params in (("urerf", trees), ("euclidean", {})):
            cells += [
                accuracy_cell(name, method, seed, size, {"rescaled": False}) for name in SIMULATIONS
            ]
            for dataset, setting in other_settings(size):
                cells.append(
                    score_cell(
                        dataset, method, seed, n=size.n, ks=[size.k], params=params, **setting
                    )
                )
            for dataset, setting in real_settings(size):
                cells.append(score_cell(dataset, method, seed, ks=[10], params=params, **setting))
        for method in (
            "urerf",
            "urerf_paper",
            "urerf_depth",
            *CONNECTOME_RIVALS,
            *(["umap"] if size.slow else []),
        ):
            params = trees if method.startswith("urerf") else {}
            cells.append(score_cell("connectome", method, seed, ks=KS_CONNECTOME, params=params))
    return cells


def other_settings(size: Size) -> list[tuple[str, dict[str, Any]]]:
    """List other manifolds under usual noise, and the four manifolds under other noises."""
    counts = [count for count in (100, 1000) if count in size.counts]
    found: list[tuple[str, dict[str, Any]]] = []
    for dataset in ("swiss_roll", "torus", "moons", "helix_in_20"):
        found += [(dataset, {})]
        found += [
            (dataset, {"noise": count, "kind": kind})
            for count in counts
            for kind in ("gaussian", "uniform")
        ]
    for dataset in SIMULATIONS:
        for kind in ("correlated", "poisson", "mixed", "random_scales"):
            found += [(dataset, {"noise": count, "kind": kind}) for count in counts]
    return found


def real_settings(size: Size) -> list[tuple[str, dict[str, Any]]]:
    """List real tables, plain and with 1000 noise columns of variance 70 or of the table's own mean variance."""
    most = min(1000, max(size.counts))
    return [
        (dataset, setting)
        for dataset in ("digits", "wine", "breast_cancer", "connectome")
        for setting in ({}, {"noise": most, "kind": "gaussian"}, {"noise": most, "kind": "matched"})
    ]


# One row a departure from the paper: the name, the default with it taken back.
PUT_BACK: dict[str, dict[str, Any]] = {
    "default": {},
    "feature_weighting='uniform'": {"feature_weighting": "uniform"},
    "score='raw'": {"score": "raw"},
    "density=1": {"density": 1},
    "flat_nodes='best'": {"flat_nodes": "best"},
    "similarity='leaf'": {"similarity": "leaf"},
    "similarity='leaf', min_samples_split=100": {"similarity": "leaf", "min_samples_split": 100},
    "max_samples=None, bootstrap=True": {"max_samples": None, "bootstrap": True},
    "min_samples_split=100": {"min_samples_split": 100},
}
# The paper's forest with one departure added.
ADDED: dict[str, dict[str, Any]] = {
    "paper": {},
    "paper + relevance": {"feature_weighting": "relevance"},
    "paper + relevance + gain + random cuts": {
        "feature_weighting": "relevance",
        "score": "gain",
        "flat_nodes": "random",
    },
    "paper + relevance + directions": {"feature_weighting": "relevance", "density": "auto"},
    "paper + relevance + max_samples=.3": {
        "feature_weighting": "relevance",
        "max_samples": 0.3,
        "bootstrap": False,
    },
    "paper + relevance + depth, split 10": {
        "feature_weighting": "relevance",
        "similarity": "depth",
        "min_samples_split": 10,
    },
}


def ablation_cells(size: Size) -> list[tuple[str, Cell]]:
    """List the cells of the ablation, each with its row; forests that look at noise columns get one seed there."""
    counts = [count for count in (100, 1000) if count in size.counts]
    laws = [(0, "none"), *((count, "gaussian") for count in counts), (counts[-1], "uniform")]
    found = []
    for seed, (noise, kind) in product(size.all_seeds(), laws):
        for method, rows in (("urerf", PUT_BACK), ("urerf_paper", ADDED)):
            for row, changes in rows.items():
                if noise and sees_noise(method, changes) and (seed > FIRST_SEED or not size.slow):
                    continue
                setting = {"noise": noise, "kind": kind, "rescaled": False}
                found += [
                    (row, accuracy_cell(name, method, seed, size, setting, changes))
                    for name in SIMULATIONS
                ]
    return found


def sees_noise(method: str, changes: dict[str, Any]) -> bool:
    """Whether a forest draws its candidates from all columns."""
    return (
        changes.get("feature_weighting", "uniform" if method == "urerf_paper" else "relevance")
        == "uniform"
    )
