"""Open a file, see by its first bytes what it is, and read it."""

from __future__ import annotations

import gzip
import io
import sys
import tempfile
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import BinaryIO, cast

from .binary import read_arrow, read_h5ad, read_npy, read_npz
from .raw import Raw, join
from .table import Table, make_table, make_table_for
from .text import read_text

GZIP = b"\x1f\x8b"
ZIP = b"PK\x03\x04"
NPY = b"\x93NUMPY"
HDF5 = b"\x89HDF\r\n\x1a\n"
PARQUET = b"PAR1"
ARROW = b"ARROW1"
EXCEL = (".xlsx", ".xls", ".ods")


def read_table(
    paths: Sequence[str],
    *,
    id: str | None = None,
    label: str | None = None,
    ignore: Collection[str] = (),
    header: bool | None = None,
    missing: str = "handle",
) -> Table:
    """Read the table of one file, or of several with the same columns, one below the other.

    Parameters
    ----------
    paths : sequence of str
        Files; ``-`` is the standard input. CSV, TSV and other separated text, NPY, NPZ, Parquet,
        Arrow, H5AD, each also compressed by gzip: told by the first bytes, not by the name.
    id, label : str or None
        Columns that name and label the rows; they are no features.
    ignore : collection of str
        Columns to leave out.
    header : bool or None
        Whether text begins with a line of names; None to judge by the first two lines.
    missing : {"handle", "error", "drop"}
        Missing values stay as NaN, are refused, or their rows are left out.
    """
    as_text = {name for name in (id, label) if name is not None}
    raw = join([read_raw(path, header=header, as_text=as_text, skip=ignore) for path in paths])
    return make_table(raw, id=id, label=label, ignore=ignore, missing=missing)


def read_for_model(
    paths: Sequence[str], names: Sequence[str], *, id: str | None, header: bool | None, missing: str
) -> Table:
    """Read new rows with the columns a model was fitted on, whatever their order; categories get the model's codes."""
    as_text = {name[:i] for name in names for i, letter in enumerate(name) if letter == "="} - {
        *names
    }
    as_text |= set() if id is None else {id}
    raw = join([read_raw(path, header=header, as_text=as_text, skip=()) for path in paths])
    return make_table_for(raw, names, id=id, missing=missing)


def read_raw(
    path: str, *, header: bool | None, as_text: Collection[str], skip: Collection[str]
) -> Raw:
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
) -> Raw:
    start = cast(io.BufferedReader, file).peek(8)[:8]
    if start.startswith(GZIP):
        plain = cast(BinaryIO, io.BufferedReader(gzip.GzipFile(fileobj=file)))
        return _read_open(plain, source, header, as_text, skip)
    if source.lower().endswith(EXCEL):
        raise ValueError(f"{source}: is a spreadsheet; save it as CSV")
    if start.startswith(NPY):
        return read_npy(file, source)
    if start.startswith(ZIP):
        return read_npz(file, source, as_text)
    if start.startswith((PARQUET, ARROW)):
        return read_arrow(file, source, as_text, skip, parquet=start.startswith(PARQUET))
    if start.startswith(HDF5):
        with (
            tempfile.TemporaryDirectory() as folder
        ):  # HDF5 wants a file of its own, which a pipe is not
            copy = Path(folder) / "table.h5ad"
            copy.write_bytes(file.read())
            return read_h5ad(str(copy), source)
    return read_text(file, source, header=header, as_text=as_text, skip=skip)


def _stdin() -> BinaryIO:
    if sys.stdin.isatty():
        raise ValueError(
            "standard input: is a terminal; name a file, or send one in: urerf ... - < data.csv"
        )
    return cast(BinaryIO, io.BufferedReader(io.BytesIO(sys.stdin.buffer.read())))
