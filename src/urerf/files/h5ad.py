"""Reader for H5AD files (annotated matrices of single cells).

HDF5, the format below it, can crash on files that were made to do so. They are read in a process of
their own, but read H5AD files only from people you trust.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from urerf._messages import listed
from urerf._sparse import checked_sparse

from .._typing import Array
from .apart import read_apart
from .arrays import from_matrix
from .names import unique_names
from .optional import optional
from .options import ReadOptions, Roles
from .source import Source, first_line
from .table import RawTable, keep_declared

HDF5 = b"\x89HDF\r\n\x1a\n"


def read_h5ad(source: Source, options: ReadOptions, roles: Roles) -> RawTable:
    """Read an annotated matrix: X, its variable and observation names, and columns of obs.

    The columns of obs describe the rows. They are used only if the user names them.
    """
    raw = read_apart("h5ad", source)
    unused = keep_declared(raw, roles)
    if unused:
        verb = "describes" if len(unused) == 1 else "describe"
        raw.notices.append(f"Not used: {listed(unused)} ({verb} the rows; in obs).")
    return raw


def load(path: str, name: str) -> RawTable:
    """Read a file on disk."""
    purpose = f"{name}: anndata is needed to read H5AD files"
    anndata = optional("anndata", purpose, "h5ad")
    try:
        data = anndata.read_h5ad(path)
    except Exception as error:  # HDF5 and anndata raise nearly every kind of error
        reason = first_line(error)
        raise ValueError(f"{name}: is an HDF5 file, but not H5AD ({reason})") from None
    if data.X is None:
        raise ValueError(f"{name}: has no matrix X")
    if sp.issparse(data.X):
        checked = checked_sparse(data.X, name)
        values: Any = checked.tocsr()
    else:
        values = np.asarray(data.X)
    raw = from_matrix(values, name)
    names = [str(name) for name in (*data.var_names, *data.obs)]
    names, _, raw.notices = unique_names(names)
    n_columns = len(raw.names)
    raw.names = names[:n_columns]
    raw.ids = [str(row) for row in data.obs_names]
    names_in_obs = names[n_columns:]
    for i, name in enumerate(names_in_obs):
        column = data.obs.iloc[:, i]
        raw.columns[name] = _cells(column)
    return raw


def _cells(column: Any) -> Array:
    """Return a column of obs: numbers, or objects with None for missing values."""
    if column.dtype.kind in "fiub":
        return column.to_numpy()
    cells = [None if cell != cell else str(cell) for cell in column]
    return np.array(cells, dtype=object)
