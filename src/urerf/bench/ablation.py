"""``urerf bench ablation``: what each departure from the paper buys, one row a departure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from urerf.bench import grids
from urerf.bench.runner import frame, markdown, name_of, origin, run, show, write
from urerf.paper.tasks import SIMULATIONS


def bench(out: Path, *, size: grids.Size, jobs: int, command: str) -> Path:
    """Run the ablation; write ablation.csv and ablation.md, and return the page. Parameters as in `accuracy.bench`."""
    names, cells = zip(*grids.ablation_cells(size))
    store = run(cells, out, jobs)
    command = origin(command, cells, store)
    table = frame(cells, store, names)
    return write(out, "ablation", table, command, summary(table, command))


def summary(table: Any, command: str) -> str:
    """Write the page: a row a departure, a cell a simulation with its precision in each column."""
    settings = list(table.groupby(["noise", "kind"]).groups)
    words = ", ".join(f"{noise} {kind}" if noise else "no noise" for noise, kind in settings)
    text = (
        f"# Ablation\n\nMade by `{command}`: the default with one setting put back to the paper's, then the paper's\n"
        "forest with departures added. Forests that draw from all columns have one seed where there is noise.\n\n"
        f"Precision@{int(table.k.max())} with raw noise columns: {words}.\n\n"
    )
    means = table.groupby(["row", "dataset", "noise", "kind"]).precision.mean()
    rows = []
    for row in dict.fromkeys(table.row):
        cells = []
        for dataset in SIMULATIONS:
            found = [means.get((row, dataset, *setting), float("nan")) for setting in settings]
            cells.append(" ".join(show(float(value)) for value in found))
        rows.append([f"`{row}`" if "=" in row and "paper" not in row else row, *cells])
    return text + markdown(["", *map(name_of, SIMULATIONS)], rows) + "\n"
