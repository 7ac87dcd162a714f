"""``urerf neighbors``, ``urerf fit`` and ``urerf query``: from a file to who is near whom."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from urerf.commands import options as o
from urerf.commands.unfold import unfold

if TYPE_CHECKING:
    import numpy as np


GRAPH = (".npz", ".csv", ".tsv", ".json", ".parquet")


@unfold
def neighbors(
    files: o.Files,
    k: o.Neighbors = 15,
    out: o.GraphOut = "-",
    scheduler: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS", help="Work on this Dask cluster; FILEs are Parquet, -o is a folder."
        ),
    ] = None,
    *,
    file: o.FileOptions,
    growth: o.ForestOptions,
    session: o.Session,
) -> None:
    """Find the nearest rows of every row.

    A list of edges has the columns row, neighbor and distance; rows go by their --id, or else by
    their number, from 0.
    """
    if scheduler is not None:
        check_cluster(out, file)
        how = {"ignore": file.ignore, "missing": file.missing.value, "random_state": growth.seed}
        how |= {"n_estimators": growth.trees, "feature_weighting": growth.weighting.value}
        on_cluster(session, files, scheduler, out, k, **how)
        return
    from urerf.files.write import check_target

    check_target(out, GRAPH)
    table = session.read(files, file)
    model = session.fit(table, growth)
    session.step(f"finding {k} neighbours of every row")
    if out.lower().endswith(".npz"):
        save_graph(model.kneighbors_graph(n_neighbors=k), out)
    else:
        distances, ids = model.kneighbors(n_neighbors=k)
        save_edges(distances, ids, table.keys(), table.keys(), out, session.json)
    if out != "-":
        rows, columns = table.values.shape
        facts = {
            "rows": rows,
            "columns": columns,
            "structure": o.structure(model),
            "neighbors": k,
            "out": out,
        }
        session.summary(facts, f"{out}: {k} neighbours of {o.count(rows, 'row')}")


@unfold
def fit(
    files: o.Files,
    out: Annotated[
        str, typer.Option("-o", "--out", metavar="FILE", help="The model's file.")
    ] = "model.urerf",
    *,
    file: o.FileOptions,
    growth: o.ForestOptions,
    session: o.Session,
) -> None:
    """Grow a forest and save it, to ask it about new rows with `urerf query`.

    The model's file holds the columns of the table that carry structure: mind size and privacy.
    """
    import numpy as np

    from urerf.files.write import check_folder

    check_folder(out)
    table = session.read(files, file)
    model = session.fit(table, growth)
    model.feature_names_in_ = np.array(
        table.names, dtype=object
    )  # as scikit-learn keeps those of a data frame
    model.save(out)
    rows, columns = table.values.shape
    trees = growth.trees
    found = o.structure(model)
    facts = {"rows": rows, "columns": columns, "structure": found, "trees": trees, "out": out}
    text = f"{out}: {trees} trees on {o.count(rows, 'row')}; {found} of {o.count(columns, 'column')} carry structure"
    session.summary(facts, text)


@unfold
def query(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A file that `urerf fit` wrote.")],
    files: o.Files,
    k: o.Neighbors = 15,
    out: o.GraphOut = "-",
    id: o.Id = None,
    header: o.Header = None,
    missing: o.MissingValues = o.Missing.handle,
    jobs: o.Jobs = -1,
    *,
    session: o.Session,
) -> None:
    """Find the nearest fitted rows of new rows.

    The new file needs the model's columns, by name, in any order. Fitted rows go by their number,
    from 0.
    """
    import numpy as np

    from urerf import URerF
    from urerf.files import read_for_model
    from urerf.files.write import check_target

    check_target(out, GRAPH)
    forest = URerF.load(model).set_params(n_jobs=jobs)
    names = vars(forest).pop("feature_names_in_", [f"x{i}" for i in range(forest.n_features_in_)])
    table = read_for_model(files, list(names), id=id, header=header, missing=missing.value)
    for notice in table.notices:
        session.say(notice)
    if out.lower().endswith(".npz"):
        save_graph(forest.kneighbors_graph(table.values, n_neighbors=k), out)
    else:
        distances, ids = forest.kneighbors(table.values, n_neighbors=k)
        save_edges(
            distances, ids, table.keys(), np.arange(forest.n_samples_fit_), out, session.json
        )
    if out != "-":
        rows = len(table.rows)
        facts = {"rows": rows, "neighbors": k, "fitted": forest.n_samples_fit_, "out": out}
        session.summary(facts, f"{out}: {k} neighbours of {o.count(rows, 'new row')}")


def save_edges(
    distances: np.ndarray,
    ids: np.ndarray,
    rows: np.ndarray,
    fitted: np.ndarray,
    out: str,
    as_json: bool,
) -> None:
    """Write one line an edge."""
    from urerf.files.write import write_columns

    columns = {
        "row": rows.repeat(ids.shape[1]),
        "neighbor": fitted[ids.ravel()],
        "distance": distances.ravel(),
    }
    write_columns(columns, out, as_json)


def save_graph(graph: Any, out: str) -> None:
    """Write a sparse matrix, as `scipy.sparse.load_npz` reads it."""
    import scipy.sparse as sp

    from urerf.files.write import replacing

    with replacing(out) as partial:
        sp.save_npz(partial, graph)


def check_cluster(out: str, file: o.FileOptions) -> None:
    """Refuse what only one machine can do, before the work."""
    drop = file.missing is o.Missing.drop or None
    alone = {
        "--id": file.id,
        "--label": file.label,
        "--header": file.header,
        "--missing drop": drop,
    }
    given = [name for name, value in alone.items() if value is not None]
    if out == "-":
        raise ValueError("-o: with --scheduler, name a folder for the Parquet files")
    if given:
        raise ValueError(
            f"{', '.join(given)}: not with --scheduler, where rows go by their number; leave columns out by --ignore"
        )


def on_cluster(
    session: o.Session, files: list[str], scheduler: str, out: str, k: int, **settings: Any
) -> None:
    """Hand the work to a Dask cluster, which writes Parquet files into a folder."""
    try:
        from urerf.dask import neighbors_to_parquet
    except ImportError as error:
        raise ImportError(
            f"--scheduler: needs dask and distributed: pip install urerf[dask] ({error})"
        ) from None
    with session.warnings():
        rows = neighbors_to_parquet(files, scheduler, out, k, **settings)
    facts = {"rows": rows, "neighbors": k, "out": out}
    session.summary(facts, f"{out}: {k} neighbours of {o.count(rows, 'row')}")


EXAMPLES = {
    "neighbors": o.examples(
        "urerf neighbors data.csv -k 15 -o graph.npz",
        "urerf neighbors data.csv --id name -o edges.csv",
        "zcat data.tsv.gz | urerf neighbors - -k 5 | head",
    ),
    "fit": o.examples(
        "urerf fit data.csv -o model.urerf", "urerf fit data.parquet --id name --label species"
    ),
    "query": o.examples(
        "urerf query model.urerf new.csv -k 15 -o edges.csv",
        "head -n 2 new.csv | urerf query model.urerf - -k 3 --json",
    ),
}
