"""Write results to a file or to the standard output, in the format that the file name states."""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from urerf import _output
from urerf._messages import UnknownNameError, printable
from urerf._output import is_stream, replacing

from .optional import optional

TABLES = (".csv", ".tsv", ".json", ".parquet")


def check_target(target: str, endings: tuple[str, ...]) -> None:
    """Refuse a target that cannot be written, before any work is done."""
    if target == "-":
        return
    ending = _ending(target)
    if ending not in endings and not is_stream(target):
        name = Path(target).name
        choices = ", ".join(endings)
        raise UnknownNameError(
            f"-o: must end in one of {choices}, or be - for the standard output, got {name!r}"
        )
    if ending == ".parquet":
        optional("pyarrow", "pyarrow is needed to write Parquet files", "files")
    check_folder(target)


def check_folder(target: str) -> None:
    """Refuse a target that cannot be written."""
    _output.check_folder("-o", target)


def write_columns(columns: Mapping[str, Any], target: str, as_json: bool = False) -> None:
    """Write columns of equal length as CSV, TSV, JSON (a list of records) or Parquet.

    ``-`` is the standard output, as CSV or, with ``as_json``, as JSON.
    """
    usual = ".json" if as_json else ".csv"
    if target == "-":
        sys.stdout.write(_for_stdout(as_text(columns, usual)))
        return
    ending = _ending(target) or usual  # a device may have none
    with replacing(target) as partial:
        if ending == ".parquet":
            _write_parquet(columns, partial)
            return
        data = as_text(columns, ending).encode()
        if target.endswith(".gz"):
            data = gzip.compress(data, mtime=0)
        partial.write_bytes(data)


def _for_stdout(text: str) -> str:
    """Return text without escape sequences if it is shown on a terminal."""
    if not sys.stdout.isatty():
        return text
    lines = []
    for line in text.split("\n"):
        cells = map(printable, line.split("\t"))
        lines.append("\t".join(cells))
    return "\n".join(lines)


def _write_parquet(columns: Mapping[str, Any], path: Path) -> None:
    import pyarrow as pa  # optional package
    import pyarrow.parquet

    arrays = {name: pa.array(values) for name, values in columns.items()}
    table = pa.table(arrays)
    with path.open("wb") as file:  # pyarrow opens no path that is not UTF-8
        pyarrow.parquet.write_table(table, file)


def as_text(columns: Mapping[str, Any], ending: str) -> str:
    """Return columns as text.

    >>> print(as_text({"row": [0, 1], "distance": [0.5, None]}, ".csv").strip())
    row,distance
    0,0.5
    1,
    """
    cells = [plain(values) for values in columns.values()]
    rows = list(zip(*cells))
    if ending == ".json":
        records = []
        for row in rows:
            record = dict(zip(columns, row))
            records.append(json.dumps(record))
        lines = ",\n".join(records)
        return f"[\n{lines}\n]\n"
    text = io.StringIO()
    separator = "\t" if ending == ".tsv" else ","
    writer = csv.writer(text, delimiter=separator, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue()


def plain(values: Any) -> list[Any]:
    """Return a column as Python values: numbers with six digits, None for missing ones."""
    array = np.asarray(values)
    if array.dtype.kind != "f":
        return list(array.tolist())
    return [_six_digits(number) for number in array.tolist()]


def _six_digits(number: float) -> float | None:
    if not math.isfinite(number):
        return None
    return float(f"{number:.6g}")


def _ending(target: str) -> str:
    path = Path(target.removesuffix(".gz"))
    return path.suffix.lower()
