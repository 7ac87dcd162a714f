"""``urerf cluster``: groups of rows of a file."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Annotated

import typer

from urerf._messages import count

from . import options as o
from .console import print_table
from .errors import WrongUsage
from .session import FittingSession
from .unfold import unfold

if TYPE_CHECKING:
    from urerf import URerF
    from urerf._typing import Array
    from urerf.files import FileData

EXAMPLES = o.examples(
    "urerf cluster data.csv",
    "urerf cluster data.csv --min-size 30 -o clusters.csv",
    "urerf cluster data.csv --method leiden --label species",
)
# What stands for the label of rows without one.
NO_LABEL = "missing"
CAUTION = (
    "clusters need not be separate groups: rows that vary continuously are often divided as well"
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
    session: FittingSession,
) -> None:
    """Find clusters in the neighbor graph of the forest.

    Clusters are numbered from 0, the largest first; -1 is for rows in
    none. The result has the columns row and cluster, and label if there
    is a --label.
    """
    from urerf.clusters import cluster as find  # start-up time
    from urerf.clusters import may_have_clusters
    from urerf.files.write import TABLES, check_target
    from urerf.leiden import check_method, leiden
    from urerf.report.structure import why_no_structure

    check_method(method)  # before the work, not after
    check_target(out, TABLES)
    data = session.read(files)
    n_rows = len(data.rows)
    if min_size is not None and min_size > n_rows:
        raise WrongUsage(
            f"--min-size: must be at most {n_rows:,}, the number of rows, got {min_size:,}"
        )
    k = session.limit_neighbors(k, n_rows - 1)
    model = session.fit(data)
    session.step(f"clustering the graph: {method}")
    if method == "leiden":
        seed = session.seed
        labels = leiden(model, resolution=resolution, n_neighbors=k, random_state=seed)
    else:
        labels = find(model, min_cluster_size=min_size, n_neighbors=k)
    if out == "-" and not session.json:
        typer.echo(f"{data.source}: {in_words(labels)}")
        if not may_have_clusters(model):
            typer.echo(f"{why_no_structure(model)}, so no clusters were sought")
        elif labels.max() >= 0:
            show(data, model, labels)
            typer.echo(f"{CAUTION}\n-o clusters.csv writes the cluster of every row")
        return
    session.write({"row": data.keys(), "cluster": labels}, out, data.labels)
    session.summarize(
        out,
        in_words(labels),
        rows=len(labels),
        clusters=int(labels.max()) + 1,
        outside=int((labels < 0).sum()),
    )


def in_words(labels: Array) -> str:
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


def show(data: FileData, model: URerF, labels: Array) -> None:
    """Print the sizes of the clusters, what marks them, and the labels in each, for people."""
    from urerf.report.markers import describe_clusters  # start-up time

    head = ["cluster", "rows", "marked by"]
    if data.labels is not None:
        head.append("labels")
    described = describe_clusters(data.frame, model, labels)
    names = [cluster.name if cluster.markers else "no single column" for cluster in described]
    table = []
    for number, name in [*enumerate(names), (-1, "")]:
        rows = (labels == number).nonzero()[0]
        if not len(rows):
            continue  # every row is in a cluster
        cells = ["none" if number < 0 else str(number), f"{len(rows):,}", name]
        if data.labels is not None:
            labels_inside = Counter(data.labels[i] or NO_LABEL for i in rows)
            common = labels_inside.most_common(3)
            words = [f"{label} {n_rows:,}" for label, n_rows in common]
            cells.append(", ".join(words))
        table.append(cells)
    print_table(head, table, numbers=["rows"])
