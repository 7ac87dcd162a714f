"""``urerf relevance``: which columns of a file carry structure."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from urerf._messages import count

from . import options as o
from .session import Session
from .unfold import unfold

if TYPE_CHECKING:
    from urerf.files import FileData
    from urerf.relevance import Relevance

EXAMPLES = o.examples(
    "urerf relevance data.csv",
    "urerf relevance data.csv --label species --top 50",
    "urerf relevance data.parquet --json | jq '.[0].column'",
)


class Format(StrEnum):
    """How to print the ranking."""

    text = "text"
    csv = "csv"
    json = "json"


Top = Annotated[int, typer.Option(min=1, metavar="N", help="Number of columns shown as text.")]


@unfold
def relevance(
    files: o.Files,
    out: o.TableOut = "-",
    format: Annotated[Format, typer.Option(help="Output format.")] = Format.text,
    top: Top = 20,
    *,
    reading: o.InputOptions,
    layout: o.FileOptions,
    seed: o.Seed = 0,
    jobs: o.Jobs = -1,
    session: Session,
) -> None:
    """Rank the columns by the structure they carry.

    The statistic measures how strongly a column depends on its best
    partner. The p-value is the probability that a table of independent
    columns has any pair that depends as strongly.
    """
    import numpy as np  # start-up time

    from urerf.files.write import TABLES, check_target, write_columns
    from urerf.relevance import column_relevance
    from urerf.report.structure import structured

    check_target(out, TABLES)
    data = session.read(files, reading, layout)
    session.step("comparing all pairs of columns")
    values = data.frame.values[:, np.flatnonzero(data.frame.schema.is_feature)]
    evidence = column_relevance(values, n_jobs=jobs, random_state=seed)
    columns = rank(data, evidence)
    as_json = session.json or format is Format.json
    as_text = out == "-" and not as_json and format is Format.text
    if as_text:
        show(data, evidence, columns, top)
        return
    write_columns(columns, out, as_json)
    if out != "-":
        n_structured = int(structured(evidence).sum())
        facts = {"columns": data.n_features, "structure": n_structured, "out": out}
        session.summarize(facts, f"{out}: {evidence.message}")


def rank(data: FileData, evidence: Relevance) -> dict[str, Any]:
    """Return the features from the most relevant to the least, with the evidence."""
    from urerf.report.structure import ranking  # start-up time

    order = ranking(evidence)
    columns = [column for column in data.frame.schema.columns if column.is_feature]
    partners = [columns[i].name if i >= 0 else None for i in evidence.partner[order]]
    return {
        "column": [columns[i].name for i in order],
        "kind": [columns[i].kind for i in order],
        "relevance": evidence.relevance[order],
        "statistic": evidence.statistic[order],
        "p_value": evidence.p_value[order],
        "partner": partners,
    }


def show(data: FileData, evidence: Relevance, ranked: dict[str, Any], top: int) -> None:
    """Print the ranking for people."""
    from rich.console import Console  # start-up time
    from rich.table import Table
    from rich.text import Text

    from urerf.report.structure import ranking, structured

    n_rows = len(data.rows)
    n_columns = data.n_features
    size = f"{count(n_rows, 'row')}, {count(n_columns, 'column')}"
    console = Console(highlight=False)
    heading = Text(f"{data.source}: {size}. {evidence.message}")
    console.print(heading, soft_wrap=not console.is_terminal)
    grid = Table("column", "kind", header_style="bold")
    for name in ("relevance", "statistic", "p-value"):
        grid.add_column(name, justify="right", no_wrap=True)
    grid.add_column("depends most on")
    has_structure = structured(evidence)[ranking(evidence)]
    for i in range(min(top, n_columns)):
        p_value = ranked["p_value"][i]
        grid.add_row(
            Text(ranked["column"][i]),
            ranked["kind"][i],
            f"{ranked['relevance'][i]:.2f}",
            f"{ranked['statistic'][i]:.0f}",
            f"{p_value:.1e}" if p_value < 0.01 else f"{p_value:.2f}",
            Text(ranked["partner"][i] or ""),
            style="bold red" if has_structure[i] else "dim",
        )
    console.print(grid)
    if n_columns > top:
        n_more = int(has_structure[top:].sum())
        rest = count(n_columns - top, "more column")
        typer.echo(f"and {rest}, {n_more} with structure (--top, --format csv)")
