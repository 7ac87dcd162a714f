"""The cases of the arena: a table, its noise columns, and the number of neighbors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from urerf.datasets import SIMULATIONS

from ..writing import short_name

# The groups of cases, in the order of the page.
CLEAN = "no noise columns"
PAPER = "simulations of the paper"
OTHER = "other manifolds"
HARD = "hard to detect"
REAL = "real tables"
GROUPS = (PAPER, OTHER, HARD, REAL, CLEAN)

OTHER_MANIFOLDS = ("swiss_roll", "torus", "moons", "helix_in_20")
REAL_TABLES = ("iris", "wine", "breast_cancer", "digits", "connectome")
REAL_K = 10
# Numbers and kinds of noise columns.
PAPER_NOISE = (
    (100, "gaussian"),
    (1000, "gaussian"),
    (1000, "uniform"),
)
OTHER_NOISE = [(100, "gaussian")]
REAL_NOISE = (
    (100, "permuted"),
    (1000, "permuted"),
    (100, "matched"),
)
CONNECTOME_KS = (50, 70, 90, 110, 130, 150)


class Case(NamedTuple):
    """One case.

    Parameters
    ----------
    group : str
        One of `GROUPS`.
    dataset : str
        Key of `urerf.lab.tables.made.TABLES`.
    n, k : int
        Number of rows (loaded tables have their own) and of neighbors.
    noise, kind, variance
        The noise columns, see `urerf.lab.tables.made.with_noise`.
    """

    group: str
    dataset: str
    n: int
    k: int
    noise: int = 0
    kind: str = "none"
    variance: float = 70.0

    @property
    def label(self) -> str:
        """Return the name of the case in tables and figures."""
        words = short_name(self.dataset)
        if self.group == HARD:
            words = f"{words}, {self.n} rows"
        if self.noise:
            words = f"{words} + {self.noise} {self.kind}"
        return words

    @property
    def ks(self) -> tuple[int, ...]:
        """Return all numbers of neighbors that are reported."""
        is_connectome = self.dataset == "connectome" and not self.noise
        return (self.k, *CONNECTOME_KS) if is_connectome else (self.k,)

    def settings(self) -> dict[str, Any]:
        """Return the settings of a trial in this case."""
        settings = self._asdict() | {"ks": self.ks, "row": self.label}
        del settings["group"]
        del settings["k"]
        return settings


def hard_cases() -> list[Case]:
    """Return tables in which relevance once found nothing, as they were first described."""
    return [
        Case(HARD, "weak_clusters", 300, 20, 950, "gaussian", 1.0),
        Case(HARD, "less_weak_clusters", 80, 10, 950, "gaussian", 1.0),
        Case(HARD, "less_weak_clusters", 60, 10, 950, "gaussian", 1.0),
        Case(HARD, "bimodal", 300, 10, 92, "gaussian", 1.0),
        Case(HARD, "ten_turns", 1000, 20, 100, "uniform", 1 / 12),
        Case(HARD, "rough_moons", 60, 5, 18, "gaussian", 1.0),
        Case(HARD, "rough_moons", 100, 5, 100, "gaussian", 1.0),
    ]


def all_cases() -> list[Case]:
    """Return the cases of a full run."""
    return [
        *clean_and_noisy(PAPER, SIMULATIONS, 50, PAPER_NOISE),
        *clean_and_noisy(OTHER, OTHER_MANIFOLDS, 50, OTHER_NOISE),
        *clean_and_noisy(REAL, REAL_TABLES, REAL_K, REAL_NOISE),
        *hard_cases(),
    ]


def clean_and_noisy(
    group: str,
    datasets: Iterable[str],
    k: int,
    noises: Iterable[tuple[int, str]],
) -> list[Case]:
    """Return each data set without noise columns, and with each number and kind of them."""
    cases = []
    for dataset in datasets:
        cases.append(Case(CLEAN, dataset, 1000, k))
        cases += [Case(group, dataset, 1000, k, *noise) for noise in noises]
    return cases


def quick_cases() -> list[Case]:
    """Return smaller tables of every group for a quick run."""
    cases = [Case(PAPER, dataset, 300, 30, 100, "gaussian") for dataset in SIMULATIONS]
    cases += [
        Case(REAL, "iris", 300, REAL_K, 100, "permuted"),
        Case(REAL, "wine", 300, REAL_K, 100, "permuted"),
        Case(CLEAN, "wine", 300, REAL_K),
        Case(CLEAN, "connectome", 300, REAL_K),
        Case(OTHER, "swiss_roll", 300, 30, 100, "gaussian"),
    ]
    cases += [case for case in hard_cases() if case.n <= 100]
    return cases
