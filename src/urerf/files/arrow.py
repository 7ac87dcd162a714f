"""Readers for Parquet files and Arrow IPC files (Feather), which validate all that they read."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from urerf._memory import check_memory
from urerf.frames.series import read_series
from urerf.kinds.convert import plain

from .names import unique_names
from .optional import optional
from .options import ReadOptions, Roles
from .source import Source, first_line
from .table import RawTable

PARQUET = b"PAR1"
ARROW = b"ARROW1"
INDEX = "__index_level_"  # columns in which pandas stores an index
BYTES_PER_CELL = 16  # as Arrow and as float64 at the same time
# Damaged files make pyarrow raise many kinds of errors; MemoryError is for absurd sizes.
FAILURES = (ValueError, TypeError, KeyError, OSError, MemoryError, NotImplementedError,
            UnicodeDecodeError, OverflowError)  # fmt: skip


def read_arrow(source: Source, options: ReadOptions, roles: Roles) -> RawTable:
    """Read a Parquet file or an Arrow IPC file."""
    purpose = f"{source.name}: pyarrow is needed to read Parquet and Arrow files"
    pa = optional("pyarrow", purpose, "files")
    try:
        table = _read_table(source)
        table.validate(full=True)
        values = [_values(column) for column in table.columns]
    except (*FAILURES, pa.ArrowException) as error:
        message = first_line(error)
        if not message.startswith(source.name):
            message = f"{source.name}: cannot be read: {message}"
        raise ValueError(message) from None
    names = [str(name) for name in table.column_names]
    names, _, notices = unique_names(names)
    columns = dict(zip(names, values))
    for name in names:
        if name.startswith(INDEX):
            del columns[name]
    return RawTable(source.name, columns, table.num_rows, notices=notices)


def _read_table(source: Source) -> Any:
    import pyarrow as pa  # optional package

    buffer = pa.BufferReader(source.read())
    if source.start().startswith(PARQUET):
        import pyarrow.parquet

        file = pyarrow.parquet.ParquetFile(buffer)
        metadata = file.metadata
        n_cells = metadata.num_rows * metadata.num_columns
        check_memory(BYTES_PER_CELL * n_cells, f"{source.name}:")
        return file.read()
    file = pa.ipc.open_file(buffer)
    return file.read_all()


def _values(column: Any) -> Any:
    """Return a column as `urerf.kinds.recognize.recognize` takes it."""
    import pyarrow as pa

    is_integer = pa.types.is_integer(column.type)
    if is_integer and not column.null_count:
        return column.to_numpy()  # ids may be too large for float64
    series = nw.from_native(column, series_only=True)
    try:
        return read_series(series)
    except ValueError:  # lists, for instance
        values = column.to_pylist()
        cells = [None if value is None else str(value) for value in values]
        objects = np.array(cells, dtype=object)
        return plain(objects)
