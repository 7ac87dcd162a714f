"""``urerf outliers``: the most unusual rows of a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from urerf._messages import count, one_line

from . import options as o
from .console import make_console
from .session import Session
from .unfold import unfold

if TYPE_CHECKING:
    import numpy as np

    from urerf import URerF
    from urerf.files import FileData
    from urerf.outliers import Outliers

EXAMPLES = o.examples(
    "urerf outliers data.csv",
    "urerf outliers data.csv --id name --top 50",
    "urerf outliers data.csv -o scores.csv",
)
# Columns that are named for each row.
COLUMNS_SHOWN = 2
# Scores from which on decimals say nothing.
LARGE = 100
# Characters of a name or a value in the table.
LONGEST = 30
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
    if k is not None:
        k = session.limit_neighbors(k, len(data.rows) - 1)
    session.step("comparing every row with the others")
    figures = outlier_figures(model, n_neighbors=k)
    order = np.argsort(-figures.score, kind="stable")
    if out == "-" and not session.json:
        show(data, model, figures, order[:top])
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


def show(data: FileData, model: URerF, figures: Outliers, rows: np.ndarray) -> None:
    """Print the first rows for people."""
    from rich.table import Table  # start-up time
    from rich.text import Text

    from urerf.clusters import may_have_clusters
    from urerf.outliers import unusual_columns
    from urerf.report.structure import why_no_structure

    n_rows = len(data.rows)
    numbering = " (rows are numbered from 0)" if data.ids is None else ""
    typer.echo(f"{data.source}: {count(n_rows, 'row')}, the most unusual first{numbering}")
    grid = Table("row", header_style="bold")
    grid.add_column("score", justify="right", no_wrap=True)
    grid.add_column("because it is", no_wrap=True)
    grid.add_column("most of all in")
    if data.labels is not None:
        grid.add_column("label")
    keys = data.keys()
    is_far = (figures.far >= figures.apart)[rows]
    columns = unusual_columns(model, rows, is_far=is_far, top=COLUMNS_SHOWN)
    for i, row in enumerate(rows):
        score = float(figures.score[row])
        reason = "far from its nearest rows" if is_far[i] else "apart from all rows"
        values = values_in_words(data, row, columns[i])
        if round(score, 1) <= 0:
            reason = values = ""  # a typical row
        cells = [str(keys[row]), score_text(score), reason, values]
        if data.labels is not None:
            cells.append(data.labels[row])
        grid.add_row(*(Text(one_line(cell)) for cell in cells))
    make_console().print(grid)
    if n_rows > len(rows):
        typer.echo(f"and {count(n_rows - len(rows), 'more row')} (--top, -o scores.csv)")
    if not may_have_clusters(model):
        typer.echo(f"{why_no_structure(model)}, so rows are compared in all columns")


def score_text(score: float) -> str:
    """Return a score with the digits that are worth reading.

    >>> score_text(3.14159), score_text(-0.01), score_text(1478.3)
    ('3.1', '0.0', '1,478')
    """
    return f"{score:,.0f}" if score >= LARGE else f"{score:z.1f}"


def values_in_words(data: FileData, row: int, columns: np.ndarray) -> str:
    """Return names of columns and the values of a row in these."""
    from urerf.columns import dense  # start-up time
    from urerf.report.values import shortened, value_text

    values = dense(data.frame.values[[row]])[0]
    schema = data.frame.schema.columns
    words = []
    for i in columns[columns >= 0]:
        value = value_text(values[i], schema[i])
        words.append(f"{shortened(schema[i].name, LONGEST)} {shortened(value, LONGEST)}")
    return "; ".join(words)  # values may contain commas
