"""Reader for H5AD files (annotated matrices of single cells).

HDF5, the format below it, can crash on files that were made to do so: read H5AD files only from
people you trust.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from urerf._messages import listed
from urerf.schema import IGNORE

from .arrays import from_matrix
from .options import ReadOptions, Roles
from .source import Source
from .table import RawTable

HDF5 = b"\x89HDF\r\n\x1a\n"


def read_h5ad(source: Source, options: ReadOptions, roles: Roles) -> RawTable:
    """Read an annotated matrix: X, its variable and observation names, and columns of obs.

    The columns of obs describe the rows. They are used only if the user names them.
    """
    try:
        import anndata  # optional package
    except ImportError:
        raise ImportError(
            f"{source.name}: anndata is needed to read H5AD files: pip install urerf[h5ad]"
        ) from None
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy.h5ad"  # HDF5 needs to seek, which a stream cannot
        copy.write_bytes(source.read())
        try:
            data = anndata.read_h5ad(copy)
        except Exception as error:  # HDF5 and anndata raise nearly every kind of error
            first_line = str(error).split("\n", maxsplit=1)[0]
            raise ValueError(
                f"{source.name}: is an HDF5 file, but not H5AD ({first_line})"
            ) from None
    if data.X is None:
        raise ValueError(f"{source.name}: has no matrix X")
    values = sp.csr_matrix(data.X) if sp.issparse(data.X) else np.asarray(data.X)
    raw = from_matrix(values, source.name)
    raw.names = [str(name) for name in data.var_names]
    raw.ids = [str(name) for name in data.obs_names]
    annotations = {str(name): _cells(data.obs[name]) for name in data.obs}
    declared = roles.resolve([*raw.names, *annotations], source.name)
    raw.columns = {
        name: cells for name, cells in annotations.items() if declared.get(name, IGNORE) != IGNORE
    }
    unused = [name for name in annotations if name not in declared]
    if unused:
        raw.notices.append(f"Not used: {listed(unused)} (describes the rows; in obs).")
    return raw


def _cells(column: Any) -> np.ndarray:
    """Return a column of obs: numbers, or objects with None for missing values."""
    if column.dtype.kind in "fiub":
        return column.to_numpy()
    cells = [None if cell != cell else str(cell) for cell in column]
    return np.array(cells, dtype=object)
