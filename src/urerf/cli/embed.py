"""``urerf embed``: two coordinates for every row of a file."""

from __future__ import annotations

from typing import Annotated

import typer

from urerf._messages import count

from . import options as o
from .session import FittingSession
from .unfold import unfold

EXAMPLES = o.examples(
    "urerf embed data.csv -o embedding.csv",
    "urerf embed data.csv --method umap --label species -o embedding.csv",
    "urerf embed - --json < data.csv",
)
Method = Annotated[
    str,
    typer.Option(
        metavar="METHOD",
        help="layout, isomap, spectral, tsne, or umap (needs umap-learn).",
    ),
]


@unfold
def embed(
    files: o.Files,
    out: o.TableOut = "-",
    method: Method = "layout",
    k: o.Neighbors = 15,
    *,
    session: FittingSession,
) -> None:
    """Compute two coordinates for every row from the neighbor graph of the forest.

    The result has the columns row, x and y, and label if there is a
    --label.
    """
    from urerf import embedding  # start-up time
    from urerf.files.write import TABLES, check_target

    embedding.check_method(method)  # before the work, not after
    check_target(out, TABLES)
    data = session.read(files)
    k = session.limit_neighbors(k, len(data.rows) - 1)
    model = session.fit(data)
    session.step(f"embedding the graph: {method}")
    with session.warnings():
        points = embedding.embed(model, method, n_neighbors=k, random_state=session.seed)
    x, y = points.T
    columns = {"row": data.keys(), "x": x, "y": y}
    session.write(columns, out, data.labels)
    n_rows = len(points)
    text = f"{method} of {count(n_rows, 'row')}"
    session.summarize(out, text, rows=n_rows, method=method, neighbors=k)
