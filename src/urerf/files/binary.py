"""NumPy, Arrow, Parquet and H5AD files to columns."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Collection
from typing import Any, BinaryIO

import numpy as np
import scipy.sparse as sp

from .raw import Raw, stack


def read_npy(file: BinaryIO, source: str) -> Raw:
    """Read one NumPy array of two dimensions."""
    try:
        return _matrix(np.load(file, allow_pickle=False), source)
    except ValueError as error:
        raise ValueError(_about(error, source)) from None


def read_npz(file: BinaryIO, source: str, as_text: Collection[str]) -> Raw:
    """Read the array X, or the only one, of an NPZ; arrays named in ``as_text`` become columns of text.

    A sparse matrix that SciPy saved is read as such.
    """
    try:
        arrays = dict(np.load(io.BytesIO(file.read()), allow_pickle=False))
    except (ValueError, zipfile.BadZipFile) as error:
        raise ValueError(_about(error, source)) from None
    if {"format", "data", "indices", "indptr", "shape"} <= set(arrays):
        kind = {b"csr": sp.csr_matrix, b"csc": sp.csc_matrix}.get(arrays["format"].item())
        if kind is None:
            raise ValueError(
                f"{source}: is a sparse matrix of another kind than CSR and CSC; save it as CSR"
            )
        parts = arrays["data"], arrays["indices"], arrays["indptr"]
        return _matrix(kind(parts, shape=tuple(arrays["shape"])).tocsr(), source)
    texts = {name: arrays.pop(name) for name in as_text if name in arrays}
    chosen = arrays.get("X", next(iter(arrays.values())) if len(arrays) == 1 else None)
    if chosen is None:
        found = ", ".join(arrays) or "none"
        raise ValueError(
            f"{source}: which array is the table? Call it X, or leave the others out; there are: {found}"
        )
    raw = _matrix(chosen, source)
    for name, array in texts.items():
        if array.shape != (raw.n_rows,):
            raise ValueError(
                f"{source}: array {name!r} has shape {array.shape}, the table has {raw.n_rows} rows"
            )
        raw.texts[name] = [str(cell) for cell in array.tolist()]
    return raw


def read_arrow(
    file: BinaryIO, source: str, as_text: Collection[str], skip: Collection[str], parquet: bool
) -> Raw:
    """Read a Parquet file, or Arrow's IPC file or stream (Feather)."""
    try:
        import pyarrow as pa
    except ImportError:
        raise ImportError(
            f"{source}: pyarrow is needed to read Parquet and Arrow files: pip install urerf[files]"
        ) from None
    try:
        table = _arrow_table(file, parquet)
    except pa.ArrowInvalid as error:
        raise ValueError(f"{source}: {str(error).splitlines()[0]}") from None
    names = []
    numbers = []
    texts = {}
    for name in table.column_names:
        if name in skip:
            continue
        column = table.column(name)
        if name not in as_text and (
            pa.types.is_floating(column.type) or pa.types.is_integer(column.type)
        ):
            names.append(name)
            numbers.append(column.to_numpy().astype(np.float64))
        else:
            texts[name] = ["" if cell is None else str(cell) for cell in column.to_pylist()]
    return _checked(Raw(source, names, stack(numbers, table.num_rows), texts))


def _arrow_table(file: BinaryIO, parquet: bool) -> Any:
    import pyarrow as pa

    buffer = pa.BufferReader(file.read())
    if parquet:
        import pyarrow.parquet

        return pyarrow.parquet.read_table(buffer)
    return pa.ipc.open_file(buffer).read_all()


def read_h5ad(path: str, source: str) -> Raw:
    """Read an annotated matrix: X, the names of its variables and observations, and the columns of obs as text."""
    try:
        import anndata
    except ImportError:
        raise ImportError(
            f"{source}: anndata is needed to read H5AD files: pip install urerf[h5ad]"
        ) from None
    try:
        data = anndata.read_h5ad(path)
    except (KeyError, anndata.io.IORegistryError) as error:
        raise ValueError(f"{source}: is an HDF5 file, but no H5AD ({error})") from None
    raw = _matrix(data.X.tocsr() if sp.issparse(data.X) else np.asarray(data.X), source)
    raw.names = [str(name) for name in data.var_names]
    raw.ids = [str(name) for name in data.obs_names]
    raw.texts = {str(name): [str(cell) for cell in data.obs[name]] for name in data.obs}
    return raw


def _matrix(values: Any, source: str) -> Raw:
    if values.ndim != 2 or values.dtype.kind not in "fiub":
        raise ValueError(
            f"{source}: an array of shape {values.shape} and type {values.dtype}; the table must be rows x columns of "
            "real numbers"
        )
    values = values.astype(np.float64) if values.dtype != np.float32 else values
    return _checked(Raw(source, [f"x{i}" for i in range(values.shape[1])], values))


def _checked(raw: Raw) -> Raw:
    """Refuse infinite values, and say where the first one is."""
    if sp.issparse(raw.numbers):
        entries = raw.numbers.tocoo()
        bad = np.flatnonzero(np.isinf(entries.data))
        where = [(entries.row[i], entries.col[i]) for i in bad[:1]]
    else:
        where = [tuple(at) for at in np.argwhere(np.isinf(raw.numbers))[:1]]
    for row, column in where:
        raise ValueError(f"{raw.place(row, raw.names[column])}: is infinite; values must be finite")
    return raw


def _about(error: Exception, source: str) -> str:
    """Return the first line of what a library says, with the name of the file before it."""
    text = str(error).split("\n", maxsplit=1)[0]
    return text if text.startswith(source) else f"{source}: {text}"
