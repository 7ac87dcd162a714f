"""``urerf query``: the nearest fitted rows of new rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from urerf._messages import count

from . import options as o
from .column_options import Missing, MissingValues, OneId
from .edges import check_target, write_neighbors
from .file_options import FileChoices
from .forest_options import Jobs
from .session import Session
from .unfold import unfold

EXAMPLES = o.examples(
    "urerf query model.urerf new.csv -k 15 -o edges.csv",
    "head -n 2 new.csv | urerf query model.urerf - -k 3 --json",
)


@dataclass
class QuerySession(FileChoices, Session):
    """A run that reads new rows."""


@unfold
def query(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="Model file from `urerf fit`.")],
    files: o.Files,
    k: o.Neighbors = 15,
    out: o.GraphOut = "-",
    id: OneId = None,
    missing: MissingValues = Missing.handle,
    jobs: Jobs = -1,
    *,
    session: QuerySession,
) -> None:
    """Find the nearest fitted rows of new rows.

    The new file must have the columns of the model, in any order. Rows
    are identified by --id, fitted rows by the --id of `urerf fit`, or
    else by their number, from 0.
    """
    import numpy as np  # start-up time

    from urerf import URerF
    from urerf.files import read_for_model
    from urerf.report.structure import schema_of

    check_target(out)
    fitted = URerF.load(model).set_params(n_jobs=jobs)
    schema = schema_of(fitted)
    options = session.file_options()
    data = read_for_model(files, schema, options, id=id, missing=missing.value)
    session.notify(*data.notices)
    fitted_rows = getattr(fitted, "row_names_", np.arange(fitted.n_samples_fit_))
    k = session.limit_neighbors(k, len(fitted_rows), "fitted row")
    write_neighbors(fitted, data.frame, k, data.keys(), fitted_rows, out, session.json)
    n_rows = len(data.rows)
    text = f"{count(k, 'neighbor')} for each of {count(n_rows, 'new row')}"
    session.summarize(out, text, rows=n_rows, neighbors=k, fitted=len(fitted_rows))
