"""``urerf cluster``: groups of rows of a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from urerf._messages import count, one_line

from . import options as o
from .console import make_console
from .session import Session
from .unfold import unfold

if TYPE_CHECKING:
    import numpy as np

    from urerf import URerF
    from urerf.files import FileData

EXAMPLES = o.examples(
    "urerf cluster data.csv",
    "urerf cluster data.csv --min-size 30 -o clusters.csv",
    "urerf cluster data.csv --method leiden --label species",
)
Method = Annotated[
    str,
    typer.Option(metavar="METHOD", help="hdbscan, or leiden (needs leidenalg, which is GPL)."),
]
MinSize = Annotated[
    int | None,
    typer.Option(
        min=2,
        metavar="N",
        help="Size of the smallest cluster (default: the square root of the number of rows).",
    ),
]
Resolution = Annotated[
    float,
    typer.Option(min=0, metavar="R", help="For leiden: larger values give more clusters."),
]


@unfold
def cluster(
    files: o.Files,
    out: o.TableOut = "-",
    method: Method = "hdbscan",
    min_size: MinSize = None,
    resolution: Resolution = 1.0,
    k: o.Neighbors = 15,
    *,
    reading: o.InputOptions,
    layout: o.FileOptions,
    growing: o.ForestOptions,
    session: Session,
) -> None:
    """Find clusters in the neighbor graph of the forest.

    Clusters are numbered from 0, the largest first; -1 is for rows in
    none. The result has the columns row and cluster, and label if there
    is a --label.
    """
    from urerf.clusters import cluster as find  # start-up time
    from urerf.clusters import may_have_clusters
    from urerf.files.write import TABLES, check_target, write_columns
    from urerf.leiden import check_method, leiden
    from urerf.report.structure import why_no_structure

    check_method(method)  # before the work, not after
    check_target(out, TABLES)
    data = session.read(files, reading, layout)
    k = session.limit_neighbors(k, len(data.rows) - 1)
    model = session.fit(data, growing)
    session.step(f"clustering the graph: {method}")
    if method == "leiden":
        seed = growing.seed
        labels = leiden(model, resolution=resolution, n_neighbors=k, random_state=seed)
    else:
        labels = find(model, min_cluster_size=min_size, n_neighbors=k)
    if out == "-" and not session.json:
        typer.echo(f"{data.source}: {in_words(labels)}")
        if not may_have_clusters(model):
            typer.echo(f"{why_no_structure(model)}, so no clusters were sought")
        elif labels.max() >= 0:
            show(data, model, labels)
            typer.echo("-o clusters.csv writes the cluster of every row")
        return
    columns: dict[str, Any] = {"row": data.keys(), "cluster": labels}
    if data.labels is not None:
        columns["label"] = data.labels
    write_columns(columns, out, session.json)
    if out != "-":
        n_rows = len(data.rows)
        n_clusters = int(labels.max()) + 1
        n_outside = int((labels < 0).sum())
        facts = {"rows": n_rows, "clusters": n_clusters, "outside": n_outside, "out": out}
        session.summarize(facts, f"{out}: {in_words(labels)}")


def in_words(labels: np.ndarray) -> str:
    """Return the number of clusters and of rows in none.

    >>> import numpy as np
    >>> in_words(np.array([0, 0, 1, -1])), in_words(np.array([-1, -1]))
    ('2 clusters in 4 rows, 1 row in none', 'no clusters in 2 rows')
    """
    n_clusters = int(labels.max()) + 1
    rows = count(len(labels), "row")
    if n_clusters == 0:
        return f"no clusters in {rows}"
    found = f"{count(n_clusters, 'cluster')} in {rows}"
    n_outside = int((labels < 0).sum())
    return f"{found}, {count(n_outside, 'row')} in none" if n_outside else found


def show(data: FileData, model: URerF, labels: np.ndarray) -> None:
    """Print the sizes of the clusters, what marks them, and the labels in each, for people."""
    from collections import Counter  # start-up time

    from rich.table import Table
    from rich.text import Text

    from urerf.report.markers import describe_clusters

    grid = Table("cluster", header_style="bold")
    grid.add_column("rows", justify="right")
    grid.add_column("marked by")
    if data.labels is not None:
        grid.add_column("labels")
    described = describe_clusters(data.frame, model, labels)
    names = [cluster.name if cluster.markers else "no single column" for cluster in described]
    for number in sorted(set(labels.tolist()), key=lambda number: (number < 0, number)):
        rows = (labels == number).nonzero()[0]
        is_none = number < 0
        cells = ["none" if is_none else str(number), f"{len(rows):,}"]
        cells.append("" if is_none else names[number])
        if data.labels is not None:
            common = Counter(data.labels[i] for i in rows).most_common(3)
            cells.append(", ".join(f"{label} {n_rows:,}" for label, n_rows in common))
        grid.add_row(*(Text(one_line(cell)) for cell in cells))
    make_console().print(grid)
