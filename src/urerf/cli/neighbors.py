"""``urerf neighbors``: the neighbor graph of the rows of a file."""

from __future__ import annotations

from dataclasses import fields
from typing import Annotated

import typer

from urerf._messages import count

from . import options as o
from .column_options import ColumnChoices, Missing
from .edges import check_target, write_neighbors
from .errors import WrongUsage
from .file_options import FileChoices
from .session import FittingSession
from .unfold import unfold

EXAMPLES = o.examples(
    "urerf neighbors data.csv -k 15 -o graph.npz",
    "urerf neighbors data.csv --id name -o edges.csv",
    "zcat data.tsv.gz | urerf neighbors - -k 5 | head",
)
Scheduler = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Run on this Dask cluster; FILEs must be Parquet and -o a folder.",
    ),
]
SecurityFile = Annotated[
    str | None,
    typer.Option(
        "--security",
        metavar="FILE",
        help="YAML file with ca-file, cert and key, for a tls:// scheduler.",
    ),
]


@unfold
def neighbors(
    files: o.Files,
    k: o.Neighbors = 15,
    out: o.GraphOut = "-",
    scheduler: Scheduler = None,
    security: SecurityFile = None,
    *,
    session: FittingSession,
) -> None:
    """Find the nearest neighbors of every row.

    A list of edges has the columns row, neighbor and distance. Rows are
    identified by --id, or else by their number, from 0. With -o, the last
    line says how stable the neighbors are: how many two forests, each
    grown on half of the rows, have in common (up to 20,000 rows).
    """
    if security is not None and scheduler is None:
        raise WrongUsage("--security: needs --scheduler")
    if scheduler is not None:
        _check_cluster(out, session)
        n_rows = _on_cluster(files, scheduler, security, out, k, session)
        session.summarize(out, _summary(k, n_rows), rows=n_rows, neighbors=k)
        return
    from urerf.report.structure import n_structured, structure_summary  # start-up time
    from urerf.stability import stability_if_quick

    check_target(out)
    data = session.read(files)
    k = session.limit_neighbors(k, len(data.rows) - 1)
    model = session.fit(data)
    session.step(f"finding {count(k, 'neighbor')} of every row")
    keys = data.keys()
    write_neighbors(model, None, k, keys, keys, out, session.json)
    if out == "-":
        return
    session.step("growing two more forests to see how stable the neighbors are")
    stability = stability_if_quick(model, k)
    n_rows = len(data.rows)
    text = _summary(k, n_rows)
    structure = n_structured(model)
    if structure == 0:
        text += f"; {structure_summary(model)}, so the neighbors may mean nothing"
    elif stability is not None:
        text += f"; {stability.message}"
    session.summarize(
        out,
        text,
        rows=n_rows,
        columns=data.n_features,
        structure=structure,
        neighbors=k,
        stability=None if stability is None else round(stability.overall, 4),
    )


def _summary(k: int, n_rows: int) -> str:
    return f"{count(k, 'neighbor')} for each of {count(n_rows, 'row')}"


def _check_cluster(out: str, session: FittingSession) -> None:
    """Refuse what works on one machine only, before any work is done."""
    if out == "-":
        raise WrongUsage("-o: with --scheduler, must be a folder for the Parquet files")
    choices = [*fields(ColumnChoices), *fields(FileChoices)]
    local = {field.name for field in choices} - {"ignore", "missing"}
    unsupported = []
    for name, value in vars(session).items():
        is_given = value not in (None, [], 0)
        if is_given and name in local:
            option = name.replace("_", "-")
            unsupported.append(f"--{option}")
    if session.missing is Missing.drop:
        unsupported.append("--missing drop")
    if unsupported:
        raise WrongUsage(
            f"{', '.join(unsupported)}: not supported with --scheduler, where rows are identified "
            "by their number; skip columns with --ignore"
        )


def _on_cluster(
    files: list[str],
    scheduler: str,
    security: str | None,
    out: str,
    k: int,
    session: FittingSession,
) -> int:
    """Let a Dask cluster write Parquet files to a folder; return the number of rows."""
    try:
        from urerf.dask import neighbors_to_parquet  # optional packages
    except ImportError as error:
        raise ImportError(
            f"--scheduler: needs dask and distributed: pip install urerf[dask] ({error})"
        ) from None
    with session.warnings():
        return neighbors_to_parquet(
            files,
            scheduler,
            out,
            k,
            ignore=session.ignore,
            security=security,
            missing=session.missing.value,
            n_estimators=session.trees,
            feature_weighting=session.weighting.value,
            random_state=session.seed,
        )
