"""``urerf relevance``: which columns of a file carry structure."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from itertools import compress
from typing import TYPE_CHECKING, Annotated, Any

import typer

from urerf._messages import count, one_line
from urerf.schema import FEATURES

from . import options as o
from .console import make_console, print_table
from .forest_options import Jobs, Seed
from .session import ReadingSession
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


@dataclass
class RankingSession(ReadingSession):
    """A run that ranks the columns of a table."""

    seed: Seed = 0
    jobs: Jobs = -1


@unfold
def relevance(
    files: o.Files,
    out: o.TableOut = "-",
    format: Annotated[Format, typer.Option(help="Output format.")] = Format.text,
    top: Top = 20,
    *,
    session: RankingSession,
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
    data = session.read(files)
    session.step("comparing all pairs of columns")
    frame = data.frame
    evidence = column_relevance(
        frame.values,
        frame.schema,
        groups=data.groups,
        ordered=data.ordered,
        n_jobs=session.jobs,
        random_state=session.seed,
    )
    session.notify(*evidence.notices)
    as_json = session.json or format is Format.json
    as_text = out == "-" and not as_json and format is Format.text
    if as_text:
        show(data, evidence, top)
        return
    write_columns(rank_features(evidence), out, as_json)
    n_structured = int(evidence.structured.sum())
    session.summarize(out, evidence.message, columns=data.n_features, structure=n_structured)


def rank_features(evidence: Relevance) -> dict[str, list[Any]]:
    """Return the columns that are features, from the strongest to the weakest."""
    columns = evidence.to_dict()
    is_feature = [kind in FEATURES for kind in columns["kind"]]
    features = {}
    for name, values in columns.items():
        features[name] = list(compress(values, is_feature))
    return features


def show(data: FileData, evidence: Relevance, top: int) -> None:
    """Print the ranking for people."""
    from rich.text import Text  # start-up time

    from urerf.report.structure import RELEVANCE_HEAD, RELEVANCE_NUMBERS, relevance_rows

    n_rows = len(data.rows)
    n_columns = data.n_features
    size = f"{count(n_rows, 'row')}, {count(n_columns, 'column')}"
    if evidence.tested and evidence.n_rows < n_rows:
        size += f", {count(evidence.n_rows, 'row')} examined"
    console = make_console()
    heading = Text(one_line(f"{data.source}: {size}. {evidence.message}"))
    console.print(heading, soft_wrap=not console.is_terminal)
    columns = evidence.schema.columns
    ranked = [i for i in evidence.ranking if columns[i].is_feature]
    styles = {}
    for i in ranked[:top]:
        styles[columns[i].name] = "bold red" if evidence.structured[i] else "dim"
    unbroken = ["kind", "used"]
    if max(map(len, styles)) <= WIDEST_NAME:
        unbroken.append("column")
    rows = relevance_rows(evidence, ranked[:top])
    print_table(RELEVANCE_HEAD, rows, numbers=RELEVANCE_NUMBERS, unbroken=unbroken, styles=styles)
    if n_columns > top:
        n_more = int(evidence.structured[ranked[top:]].sum())
        rest = count(n_columns - top, "more column")
        typer.echo(f"and {rest}, {n_more} with structure (--top, --format csv)")
