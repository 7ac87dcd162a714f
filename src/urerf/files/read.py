"""Detect the format of a file from its first bytes, and read it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from urerf.schema import Schema

from .arrays import read_npy, read_npz, refuse_infinite
from .arrow import ARROW, PARQUET, read_arrow
from .data import FileData
from .for_model import select_for_model
from .h5ad import HDF5, read_h5ad
from .missing import remove_declared
from .options import ColumnOptions, ModelColumns, ReadOptions, Roles
from .recognizer import select
from .records import is_json, read_json
from .sheets import OLD_SPREADSHEET, read_sheet
from .source import ZIP, Source, from_path, members, unpack
from .statistical import read_statistical, statistics_format
from .table import RawTable, join
from .text import read_text

NPY = b"\x93NUMPY"
PDF = b"%PDF-"
HTML = (b"<!doctype html", b"<html", b"<?xml")
ARFF = re.compile(rb"^@relation\s", re.IGNORECASE | re.MULTILINE)
ARFF_COMMENT = 1 << 14  # bytes in which the first line that is not a comment is looked for

Reader = Callable[[Source, ReadOptions, Roles], RawTable]
READERS: dict[bytes, Reader] = {
    NPY: read_npy,
    PARQUET: read_arrow,
    ARROW: read_arrow,
    HDF5: read_h5ad,
    OLD_SPREADSHEET: read_sheet,
}
# These know which cells stand for missing values before they decide what a column is.
READERS_OF_TEXT = (read_text, read_json, read_sheet)


def read_files(
    paths: Sequence[str],
    columns: ColumnOptions | None = None,
    options: ReadOptions | None = None,
    *,
    missing: str = "handle",
) -> FileData:
    """Read a table from one file, or from several files with the same columns.

    Parameters
    ----------
    paths : sequence of str
        Files; ``-`` is the standard input. Separated text, JSON, spreadsheets, NPY, NPZ, Parquet,
        Arrow, H5AD, or files of Stata, SPSS and SAS, each also compressed. The format is detected
        from the first bytes, not from the name.
    columns : ColumnOptions or None, default=None
        What is declared about columns.
    options : ReadOptions or None, default=None
        How to read the files.
    missing : {"handle", "error", "drop"}, default="handle"
        Keep missing values as NaN, refuse them, or drop their rows.
    """
    columns = columns or ColumnOptions()
    raw = read_raw(paths, options, columns)
    return select(raw, columns, missing)


def read_for_model(
    paths: Sequence[str],
    schema: Schema,
    options: ReadOptions | None = None,
    *,
    id: str | None = None,
    missing: str = "handle",
) -> FileData:
    """Read new rows with the columns a model was fitted on, found by name in any order.

    Categories get the codes of the model's levels; levels that it does not know become missing
    values, and a notice says so. Columns that the model does not use may be missing. Rows are
    named by the column ``id``, or else by the one that named the fitted rows, if it is there.
    """
    model = ModelColumns(schema, id)
    raw = read_raw(paths, options, model)
    return select_for_model(raw, model, missing)


def read_raw(paths: Sequence[str], options: ReadOptions | None, roles: Roles) -> RawTable:
    """Read all files as one table."""
    options = options or ReadOptions()
    parts = [_read_one(path, options, roles) for path in paths]
    return join(parts)


def _read_one(path: str, options: ReadOptions, roles: Roles) -> RawTable:
    """Read one file."""
    source = unpack(from_path(path), options.max_size)
    read = reader_of(source)
    raw = read(source, options, roles)
    if read not in READERS_OF_TEXT:
        raw.roles = raw.roles or roles.resolve(raw.all_names, raw.source)
        remove_declared(raw, options.na)
    refuse_infinite(raw)
    return raw


def reader_of(source: Source) -> Reader:
    """Return the function that reads a file."""
    start = source.start(512)
    for magic, read in READERS.items():
        if start.startswith(magic):
            return read
    if start.startswith(ZIP):
        is_npz = any(name.endswith(".npy") for name in members(source))
        if is_npz:
            return read_npz
        return read_sheet
    if statistics_format(source):
        return read_statistical
    if start.startswith(PDF):
        raise ValueError(f"{source.name}: is a PDF document, not a table")
    text = start.lstrip()
    if text.lower().startswith(HTML):
        raise ValueError(f"{source.name}: is a web page or XML, not a table; save it as CSV")
    if text[:1] in (b"%", b"@"):
        beginning = source.start(ARFF_COMMENT)
        if ARFF.search(beginning):
            raise ValueError(
                f"{source.name}: is an ARFF file, which is not supported; save it as CSV"
            )
    if is_json(start):
        return read_json
    return read_text
