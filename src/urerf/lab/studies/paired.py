"""Whether the defaults are anywhere worse than 300 trees by depth: paired differences per case."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import t as student

from urerf.datasets import SIMULATIONS

from ..study import FIRST_SEED, BenchStudy, Plan, cross
from ..trial import Trial
from ..words import student_interval
from ..writing import markdown, met, short_name
from ._size import COLUMNS, Size, size_of
from .accuracy import noises
from .other import REAL, Case, other_settings, real_settings

DEFAULTS = "urerf"
REFERENCE = "urerf_300"
METHODS = (DEFAULTS, REFERENCE)
# What makes a case.
SETTING = ["dataset", "noise", "kind", "variance", "rescaled"]
# Noise columns of simulations: another number matters only if other columns are then found.
N_NOISE = 100
SEEDS = 10
LEAST_SEEDS = 2  # for an interval
# Target: no case whose interval lies wholly below this difference.
NOT_BELOW = -0.005
# Level of all intervals together.
LEVEL = 0.05

NOTE = """Precision of the defaults minus that of 300 trees ranked by depth alone
(`similarity="depth"`), paired by seed: the same data, noise columns and random numbers. Simulations
have {n} rows and {k} neighbors; real tables are judged by the labels of their 10 neighbors, and
their seeds change the noise columns and the forest only. Intervals are those of Student's t over
{seeds} seeds, with levels in the order of Holm: with a probability of at most {level:.0%}, any of
the {cases} intervals lies wholly below the target although the true difference does not. Where all
differences are equal, the interval is a point."""


class Difference(NamedTuple):
    """The precision of both methods in one case, and their differences, one per seed."""

    name: str
    defaults: float
    reference: float
    gains: Any

    @property
    def mean(self) -> float:
        """The mean difference."""
        return float(self.gains.mean())

    @property
    def p_value(self) -> float:
        """The probability of so low a mean if the true one is at the target, from one side."""
        above = self.mean - NOT_BELOW
        error = self.gains.sem()
        if error == 0:
            return float(above >= 0)
        return float(student.cdf(above / error, len(self.gains) - 1))


def trials(plan: Plan) -> list[Trial]:
    """Return all cases, by the defaults and by 300 trees."""
    size = size_of(plan)
    usual = {"n": size.n, "ks": (size.k,), "kind": "none"}
    n_seeds = max(plan.seeds, LEAST_SEEDS)
    seeds = range(FIRST_SEED, FIRST_SEED + n_seeds)
    settings = []
    for dataset, setting in cases(size):
        settings.append({**usual, "dataset": dataset, **setting})
    return cross(seed=seeds, settings=settings, method=METHODS)


def cases(size: Size) -> list[Case]:
    """Return the data sets and settings of `accuracy` and `other`, with `N_NOISE` columns."""
    smaller = replace(size, counts=(N_NOISE,))
    made = [(dataset, setting) for setting in noises(smaller) for dataset in SIMULATIONS]
    return [*made, *other_settings(smaller), *real_settings(size)]


def sections(table: Any) -> list[str]:
    """Return the note, the verdict and the table of all cases, the lowest difference first."""
    found = differences(table)
    made = table[~table.dataset.isin(REAL)]
    note = NOTE.format(
        n=made.n.max(),
        k=made.k.max(),
        seeds=len(found[0].gains),
        cases=len(found),
        level=LEVEL,
    )
    levels = holm_levels([one.p_value for one in found])
    lowest_first = sorted(zip(found, levels), key=lambda pair: pair[0].mean)
    rows = []
    n_below = 0
    for one, level in lowest_first:
        low, high = student_interval(one.gains, level)
        n_below += high < NOT_BELOW
        mean = signed(one.mean, 4)
        interval = f"{signed(low)} to {signed(high)}"
        rows.append([one.name, one.defaults, one.reference, mean, interval])
    means = np.array([one.mean for one in found])
    verdict = (
        f"Cases whose interval lies wholly below {NOT_BELOW}: {n_below} of {len(found)}, "
        f"{met(n_below == 0)}. Cases with a mean below {NOT_BELOW}: "
        f"{np.sum(means < NOT_BELOW)}; mean over all cases: {means.mean():+.4f}."
    )
    head = ["case", "defaults", "300 trees by depth", "difference", "interval"]
    return [note, verdict, markdown(head, rows)]


def signed(value: float, digits: int = 3) -> str:
    """Return a number with its sign; none of them is a negative zero.

    >>> signed(0.0123), signed(-0.00001)
    ('+0.012', '+0.000')
    """
    rounded = round(value, digits) + 0.0
    return f"{rounded:+.{digits}f}"


def differences(table: Any) -> list[Difference]:
    """Return the paired differences of every case."""
    found = []
    for setting, group in table.groupby(SETTING, sort=False):
        scores = group.pivot_table("precision", "seed", "method")
        scores = scores.reindex(columns=METHODS)
        gains = (scores[DEFAULTS] - scores[REFERENCE]).dropna()
        if len(gains) >= LEAST_SEEDS:
            ours, theirs = scores.mean()
            found.append(Difference(name_of(*setting), ours, theirs, gains))
    return found


def name_of(dataset: str, noise: int, kind: str, variance: float, rescaled: bool) -> str:
    """Return what a case is called.

    >>> name_of("helix", 100, "gaussian", 700.0, True), name_of("wine", 0, "none", 70.0, False)
    ('helix, 100 gaussian of variance 700, rescaled', 'wine')
    """
    words = [short_name(dataset)]
    if noise:
        kind = short_name(kind)
        if variance != 70.0:
            kind += f" of variance {variance:g}"
        words.append(f"{noise} {kind}")
    if rescaled:
        words.append("rescaled")
    return ", ".join(words)


def holm_levels(p_values: list[float]) -> list[float]:
    """Return the level of each test by Holm: the smallest p-value is judged most strictly.

    Levels rise from test to test until one of them fails, and stay there.

    >>> holm_levels([0.5, 0.001, 0.9])
    [0.025, 0.016666666666666666, 0.025]
    """
    n_tests = len(p_values)
    levels = [0.0] * n_tests
    n_rejected = 0
    for place in np.argsort(p_values, kind="stable"):
        levels[place] = LEVEL / (n_tests - n_rejected)
        if p_values[place] < levels[place]:
            n_rejected += 1
    return levels


STUDY = BenchStudy(
    name="paired",
    title="Defaults and 300 trees by depth",
    trials=trials,
    columns=COLUMNS,
    sections=sections,
    seeds=SEEDS,
)
