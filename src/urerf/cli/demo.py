"""``urerf demo``: the main job on built-in data."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from . import options as o
from .console import print_table

EXAMPLES = o.examples("urerf demo", "urerf demo --noise 5000 --kind uniform", "urerf demo helix")


class Data(StrEnum):
    """Built-in data."""

    penguins = "penguins"
    helix = "helix"


def demo(
    data: Annotated[
        Data, typer.Argument(metavar="DATA", help="penguins or helix.")
    ] = Data.penguins,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Output folder.")] = Path("demo"),
    seed: Annotated[int, typer.Option(min=0, help="Seed of the noise and of the forests.")] = 0,
    jobs: Annotated[int, typer.Option(help="Number of threads; -1 for all cores.")] = -1,
    samples: Annotated[
        int | None, typer.Option(min=100, help="Points on the helix (default 1000).")
    ] = None,
    noise: Annotated[int, typer.Option(min=0, help="Noise columns.")] = 1000,
    kind: Annotated[
        str,
        typer.Option(help="Their distribution: gaussian, uniform, bimodal, heavy_tailed, ..."),
    ] = "gaussian",
) -> None:
    """Show how neighbors survive noise: penguins of three species, or points on a helix.

    Writes a figure to the output folder, and for the penguins also the table.
    """
    from urerf._checks import check_choice  # start-up time
    from urerf.datasets import NOISE_KINDS
    from urerf.lab.methods import need

    if data is Data.penguins and samples is not None:
        raise typer.BadParameter("there are 342 penguins; use it with helix", param_hint="samples")
    check_choice("kind", kind, NOISE_KINDS)
    need("matplotlib", extra="plot")  # before the work, not after
    out.mkdir(parents=True, exist_ok=True)
    if data is Data.penguins:
        show_penguins(out, seed, jobs, noise, kind)
    else:
        show_helix(out, seed, jobs, samples or 1000, noise, kind)


def show_penguins(out: Path, seed: int, jobs: int, noise: int, kind: str) -> None:
    """Compare neighbors of penguins by species."""
    from urerf.lab.canvas import save
    from urerf.lab.demo import penguins as job  # start-up time
    from urerf.lab.demo.penguins_figure import penguins_figure

    findings = job.find(noise, kind, seed, jobs)
    typer.echo(
        f"{len(findings.X)} penguins of three species, {len(job.MEASUREMENTS)} body measurements, "
        f"{noise:,} columns of {kind} noise"
    )
    typer.echo(f"Share of the {job.K} nearest penguins that are of the same species:")
    head = ["noise columns", *(f"{step.n_noise:,}" for step in findings.steps)]
    chance = [f"{findings.chance:.0%}"] * len(findings.steps)
    rows = [["chance", *chance]]
    for method in findings.neighbors:
        shares = [f"{step.shares[method]:.0%}" for step in findings.steps]
        rows.append([method, *shares])
    print_methods(head, rows)
    used = ", ".join(findings.used) or "none"
    typer.echo(f"Columns with structure: {used}")
    figure = out / "penguins.png"
    save(penguins_figure(findings, seed), figure)
    table = out / "penguins.csv"
    job.write_csv(findings.penguins, findings.X, table)
    typer.echo(f"Figure: {figure}")
    typer.echo(f"Next: {program()} report {table} --label species")


def program() -> str:
    """Return how to call the program: by its name, or as it was called if a shell needs a path."""
    called = sys.argv[0]
    needs_path = shutil.which("urerf") is None and Path(called).stem == "urerf"
    return called if needs_path else "urerf"


def show_helix(out: Path, seed: int, jobs: int, samples: int, noise: int, kind: str) -> None:
    """Compare neighbors along a helix."""
    from urerf.lab.canvas import save
    from urerf.lab.demo import helix as job  # start-up time
    from urerf.lab.demo.helix_figure import helix_figure
    from urerf.lab.methods import METHODS
    from urerf.lab.trial import chance

    helix, X = job.make_data(samples, noise, kind, seed)
    job.warm_up(X)
    results = []
    for method in job.COMPARED:
        typer.echo(f"{METHODS[method].label} ...", err=True)
        results.append(job.ask(method, helix, X, seed, jobs))
    by_chance = chance(helix, job.K)
    typer.echo(
        f"{samples} points on a helix, {noise} columns of {kind} noise, {job.K} neighbors each"
    )
    rows = [["chance", f"{by_chance:.2f}", ""]]
    for result in results:
        rows.append([result.label, f"{result.precision:.2f}", f"{result.seconds:.1f}"])
    print_methods(["method", "precision", "seconds"], rows)
    figure = out / "helix.png"
    save(helix_figure(helix, results, by_chance), figure)
    typer.echo(f"Figure: {figure}")


def print_methods(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table of methods, chance in gray and our default in red."""
    styles = {"chance": "dim", "URerF": "bold red"}
    print_table(head, rows, numbers=head[1:], styles=styles)
