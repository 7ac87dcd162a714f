"""The command line: parses, calls the library, prints. Results go to stdout, notices to stderr.

A new command is a function with Typer annotations and one line of registration at the end of this
file. Its imports stand inside it, so that ``urerf --help`` needs none of them.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from urerf.bench.command import app as bench
from urerf.commands import neighbors, pictures, relevance
from urerf.paper.command import reproduce

if TYPE_CHECKING:
    from urerf.demo import Result

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


def demo(
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the figure.")] = Path("demo"),
    seed: Annotated[int, typer.Option(min=0, help="Draws the data and the forests.")] = 0,
    jobs: Annotated[int, typer.Option(help="Threads; -1 for all cores.")] = -1,
    samples: Annotated[int, typer.Option(min=100, help="Points on the helix.")] = 1000,
    noise: Annotated[int, typer.Option(min=0, help="Noise columns.")] = 1000,
    kind: Annotated[
        str, typer.Option(help="Their law: gaussian, uniform, bimodal or heavy_tailed.")
    ] = "gaussian",
) -> None:
    """Find neighbours on a helix hidden among noise columns, beside Euclidean distance and Isomap."""
    from urerf import demo as job
    from urerf.plotting import helix_figure, need_matplotlib, save

    need_matplotlib()  # before the work, not after
    out.mkdir(parents=True, exist_ok=True)
    helix, X = job.make_data(samples, noise, kind, seed)
    job.warm_up(X)
    results = []
    for label, color, method in job.METHODS:
        typer.echo(f"{label} ...", err=True)
        results.append(job.ask(label, color, method, helix, X, seed, jobs))
    print_results(
        results,
        job.chance(helix),
        f"{samples} points on a helix, {noise} columns of {kind} noise, {job.K} neighbours each",
    )
    path = out / "helix.png"
    save(helix_figure(helix, results, job.chance(helix)), path)
    typer.echo(f"Figure: {path}")


def print_results(results: list[Result], chance: float, title: str) -> None:
    """Print a table of methods, precision and seconds."""
    from rich.console import Console
    from rich.table import Table

    table = Table("method")
    table.add_column("precision", justify="right")
    table.add_column("seconds", justify="right")
    table.add_row("chance", f"{chance:.2f}", "", style="dim")
    for result in results:
        style = "bold red" if result.label == "URerF" else None
        table.add_row(result.label, f"{result.precision:.2f}", f"{result.seconds:.1f}", style=style)
    typer.echo(title)
    Console().print(table)


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
