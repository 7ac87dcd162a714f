"""``urerf reproduce``: the command line's door to the experiments."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def reproduce(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME]...", help="Experiments to run; none for all."),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Minutes instead of hours: fewer trees and settings.")
    ] = False,
    seeds: Annotated[
        int | None, typer.Option(min=1, help="Repeats of every point [default: 5, quick: 1].")
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Processes side by side.")] = 1,
    out: Annotated[Path, typer.Option(help="Folder for tables, figures and the page.")] = Path(
        "results"
    ),
    methods: Annotated[
        str | None, typer.Option(help="Only these methods, separated by commas.")
    ] = None,
) -> None:
    """Run the paper's experiments and write tables, figures and one page, index.html.

    Experiments: datasets, criteria, parameters, noise, rescaled, supplement, connectome, depth,
    geodesics, runtime, neighbors, latent_noise. A run that was interrupted goes on where it
    stopped.
    """
    from urerf.paper import reproduce as runner

    chosen = methods.split(",") if methods else None
    try:
        page = runner.run(names or (), quick=quick, seeds=seeds, jobs=jobs, out=out, methods=chosen)
    except KeyboardInterrupt:
        typer.echo(
            "Stopped. What is computed is kept: the same command goes on from here.", err=True
        )
        raise typer.Exit(130) from None
    except (ImportError, ValueError) as error:
        typer.echo(f"urerf reproduce: {error}", err=True)
        raise typer.Exit(2) from None
    typer.echo(page)
