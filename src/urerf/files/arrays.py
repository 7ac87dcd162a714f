"""Readers for NumPy files, which check every declared size before anything is allocated."""

from __future__ import annotations

import math
import zipfile
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.lib import format as npy

from urerf._memory import available_memory
from urerf._sparse import checked_sparse
from urerf.convert import Plain
from urerf.schema import ID

from .._typing import Array
from .options import LABEL, ReadOptions, Roles
from .source import Source, check_members, damaged
from .table import RawTable

# Arrays that `scipy.sparse.save_npz` writes for a matrix in CSR or CSC format.
SPARSE_ARRAYS = frozenset(["format", "data", "indices", "indptr", "shape"])
SPARSE_FORMATS = {b"csr": sp.csr_matrix, b"csc": sp.csc_matrix}
# Columns of a sparse matrix per stored value: a matrix of more has hardly any value per column.
MOST_EMPTY_COLUMNS = 100
ALWAYS_COLUMNS = 1_000_000
# The table is held in the file's type and as float64 at the same time.
COPIES = 2
PIECE = 1 << 24  # bytes read at once, so that a file that ends early does not cost memory


class Header(NamedTuple):
    """What the first bytes of an NPY file declare."""

    shape: tuple[int, ...]
    is_fortran: bool
    dtype: np.dtype

    @property
    def n_bytes(self) -> int:
        """Number of bytes of the array."""
        return math.prod(self.shape) * self.dtype.itemsize


def read_npy(source: Source, options: ReadOptions, roles: Roles) -> RawTable:
    """Read one two-dimensional NumPy array."""
    with source.open() as file:
        values = _read_array(file, source.name, source.limit)
    raw = from_matrix(values, source.name)
    roles.resolve(raw.all_names, source.name)
    return raw


def _read_array(file: BinaryIO, name: str, limit: float) -> Array:
    """Read an array of which not more than ``limit`` bytes can be there."""
    header = _read_header(file, name)
    if header.dtype.hasobject or header.dtype.kind == "V" or not header.dtype.itemsize:
        raise ValueError(
            f"{name}: contains values of type {header.dtype}; it must contain real numbers or text"
        )
    if header.n_bytes > limit:
        raise ValueError(
            f"{name}: declares an array of shape {header.shape}, but has not that many bytes"
        )
    check_memory(COPIES * header.n_bytes, name)
    data = np.empty(header.n_bytes, dtype=np.uint8)
    n_read = 0
    while n_read < len(data):
        piece = file.read(min(PIECE, len(data) - n_read))
        if not piece:
            raise ValueError(
                f"{name}: is damaged: has {n_read:,} bytes of an array of {len(data):,}"
            )
        data[n_read : n_read + len(piece)] = np.frombuffer(piece, dtype=np.uint8)
        n_read += len(piece)
    flat = data.view(header.dtype) if header.n_bytes else np.empty(0, dtype=header.dtype)
    return flat.reshape(header.shape, order="F" if header.is_fortran else "C")


def _read_header(file: BinaryIO, name: str) -> Header:
    try:
        version = npy.read_magic(file)
        if version == (1, 0):
            declared = npy.read_array_header_1_0(file)
        else:
            declared = npy.read_array_header_2_0(file)
    except Exception as error:  # the header is parsed as Python, which fails in many ways
        first_line = str(error).split("\n", maxsplit=1)[0]
        raise ValueError(f"{name}: is not an NPY file: {first_line}") from None
    header = Header(*declared)
    if any(side < 0 for side in header.shape):
        raise ValueError(f"{name}: declares an array of shape {header.shape}")
    return header


def check_memory(n_bytes: float, name: str) -> None:
    """Refuse a table that does not fit into memory."""
    free = available_memory()
    if n_bytes > free:
        raise ValueError(
            f"{name}: needs {n_bytes / 2**30:,.1f} GiB, but only {free / 2**30:,.1f} GiB is "
            "available"
        )


def read_npz(source: Source, options: ReadOptions, roles: Roles) -> RawTable:
    """Read the array X of an NPZ file, or its only array, or a sparse matrix saved by SciPy.

    One-dimensional arrays with one value per row can be row names or labels.
    """
    check_members(source, options.max_size)
    with source.open() as file:
        try:
            arrays = _read_arrays(zipfile.ZipFile(file), source.name)
        except MemoryError:
            raise
        except Exception as error:  # zipfile raises many kinds
            raise damaged(source.name, error) from None
    if set(arrays) >= SPARSE_ARRAYS:
        raw = from_matrix(_sparse_matrix(arrays, source.name), source.name)
    else:
        raw = _dense_table(arrays, source.name)
    declared = roles.resolve(raw.all_names, source.name)
    for name in list(raw.columns):
        if declared.get(name) not in (ID, LABEL):
            del raw.columns[name]
    return raw


