"""Readers for NumPy, Arrow, Parquet and H5AD files."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Collection
from typing import Any, BinaryIO

import numpy as np
import scipy.sparse as sp

from .raw import RawColumns, stack

# Arrays that `scipy.sparse.save_npz` writes for a matrix in CSR or CSC format.
SPARSE_ARRAYS = frozenset(["format", "data", "indices", "indptr", "shape"])
SPARSE_FORMATS = {b"csr": sp.csr_matrix, b"csc": sp.csc_matrix}


def read_npy(file: BinaryIO, source: str) -> RawColumns:
    """Read one two-dimensional NumPy array."""
    try:
        values = np.load(file, allow_pickle=False)
    except ValueError as error:
        raise ValueError(_with_source(error, source)) from None
    return _from_array(values, source)


def read_npz(file: BinaryIO, source: str, as_text: Collection[str]) -> RawColumns:
    """Read the array X of an NPZ file, or its only array, or a sparse matrix saved by SciPy.

    Arrays named in ``as_text`` become text columns.
    """
    try:
        arrays = dict(np.load(io.BytesIO(file.read()), allow_pickle=False))
    except (ValueError, zipfile.BadZipFile) as error:
        raise ValueError(_with_source(error, source)) from None
    if set(arrays) >= SPARSE_ARRAYS:
        return _from_array(_sparse_matrix(arrays, source), source)
    texts = {name: arrays.pop(name) for name in as_text if name in arrays}
    raw = _from_array(_main_array(arrays, source), source)
    for name, array in texts.items():
        if array.shape != (raw.n_rows,):
            raise ValueError(
                f"{source}: array {name!r} has shape {array.shape}, but the table has "
                f"{raw.n_rows} rows"
            )
        raw.texts[name] = [str(cell) for cell in array.tolist()]
    return raw


def _sparse_matrix(arrays: dict[str, np.ndarray], source: str) -> sp.csr_matrix:
    matrix_class = SPARSE_FORMATS.get(arrays["format"].item())
    if matrix_class is None:
        raise ValueError(f"{source}: the sparse matrix is neither CSR nor CSC; save it as CSR")
    content = (arrays["data"], arrays["indices"], arrays["indptr"])
    return matrix_class(content, shape=tuple(arrays["shape"])).tocsr()


def _main_array(arrays: dict[str, np.ndarray], source: str) -> np.ndarray:
    if "X" in arrays:
        return arrays["X"]
    if len(arrays) == 1:
        return next(iter(arrays.values()))
    available = ", ".join(arrays) or "none"
    raise ValueError(
        f"{source}: has no array X and more than one other; name the table X, or save it alone "
        f"(available: {available})"
    )


def read_arrow(
    file: BinaryIO, source: str, as_text: Collection[str], skip: Collection[str], parquet: bool
) -> RawColumns:
    """Read a Parquet file or an Arrow IPC file (Feather)."""
    try:
        import pyarrow as pa  # optional package
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
        is_number = pa.types.is_floating(column.type) or pa.types.is_integer(column.type)
        if is_number and name not in as_text:
            names.append(name)
            numbers.append(column.to_numpy().astype(np.float64))
        else:
            cells = column.to_pylist()
            texts[name] = ["" if cell is None else str(cell) for cell in cells]
    return _refuse_infinite(RawColumns(source, names, stack(numbers, table.num_rows), texts))


def _arrow_table(file: BinaryIO, parquet: bool) -> Any:
    import pyarrow as pa  # optional package

    buffer = pa.BufferReader(file.read())
    if parquet:
        import pyarrow.parquet

        return pyarrow.parquet.read_table(buffer)
    return pa.ipc.open_file(buffer).read_all()


def read_h5ad(path: str, source: str) -> RawColumns:
    """Read an annotated matrix: X, its variable and observation names, and obs as text columns."""
    try:
        import anndata  # optional package
    except ImportError:
        raise ImportError(
            f"{source}: anndata is needed to read H5AD files: pip install urerf[h5ad]"
        ) from None
    try:
        data = anndata.read_h5ad(path)
    except (KeyError, anndata.io.IORegistryError) as error:
        raise ValueError(f"{source}: is an HDF5 file, but not H5AD ({error})") from None
    values = data.X.tocsr() if sp.issparse(data.X) else np.asarray(data.X)
    raw = _from_array(values, source)
    raw.names = [str(name) for name in data.var_names]
    raw.ids = [str(name) for name in data.obs_names]
    for name in data.obs:
        raw.texts[str(name)] = [str(cell) for cell in data.obs[name]]
    return raw


def _from_array(values: Any, source: str) -> RawColumns:
    if values.ndim != 2 or values.dtype.kind not in "fiub":
        raise ValueError(
            f"{source}: contains an array of shape {values.shape} and type {values.dtype}; "
            "it must be rows x columns of real numbers"
        )
    if values.dtype != np.float32:
        values = values.astype(np.float64)
    names = [f"x{i}" for i in range(values.shape[1])]
    return _refuse_infinite(RawColumns(source, names, values))


def _refuse_infinite(raw: RawColumns) -> RawColumns:
    """Raise ValueError with the position of the first infinite value, if there is one."""
    if sp.issparse(raw.numbers):
        entries = raw.numbers.tocoo()
        infinite = np.isinf(entries.data)
        positions = np.column_stack([entries.row[infinite], entries.col[infinite]])
    else:
        positions = np.argwhere(np.isinf(raw.numbers))
    if len(positions):
        row, column = positions[0]
        raise ValueError(f"{raw.place(row, raw.names[column])}: is infinite; values must be finite")
    return raw


def _with_source(error: Exception, source: str) -> str:
    """Return the first line of a library's message, after the name of the file."""
    text = str(error).split("\n", maxsplit=1)[0]
    return text if text.startswith(source) else f"{source}: {text}"
