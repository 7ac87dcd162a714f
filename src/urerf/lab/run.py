"""Run studies by name and write their tables, figures and pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from urerf._messages import UnknownNameError

from . import engine
from .methods import METHODS, need
from .store import Store
from .studies import PAPER, load
from .study import BenchStudy, PaperStudy, Plan
from .trial import Trial
from .writing import write_csv, write_page

if TYPE_CHECKING:
    from .page import Section

REPRODUCE_SEEDS = 5
QUICK_SEEDS = 1


def reproduce(
    names: Sequence[str] = (),
    *,
    quick: bool = False,
    seeds: int | None = None,
    jobs: int = 1,
    out: str | Path = "results",
    methods: Sequence[str] | None = None,
) -> Path:
    """Run experiments of the paper; results of an earlier run are not computed again.

    Parameters
    ----------
    names : sequence of str
        Experiments; none or "all" runs all of them.
    quick : bool
        Fewer trees, noise columns and sizes: minutes instead of hours.
    seeds : int or None
        Repetitions of each trial; None means 5, or 1 for a quick run.
    jobs : int
        Number of processes.
    out : str or Path
        Folder for tables, figures, the page, and the store of computed trials.
    methods : sequence of str or None
        The only methods to run; None means all.

    Returns
    -------
    Path
        The page, ``index.html``.
    """
    chosen = check_names(names, PAPER, "experiment") or list(PAPER)
    usual_seeds = QUICK_SEEDS if quick else REPRODUCE_SEEDS
    plan = Plan(quick, seeds or usual_seeds, check_methods(methods))
    folder = open_folder(out)
    store = Store(folder / "trials")
    trials = [load(name).trials(plan) for name in chosen]
    sections: dict[str, Section] = {}
    all_trials = list(chain(*trials))
    with engine.progress(all_trials) as done:
        for own_trials in trials:
            engine.run(own_trials, store, jobs, done)
            # After each study, so that a run of hours can be looked at early.
            page = publish(folder, store, plan, sections)
    return page


def bench(
    study: BenchStudy,
    *,
    quick: bool = False,
    seeds: int | None = None,
    jobs: int = 1,
    out: str | Path = "bench",
    methods: Sequence[str] | None = None,
) -> Path:
    """Run a study of ``urerf bench``; parameters as in `reproduce`.

    ``jobs=0`` computes nothing and writes what has been computed so far.

    Returns
    -------
    Path
        The Markdown page, next to the table and the figure.
    """
    chosen = check_methods(methods)
    folder = open_folder(out)
    usual_seeds = QUICK_SEEDS if quick else study.seeds
    plan = Plan(quick, seeds or usual_seeds, chosen)
    trials = study.trials(plan)
    if chosen is not None:
        trials = [trial for trial in trials if trial.method in chosen]
    if not trials:
        raise ValueError(f"--methods: no trial of {study.name} uses {', '.join(chosen or ())}")
    store = Store(folder / "trials")
    if jobs:
        with engine.progress(trials) as done:
            engine.run(trials, store, jobs, done)
    n_done = sum(map(store.has, trials))
    if n_done == 0:
        raise ValueError(
            f"--jobs: nothing has been computed in {store.folder}; run with --jobs 1 or more"
        )
    command = command_line(study.name, quick, seeds, methods)
    if n_done < len(trials):
        command = f"{command} ({n_done} of {len(trials)} trials so far)"
    return write_bench(study, frame(trials, store), folder, command)


def write_bench(study: BenchStudy, table: Any, folder: Path, command: str) -> Path:
    """Write the table, the figure and the page of a bench."""
    path = folder / study.name
    rows = table if study.summarize is None else study.summarize(table)
    columns = [name for name in study.columns if name in rows]
    write_csv(path.with_suffix(".csv"), rows[columns], command, float_format="%.4g")
    if study.draw is not None:
        from . import canvas  # needs matplotlib

        figure = study.draw(table)
        canvas.save(figure, path.with_suffix(".png"))
    sections = study.sections(table)
    return write_page(path.with_suffix(".md"), study.title, command, *sections)


def command_line(
    name: str,
    quick: bool,
    seeds: int | None,
    methods: Sequence[str] | None,
) -> str:
    """Return the command that makes the same results."""
    command = f"urerf bench {name}"
    if quick:
        command += " --quick"
    if seeds:
        command += f" --seeds {seeds}"
    if methods:
        command += f" --methods {','.join(methods)}"
    return command


def open_folder(out: str | Path) -> Path:
    """Create the folder of results, after checking that the results can be written."""
    need("pandas")
    need("matplotlib")
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def check_names(names: Iterable[str], known: Iterable[str], what: str) -> list[str]:
    """Return names in the known order, none for "all"; an unknown name is an error."""
    given = set(names)
    options = list(known)
    unknown = sorted(given - {*options, "all"})
    if unknown:
        words = f"must be one of {', '.join(options)}, got {', '.join(unknown)}"
        raise UnknownNameError(f"{what}: {words}")
    if "all" in given:
        return []
    return [name for name in options if name in given]


def check_methods(methods: Sequence[str] | None) -> tuple[str, ...] | None:
    """Return the chosen methods, None for all."""
    runnable = [name for name, method in METHODS.items() if method.neighbors or method.select]
    chosen = check_names(methods or (), runnable, "method")
    return tuple(chosen) or None


def frame(trials: Iterable[Trial], store: Store) -> Any:
    """Return the results of the computed trials as a DataFrame."""
    import pandas as pd  # optional

    unique = {}
    for trial in trials:
        if store.has(trial):
            unique[store.path(trial), trial.row] = trial
    rows = map(store.get, unique.values())
    return pd.DataFrame(chain.from_iterable(rows))


def publish(
    folder: Path,
    store: Store,
    plan: Plan,
    sections: dict[str, Section],
) -> Path:
    """Write all studies whose trials are complete, from this run or an earlier one.

    Parameters
    ----------
    folder, store, plan
        Where, from what, and how much.
    sections : dict
        What this run has already written, by name; extended.

    Returns
    -------
    Path
        The page.
    """
    from . import page  # needs matplotlib

    for study in map(load, PAPER):
        if study.name in sections:
            continue
        trials = study.trials(plan)
        if trials and all(map(store.has, trials)):
            sections[study.name] = write_section(study, frame(trials, store), folder)
    in_order = [sections[name] for name in PAPER if name in sections]
    return page.write(folder, in_order, plan)


def write_section(study: PaperStudy, table: Any, folder: Path) -> Section:
    """Write the table of a study as CSV and its figures as PNG and PDF."""
    from . import canvas  # needs matplotlib
    from .page import Section

    write_csv(folder / f"{study.name}.csv", table, f"urerf reproduce {study.name}")
    drawings = study.draw(table)
    for drawing in drawings:
        canvas.save(drawing.figure, folder / f"{drawing.name}.png", pdf=True)
    return Section(study, table, drawings)
