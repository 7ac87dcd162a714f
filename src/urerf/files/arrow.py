"""Readers for Parquet files and Arrow IPC files (Feather), which validate all that they read."""

from __future__ import annotations

from typing import Any

import numpy as np

from urerf.convert import Levels, merged

from .arrays import check_memory, refuse_infinite
from .optional import optional
from .options import ReadOptions, Roles
from .rows import unique_names
from .source import Source
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
        message = str(error).split("\n", maxsplit=1)[0]
        if not message.startswith(source.name):
            message = f"{source.name}: cannot be read: {message}"
        raise ValueError(message) from None
    names, _, notices = unique_names([str(name) for name in table.column_names])
    columns = dict(zip(names, values))
    for name in names:
        if name.startswith(INDEX):
            del columns[name]
    roles.resolve(list(columns), source.name)
    raw = RawTable(source.name, columns, table.num_rows, notices=notices)
    refuse_infinite(raw)
    return raw


def _read_table(source: Source) -> Any:
    import pyarrow as pa  # optional package

    buffer = pa.BufferReader(source.read())
    if source.start().startswith(PARQUET):
        import pyarrow.parquet

        file = pyarrow.parquet.ParquetFile(buffer)
        n_cells = file.metadata.num_rows * file.metadata.num_columns
        check_memory(BYTES_PER_CELL * n_cells, source.name)
        return file.read()
    return pa.ipc.open_file(buffer).read_all()


def _values(column: Any) -> Any:
    """Return a column as `urerf.kinds.recognize` takes it."""
    import pyarrow as pa
    import pyarrow.compute as pc

    types = pa.types
    kind = column.type
    if types.is_dictionary(kind):
        return _levels(column)
    if types.is_integer(kind) and not column.null_count:
        return column.to_numpy()  # ids may be too large for float64
    if types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind):
        return pc.cast(column, pa.float64(), safe=False).to_numpy()
    if types.is_timestamp(kind) or types.is_date(kind):
        return pc.cast(column, pa.timestamp("us"), safe=False).to_numpy()
    if types.is_duration(kind):
        return pc.cast(column, pa.duration("us"), safe=False).to_numpy()
    if types.is_string(kind) or types.is_large_string(kind):
        return _levels(column.dictionary_encode())
    if types.is_boolean(kind) or types.is_null(kind):
        return np.array(column.to_pylist(), dtype=object)
    cells = [None if cell is None else str(cell) for cell in column.to_pylist()]
    return np.array(cells, dtype=object)


def _levels(column: Any) -> Levels:
    """Return the levels of a dictionary-encoded column; empty texts are missing."""
    import pyarrow as pa
    import pyarrow.compute as pc

    levels: list[str] = []
    codes = [np.empty(0, dtype=np.int64)]
    for chunk in column.chunks:
        # Unsigned codes cannot be -1, and together with signed ones they would become floats.
        codes_of_chunk = pc.cast(chunk.indices, pa.int64(), safe=False)
        own_codes = codes_of_chunk.fill_null(-1).to_numpy(zero_copy_only=False)
        own_levels = ["" if cell is None else str(cell) for cell in chunk.dictionary.to_pylist()]
        is_blank = np.array([not level.strip() for level in [*own_levels, ""]])
        codes.append(np.where(is_blank[own_codes], -1, own_codes + len(levels)))
        levels += own_levels
    text = Levels(np.concatenate(codes), tuple(levels), bool(column.type.ordered))
    return merged(text)
