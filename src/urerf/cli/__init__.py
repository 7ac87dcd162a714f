"""The command line: one module per command, all registered here.

A command is a function with Typer annotations. It imports the library inside, so that
``urerf --help`` answers at once. `urerf.cli.errors` documents the exit codes.
"""

from __future__ import annotations

from typing import Annotated

import typer

from . import bench, demo, embed, fit, neighbors, query, relevance, report, reproduce
from .errors import OneLineErrors

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


OWN_DATA = "Your own data"
app.command(rich_help_panel=OWN_DATA, epilog=relevance.EXAMPLES)(relevance.relevance)
app.command(rich_help_panel=OWN_DATA, epilog=neighbors.EXAMPLES)(neighbors.neighbors)
app.command(rich_help_panel=OWN_DATA, epilog=embed.EXAMPLES)(embed.embed)
app.command(rich_help_panel=OWN_DATA, epilog=report.EXAMPLES)(report.report)
app.command(rich_help_panel=OWN_DATA, epilog=fit.EXAMPLES)(fit.fit)
app.command(rich_help_panel=OWN_DATA, epilog=query.EXAMPLES)(query.query)
EVIDENCE = "The method and its evidence"
app.command(rich_help_panel=EVIDENCE, epilog=demo.EXAMPLES)(demo.demo)
app.command(rich_help_panel=EVIDENCE)(reproduce.reproduce)
app.add_typer(bench.app, name="bench", rich_help_panel=EVIDENCE)
