"""Which floor under the variance of a cluster is best: the evidence for `FLOORS`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any
from unittest.mock import patch

import numpy as np

from urerf.datasets import SIMULATIONS
from urerf.kernels.settings import FLOORS as IN_USE

from .. import published
from ..study import BenchStudy, Plan, combinations, cross
from ..trial import Row, Trial
from ..words import at, means_by
from ..writing import short_name, write_frame

FLOORS = (1e-6, 1e-4, 1e-2, 3e-2, 1e-1)
SCORES = ("raw", "gain")
NOISE = (0, 10, 100, 1000)
QUICK_NOISE = (0, 10)
N_TREES = 100
QUICK_TREES = 10
NOTE = """Precision of the 50 nearest of 1000 points with the settings of the authors' scripts,
`URerF.paper(projection="axis", min_samples_split=32, n_estimators=100, split_score=...)`, mean
over seeds, Gaussian noise columns of variance 70. Each row is a floor, as a share of the
variance of the node; * is the one in use; `published` is the paper's own figure (not for the
mixture, which has another truth there)."""


@dataclass(frozen=True)
class FloorTrial(Trial):
    """A trial under another floor."""

    floor: float = 0.0

    def score(self, n_jobs: int) -> list[Row]:
        """Run the trial with the floor."""
        changed = {self.params["split_score"]: self.floor}
        with patch.dict(IN_USE, changed):
            return super().score(n_jobs)


def trials(plan: Plan) -> list[Trial]:
    """Return all data sets under all floors."""
    n_trees = QUICK_TREES if plan.quick else N_TREES
    return cross(
        partial(FloorTrial, method="urerf_scripts"),
        dataset=SIMULATIONS,
        seed=range(plan.seeds),
        noise=QUICK_NOISE if plan.quick else NOISE,
        params=combinations(n_estimators=[n_trees], split_score=SCORES),
        floor=FLOORS,
    )


def sections(table: Any) -> list[str]:
    """Return one table for all data and one per data set, for each score."""
    settings = ["split_score", "floor", "dataset", "noise"]
    spreads = table.groupby(settings).precision.agg(np.ptp)
    found = [NOTE, f"Seeds differ by {spreads.mean():.3f} on average."]
    for score in SCORES:
        rows = at(table, split_score=score)
        found += [f"## split_score={score!r}, all data", floor_table(rows, score)]
        for name in SIMULATIONS:
            own_table = floor_table(at(rows, dataset=name), score, name)
            found += [f"### {score}, {short_name(name)}", own_table]
    return found


def floor_table(table: Any, score: str, dataset: str = "") -> str:
    """Write one row per floor."""
    means = means_by(table, ["floor", "noise"]).unstack()
    means.index = [
        f"{floor:g} *" if floor == IN_USE[score] else f"{floor:g}" for floor in means.index
    ]
    curve = published.curve("noise", dataset, "urerf_scripts", "text", "noise")
    if score == "raw" and len(curve):
        means.loc["published"] = curve.set_index("noise").value
    means = means.rename(columns="{} noise columns".format)
    means["mean"] = means.mean(axis=1)
    return write_frame(means.rename_axis("floor"))


STUDY = BenchStudy(
    name="floor",
    title="Floor under the variance of a cluster",
    trials=trials,
    columns=("split_score", "floor", "dataset", "noise", "seed", "precision"),
    sections=sections,
    seeds=2,
)
