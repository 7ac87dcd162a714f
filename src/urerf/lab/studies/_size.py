"""What ``accuracy``, ``other`` and ``ablation`` share: how large they are, and their trials."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from urerf.datasets import SIMULATIONS

from ..methods import OURS
from ..study import Plan
from ..tables.made import PAPER_NOISES
from ..trial import THIRDS, Trial

COLUMNS = (
    *(
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
    ),
    *("precision", "geodesic_precision", "reached"),
    *(f"{what}_{third}" for what in ("spearman", "error") for third in ("all", *THIRDS)),
    *("table", "relevant", "rests_on"),
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
    usual = {"n": size.n, "ks": (size.k,), "kind": "none"}
    setting = {**usual, **setting}
    params = {}
    if method in OURS:
        params = {"n_estimators": size.trees, **(changes or {})}
    if dataset in SIMULATIONS and method in ("urerf", "isomap") and not changes:
        is_raw = not setting.get("rescaled")
        is_usual = setting["kind"] in ("none", *PAPER_NOISES)
        if is_raw and is_usual and setting.get("noise", 0) in (0, 100):
            setting["measure"] = "geodesics"
    return Trial(dataset, method, seed, params=params, **setting)


def verdict(values: Sequence[float], targets: Sequence[float], at_most: bool = False) -> str:
    """Say whether every value reaches its target."""
    reaches = operator.le if at_most else operator.ge
    is_missed = [not reaches(value, target) for value, target in zip(values, targets)]
    if any(is_missed):
        return f"missed by {sum(is_missed)} of {len(is_missed)}"
    return "met"
