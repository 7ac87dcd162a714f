"""The file format of models: a JSON header and raw arrays. Without pickle, loading runs no code.

Layout: 8 bytes of magic, the header's length (8 bytes, little-endian), the header (UTF-8 JSON), the
arrays one after the other as the header lists them (little-endian, C order), and the SHA-256 of all
that. The file is written beside its final place, flushed to disk and renamed, so a crash leaves
either the old file or the new one.
"""

import hashlib
import json
import math
import os
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np

from ._memory import check_memory
from ._output import check_folder, replacing
from ._typing import Array

MAGIC = b"urerf\x00\x00\n"
# Number of the format; docs/compatibility.md says which versions read it.
FORMAT = 1
_DTYPES = {"float32", "float64", "int8", "int32", "int64", "uint64", "bool"}
# Bytes of the header's length and of the checksum.
_LENGTH = 8
_DIGEST = 32
# Bytes of a header: a million columns with long names. Its objects take about 12 times as much.
LONGEST_HEADER = 2**28
BYTES_PER_BYTE = 12
# The file and the arrays made of it are in memory at the same time.
COPIES = 2
ADVICE = "load the model on a machine with more memory"


def write(path: str | os.PathLike, header: dict[str, Any], arrays: dict[str, Array]) -> None:
    """Write header and arrays to ``path``, atomically."""
    path = _checked_path(path)
    check_folder("path", path)
    listing = []
    contents = []
    for name, array in arrays.items():
        dtype = array.dtype.newbyteorder("<")
        stored = np.ascontiguousarray(array, dtype=dtype)
        entry = {"name": name, "dtype": stored.dtype.name, "shape": stored.shape}
        listing.append(entry)
        contents.append(stored.reshape(-1))
    described = {**header, "format": FORMAT, "arrays": listing}
    text = json.dumps(described, allow_nan=False, default=_plain_number).encode()
    length = len(text).to_bytes(_LENGTH, "little")
    parts: list[Any] = [MAGIC, length, text, *contents]
    digest = hashlib.sha256()
    with replacing(path) as partial, open(partial, "wb") as file:
        for part in parts:
            digest.update(part)
            file.write(part)
        file.write(digest.digest())


def read(path: str | os.PathLike) -> tuple[dict[str, Any], dict[str, Array]]:
    """Read what `write` wrote; raise a ValueError that says what is wrong for anything else."""
    path = _checked_path(path)
    place = f"path: {str(path)!r}"
    body = _read_body(path)
    length = int.from_bytes(body[:_LENGTH], "little")
    end = _LENGTH + length
    try:
        header = _read_header(body, end, path)
        version = header.pop("format")
        listing = header.pop("arrays")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(
            f"{place} has a malformed header ({error!r}); save the model again"
        ) from error
    if version != FORMAT:
        raise ValueError(
            f"{place} has model format {version!r}, this version reads {FORMAT}; "
            "install the urerf version that wrote it"
        )
    try:
        return header, _read_arrays(listing, body[end:])
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(
            f"{place} has a wrong list of arrays ({error}); save the model again"
        ) from error


def _read_body(path: Path) -> memoryview:
    """Return the content between the magic and the checksum, which is right."""
    place = f"path: {str(path)!r}"
    with open(path, "rb") as file:
        magic = file.read(len(MAGIC))
        if magic != MAGIC:
            advice = "write one with urerf fit or URerF.save"
            raise ValueError(f"{place} is not a urerf model; {advice}")
        size = os.fstat(file.fileno()).st_size
        check_memory(COPIES * size, place, ADVICE)
        content = memoryview(file.read())
    body = content[:-_DIGEST]
    stored_digest = content[-_DIGEST:]
    checksum = hashlib.sha256(MAGIC)
    checksum.update(body)
    is_intact = checksum.digest() == stored_digest
    if len(body) < _LENGTH or not is_intact:
        raise ValueError(f"{place} is damaged (checksum differs); save the model again")
    return body


def _read_header(body: memoryview, end: int, path: Path) -> Any:
    """Return the header, which ends at ``end``."""
    if end > len(body):
        raise ValueError("longer than the file")
    if end > LONGEST_HEADER:
        raise ValueError(f"longer than {LONGEST_HEADER:,} bytes")
    place = f"path: {str(path)!r}"
    check_memory(BYTES_PER_BYTE * end, place, ADVICE)
    text = str(body[_LENGTH:end], "utf-8")
    return json.loads(text, parse_constant=_refuse_constant)


def _read_arrays(listing: list[dict[str, Any]], data: memoryview) -> dict[str, Array]:
    """Return the arrays that follow each other in the data, as the header lists them."""
    arrays: dict[str, Array] = {}
    start = 0
    for entry in listing:
        name = entry["name"]
        dtype = entry["dtype"]
        shape = entry["shape"]
        if not isinstance(name, str) or name in arrays:
            raise ValueError(f"name {name!r}")
        if dtype not in _DTYPES:
            raise ValueError(f"dtype {dtype!r} of {name!r}")
        if not _is_shape(shape):
            raise ValueError(f"shape {shape!r} of {name!r}")
        stored = np.dtype(dtype).newbyteorder("<")
        n_bytes = stored.itemsize * math.prod(shape)
        stop = start + n_bytes
        longest = max(shape, default=0)
        if stop > len(data) or longest > len(data):
            raise ValueError(f"{name!r} of shape {shape!r} exceeds the file")
        content = data[start:stop]
        values = np.frombuffer(content, dtype=stored)
        arrays[name] = values.reshape(shape).astype(dtype)
        start = stop
    if start != len(data):
        raise ValueError("the file holds more than its header lists")
    return arrays


def _is_shape(shape: Any) -> bool:
    """Return whether a list has at most two sizes; a size is not a bool."""
    if not isinstance(shape, list) or len(shape) > 2:
        return False
    return all(type(size) is int and size >= 0 for size in shape)


def _checked_path(path: Any) -> Path:
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"path: must be a string or a path, got {path!r}")
    return Path(path)


def _plain_number(value: Any) -> bool | int | float:
    """Return a number that is not one of Python's (NumPy's, a fraction) as JSON can hold it."""
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, Integral):
        return int(value)
    return float(value)


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number")
