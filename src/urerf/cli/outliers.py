"""``urerf outliers``: the most unusual rows of a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from urerf._messages import count

from . import options as o
from .console import print_table
from .session import FittingSession
from .unfold import unfold

if TYPE_CHECKING:
    from urerf import URerF
    from urerf._typing import Array
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
    session: FittingSession,
) -> None:
    """List the most unusual rows first.

    The score is the larger of two figures: how far a row is from its
    nearest rows, and how far apart it stands from all rows. A typical row
    has a score of about 0. There is no threshold: look at the first rows.
    """
    import numpy as np  # start-up time

    from urerf.files.write import TABLES, check_target
    from urerf.outliers import outlier_figures

    check_target(out, TABLES)
    data = session.read(files)
    model = session.fit(data)
    if k is not None:
        k = session.limit_neighbors(k, len(data.rows) - 1)
    session.step("comparing every row with the others")
    figures = outlier_figures(model, n_neighbors=k)
    order = np.argsort(-figures.score, kind="stable")
    if out == "-" and not session.json:
        show(data, model, figures, order[:top])
        return
    columns = {
        "row": data.keys()[order],
        "score": figures.score[order],
        "far": figures.far[order],
        "apart": figures.apart[order],
    }
    labels = None
    if data.labels is not None:
        labels = [data.labels[i] for i in order]
    session.write(columns, out, labels)
    n_rows = len(order)
    session.summarize(out, f"scores of {count(n_rows, 'row')}", rows=n_rows)


def show(data: FileData, model: URerF, figures: Outliers, rows: Array) -> None:
    """Print the first rows for people."""
    from urerf.clusters import may_have_clusters  # start-up time
    from urerf.outliers import unusual_columns
    from urerf.report.structure import why_no_structure

    n_rows = len(data.rows)
    numbering = " (rows are numbered from 0)" if data.ids is None else ""
    typer.echo(f"{data.source}: {count(n_rows, 'row')}, the most unusual first{numbering}")
    head = ["row", "score", "because it is", "most of all in"]
    if data.labels is not None:
        head.append("label")
    table = []
    keys = data.keys()
    is_far = (figures.far >= figures.apart)[rows]
    columns = unusual_columns(model, rows, is_far=is_far, top=COLUMNS_SHOWN)
    for i, row in enumerate(rows):
        score = float(figures.score[row])
        reason = "far from its nearest rows" if is_far[i] else "apart from all rows"
        values = values_in_words(data, row, columns[i], model.feature_weights_ > 0)
        if round(score, 1) <= 0:
            reason = values = ""  # a typical row
        cells = [str(keys[row]), score_text(score), reason, values]
        if data.labels is not None:
            cells.append(data.labels[row])
        table.append(cells)
    print_table(head, table, numbers=["score"], unbroken=["because it is"])
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


def values_in_words(data: FileData, row: int, columns: Array, used: Array) -> str:
    """Return names of columns and the values of a row in these; -1 stands for no column."""
    import numpy as np  # start-up time

    from urerf.columns import dense
    from urerf.report.values import shortened, value_text

    values = dense(data.frame.values[[row]])[0]
    schema = data.frame.schema.columns
    words = []
    for i in columns[columns >= 0]:
        name = shortened(schema[i].name, LONGEST)
        value = shortened(value_text(values[i], schema[i]), LONGEST)
        words.append(f"{name} {value}")
    if words:
        return "; ".join(words)  # values may contain commas
    if np.isnan(values[used]).all():
        return "no value in the columns used"
    return "no single column"
