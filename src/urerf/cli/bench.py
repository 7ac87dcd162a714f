"""``urerf bench``: how accurate neighbors and geodesic distances are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from .errors import resumable

app = typer.Typer(
    no_args_is_help=True,
    help="Measure how accurate neighbors and geodesic distances are.",
)

Quick = Annotated[
    bool,
    typer.Option("--quick", help="About a minute: fewer rows, trees, seeds and settings."),
]
Seeds = Annotated[
    int | None,
    typer.Option(min=1, help="Repetitions, starting at seed 100 [default: 3, quick: 1]."),
]
Jobs = Annotated[
    int,
    typer.Option(min=0, help="Number of parallel processes; 0 to write only what is computed."),
]
Out = Annotated[Path, typer.Option(metavar="DIR", help="Folder for tables, pages and results.")]
Methods = Annotated[str | None, typer.Option(help="Only these methods, separated by commas.")]
DEFAULT_OUT = Path("bench")


@app.command()
def accuracy(
    quick: Quick = False,
    seeds: Seeds = None,
    jobs: Jobs = 1,
    out: Out = DEFAULT_OUT,
    methods: Methods = None,
) -> None:
    """Score four simulations with every kind, number and scale of noise columns.

    Writes accuracy.csv, accuracy.png and accuracy.md. Methods: urerf,
    urerf_paper, euclidean, screen, isomap, umap. An interrupted run
    continues where it stopped.
    """
    from urerf.bench import accuracy as study  # start-up time
    from urerf.bench.grids import METHODS
    from urerf.paper.reproduce import check_names

    command = command_line("accuracy", quick, seeds)
    chosen = list(METHODS)
    if methods:
        chosen = check_names(methods.split(","), METHODS, "method") or chosen
        command += f" --methods {methods}"
    run(study.bench, quick, seeds, out=out, jobs=jobs, command=command, methods=chosen)


@app.command()
def other(
    quick: Quick = False, seeds: Seeds = None, jobs: Jobs = 1, out: Out = DEFAULT_OUT
) -> None:
    """Score other manifolds and noises, real tables, the connectome and pure noise.

    Writes other.csv and other.md.
    """
    from urerf.bench import other as study  # start-up time

    run(study.bench, quick, seeds, out=out, jobs=jobs, command=command_line("other", quick, seeds))


@app.command()
def ablation(
    quick: Quick = False, seeds: Seeds = None, jobs: Jobs = 1, out: Out = DEFAULT_OUT
) -> None:
    """Show what each deviation from the paper gains, one row per deviation.

    Writes ablation.csv and ablation.md.
    """
    from urerf.bench import ablation as study  # start-up time

    command = command_line("ablation", quick, seeds)
    run(study.bench, quick, seeds, out=out, jobs=jobs, command=command)


def command_line(name: str, quick: bool, seeds: int | None) -> str:
    """Return the command that makes the same results."""
    words = ["urerf", "bench", name]
    if quick:
        words.append("--quick")
    if seeds:
        words.append(f"--seeds {seeds}")
    return " ".join(words)


def run(study: Any, quick: bool, seeds: int | None, **settings: Any) -> None:
    """Run a study and print where its page is."""
    from urerf.bench.grids import QUICK, Size  # start-up time

    size = QUICK if quick else Size()
    if seeds:
        size = replace(size, seeds=seeds)
    with resumable():
        page = study(size=size, **settings)
    typer.echo(page)
