"""The command line: one module per command, all registered here.

A command is a function with Typer annotations. It imports the library inside, so that
``urerf --help`` answers at once. `urerf.cli.errors` documents the exit codes.
"""

from __future__ import annotations

from typing import Annotated, Any

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


@app.callback()
def main(version: Version = False, traceback: Traceback = False) -> None:
    """Find the rows that are truly similar, even when most columns are noise."""


OWN_DATA: dict[str, Any] = {"cls": PlainCommand, "rich_help_panel": "Your own data"}
app.command(epilog=report.EXAMPLES, **OWN_DATA)(report.report)
app.command(epilog=relevance.EXAMPLES, **OWN_DATA)(relevance.relevance)
app.command(epilog=neighbors.EXAMPLES, **OWN_DATA)(neighbors.neighbors)
app.command(epilog=embed.EXAMPLES, **OWN_DATA)(embed.embed)
app.command(epilog=cluster.EXAMPLES, **OWN_DATA)(cluster.cluster)
app.command(epilog=outliers.EXAMPLES, **OWN_DATA)(outliers.outliers)
app.command(epilog=fit.EXAMPLES, **OWN_DATA)(fit.fit)
app.command(epilog=query.EXAMPLES, **OWN_DATA)(query.query)
EVIDENCE = "The method and its evidence"
app.command(cls=PlainCommand, rich_help_panel=EVIDENCE, epilog=demo.EXAMPLES)(demo.demo)
app.command(cls=PlainCommand, rich_help_panel=EVIDENCE)(reproduce.reproduce)
app.add_typer(bench.app, name="bench", rich_help_panel=EVIDENCE)
