"""Readers for NumPy files, which check every declared size before anything is allocated."""

from __future__ import annotations

import math
import zipfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, BinaryIO

import numpy as np
import scipy.sparse as sp
from numpy.lib import format as npy

from urerf._memory import check_memory
from urerf._sparse import checked_sparse
from urerf.kinds.convert import Plain

from .._typing import Array
from .options import ReadOptions, Roles
from .source import Source, check_members, damaged, first_line
from .table import RawTable, keep_declared

# Arrays that `scipy.sparse.save_npz` writes for a matrix in CSR or CSC format.
SPARSE_ARRAYS = frozenset(["format", "data", "indices", "indptr", "shape"])
SPARSE_FORMATS = {b"csr": sp.csr_matrix, b"csc": sp.csc_matrix}
# Columns of a sparse matrix per stored value: a matrix of more has hardly any value per column.
MOST_EMPTY_COLUMNS = 100
ALWAYS_COLUMNS = 1_000_000
# The table is held in the file's type and as float64 at the same time.
COPIES = 2


def read_npy(source: Source, options: ReadOptions, roles: Roles) -> RawTable:
    """Read one two-dimensional NumPy array."""
    array = _read_array(source.open, source.name, source.limit)
    return from_matrix(array, source.name)


def _read_array(open_file: Callable[[], Any], name: str, limit: float) -> Array:
    """Read an array of which not more than ``limit`` bytes can be there."""
    with open_file() as file:
        shape, dtype = _read_header(file, name)
    is_record = dtype.kind == "V"
    is_empty = dtype.itemsize == 0
    if dtype.hasobject or is_record or is_empty:
        raise ValueError(
            f"{name}: contains values of type {dtype}; it must contain real numbers or text"
        )
    n_cells = math.prod(shape)
    n_bytes = n_cells * dtype.itemsize
    if n_bytes > limit:
        raise ValueError(f"{name}: declares an array of shape {shape}, but has not that many bytes")
    check_memory(COPIES * n_bytes, f"{name}:")
    with open_file() as file:
        try:
            return npy.read_array(file, allow_pickle=False)
        except ValueError as error:  # it ends early
            raise damaged(name, error) from None


def _read_header(file: BinaryIO, name: str) -> tuple[tuple[int, ...], np.dtype]:
    """Return the shape and the type that the first bytes of an NPY file declare."""
    try:
        version = npy.read_magic(file)
        if version == (1, 0):
            shape, _, dtype = npy.read_array_header_1_0(file)
        else:
            shape, _, dtype = npy.read_array_header_2_0(file)
    except Exception as error:  # the header is parsed as Python, which fails in many ways
        raise ValueError(f"{name}: is not an NPY file: {first_line(error)}") from None
    if any(side < 0 for side in shape):
        raise ValueError(f"{name}: declares an array of shape {shape}")
    return shape, dtype


def read_npz(source: Source, options: ReadOptions, roles: Roles) -> RawTable:
    """Read the array X of an NPZ file, or its only array, or a sparse matrix saved by SciPy.

    One-dimensional arrays with one value per row are columns if the user names them.
    """
    check_members(source, options.max_size)
    with source.open() as file:
        try:
            archive = zipfile.ZipFile(file)
            arrays = _read_arrays(archive, source.name)
        except MemoryError:
            raise
        except Exception as error:  # zipfile raises many kinds
            raise damaged(source.name, error) from None
    if set(arrays) >= SPARSE_ARRAYS:
        matrix = _sparse_matrix(arrays, source.name)
        raw = from_matrix(matrix, source.name)
    else:
        raw = _dense_table(arrays, source.name)
    keep_declared(raw, roles)
    return raw


def _read_arrays(archive: zipfile.ZipFile, name: str) -> dict[str, Array]:
    arrays = {}
    for member in archive.infolist():
        key = member.filename.removesuffix(".npy")
        if key != member.filename:
            open_member = partial(archive.open, member)
            place = f"{name}: {member.filename}"
            arrays[key] = _read_array(open_member, place, member.file_size)
    return arrays


