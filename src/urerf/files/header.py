"""The names of the columns of a file, without reading all of it."""

from __future__ import annotations

from .options import ColumnOptions, ReadOptions
from .read import reader_of
from .source import from_bytes, from_path, unpack
from .text import read_text

# A text file is cut here. Other formats have to be read as a whole, if they are not larger.
HEADER_BYTES = 1 << 16
MOST_BYTES = 1 << 24


def column_names(path: str) -> list[str]:
    """Return the names of the columns; none for a large file that is not text."""
    options = ReadOptions()
    source = unpack(from_path(path), options.max_size)
    read = reader_of(source)
    if read is read_text:
        start = source.start(HEADER_BYTES)
        end = start.rfind(b"\n") + 1
        whole_lines = start[:end]
        source = from_bytes(source.name, whole_lines or start)
    elif source.size > MOST_BYTES:
        return []
    raw = read(source, options, ColumnOptions())
    return list(raw.all_names)
