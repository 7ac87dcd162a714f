"""What an experiment is: a question, the cells that answer it, and how the answer is drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from urerf.paper.tasks import Cell

KS = [2, 4, 6, 8, 10, *range(20, 201, 20)]
# "urerf_scripts" has its own data and is only run with them; "urerf_depth" is for the connectome.
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
# What a quick run leaves out everywhere: a method that equals Euclid here and takes a minute to
# compile, the weakest one, and a twin of URerF. Aside from the main experiments it also leaves out
# the slow ones.
NOT_IN_QUICK = ("pynndescent", "random_projection_tree", "urf")
QUICK_ASIDE = ("urerf_paper", "urerf", "totally_random_trees", "isomap", "flann", "euclidean")
QUICK_TREES = 50
FORESTS = ("urerf_paper", "urerf_scripts", "urerf", "urf", "totally_random_trees", "shi_cutler")


@dataclass(frozen=True)
class Plan:
    """How much to run.

    Parameters
    ----------
    quick : bool
        Fewer trees, noise counts and sizes.
    seeds : int
        Repeats of every cell.
    methods : tuple of str or None
        The only methods to run; None for all.
    """

    quick: bool
    seeds: int
    methods: tuple[str, ...] | None = None

    def keep(self, names: Iterable[str] = ALL_METHODS) -> list[str]:
        """Those of the methods that are to be run."""
        skipped = NOT_IN_QUICK if self.quick and self.methods is None else ()
        return [
            name
            for name in names
            if name not in skipped and (self.methods is None or name in self.methods)
        ]

    def keep_aside(self) -> list[str]:
        """Those of all methods that are to be run in an experiment that is not one of the paper's main ones."""
        return self.keep(QUICK_ASIDE if self.quick and self.methods is None else ALL_METHODS)

    def params(self, method: str) -> dict[str, Any]:
        """Make a method cheaper in a quick run."""
        return {"n_estimators": QUICK_TREES} if self.quick and method in FORESTS else {}


class Drawing(NamedTuple):
    """A figure, the name of its files and the words below it."""

    name: str
    caption: str
    figure: Any


@dataclass(frozen=True)
class Experiment:
    """One experiment of the paper.

    Parameters
    ----------
    name, title : str
        Its name on the command line and its heading on the page.
    asks, reading : str
        The question, and how to read the figures, for someone who does not have the paper at hand.
    cells : callable
        From a `Plan` to the cells.
    draw : callable
        From the table (a DataFrame) to drawings.
    shows : callable
        From the table to sentences that say what came out, with the numbers of this run.
    """

    name: str
    title: str
    asks: str
    reading: str
    cells: Callable[[Plan], list[Cell]]
    draw: Callable[[Any], list[Drawing]]
    shows: Callable[[Any], list[str]]
