"""``urerf reproduce``: the paper's experiments."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from . import options as o
from .errors import resumable


def reproduce(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME",
            help="Experiments to run; all if none is given.",
        ),
    ] = None,
    quick: Annotated[
        bool,
        typer.Option(
            "--quick",
            help="Minutes instead of hours: fewer trees and settings.",
        ),
    ] = False,
    seeds: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Repetitions of each point (default: 5; quick: 1).",
        ),
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, metavar="N", help="Number of processes.")] = 1,
    out: Annotated[
        Path,
        typer.Option(metavar="DIR", help="Folder for tables, figures and the page."),
    ] = Path("results"),
    methods: o.Methods = None,
) -> None:
    """Run the paper's experiments and write tables, figures and one page, index.html.

    Experiments: datasets, criteria, parameters, noise, rescaled, supplement, connectome, depth,
    geodesics, runtime, neighbors, latent_noise. An interrupted run continues where it stopped.
    """
    from urerf.lab import run  # start-up time

    with resumable():
        page = run.reproduce(
            names or (),
            quick=quick,
            seeds=seeds,
            jobs=jobs,
            out=out,
            methods=o.names_in(methods),
        )
    typer.echo(page)
