"""``urerf reproduce``: the experiments of the paper."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .errors import resumable

Names = Annotated[
    list[str] | None,
    typer.Argument(metavar="[NAME]...", help="Experiments to run; all if none is given."),
]
Quick = Annotated[
    bool,
    typer.Option("--quick", help="Minutes instead of hours: fewer trees and settings."),
]
Seeds = Annotated[
    int | None,
    typer.Option(min=1, help="Repetitions of every trial [default: 5, quick: 1]."),
]
Jobs = Annotated[int, typer.Option(min=1, help="Number of parallel processes.")]
Out = Annotated[Path, typer.Option(help="Folder for tables, figures and the page.")]
Methods = Annotated[str | None, typer.Option(help="Only these methods, separated by commas.")]


def reproduce(
    names: Names = None,
    quick: Quick = False,
    seeds: Seeds = None,
    jobs: Jobs = 1,
    out: Out = Path("results"),
    methods: Methods = None,
) -> None:
    """Run the experiments of the paper and write tables, figures and one page, index.html.

    Experiments: datasets, criteria, parameters, noise, rescaled,
    supplement, connectome, depth, geodesics, runtime, neighbors,
    latent_noise. An interrupted run continues where it stopped.
    """
    from urerf.paper.reproduce import run  # start-up time

    chosen = methods.split(",") if methods else None
    with resumable():
        page = run(names or (), quick=quick, seeds=seeds, jobs=jobs, out=out, methods=chosen)
    typer.echo(page)
