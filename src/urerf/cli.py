"""The command line: parses, calls the library, prints. Results go to stdout, notices to stderr.

A new command is a function with Typer annotations and one line of registration at the end of this
file. Its imports stand inside it, so that ``urerf --help`` needs none of them.
"""

from __future__ import annotations

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from urerf.commands import neighbors, pictures, relevance
from urerf.lab._cli_bench import app as bench
from urerf.lab._cli_demo import demo
from urerf.lab._cli_reproduce import reproduce

EXPECTED = (ValueError, TypeError, OSError, ImportError)


class OneLineErrors(TyperGroup):
    """Commands whose expected errors are one line on stderr and exit code 1; usage errors stay Typer's, with code 2."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:  # the reader of our output has gone: nobody to tell
            raise
        except KeyboardInterrupt:
            typer.echo("urerf: stopped", err=True)
            raise typer.Exit(130) from None
        except EXPECTED as error:
            if ctx.params.get("traceback"):
                raise
            typer.echo(f"urerf: {' '.join(str(error).split())}", err=True)
            raise typer.Exit(1) from None


app = typer.Typer(
    name="urerf",
    cls=OneLineErrors,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def show_version(asked: bool) -> None:
    """Print the version and stop."""
    if asked:
        from urerf import __version__

        typer.echo(f"urerf {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=show_version, is_eager=True, help="Print the version and stop."
        ),
    ] = False,
    traceback: Annotated[
        bool, typer.Option("--traceback", help="Show where in the code an error arose.")
    ] = False,
) -> None:
    """Find which rows of a table are near each other on the latent manifold, when most columns are noise."""


OWN = "Your own file"
app.command(rich_help_panel=OWN, epilog=relevance.EXAMPLES)(relevance.relevance)
app.command(rich_help_panel=OWN, epilog=neighbors.EXAMPLES["neighbors"])(neighbors.neighbors)
app.command(rich_help_panel=OWN, epilog=pictures.EXAMPLES["embed"])(pictures.embed)
app.command(rich_help_panel=OWN, epilog=pictures.EXAMPLES["report"])(pictures.report)
app.command(rich_help_panel=OWN, epilog=neighbors.EXAMPLES["fit"])(neighbors.fit)
app.command(rich_help_panel=OWN, epilog=neighbors.EXAMPLES["query"])(neighbors.query)
METHOD = "The method itself"
app.command(rich_help_panel=METHOD)(demo)
app.command(rich_help_panel=METHOD)(reproduce)
app.add_typer(bench, name="bench", rich_help_panel=METHOD)
