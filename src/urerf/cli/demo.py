"""``urerf demo``: the main job on built-in data."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from urerf.lab.demo import Result


def demo(
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the figure.")] = Path("demo"),
    seed: Annotated[int, typer.Option(min=0, help="Draws the data and the forests.")] = 0,
    jobs: Annotated[int, typer.Option(help="Number of threads; -1 for all cores.")] = -1,
    samples: Annotated[int, typer.Option(min=100, help="Points on the helix.")] = 1000,
    noise: Annotated[int, typer.Option(min=0, help="Noise columns.")] = 1000,
    kind: Annotated[
        str,
        typer.Option(help="Their distribution: gaussian, uniform, bimodal, heavy_tailed, ..."),
    ] = "gaussian",
) -> None:
    """Find neighbors on a helix hidden among noise columns, compared with Euclidean and Isomap."""
    from urerf.lab import demo as job  # start-up time
    from urerf.lab.demo_figure import helix_figure, need_matplotlib
    from urerf.lab.methods import METHODS

    need_matplotlib()  # before the work, not after
    from urerf.lab.canvas import save  # imports matplotlib

    helix, X = job.make_data(samples, noise, kind, seed)
    out.mkdir(parents=True, exist_ok=True)
    job.warm_up(X)
    results = []
    for method in job.COMPARED:
        typer.echo(f"{METHODS[method].label} ...", err=True)
        results.append(job.ask(method, helix, X, seed, jobs))
    title = f"{samples} points on a helix, {noise} columns of {kind} noise, {job.K} neighbors each"
    print_results(results, job.chance(helix), title)
    path = out / "helix.png"
    save(helix_figure(helix, results, job.chance(helix)), path)
    typer.echo(f"Figure: {path}")


def print_results(results: list[Result], chance: float, title: str) -> None:
    """Print a table of methods, precision and seconds."""
    from rich.console import Console  # start-up time
    from rich.table import Table

    table = Table("method")
    table.add_column("precision", justify="right")
    table.add_column("seconds", justify="right")
    table.add_row("chance", f"{chance:.2f}", "", style="dim")
    for result in results:
        style = "bold red" if result.label == "URerF" else None
        table.add_row(
            result.label,
            f"{result.precision:.2f}",
            f"{result.seconds:.1f}",
            style=style,
        )
    typer.echo(title)
    Console().print(table)
