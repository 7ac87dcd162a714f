"""What ``accuracy``, ``other`` and ``ablation`` share: how large they are, and their trials."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from urerf.datasets import SIMULATIONS

from ..._typing import BoolArray
from ..methods import OURS
from ..study import Plan
from ..tables.made import PAPER_NOISES
from ..trial import THIRDS, Trial

COLUMNS = (
    "row",
    "dataset",
    "method",
    "noise",
    "kind",
    "variance",
    "rescaled",
    "seed",
    "n",
    "k",
    "precision",
    "geodesic_precision",
    "reached",
    *(f"{what}_{third}" for what in ("spearman", "error") for third in ("all", *THIRDS)),
    "table",
    "relevant",
    "rests_on",
)
KEPT = 0.97  # target: the share of the precision that noise columns must leave


@dataclass(frozen=True)
class Size:
    """How large the trials are.

    Parameters
    ----------
    n, k : int
        Rows of a simulation, and neighbors.
    counts : tuple of int
        Numbers of noise columns; the largest, 10,000, only for Gaussian noise of variance 70 and
        uniform noise.
    trees : "auto" or int
        Trees of our forests.
    with_slow : bool
        Whether to run the methods that are slow (UMAP and the paper's forest).
    """

    n: int = 1000
    k: int = 50
    counts: tuple[int, ...] = (10, 100, 1000, 10_000)
    trees: int | str = "auto"
    with_slow: bool = True


FULL = Size()
QUICK = Size(
    n=300,
    k=30,
    counts=(10, 100),
    trees=50,
    with_slow=False,
)


def size_of(plan: Plan) -> Size:
    """Return the size of a plan."""
    return QUICK if plan.quick else FULL


def make_trial(
    dataset: str,
    method: str,
    seed: int,
    size: Size,
    changes: Mapping[str, Any] | None = None,
    **setting: Any,
) -> Trial:
    """Return a trial of the given size; `changes` are parameters of our forests.

    On simulations, the distances are judged too, without noise and with 100 raw noise columns.
    """
    settings: dict[str, Any] = {"n": size.n, "ks": (size.k,), "kind": "none"}
    settings |= setting
    params: dict[str, Any] = {}
    if method in OURS:
        params = {"n_estimators": size.trees, **(changes or {})}
    trial = Trial(dataset, method, seed, params=params, **settings)
    has_distances = method in ("urerf", "isomap") and not changes
    is_usual = trial.kind in ("none", *PAPER_NOISES) and trial.noise in (0, 100)
    if dataset in SIMULATIONS and has_distances and is_usual and not trial.rescaled:
        return replace(trial, measure="geodesics")
    return trial


def verdict(is_met: BoolArray) -> str:
    """Say whether every target is met."""
    n_missed = np.sum(~is_met)
    if n_missed:
        return f"missed by {n_missed} of {len(is_met)}"
    return "met"
