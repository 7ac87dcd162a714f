"""The command line: one module per command, all registered here.

A command is a function with Typer annotations. It imports the library inside, so that
``urerf --help`` answers at once. `urerf.cli.errors` documents the exit codes.
"""

from __future__ import annotations

from typing import Annotated

import typer

from . import (
    bench,
    cluster,
    demo,
    embed,
    fit,
    neighbors,
    outliers,
    query,
    relevance,
    report,
    reproduce,
)
from .errors import OneLineErrors
from .help import PlainCommand

app = typer.Typer(
    name="urerf",
    cls=OneLineErrors,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def show_version(asked: bool) -> None:
    """Print the version and exit."""
    if asked:
        from urerf import __version__  # start-up time

        typer.echo(f"urerf {__version__}")
        raise typer.Exit


Version = Annotated[
    bool,
    typer.Option(
        "--version",
        callback=show_version,
        is_eager=True,
        help="Print the version and exit.",
    ),
]
Traceback = Annotated[
    bool,
    typer.Option("--traceback", help="Show where in the code an error occurred."),
]
OWN_DATA = "Your own data"


@app.callback()
def main(version: Version = False, traceback: Traceback = False) -> None:
    """Find the rows that are truly similar, even when most columns are noise."""


for module in (report, relevance, neighbors, embed, cluster, outliers, fit, query):
    command = getattr(module, module.__name__.rpartition(".")[2])  # named like its module
    app.command(cls=PlainCommand, rich_help_panel=OWN_DATA, epilog=module.EXAMPLES)(command)
EVIDENCE = "The method and its evidence"
app.command(cls=PlainCommand, rich_help_panel=EVIDENCE, epilog=demo.EXAMPLES)(demo.demo)
app.command(cls=PlainCommand, rich_help_panel=EVIDENCE)(reproduce.reproduce)
app.add_typer(bench.app, name="bench", rich_help_panel=EVIDENCE)
