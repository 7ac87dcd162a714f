"""What a study is: a question, the trials that answer it, and how the answer is presented."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, NamedTuple

from urerf.datasets import SIMULATIONS

from .trial import Trial

# Seeds from here on report: the defaults were chosen on smaller ones.
FIRST_SEED = 100
KS = (2, 4, 6, 8, 10, *range(20, 201, 20))
# "urerf_scripts" only runs on the data of the scripts, "urerf_depth" only on the connectome.
ALL_METHODS = (
    "urerf_paper",
    "urerf",
    "urf",
    "totally_random_trees",
    "shi_cutler",
    "random_projection_forest",
    "random_projection_tree",
    "isomap",
    "umap",
    "flann",
    "euclidean",
    "pynndescent",
)
# A quick run skips a method that equals Euclidean here but compiles for a minute, the weakest
# method, and a twin of URerF. In side studies it also skips the slow ones.
NOT_IN_QUICK = ("pynndescent", "random_projection_tree", "urf")
QUICK_SIDE_METHODS = (
    "urerf_paper",
    "urerf",
    "totally_random_trees",
    "isomap",
    "flann",
    "euclidean",
)
QUICK_TREES = 50
# Methods that grow many trees: slow, and quicker with fewer of them.
FORESTS = (
    "urerf_paper",
    "urerf_scripts",
    "urerf",
    "urf",
    "totally_random_trees",
    "shi_cutler",
)


@dataclass(frozen=True)
class Plan:
    """How much to run.

    Parameters
    ----------
    quick : bool
        Fewer trees, noise columns and sizes.
    seeds : int
        Repetitions of each trial.
    methods : tuple of str or None
        The only methods to run; None for all.
    """

    quick: bool
    seeds: int
    methods: tuple[str, ...] | None = None

    @property
    def reported_seeds(self) -> range:
        """Seeds on which no default was chosen."""
        return range(FIRST_SEED, FIRST_SEED + self.seeds)

    def keep(
        self,
        names: Iterable[str] = ALL_METHODS,
        quick: Iterable[str] | None = None,
    ) -> list[str]:
        """Return the methods that are to be run.

        Parameters
        ----------
        names : iterable of str
            Methods of a full run.
        quick : iterable of str or None
            Methods of a quick run; None for all but those that are skipped everywhere.
        """
        if self.methods is not None:
            return [name for name in names if name in self.methods]
        if not self.quick:
            return list(names)
        return [name for name in quick or names if name not in NOT_IN_QUICK]

    def cheaper(self, trials: list[Trial], spared: Iterable[str] = ()) -> list[Trial]:
        """Return the trials, in a quick run with fewer trees in all forests but those spared."""
        if not self.quick:
            return trials
        forests = set(FORESTS).difference(spared)
        found = []
        for trial in trials:
            if trial.method in forests:
                params = {**trial.params, "n_estimators": QUICK_TREES}
                trial = replace(trial, params=params)
            found.append(trial)
        return found


def combinations(**grid: Iterable[Any]) -> list[dict[str, Any]]:
    """Return one dict per combination of the given values; the last one varies fastest.

    >>> combinations(n=[10, 20], seed=[0])
    [{'n': 10, 'seed': 0}, {'n': 20, 'seed': 0}]
    """
    return [dict(zip(grid, values)) for values in product(*grid.values())]


def cross(make: Callable[..., Trial] = Trial, /, **grid: Iterable[Any]) -> list[Trial]:
    """Return one trial per combination of the given values.

    Values of `settings` are mappings: several settings that vary together.
    """
    trials = []
    for setting in combinations(**grid):
        together = setting.pop("settings", {})
        trials.append(make(**setting, **together))
    return trials


def on_simulations(plan: Plan, methods: Iterable[str], **grid: Iterable[Any]) -> list[Trial]:
    """Return one trial per combination of values, method, simulation of the paper and seed."""
    seeds = range(plan.seeds)
    trials = cross(**grid, method=methods, dataset=SIMULATIONS, seed=seeds)
    return plan.cheaper(trials)


class Drawing(NamedTuple):
    """A figure, the name of its files and its caption."""

    name: str
    caption: str
    figure: Any


@dataclass(frozen=True)
class Study:
    """A named list of trials.

    Parameters
    ----------
    name : str
        Its name on the command line.
    title : str
        Its heading.
    trials : callable
        From a `Plan` to the trials.
    """

    name: str
    title: str
    trials: Callable[[Plan], list[Trial]]


@dataclass(frozen=True)
class PaperStudy(Study):
    """A section of the page of ``urerf reproduce``.

    Parameters
    ----------
    asks, reading : str
        The question, and how to read the figures, for readers who do not have the paper at hand.
    draw : callable
        From the table of results (a DataFrame) to drawings.
    shows : callable
        From the table to sentences with the numbers of this run.
    """

    asks: str
    reading: str
    draw: Callable[[Any], list[Drawing]]
    shows: Callable[[Any], list[str]]


@dataclass(frozen=True)
class BenchStudy(Study):
    """A command of ``urerf bench``, which writes a table and a Markdown page.

    Parameters
    ----------
    columns : tuple of str
        Columns of the table that is written.
    sections : callable
        From the table of results (a DataFrame) to the sections of the page.
    draw : callable or None
        From the table to a figure.
    summarize : callable or None
        From the table of results to the table that is written, if that is shorter.
    seeds : int
        Repetitions of each trial in a full run.
    """

    columns: tuple[str, ...]
    sections: Callable[[Any], list[str]]
    draw: Callable[[Any], Any] | None = None
    summarize: Callable[[Any], Any] | None = None
    seeds: int = 3
