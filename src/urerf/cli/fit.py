"""``urerf fit``: grow a forest and save it."""

from __future__ import annotations

from typing import Annotated

import typer

from urerf._messages import count

from . import options as o
from .session import FittingSession
from .unfold import unfold

EXAMPLES = o.examples(
    "urerf fit data.csv -o model.urerf",
    "urerf fit data.parquet --id name --label species",
)


@unfold
def fit(
    files: o.Files,
    out: Annotated[str, typer.Option("-o", "--out", metavar="FILE", help="Model file.")] = (
        "model.urerf"
    ),
    *,
    session: FittingSession,
) -> None:
    """Grow a forest and save it, to find neighbors of new rows with `urerf query`.

    The model file contains the data of the columns that carry structure,
    and the row names: consider its size and privacy.
    """
    from urerf.files.write import check_folder  # start-up time
    from urerf.report.structure import n_structured, structure_summary

    check_folder(out)
    data = session.read(files)
    model = session.fit(data)
    model.save(out)
    n_rows = len(data.rows)
    n_trees = model.n_estimators_
    session.summarize(
        out,
        f"{count(n_trees, 'tree')} on {count(n_rows, 'row')}; {structure_summary(model)}",
        rows=n_rows,
        columns=data.n_features,
        structure=n_structured(model),
        trees=n_trees,
    )