def _read_arrays(archive: zipfile.ZipFile, name: str) -> dict[str, Array]:
    arrays = {}
    for member in archive.infolist():
        if not member.filename.endswith(".npy"):
            continue
        label = f"{name}: {member.filename}"
        with archive.open(member) as file:
            array = _read_array(file, label, member.file_size)  # type: ignore[arg-type]
        arrays[member.filename.removesuffix(".npy")] = array
    return arrays


def _dense_table(arrays: dict[str, Array], name: str) -> RawTable:
    tables = {key: array for key, array in arrays.items() if array.ndim != 1}
    if "X" in arrays:
        table = arrays["X"]
    elif len(tables) == 1:
        table = next(iter(tables.values()))
    elif not tables and len(arrays) == 1:
        table = next(iter(arrays.values()))
    else:
        available = ", ".join(arrays) or "none"
        raise ValueError(
            f"{name}: has no array X and more than one other; name the table X, or save it alone "
            f"(available: {available})"
        )
    raw = from_matrix(table, name)
    for key, array in arrays.items():
        if array.shape == (raw.n_rows,) and array.dtype.kind in "fiubU":
            raw.columns[key] = array
    return raw


def _sparse_matrix(arrays: dict[str, Array], name: str) -> sp.csr_matrix:
    """Return a sparse matrix after checking all its indices, which SciPy does not do by itself."""
    try:
        matrix_class = SPARSE_FORMATS.get(arrays["format"].item())
        shape = tuple(int(side) for side in arrays["shape"])
    except (ValueError, TypeError) as error:
        raise ValueError(f"{name}: is not a sparse matrix: {error}") from None
    if matrix_class is None or len(shape) != 2:
        raise ValueError(f"{name}: the sparse matrix is neither CSR nor CSC; save it as CSR")
    for key in ("shape", "indices", "indptr"):
        if arrays[key].dtype.kind not in "iu":
            raise ValueError(f"{name}: is not a sparse matrix: {key} must be integers")
    _check_sparse_shape(shape, arrays["data"].size, name)
    try:
        content = (arrays["data"], arrays["indices"], arrays["indptr"])
        matrix = matrix_class(content, shape=shape)
    except (ValueError, TypeError, IndexError, OverflowError) as error:
        raise ValueError(f"{name}: is not a valid sparse matrix: {error}") from None
    return checked_sparse(matrix, name).tocsr()


def _check_sparse_shape(shape: Sequence[int], n_stored: int, name: str) -> None:
    most = max(ALWAYS_COLUMNS, MOST_EMPTY_COLUMNS * n_stored)
    if min(shape) < 0 or max(shape) > most:
        raise ValueError(
            f"{name}: declares a sparse matrix of shape {tuple(shape)} with {n_stored:,} stored "
            "values; nearly all of it would be empty"
        )


def from_matrix(values: Any, name: str) -> RawTable:
    """Return the table of a matrix of numbers, with columns x0, x1, ..."""
    if values.ndim != 2 or values.dtype.kind not in "fiub":
        raise ValueError(
            f"{name}: contains an array of shape {values.shape} and type {values.dtype}; "
            "it must be rows x columns of real numbers"
        )
    if values.dtype != np.float32:
        values = values.astype(np.float64)
    names = [f"x{i}" for i in range(values.shape[1])]
    raw = RawTable(name, {}, values.shape[0], matrix=values, names=names)
    refuse_infinite(raw)
    return raw


def refuse_infinite(raw: RawTable) -> None:
    """Raise ValueError with the position of the first infinite value, if there is one."""
    for row, name in _infinite_cells(raw):
        raise ValueError(f"{raw.place(row, name)}: is infinite; values must be finite")


def _infinite_cells(raw: RawTable) -> Iterator[tuple[int, str]]:
    """Yield the row and the column of infinite values."""
    if sp.issparse(raw.matrix):
        entries = raw.matrix.tocoo()
        for i in np.flatnonzero(np.isinf(entries.data)):
            yield int(entries.row[i]), raw.names[entries.col[i]]
    elif raw.matrix is not None:
        for row, column in np.argwhere(np.isinf(raw.matrix)):
            yield int(row), raw.names[column]
    for name, values in raw.columns.items():
        numbers = values.values if isinstance(values, Plain) else values
        if isinstance(numbers, np.ndarray) and numbers.dtype.kind == "f":
            for row in np.flatnonzero(np.isinf(numbers)):
                yield int(row), name
