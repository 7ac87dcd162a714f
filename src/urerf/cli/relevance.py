"""``urerf relevance``: which columns of a file carry structure."""

from __future__ import annotations

from enum import StrEnum
from itertools import compress
from typing import TYPE_CHECKING, Annotated, Any

import typer

from urerf._messages import count, one_line
from urerf.schema import FEATURES

from . import options as o
from .console import make_console
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


# Longer names of columns are broken, so that on a line of 80 characters the reason keeps 11.
WIDEST_NAME = 24


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

    The strength, from 0 to 1, says how much structure a column carries:
    for most, how closely it follows its best partner. The p-value is
    adjusted for the number of columns and tests; it is below 0.01 for
    columns with structure.
    """
    from urerf.files.write import TABLES, check_target, write_columns  # start-up time
    from urerf.relevance import column_relevance

    check_target(out, TABLES)
    data = session.read(files, reading, layout)
    session.step("comparing all pairs of columns")
    frame = data.frame
    evidence = column_relevance(
        frame.values,
        frame.schema,
        groups=data.groups,
        ordered=data.ordered,
        n_jobs=jobs,
        random_state=seed,
    )
    for notice in evidence.notices:
        session.notify(notice)
    columns = rank_features(evidence)
    as_json = session.json or format is Format.json
    as_text = out == "-" and not as_json and format is Format.text
    if as_text:
        show(data, evidence, columns, top)
        return
    write_columns(columns, out, as_json)
    if out != "-":
        n_structured = int(evidence.structured.sum())
        facts = {"columns": data.n_features, "structure": n_structured, "out": out}
        session.summarize(facts, f"{out}: {evidence.message}")


def rank_features(evidence: Relevance) -> dict[str, list[Any]]:
    """Return the columns that are features, from the strongest to the weakest."""
    columns = evidence.to_dict()
    is_feature = [kind in FEATURES for kind in columns["kind"]]
    return {name: list(compress(values, is_feature)) for name, values in columns.items()}


def show(data: FileData, evidence: Relevance, ranked: dict[str, Any], top: int) -> None:
    """Print the ranking for people."""
    from rich.table import Table  # start-up time
    from rich.text import Text

    n_rows = len(data.rows)
    n_columns = data.n_features
    size = f"{count(n_rows, 'row')}, {count(n_columns, 'column')}"
    if evidence.n_rows < n_rows:
        size += f", {count(evidence.n_rows, 'row')} examined"
    console = make_console()
    heading = Text(one_line(f"{data.source}: {size}. {evidence.message}"))
    console.print(heading, soft_wrap=not console.is_terminal)
    grid = Table(header_style="bold")
    longest = max(len(name) for name in ranked["column"][:top])
    grid.add_column("column", overflow="fold", no_wrap=longest <= WIDEST_NAME)
    grid.add_column("kind", no_wrap=True)
    grid.add_column("used", no_wrap=True)
    for name in ("strength", "p-value"):
        grid.add_column(name, justify="right", no_wrap=True)
    grid.add_column("reason", overflow="fold")
    has_structure = [strength > 0 for strength in ranked["strength"]]
    order = [i for i in evidence.ranking if evidence.schema.columns[i].kind in FEATURES]
    for i, column in enumerate(order[:top]):
        grid.add_row(
            Text(one_line(ranked["column"][i])),
            ranked["kind"][i],
            "yes" if ranked["used"][i] else "no",
            *evidence.figures_shown(column),
            Text(one_line(ranked["reason"][i])),
            style="bold red" if has_structure[i] else "dim",
        )
    console.print(grid)
    if n_columns > top:
        n_more = sum(has_structure[top:])
        rest = count(n_columns - top, "more column")
        typer.echo(f"and {rest}, {n_more} with structure (--top, --format csv)")
