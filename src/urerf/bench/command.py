"""``urerf bench``: the command line's door to the benches."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

app = typer.Typer(
    no_args_is_help=True, help="Measure how right neighbours and geodesic distances are."
)

Quick = Annotated[
    bool, typer.Option("--quick", help="A minute: fewer rows, trees, seeds and settings.")
]
Seeds = Annotated[
    int | None, typer.Option(min=1, help="Repeats, from seed 100 on [default: 3, quick: 1].")
]
Jobs = Annotated[
    int, typer.Option(min=0, help="Processes side by side; 0: only write what is computed so far.")
]
Out = Annotated[
    Path, typer.Option(metavar="DIR", help="Folder for the table, the page and what is computed.")
]
DEFAULT_OUT = Path("bench")


@app.command()
def accuracy(
    quick: Quick = False,
    seeds: Seeds = None,
    jobs: Jobs = 1,
    out: Out = DEFAULT_OUT,
    methods: Annotated[
        str | None, typer.Option(help="Only these methods, separated by commas.")
    ] = None,
) -> None:
    """Four simulations under every kind, count and scale of noise: accuracy.csv, accuracy.png, accuracy.md.

    Methods: urerf, urerf_paper, euclidean, screen, isomap, umap. A run that was interrupted goes on
    where it stopped.
    """
    from urerf.bench import accuracy as job
    from urerf.bench.grids import METHODS
    from urerf.paper.reproduce import check_names

    chosen = check_names(methods.split(","), METHODS, "method") if methods else METHODS
    command = say("accuracy", quick, seeds) + (f" --methods {methods}" if methods else "")
    go(job.bench, quick, seeds, out=out, jobs=jobs, command=command, methods=chosen or METHODS)


@app.command()
def other(
    quick: Quick = False, seeds: Seeds = None, jobs: Jobs = 1, out: Out = DEFAULT_OUT
) -> None:
    """Other manifolds and noises, real tables, the connectome, pure noise: other.csv, other.md."""
    from urerf.bench import other as job

    go(job.bench, quick, seeds, out=out, jobs=jobs, command=say("other", quick, seeds))


@app.command()
def ablation(
    quick: Quick = False, seeds: Seeds = None, jobs: Jobs = 1, out: Out = DEFAULT_OUT
) -> None:
    """Show what each departure from the paper buys, one row a departure: ablation.csv, ablation.md."""
    from urerf.bench import ablation as job

    go(job.bench, quick, seeds, out=out, jobs=jobs, command=say("ablation", quick, seeds))


def say(name: str, quick: bool, seeds: int | None) -> str:
    """Write the command that makes the same results."""
    return f"urerf bench {name}{' --quick' if quick else ''}{f' --seeds {seeds}' if seeds else ''}"


def go(bench: Any, quick: bool, seeds: int | None, **settings: Any) -> None:
    """Run a bench and print where its page is; Ctrl-C keeps what is computed."""
    from dataclasses import replace

    from urerf.bench.grids import QUICK, Size

    size = QUICK if quick else Size()
    try:
        page = bench(size=replace(size, seeds=seeds or size.seeds), **settings)
    except KeyboardInterrupt:
        typer.echo(
            "Stopped. What is computed is kept: the same command goes on from here.", err=True
        )
        raise typer.Exit(130) from None
    typer.echo(page)