def _dense_table(arrays: dict[str, Array], name: str) -> RawTable:
    """Return the array X, or else the only one that is not a column, or the only one at all."""
    tables = [array for array in arrays.values() if array.ndim != 1]
    if not tables:
        tables = list(arrays.values())
    if "X" not in arrays and len(tables) != 1:
        available = ", ".join(arrays) or "none"
        raise ValueError(
            f"{name}: has no array X and more than one other; name the table X, or save it alone "
            f"(available: {available})"
        )
    table = arrays.get("X", tables[0])
    raw = from_matrix(table, name)
    for key, array in arrays.items():
        has_value_per_row = array.shape == (raw.n_rows,)
        is_plain = array.dtype.kind in "fiubU"
        if has_value_per_row and is_plain:
            raw.columns[key] = array
    return raw


def _sparse_matrix(arrays: dict[str, Array], name: str) -> sp.csr_matrix:
    """Return a sparse matrix after checking all its indices, which SciPy does not do by itself."""
    try:
        format_name = arrays["format"].item()
        matrix_class = SPARSE_FORMATS.get(format_name)
        shape = tuple(int(side) for side in arrays["shape"])
    except (ValueError, TypeError) as error:
        raise ValueError(f"{name}: is not a sparse matrix: {error}") from None
    if matrix_class is None or len(shape) != 2:
        raise ValueError(f"{name}: the sparse matrix is neither CSR nor CSC; save it as CSR")
    for key in ("shape", "indices", "indptr"):
        kind = arrays[key].dtype.kind
        if kind not in "iu":
            raise ValueError(f"{name}: is not a sparse matrix: {key} must be integers")
    n_stored = arrays["data"].size
    _check_sparse_shape(shape, n_stored, name)
    try:
        content = (arrays["data"], arrays["indices"], arrays["indptr"])
        matrix = matrix_class(content, shape=shape)
    except (ValueError, TypeError, IndexError, OverflowError) as error:
        raise ValueError(f"{name}: is not a valid sparse matrix: {error}") from None
    checked = checked_sparse(matrix, name)
    return checked.tocsr()


def _check_sparse_shape(shape: Sequence[int], n_stored: int, name: str) -> None:
    most = max(ALWAYS_COLUMNS, MOST_EMPTY_COLUMNS * n_stored)
    is_negative = min(shape) < 0
    if is_negative or max(shape) > most:
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
    n_rows, n_columns = values.shape
    names = [f"x{i}" for i in range(n_columns)]
    return RawTable(name, {}, n_rows, matrix=values, names=names)


def refuse_infinite(raw: RawTable) -> None:
    """Raise ValueError with the position of the first infinite value, if there is one."""
    for row, name, value in _infinite_cells(raw):
        raise ValueError(
            f"{raw.place(row, name)}: '{value}' is infinite; values must be finite, or missing "
            f"(--na {value})"
        )


def _infinite_cells(raw: RawTable) -> Iterator[tuple[int, str, float]]:
    """Yield the row and the column of infinite values, and the values."""
    if sp.issparse(raw.matrix):
        entries = raw.matrix.tocoo()
        is_infinite = np.isinf(entries.data)
        for i in np.flatnonzero(is_infinite):
            row = entries.row[i]
            column = entries.col[i]
            yield int(row), raw.names[column], entries.data[i]
    elif raw.matrix is not None:
        is_infinite = np.isinf(raw.matrix)
        for row, column in np.argwhere(is_infinite):
            yield int(row), raw.names[column], raw.matrix[row, column]
    for name, values in raw.columns.items():
        numbers = values.values if isinstance(values, Plain) else values
        if isinstance(numbers, np.ndarray) and numbers.dtype.kind == "f":
            is_infinite = np.isinf(numbers)
            for row in np.flatnonzero(is_infinite):
                yield int(row), name, numbers[row]
