"""``urerf relevance``: which columns of a file carry structure."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from urerf.commands import options as o
from urerf.commands.unfold import unfold

if TYPE_CHECKING:
    from urerf.files import Table
    from urerf.relevance import Relevance


class Format(StrEnum):
    """How to print the table."""

    text = "text"
    csv = "csv"
    json = "json"


@unfold
def relevance(
    files: o.Files,
    out: o.TableOut = "-",
    form: Annotated[Format, typer.Option("--format", help="Of what is printed.")] = Format.text,
    top: Annotated[
        int, typer.Option(min=1, metavar="N", help="Columns shown as text; the rest is counted.")
    ] = 20,
    *,
    file: o.FileOptions,
    seed: o.Seed = 0,
    jobs: o.Jobs = -1,
    session: o.Session,
) -> None:
    """Rank the columns by the structure they carry.

    statistic: dependence on the best partner. p_value: chance that independent columns have any
    pair as dependent.
    """
    from urerf.files.write import TABLES, check_target, write_columns
    from urerf.relevance import column_relevance

    check_target(out, TABLES)
    table = session.read(files, file)
    session.step("comparing all pairs of columns")
    found = column_relevance(table.values, n_jobs=jobs, random_state=seed)
    form = Format.json if session.json else form
    ranked = ranking(table, found)
    if out != "-" or form is not Format.text:
        write_columns(ranked, out, form is Format.json)
    if out != "-":
        facts = {
            "columns": len(table.names),
            "structure": int((found.relevance > 0).sum()),
            "out": out,
        }
        session.summary(facts, f"{out}: {found.message}")
    elif form is Format.text:
        show(table, found, ranked, top)


def ranking(table: Table, found: Relevance) -> dict[str, Any]:
    """Return the columns from the most relevant to the least."""
    import numpy as np

    order = np.lexsort((-found.statistic, found.p_value, -found.relevance))
    partners = [table.names[i] if i >= 0 else None for i in found.partner]
    return {
        "column": [table.names[i] for i in order],
        "relevance": found.relevance[order],
        "statistic": found.statistic[order],
        "p_value": found.p_value[order],
        "partner": [partners[i] for i in order],
    }


def show(table: Table, found: Relevance, ranked: dict[str, Any], top: int) -> None:
    """Print the ranking for people."""
    from rich.console import Console
    from rich.table import Table as Grid
    from rich.text import Text

    rows, columns = table.values.shape
    console = Console(highlight=False)
    said = f"{table.source}: {o.count(rows, 'row')}, {o.count(columns, 'column')}. {found.message}"
    console.print(Text(said), soft_wrap=not console.is_terminal)
    grid = Grid("column", header_style="bold")
    for name in ("relevance", "statistic", "p-value"):
        grid.add_column(name, justify="right", no_wrap=True)
    grid.add_column("depends most on")
    for i in range(min(top, columns)):
        weight = ranked["relevance"][i]
        grid.add_row(
            Text(ranked["column"][i]),
            f"{weight:.2f}",
            f"{ranked['statistic'][i]:.0f}",
            f"{ranked['p_value'][i]:.1e}"
            if ranked["p_value"][i] < 0.01
            else f"{ranked['p_value'][i]:.2f}",
            Text(ranked["partner"][i] or ""),
            style="bold red" if weight > 0 else "dim",
        )
    console.print(grid)
    if columns > top:
        more = int((ranked["relevance"][top:] > 0).sum())
        typer.echo(
            f"and {o.count(columns - top, 'column')} more, {more} of them with structure (--top, --format csv)"
        )


EXAMPLES = o.examples(
    "urerf relevance data.csv",
    "urerf relevance data.csv --label species --top 50",
    "urerf relevance data.parquet --json | jq '.[0].column'",
)
