"""``urerf outliers``: the most unusual rows of a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from urerf._messages import count

from . import options as o
from .session import Session
from .unfold import unfold

if TYPE_CHECKING:
    from urerf.files import FileData
    from urerf.outliers import Outliers

EXAMPLES = o.examples(
    "urerf outliers data.csv",
    "urerf outliers data.csv --id name --top 50",
    "urerf outliers data.csv -o scores.csv",
)
Top = Annotated[int, typer.Option(min=1, metavar="N", help="Number of rows shown as text.")]
Neighbors = Annotated[
    int | None,
    typer.Option(
        "-k",
        "--neighbors",
        min=1,
        metavar="K",
        help="Number of nearest rows that count (default: 20).",
    ),
]


@unfold
def outliers(
    files: o.Files,
    out: o.TableOut = "-",
    top: Top = 20,
    k: Neighbors = None,
    *,
    reading: o.InputOptions,
    layout: o.FileOptions,
    growing: o.ForestOptions,
    session: Session,
) -> None:
    """List the most unusual rows first.

    The score is the larger of two figures: how far a row is from its
    nearest rows, and how far apart it stands from all rows. A typical row
    has about 0. There is no threshold: look at the first rows.
    """
    import numpy as np  # start-up time

    from urerf.files.write import TABLES, check_target, write_columns
    from urerf.outliers import outlier_figures

    check_target(out, TABLES)
    data = session.read(files, reading, layout)
    model = session.fit(data, growing)
    session.step("comparing every row with the others")
    figures = outlier_figures(model, n_neighbors=k)
    order = np.argsort(-figures.score, kind="stable")
    if out == "-" and not session.json:
        show(data, figures, order[:top])
        return
    columns: dict[str, Any] = {
        "row": data.keys()[order],
        "score": figures.score[order],
        "far": figures.far[order],
        "apart": figures.apart[order],
    }
    if data.labels is not None:
        columns["label"] = [data.labels[i] for i in order]
    write_columns(columns, out, session.json)
    if out != "-":
        facts = {"rows": len(data.rows), "out": out}
        session.summarize(facts, f"{out}: scores of {count(len(data.rows), 'row')}")


def show(data: FileData, figures: Outliers, rows: Any) -> None:
    """Print the first rows for people."""
    from rich.console import Console  # start-up time
    from rich.table import Table
    from rich.text import Text

    n_rows = len(data.rows)
    typer.echo(f"{data.source}: {count(n_rows, 'row')}, the most unusual first")
    grid = Table("row", header_style="bold")
    grid.add_column("score", justify="right", no_wrap=True)
    grid.add_column("because it is")
    if data.labels is not None:
        grid.add_column("label")
    keys = data.keys()
    for i in rows:
        is_far = figures.far[i] >= figures.apart[i]
        reason = "far from its nearest rows" if is_far else "apart from all rows"
        cells = [str(keys[i]), f"{figures.score[i]:.1f}", reason]
        if data.labels is not None:
            cells.append(data.labels[i])
        grid.add_row(*map(Text, cells))
    Console(highlight=False).print(grid)
    if n_rows > len(rows):
        typer.echo(f"and {count(n_rows - len(rows), 'more row')} (--top, -o scores.csv)")
