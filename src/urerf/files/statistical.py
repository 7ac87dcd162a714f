"""Reader for files of statistics programs: Stata, SPSS and SAS, by pyreadstat."""

from __future__ import annotations

from typing import Any

import numpy as np

from urerf._memory import check_memory
from urerf.kinds.convert import Levels, factorize

from .apart import read_apart
from .optional import optional
from .options import ReadOptions, Roles
from .source import Source, from_path
from .table import RawTable

# First bytes and the ending that pyreadstat's functions are named after.
MAGIC = (
    (b"$FL2", "sav"),
    (b"$FL3", "sav"),
    (b"<stata_dta>", "dta"),
    (b"HEADER RECORD*******LIB", "xport"),
    (b"\x00" * 12 + b"\xc2\xea\x81\x60", "sas7bdat"),
)
# Formats of Stata before 117 begin with a byte that is their number.
OLD_STATA = (102, 103, 104, 105, 108, 110, 111, 112, 113, 114, 115)
BYTES_PER_CELL = 100  # a Python object in a list


def statistics_format(source: Source) -> str | None:
    """Return which statistics program wrote a file; None for other files."""
    start = source.start(32)
    for magic, name in MAGIC:
        if start.startswith(magic):
            return name
    if len(start) < 4:
        return None
    version, byte_order, file_type, unused = start[:4]
    has_old_header = byte_order in (1, 2) and file_type == 1 and unused == 0
    if version in OLD_STATA and has_old_header:
        return "dta"
    return None


def read_statistical(source: Source, options: ReadOptions, roles: Roles) -> RawTable:
    """Read a file of Stata, SPSS or SAS.

    A column whose values all have labels becomes a category of these labels, or an ordinal if SPSS
    says so. Missing values that were declared in the program are missing.
    """
    return read_apart("statistical", source)


def load(path: str, name: str) -> RawTable:
    """Read a file on disk."""
    purpose = f"{name}: pyreadstat is needed to read files of Stata, SPSS and SAS"
    pyreadstat = optional("pyreadstat", purpose, "stata")
    program = statistics_format(from_path(path))
    read = getattr(pyreadstat, f"read_{program}")
    details = {"user_missing": True} if program == "sav" else {}
    _, meta = read(path, metadataonly=True, output_format="dict", **details)
    n_rows = meta.number_rows or 0
    n_cells = n_rows * meta.number_columns
    check_memory(BYTES_PER_CELL * n_cells, f"{name}:")
    data, _ = read(path, output_format="dict")
    measures = getattr(meta, "variable_measure", {}) or {}
    columns = {}
    for column, cells in data.items():
        is_ordinal = measures.get(column) == "ordinal"
        labels = _labels(meta, column)
        columns[column] = _values(cells, labels, is_ordinal)
    if not columns:
        raise ValueError(f"{name}: has no columns")
    first, *_ = data.values()
    return RawTable(name, columns, len(first))


def _labels(meta: Any, name: str) -> dict[Any, str]:
    """Return the labels of values that do not stand for missing values."""
    labels = meta.variable_value_labels.get(name, {})
    missing_ranges = getattr(meta, "missing_ranges", {})
    ranges = missing_ranges.get(name, [])
    present = {}
    for value, label in labels.items():
        is_missing = any(part["lo"] <= value <= part["hi"] for part in ranges)
        if not is_missing:
            present[value] = label
    return present


def _values(cells: Any, labels: dict[Any, str], ordered: bool) -> Any:
    """Return a column as `urerf.kinds.recognize.recognize` takes it."""
    codes, different = factorize(cells)
    filled = [value for value in different if value is not None and value == value]
    if labels and filled and all(value in labels for value in filled):
        known = sorted(labels)
        position = {value: i for i, value in enumerate(known)}
        positions = [position.get(value, -1) for value in different]
        new_codes = np.array(positions)
        levels = tuple(str(labels[value]) for value in known)
        return Levels(new_codes[codes], levels, ordered)
    if all(isinstance(value, (int, float)) for value in filled):
        return np.array(cells, dtype=np.float64)
    return np.array(cells, dtype=object)
