"""Runs the cells of a bench on the paper's engine and writes what came out: tidy CSV and Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from urerf.bench.store import BenchStore
from urerf.paper import engine
from urerf.paper.baselines import need
from urerf.paper.tasks import Cell

KEYS = ["dataset", "method", "noise", "kind", "variance", "rescaled", "seed", "n", "k"]
SHORT = {
    "gaussian_mixture": "mixture",
    "heavy_tailed": "heavy-tailed",
    "breast_cancer": "breast cancer",
}
SHORT |= {
    "helix_in_20": "helix in 20 columns",
    "swiss_roll": "swiss roll",
    "random_scales": "random scales",
}


def run(cells: Sequence[Cell], out: Path, jobs: int) -> BenchStore:
    """Compute the cells that are not in the folder's store yet, with progress on stderr.

    Parameters
    ----------
    cells : sequence of dict
    out : Path
        Folder; results are kept in its ``cells``.
    jobs : int
        Processes side by side; 0 computes nothing.

    Returns
    -------
    BenchStore
        Where all results are.
    """
    need("pandas")  # before the work, not after
    need("matplotlib")
    out.mkdir(parents=True, exist_ok=True)
    store = BenchStore(out / "cells")
    if jobs == 0:
        if not any(map(store.has, cells)):
            raise ValueError(
                f"--jobs 0: nothing is computed yet in {out / 'cells'}; run it with --jobs 1 or more"
            )
        return store
    with engine.open_lanes(jobs) as lanes, engine.progress(cells) as done:
        engine.run(cells, store, lanes, done)
    return store


def origin(command: str, cells: Sequence[Cell], store: BenchStore) -> str:
    """Write the command that made the results, and how much of it is computed if that is not all."""
    missing = sum(not store.has(cell) for cell in cells)
    return (
        f"{command} ({len(cells) - missing} of {len(cells)} cells so far)" if missing else command
    )


def frame(cells: Iterable[Cell], store: BenchStore, names: Iterable[str] | None = None) -> Any:
    """Put the rows of computed cells into a DataFrame, with a column ``row`` of ``names`` if there are any."""
    import pandas as pd

    cells = list(cells)
    labels = [{}] * len(cells) if names is None else [{"row": name} for name in names]
    return pd.DataFrame(
        [
            label | row
            for label, cell in zip(labels, cells)
            if store.has(cell)
            for row in store.get(cell)
        ]
    )


def write_csv(table: Any, path: Path, command: str) -> None:
    """Write a tidy table; its first line says which command made it."""
    first = [name for name in ["row", *KEYS] if name in table]
    results = [name for name in RESULTS if name in table]
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(f"# {command}\n")
        table[first + results].to_csv(file, index=False, float_format="%.4g", lineterminator="\n")


def write(out: Path, name: str, table: Any, command: str, page: str) -> Path:
    """Write the table of a bench as CSV and its page as Markdown; return where the page is."""
    write_csv(table, out / f"{name}.csv", command)
    path = out / f"{name}.md"
    path.write_text(page, "utf-8")
    return path


PARTS = ("all", "near", "middle", "far")
RESULTS = ["precision", "geodesic_precision", "reached"]
RESULTS += [f"{what}_{part}" for what in ("spearman", "error") for part in PARTS]
RESULTS += ["table", "relevant", "rests_on"]


def markdown(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Write a Markdown table; floats are shown with three digits."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(map(show, line)) + " |" for line in lines)


def show(value: Any) -> str:
    """Write a number the short way.

    Examples
    --------
    >>> show(0.9849), show(1.0), show(float("nan")), show("ours")
    ('.985', '1.000', '-', 'ours')
    """
    if not isinstance(value, float):
        return str(value)
    return (
        "-"
        if value != value
        else f"{value:.3f}".replace("0.", ".", 1)
        if abs(value) < 0.9995
        else f"{value:.3f}"
    )


def name_of(dataset: str) -> str:
    """Name a data set or a kind of noise the short way."""
    return SHORT.get(dataset, dataset)


def met(values: Sequence[float], bars: Sequence[float], most: bool = False) -> str:
    """Say whether every value reaches its bar (``most``: stays below it)."""
    missed = sum(not (value <= bar if most else value >= bar) for value, bar in zip(values, bars))
    return "met" if not missed else f"missed by {missed} of {len(values)}"
