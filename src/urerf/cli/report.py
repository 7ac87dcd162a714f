"""``urerf report``: one HTML page about a file."""

from __future__ import annotations

import shlex
import sys
from typing import Annotated

import typer

from urerf._messages import count, printable

from . import options as o
from .session import FittingSession
from .unfold import unfold

EXAMPLES = o.examples(
    "urerf report data.csv -o report.html",
    "urerf report data.csv --id name --label species -o report.html",
)


@unfold
def report(
    files: o.Files,
    out: Annotated[str, typer.Option("-o", "--out", metavar="FILE", help="Output file.")] = (
        "report.html"
    ),
    k: o.Neighbors = 15,
    *,
    session: FittingSession,
) -> None:
    """Write an HTML report: what was found, and an explorer of all rows and their neighbors.

    The report is a single file that needs no network. It contains values
    of the table: consider privacy.
    """
    from urerf.files.write import check_folder  # start-up time
    from urerf.report import write_report
    from urerf.report.structure import n_structured, structure_summary

    check_folder(out)
    data = session.read(files)
    model = session.fit(data)
    command = shlex.join(["urerf", *sys.argv[1:]])
    with session.warnings():
        findings = write_report(
            model,
            out,
            data,
            label=session.label,
            n_neighbors=k,
            command=printable(command),
            step=session.step,
        )
    n_rows = len(data.rows)
    stability = findings.stability
    session.summarize(
        out,
        f"{count(n_rows, 'row')}, {structure_summary(model)}",
        rows=n_rows,
        columns=data.n_features,
        structure=n_structured(model),
        components=len(findings.component_sizes),
        clusters=len(findings.clusters),
        stability=None if stability is None else round(stability.overall, 4),
    )
