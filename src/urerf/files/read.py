"""Open a file, detect its format from the first bytes, and read it."""

from __future__ import annotations

import gzip
import io
import sys
import tempfile
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import BinaryIO, cast

from urerf.schema import CATEGORY, Schema

from .binary import read_arrow, read_h5ad, read_npy, read_npz
from .data import FileData, select, select_for_model
from .raw import RawColumns, join
from .text import read_text

GZIP = b"\x1f\x8b"
ZIP = b"PK\x03\x04"
NPY = b"\x93NUMPY"
HDF5 = b"\x89HDF\r\n\x1a\n"
PARQUET = b"PAR1"
ARROW = b"ARROW1"
SPREADSHEETS = (".xlsx", ".xls", ".ods")


def read_files(
    paths: Sequence[str],
    *,
    id: str | None = None,
    label: str | None = None,
    ignore: Collection[str] = (),
    header: bool | None = None,
    missing: str = "handle",
) -> FileData:
    """Read a table from one file, or from several files with the same columns.

    Parameters
    ----------
    paths : sequence of str
        Files; ``-`` is the standard input. CSV, TSV and other separated text, NPY, NPZ, Parquet,
        Arrow or H5AD, each also compressed by gzip. The format is detected from the first bytes,
        not from the name.
    id, label : str or None
        Columns with row names and row labels, which are not used as features.
    ignore : collection of str
        Columns to skip.
    header : bool or None
        Whether the first line of a text file contains column names; None to detect it from the
        first two lines.
    missing : {"handle", "error", "drop"}
        Keep missing values as NaN, refuse them, or drop their rows.
    """
    as_text = {name for name in (id, label) if name is not None}
    raw = _read_all(paths, header, as_text, ignore)
    return select(raw, id=id, label=label, ignore=ignore, missing=missing)


def read_for_model(
    paths: Sequence[str],
    schema: Schema,
    *,
    id: str | None = None,
    header: bool | None = None,
    missing: str = "handle",
) -> FileData:
    """Read new rows with the columns a model was fitted on, found by name in any order.

    Categories get the codes of the model's levels; a value that is not among them is refused.
    """
    as_text = {column.name for column in schema.columns if column.kind == CATEGORY}
    if id is not None:
        as_text.add(id)
    raw = _read_all(paths, header, as_text, skip=())
    return select_for_model(raw, schema, id=id, missing=missing)


def _read_all(
    paths: Sequence[str], header: bool | None, as_text: Collection[str], skip: Collection[str]
) -> RawColumns:
    parts = [read_raw(path, header=header, as_text=as_text, skip=skip) for path in paths]
    return join(parts)


def read_raw(
    path: str, *, header: bool | None, as_text: Collection[str], skip: Collection[str]
) -> RawColumns:
    """Read one file."""
    source = "standard input" if path == "-" else Path(path).name
    if Path(path).is_dir():
        raise IsADirectoryError(f"{source}: is a folder; give the name of a file")
    file = _stdin() if path == "-" else open(path, "rb")  # noqa: SIM115 (closed below)
    with file:
        try:
            return _read_open(file, source, header, as_text, skip)
        except (EOFError, gzip.BadGzipFile) as error:
            raise ValueError(f"{source}: is damaged: {error}") from None


def _read_open(
    file: BinaryIO,
    source: str,
    header: bool | None,
    as_text: Collection[str],
    skip: Collection[str],
) -> RawColumns:
    start = cast(io.BufferedReader, file).peek(8)[:8]
    if start.startswith(GZIP):
        unpacked = io.BufferedReader(gzip.GzipFile(fileobj=file))
        return _read_open(cast(BinaryIO, unpacked), source, header, as_text, skip)
    if source.lower().endswith(SPREADSHEETS):
        raise ValueError(f"{source}: is a spreadsheet; save it as CSV")
    if start.startswith(NPY):
        return read_npy(file, source)
    if start.startswith(ZIP):
        return read_npz(file, source, as_text)
    if start.startswith((PARQUET, ARROW)):
        return read_arrow(file, source, as_text, skip, parquet=start.startswith(PARQUET))
    if start.startswith(HDF5):
        return _read_hdf5(file, source)
    return read_text(file, source, header=header, as_text=as_text, skip=skip)


def _read_hdf5(file: BinaryIO, source: str) -> RawColumns:
    """Read from a copy on disk: HDF5 needs to seek, which a pipe cannot."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy.h5ad"
        copy.write_bytes(file.read())
        return read_h5ad(str(copy), source)


def _stdin() -> BinaryIO:
    if sys.stdin.isatty():
        raise ValueError(
            "standard input: is a terminal; name a file, or redirect one: urerf ... - < data.csv"
        )
    content = io.BytesIO(sys.stdin.buffer.read())
    return cast(BinaryIO, io.BufferedReader(content))
