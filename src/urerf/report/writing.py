"""``write_report``: from a fitted model and its table to the page."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from urerf._messages import count
from urerf._output import check_folder
from urerf.files import FileData
from urerf.parameters import check_model

from .findings import Findings, find
from .page import write
from .source import file_data, label_name, label_was_fitted

if TYPE_CHECKING:
    from urerf import URerF


def write_report(
    model: URerF,
    path: str | os.PathLike,
    X: Any,
    *,
    label: Any = None,
    n_neighbors: int | None = None,
    title: str = "Table",
    command: str | None = None,
    step: Callable[[str], None] = lambda text: None,
) -> Findings:
    """Write an HTML report: what was found, and an explorer of all rows and their neighbors.

    The report is a single file that needs no network. It contains values of the table: consider
    privacy.

    Parameters
    ----------
    model : URerF
        A fitted model.
    path : str or path
        The HTML file to write.
    X : data frame or array-like of shape (rows, columns)
        The table that the model was fitted on.
    label : str or array-like of shape (rows,), optional
        A column of X, or one label per row, to color the map by. Labels are compared with those of
        the neighbors, unless the model was fitted on them: X may have columns that the model was
        not fitted on.
    n_neighbors : int, optional
        Neighbors per row; None for the model's own ``n_neighbors``. If the table has fewer rows,
        all other rows are neighbors.
    title : str, default="Table"
        Title of the page.
    command : str, optional
        Text that says how to make the page again.
    step : callable, optional
        Called with what is being done.

    Returns
    -------
    Findings
        What the page shows.

    Examples
    --------
    >>> import os, tempfile
    >>> from urerf import URerF
    >>> from urerf.datasets import make_helix
    >>> from urerf.report import write_report
    >>> X = make_helix(100, random_state=0).X
    >>> model = URerF(random_state=0).fit(X)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     findings = write_report(model, os.path.join(folder, "report.html"), X)
    >>> findings.neighbors.shape
    (100, 15)
    """
    check_model(model)
    check_folder("path", path)
    data = X
    if not isinstance(X, FileData):
        data = file_data(model, X, label, title)
    k = _check_n_neighbors(model, n_neighbors)
    was_fitted = label_was_fitted(model, label)
    if was_fitted:
        warnings.warn(
            f"label: the model was fitted on {label_name(label)!r}, so the report does not say how "
            "often neighbors share it; fit the model without this column to compare",
            stacklevel=2,
        )
    findings = find(
        data,
        model,
        k,
        step=step,
        label=label_name(label),
        label_was_fitted=was_fitted,
    )
    write(findings, path, command or f'urerf.write_report(model, "{os.path.basename(path)}", X)')
    return findings


def _check_n_neighbors(model: URerF, n_neighbors: int | None) -> int:
    """Return k, at most the number of other rows; say so if it is fewer than asked for."""
    k = model.n_neighbors if n_neighbors is None else n_neighbors
    most = model.n_samples_fit_ - 1
    if k <= most:
        return k
    warnings.warn(
        f"n_neighbors: the table has only {count(model.n_samples_fit_, 'row')}, so the report "
        f"shows {count(most, 'neighbor')} per row instead of {k}",
        stacklevel=3,
    )
    return most
