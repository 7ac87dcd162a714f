"""Run the trials that are not in the store yet, in one or several processes."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from joblib import Parallel, delayed
from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from .store import Store
from .study import FORESTS
from .trial import Trial

# Rough CPU seconds per 1000 x 1000 values; only the displayed time left depends on them.
FOREST_SECONDS = 10.0
OTHER_SECONDS = 0.5
# Trials differ a thousandfold in length: a long window keeps the time left from jumping.
SPEED_WINDOW_SECONDS = 600


def compute(trial: Trial, store: Store, n_jobs: int) -> Trial:
    """Run one trial and store its rows."""
    with threadpool_limits(trial.cores or n_jobs):
        store.put(trial, trial.score(n_jobs))
    return trial


def run(
    trials: Sequence[Trial],
    store: Store,
    jobs: int = 1,
    done: Callable[[Trial], None] = lambda trial: None,
) -> None:
    """Run all trials that the store does not have.

    Parameters
    ----------
    trials : sequence of Trial
        Trials that occur more than once are computed once.
    store : Store
        Where results are read and written.
    jobs : int
        Number of processes; 1 runs everything in this process. Timed trials run alone.
    done : callable
        Called with each trial that is found or finished.
    """
    missing = {}
    for trial in trials:
        if store.has(trial):
            done(trial)
        else:
            missing[store.path(trial)] = trial
    n_cores = os.cpu_count() or 1
    cores_of_one = max(1, n_cores // jobs)
    timed = [trial for trial in missing.values() if trial.is_timed]
    others = [trial for trial in missing.values() if not trial.is_timed]
    tasks = [delayed(compute)(trial, store, cores_of_one) for trial in others]
    parallel = Parallel(n_jobs=jobs, batch_size=1, return_as="generator_unordered")
    for trial in parallel(tasks):
        done(trial)
    for trial in timed:
        done(compute(trial, store, n_cores))


def effort(trial: Trial) -> float:
    """Estimate the seconds of a trial."""
    seconds = FOREST_SECONDS if trial.method in FORESTS else OTHER_SECONDS
    return 0.5 + trial.n / 1000 * (3 + trial.noise) / 1000 * seconds


@contextmanager
def progress(trials: Sequence[Trial]) -> Iterator[Callable[[Trial], None]]:
    """Show a progress bar with the time left on a terminal; yield what to call after each trial."""
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[count]} of {task.fields[trials]} trials"),
        TimeElapsedColumn(),
        TextColumn("· left"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        disable=not sys.stderr.isatty(),
        speed_estimate_period=SPEED_WINDOW_SECONDS,
    ) as bar:
        total = sum(map(effort, trials))
        task = bar.add_task("starting", total=total, count=0, trials=len(trials))

        def done(trial: Trial) -> None:
            count = bar.tasks[0].fields["count"] + 1
            description = f"{trial.dataset} {trial.method} {trial.noise}"
            bar.update(task, advance=effort(trial), count=count, description=description)

        yield done
