"""The HTML report: one file that needs no network, with an explorer of rows and their neighbors."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from urerf.files import FileData
from urerf.files.table import texts_of
from urerf.schema import Frame, Schema

from .findings import Findings, find
from .page import write

__all__ = ["Findings", "find", "write", "write_report"]


def write_report(
    model: Any,
    path: str | os.PathLike,
    X: Any,
    *,
    label: Any = None,
    n_neighbors: int | None = None,
) -> None:
    """Write the report of a model and the table it was fitted on.

    ``label`` is the name of a column of X, or one label per row; it only colors the map.
    """
    values = model._values(X)
    names = [f"x{i}" for i in range(model.n_features_in_)]
    frame = Frame(values, model.schema_ or Schema.of_numbers(names))
    labels = X[label] if isinstance(label, str) else label
    texts = None if labels is None else texts_of(np.asarray(labels))
    data = FileData(frame, np.arange(values.shape[0]), None, texts, "Table")
    findings = find(data, model, n_neighbors or model.n_neighbors, step=lambda text: None)
    write(findings, path, command='urerf.write_report(model, "report.html", X)')
