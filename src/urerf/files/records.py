"""Reader for JSON (a list of records, or a dictionary of columns) and JSON lines."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sized
from itertools import chain
from typing import Any

from urerf._memory import check_memory

from .layout import Row
from .options import ReadOptions, Roles
from .rows import read_rows
from .source import Source
from .table import RawTable

# Memory that the objects of a JSON file take, per byte of the file.
BYTES_PER_BYTE = 12
# Cells of the table per value in the file: records without a common column make a table that is
# nearly empty, and as large as the square of the file.
MOST_EMPTY_CELLS = 100
ALWAYS_CELLS = 5_000_000
BYTES_PER_CELL = 16  # a reference to the text of a cell, and the number that it is read as


def is_json(start: bytes) -> bool:
    """Return whether a file begins as JSON does.

    >>> is_json(b'[{"a": 1}]'), is_json(b"[1] first column"), is_json(b"a,b")
    (True, True, False)
    """
    text = start.lstrip(b"\xef\xbb\xbf \t\r\n")
    return text.startswith((b"{", b"["))


def read_json(source: Source, options: ReadOptions, roles: Roles) -> RawTable:
    """Read records or columns; nested records become columns such as ``address.city``."""
    text = _decode(source)
    records = _parse(text, source.name)
    rows = [_flat(record) for record in records]
    names = _all_keys(rows)
    if not names:
        raise ValueError(f"{source.name}: has records, but no columns")
    _check_size(len(rows), len(names), rows, source.name)
    cells = []
    for i, row in enumerate(rows):
        texts = [_cell(row.get(name)) for name in names]
        cells.append(Row(i, texts))

    def open_rows() -> Iterator[Row]:
        return iter(cells)

    return read_rows(open_rows, source.name, options, roles, names=names, unit_of_lines="record")


def _all_keys(rows: Iterable[dict[str, Any]]) -> list[str]:
    """Return the keys of all dictionaries, in the order in which they appear."""
    keys = chain.from_iterable(rows)
    different = dict.fromkeys(keys)
    return list(different)


def _check_size(n_rows: int, n_columns: int, stored: Iterable[Sized], name: str) -> None:
    """Refuse records of which hardly any has the same columns as another."""
    n_cells = n_rows * n_columns
    n_stored = sum(map(len, stored))
    most = max(ALWAYS_CELLS, MOST_EMPTY_CELLS * n_stored)
    if n_cells > most:
        raise ValueError(
            f"{name}: has {n_rows:,} records with {n_columns:,} different columns, but only "
            f"{n_stored:,} values; nearly all of the table would be empty"
        )
    check_memory(BYTES_PER_CELL * n_cells, f"{name}:")


def _decode(source: Source) -> str:
    data = source.read()
    check_memory(BYTES_PER_BYTE * len(data), f"{source.name}:")
    try:
        encoding = json.detect_encoding(data)
        return data.decode(encoding)
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def _parse(text: str, name: str) -> list[dict[str, Any]]:
    """Return the records of a JSON file, or of one with an object per line."""
    try:
        value = json.loads(text)
        return _records(value, name)
    except (RecursionError, ValueError) as error:
        message = str(error)
        if message.startswith("Extra data"):
            return _json_lines(text, name)
        if message.startswith(name):
            raise
        raise ValueError(f"{name}: is not valid JSON: {message}") from None


def _json_lines(text: str, name: str) -> list[dict[str, Any]]:
    records = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (RecursionError, ValueError) as error:
            raise ValueError(f"{name}: line {number} is not valid JSON: {error}") from None
        if not isinstance(record, dict):
            raise ValueError(f"{name}: line {number} is not a record: {line[:40]!r}")
        records.append(record)
    return records


def _records(value: Any, name: str) -> list[dict[str, Any]]:
    """Return the records of a list, of a dictionary of columns, or of the only list inside."""
    if isinstance(value, dict):
        found = _from_dict(value, name)
        if found is not None:
            return found
    if isinstance(value, list) and value:
        if _are_all(dict, value):
            return value
        if _are_all(list, value):
            return _from_rows(value)
    raise ValueError(
        f"{name}: must be a list of records, a dictionary of columns, or one record per line"
    )


def _from_rows(rows: list[list[Any]]) -> list[dict[str, Any]]:
    """Return records from lists of cells, of which the first may contain the names."""
    first = rows[0]
    if _are_all(str, first):
        return [dict(zip(first, row)) for row in rows[1:]]
    return [{f"x{i}": cell for i, cell in enumerate(row)} for row in rows]


def _from_dict(value: dict[str, Any], name: str) -> list[dict[str, Any]] | None:
    columns = list(value.values())
    if not columns:
        return None
    if _are_all(dict, columns):
        return _from_keyed(value, name)
    if _are_all(list, columns):
        has_records = any(isinstance(cell, dict) for cell in columns[0])
        lengths = set(map(len, columns))
        if len(lengths) == 1 and not has_records:
            return [dict(zip(value, cells)) for cells in zip(*columns)]
    lists = [cells for cells in columns if isinstance(cells, list) and cells]
    tables = [cells for cells in lists if _are_all(dict, cells)]
    if len(tables) != 1:
        return None
    return tables[0]


def _are_all(kind: type, values: list[Any]) -> bool:
    """Return whether all values are of a type."""
    return all(isinstance(value, kind) for value in values)


def _from_keyed(value: dict[str, dict[str, Any]], name: str) -> list[dict[str, Any]]:
    """Return the records of pandas' to_json: columns with one entry per row."""
    keys = _all_keys(value.values())
    _check_size(len(keys), len(value), value.values(), name)
    records = []
    for key in keys:
        record = {label: column.get(key) for label, column in value.items()}
        records.append(record)
    return records


def _flat(record: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in record.items():
        if isinstance(value, dict):
            inner = _flat(value, f"{prefix}{name}.")
            flat.update(inner)
        else:
            flat[prefix + name] = value
    return flat


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return json.dumps(value)
