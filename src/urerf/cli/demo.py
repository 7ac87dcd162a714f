"""``urerf demo``: the main task on built-in data."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, get_args

import typer

if TYPE_CHECKING:
    from urerf.demo import Result

Out = Annotated[Path, typer.Option(metavar="DIR", help="Folder for the figure.")]
Seed = Annotated[int, typer.Option(min=0, help="Random seed of the data and the forests.")]
Jobs = Annotated[int, typer.Option(help="Number of threads; -1 for all cores.")]
Samples = Annotated[int, typer.Option(min=100, help="Number of points on the helix.")]
Noise = Annotated[int, typer.Option(min=0, help="Number of noise columns.")]
Kind = Annotated[
    str, typer.Option(help="Distribution of the noise: gaussian, uniform, bimodal or heavy_tailed.")
]


def demo(
    out: Out = Path("demo"),
    seed: Seed = 0,
    jobs: Jobs = -1,
    samples: Samples = 1000,
    noise: Noise = 1000,
    kind: Kind = "gaussian",
) -> None:
    """Find neighbors on a helix hidden among noise columns, and compare with other methods."""
    from urerf import demo as task  # start-up time
    from urerf._messages import check_name
    from urerf.datasets.noise import NoiseKind
    from urerf.plot import helix_figure, need_matplotlib, save

    check_name("kind", kind, get_args(NoiseKind))
    need_matplotlib()  # before the work, not after
    out.mkdir(parents=True, exist_ok=True)
    helix, X = task.make_data(samples, noise, kind, seed)
    task.warm_up(X)
    results = []
    for label, color, method in task.METHODS:
        typer.echo(f"{label} ...", err=True)
        results.append(task.ask(label, color, method, helix, X, seed, jobs))
    chance = task.chance(helix)
    typer.echo(
        f"{samples} points on a helix, {noise} columns of {kind} noise, {task.K} neighbors each"
    )
    print_results(results, chance)
    path = out / "helix.png"
    save(helix_figure(helix, results, chance), path)
    typer.echo(f"Figure: {path}")


def print_results(results: list[Result], chance: float) -> None:
    """Print a table of methods, precision and seconds."""
    from rich.console import Console  # start-up time
    from rich.table import Table

    table = Table("method")
    table.add_column("precision", justify="right")
    table.add_column("seconds", justify="right")
    table.add_row("chance", f"{chance:.2f}", "", style="dim")
    for result in results:
        style = "bold red" if result.label == "URerF" else None
        table.add_row(result.label, f"{result.precision:.2f}", f"{result.seconds:.1f}", style=style)
    Console().print(table)
