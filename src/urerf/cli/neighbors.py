"""``urerf neighbors``: the neighbor graph of the rows of a file."""

from __future__ import annotations

from typing import Annotated

import typer

from urerf._messages import count

from . import options as o
from .edges import FORMATS, write_neighbors
from .errors import WrongUsage
from .session import Session
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
    reading: o.InputOptions,
    layout: o.FileOptions,
    growing: o.ForestOptions,
    session: Session,
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
        _check_cluster(out, reading, layout)
        n_rows = _on_cluster(files, scheduler, security, out, k, reading, growing, session)
        facts = {"rows": n_rows, "neighbors": k, "out": out}
        session.summarize(facts, _summary(out, k, n_rows))
        return
    from urerf.files.write import check_target  # start-up time
    from urerf.report.structure import n_structured, structure_summary

    check_target(out, FORMATS)
    data = session.read(files, reading, layout)
    k = session.limit_neighbors(k, len(data.rows) - 1)
    model = session.fit(data, growing)
    session.step(f"finding {count(k, 'neighbor')} of every row")
    keys = data.keys()
    write_neighbors(model, None, k, keys, keys, out, session.json)
    if out != "-":
        n_rows = len(data.rows)
        stability = session.stability(model, k)
        facts = {
            "rows": n_rows,
            "columns": data.n_features,
            "structure": n_structured(model),
            "neighbors": k,
            "stability": None if stability is None else round(stability.overall, 4),
            "out": out,
        }
        text = _summary(out, k, n_rows)
        if facts["structure"] == 0:
            text += f"; {structure_summary(model)}, so the neighbors may mean nothing"
        elif stability is not None:
            text += f"; {stability.message}"
        session.summarize(facts, text)


def _summary(out: str, k: int, n_rows: int) -> str:
    return f"{out}: {count(k, 'neighbor')} for each of {count(n_rows, 'row')}"


def _check_cluster(out: str, reading: o.InputOptions, layout: o.FileOptions) -> None:
    """Refuse what works on one machine only, before any work is done."""
    if out == "-":
        raise WrongUsage("-o: with --scheduler, must be a folder for the Parquet files")
    given = {**vars(reading), **vars(layout)}
    unsupported = [
        f"--{name.replace('_', '-')}"
        for name, value in given.items()
        if name not in ("ignore", "missing") and value not in (None, [], 0)
    ]
    if reading.missing is o.Missing.drop:
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
    reading: o.InputOptions,
    growing: o.ForestOptions,
    session: Session,
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
            ignore=reading.ignore,
            security=security,
            missing=reading.missing.value,
            n_estimators=growing.trees,
            feature_weighting=growing.weighting.value,
            random_state=growing.seed,
        )
