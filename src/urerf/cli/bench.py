"""``urerf bench``: the evidence for the accuracy of URerF."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from urerf.lab.studies import BENCH

from . import options as o
from .errors import resumable
from .help import PlainCommand, PlainGroup

app = typer.Typer(
    cls=PlainGroup,
    no_args_is_help=True,
    help="Measure the accuracy of neighbors and geodesic distances.",
)


def command(name: str) -> Callable[..., None]:
    """Return the command of a study."""

    def bench(
        quick: Annotated[
            bool,
            typer.Option(
                "--quick",
                help="A minute: fewer rows, trees, seeds and settings.",
            ),
        ] = False,
        seeds: Annotated[
            int | None,
            typer.Option(min=1, metavar="N", help="Repetitions (default: 2 to 5; quick: 1)."),
        ] = None,
        jobs: Annotated[
            int,
            typer.Option(
                min=0,
                metavar="N",
                help="Number of processes; 0 writes what is computed so far.",
            ),
        ] = 1,
        out: Annotated[
            Path,
            typer.Option(metavar="DIR", help="Folder for the table and the page."),
        ] = Path("bench"),
        methods: o.Methods = None,
    ) -> None:
        from urerf.lab import run, studies  # start-up time

        with resumable():
            study = studies.load(name)
            page = run.bench(
                study,
                quick=quick,
                seeds=seeds,
                jobs=jobs,
                out=out,
                methods=o.names_in(methods),
            )
        typer.echo(page)

    return bench


for name, about in BENCH.items():
    text = f"{about}\n\nAn interrupted run continues where it stopped."
    app.command(name, help=text, cls=PlainCommand)(command(name))
