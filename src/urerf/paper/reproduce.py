"""Runs experiments by name and writes tables, figures and the page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from urerf._messages import UnknownNameError
from urerf.paper import engine
from urerf.paper.baselines import METHODS, need
from urerf.paper.experiment import Experiment, Plan
from urerf.paper.experiments import NAMES, load
from urerf.paper.store import Store
from urerf.paper.tasks import Cell

if TYPE_CHECKING:
    from urerf.paper.page import Section

FULL_SEEDS = 5
QUICK_SEEDS = 1


def run(
    names: Sequence[str] = (),
    *,
    quick: bool = False,
    seeds: int | None = None,
    jobs: int = 1,
    out: str | Path = "results",
    methods: Sequence[str] | None = None,
) -> Path:
    """Run experiments of the paper; what an earlier run already computed is not computed again.

    Parameters
    ----------
    names : sequence of str
        Experiments; none or "all" means all of them.
    quick : bool
        Fewer trees, noise counts and sizes: minutes instead of hours.
    seeds : int or None
        Repeats of every cell; None means 5, or 1 for a quick run.
    jobs : int
        Processes at work side by side.
    out : str or Path
        Folder for tables, figures, the page, and the store of computed cells.
    methods : sequence of str or None
        The only methods to run; None means all.

    Returns
    -------
    Path
        The page, ``index.html``.
    """
    need("pandas")  # before hours of work, not after
    need("matplotlib")
    chosen = check_names(names, NAMES, "experiment") or list(NAMES)
    only = None if methods is None else tuple(check_names(methods, METHODS, "method"))
    plan = Plan(quick, seeds or (QUICK_SEEDS if quick else FULL_SEEDS), only)
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    store = Store(folder / "cells")
    experiments = [load(name) for name in chosen]
    cells = [cell for experiment in experiments for cell in experiment.cells(plan)]
    sections: dict[str, Section] = {}
    with engine.open_lanes(jobs) as lanes, engine.progress(cells) as done:
        for experiment in experiments:
            engine.run(experiment.cells(plan), store, lanes, done)
            page = publish(
                folder, store, plan, sections
            )  # after each: a run of hours can be looked at early
    return page


def check_names(names: Iterable[str], known: Iterable[str], what: str) -> list[str]:
    """Put names into the known order, "all" as none; an unknown name is an error that says what is known."""
    given = set(names)
    options = list(known)
    wrong = sorted(given - {*options, "all"})
    if wrong:
        raise UnknownNameError(
            f"unknown {what}: {', '.join(wrong)}; available: {', '.join(options)}"
        )
    return [] if "all" in given else [name for name in options if name in given]


def publish(folder: Path, store: Store, plan: Plan, sections: dict[str, Section]) -> Path:
    """Write tables, figures and the page of all experiments whose cells are complete, from this run or an earlier one.

    Parameters
    ----------
    folder, store, plan
        Where, from what, and how much.
    sections : dict
        What this run has written already, by name; added to.

    Returns
    -------
    Path
        The page.
    """
    from urerf.paper import page

    for experiment in map(load, NAMES):
        cells = experiment.cells(plan)
        if experiment.name not in sections and cells and all(map(store.has, cells)):
            sections[experiment.name] = write_section(experiment, cells, folder, store)
    return page.write(folder, [sections[name] for name in NAMES if name in sections], plan)


def write_section(experiment: Experiment, cells: list[Cell], folder: Path, store: Store) -> Section:
    """Write one experiment's table as CSV and its figures as PNG and PDF."""
    import pandas as pd

    from urerf.paper import figures
    from urerf.paper.page import Section

    unique = {store.path(cell): cell for cell in cells}.values()
    table = pd.DataFrame([row for cell in unique for row in store.get(cell)])
    table.to_csv(folder / f"{experiment.name}.csv", index=False)
    drawings = experiment.draw(table)
    for drawing in drawings:
        figures.save(drawing.figure, folder, drawing.name)
    return Section(experiment, table, [(drawing.name, drawing.caption) for drawing in drawings])
