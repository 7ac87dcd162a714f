"""``urerf embed`` and ``urerf report``: from a file to two coordinates a row, or to a page."""

from __future__ import annotations

import shlex
import sys
from enum import StrEnum
from typing import Annotated

import typer

from urerf.commands import options as o
from urerf.commands.unfold import unfold


class Method(StrEnum):
    """How the neighbour graph is laid out."""

    layout = "layout"
    umap = "umap"
    tsne = "tsne"
    isomap = "isomap"
    spectral = "spectral"


@unfold
def embed(
    files: o.Files,
    out: o.TableOut = "-",
    method: Annotated[
        Method,
        typer.Option(
            metavar="METHOD", help="layout, isomap, spectral, tsne, or umap (needs umap-learn)."
        ),
    ] = Method.layout,
    k: o.Neighbors = 15,
    *,
    file: o.FileOptions,
    growth: o.ForestOptions,
    session: o.Session,
) -> None:
    """Give every row two coordinates, from the forest's neighbour graph.

    The result has the columns row, x and y, and label if there is a --label.
    """
    from urerf.embedding import check_method
    from urerf.embedding import embed as job
    from urerf.files.write import TABLES, check_target, write_columns

    check_method(method.value)  # before the work, not after
    check_target(out, TABLES)
    table = session.read(files, file)
    model = session.fit(table, growth)
    session.step(f"laying out the graph: {method.value}")
    with session.warnings():
        points = job(model, method.value, n_neighbors=k, random_state=growth.seed)
    columns = {"row": table.keys(), "x": points[:, 0], "y": points[:, 1]}
    write_columns(
        columns if table.labels is None else {**columns, "label": table.labels}, out, session.json
    )
    if out != "-":
        facts = {"rows": len(points), "method": method.value, "neighbors": k, "out": out}
        session.summary(facts, f"{out}: {method.value} of {o.count(len(points), 'row')}")


@unfold
def report(
    files: o.Files,
    out: Annotated[
        str, typer.Option("-o", "--out", metavar="FILE", help="The page.")
    ] = "report.html",
    k: o.Neighbors = 15,
    *,
    file: o.FileOptions,
    growth: o.ForestOptions,
    session: o.Session,
) -> None:
    """Write one HTML page: what was found, and an explorer of every row and its neighbours.

    The page is a single file that needs no network. It holds values of the table: mind privacy.
    """
    from urerf.files.write import check_folder
    from urerf.report import find, write

    check_folder(out)
    table = session.read(files, file)
    model = session.fit(table, growth)
    findings = find(table, model, k, step=session.step)
    write(findings, out, command=shlex.join(["urerf", *sys.argv[1:]]))
    rows, columns = table.values.shape
    found = o.structure(model)
    facts = {
        "rows": rows,
        "columns": columns,
        "structure": found,
        "parts": len(findings.sizes),
        "out": out,
    }
    text = f"{out}: {o.count(rows, 'row')}, {found} of {o.count(columns, 'column')} carry structure"
    session.summary(facts, text)


EXAMPLES = {
    "embed": o.examples(
        "urerf embed data.csv -o embedding.csv",
        "urerf embed data.csv --method umap --label species -o embedding.csv",
        "urerf embed - --json < data.csv",
    ),
    "report": o.examples(
        "urerf report data.csv -o report.html",
        "urerf report data.csv --id name --label species -o report.html",
    ),
}
