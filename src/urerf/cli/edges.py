"""Neighbors as a file: a list of edges or a sparse matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from urerf import URerF
    from urerf._typing import Array


def check_target(out: str) -> None:
    """Refuse a target that cannot be written, before any work is done."""
    from urerf.files import write  # start-up time

    write.check_target(out, (".npz", *write.TABLES))


def write_neighbors(
    model: URerF,
    X: Any,
    n_neighbors: int,
    rows: Array,
    fitted_rows: Array,
    out: str,
    as_json: bool,
) -> None:
    """Write the neighbors of X, or of the fitted rows if X is None.

    ``rows`` and ``fitted_rows`` are what rows and neighbors are called in a list of edges.
    """
    import scipy.sparse as sp  # start-up time

    from urerf._output import replacing
    from urerf.files.write import write_columns

    if out.lower().endswith(".npz"):
        graph = model.kneighbors_graph(X, n_neighbors=n_neighbors)
        with replacing(out) as partial:
            sp.save_npz(partial, graph)  # for `scipy.sparse.load_npz`
        return
    distances, indices = model.kneighbors(X, n_neighbors=n_neighbors)
    columns = {
        "row": rows.repeat(n_neighbors),
        "neighbor": fitted_rows[indices.ravel()],
        "distance": distances.ravel(),
    }
    write_columns(columns, out, as_json)
