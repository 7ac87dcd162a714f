"""One file for a fitted model: a JSON header and raw arrays. No pickle, so loading a file runs none of its content.

Layout: 8 bytes of magic, the header's length (8 bytes, little-endian), the header (UTF-8 JSON), the arrays one after
the other as the header lists them, and the SHA-256 of all that. The file is written beside its final place, flushed to
disk and renamed, so a crash leaves either the old file or the new one.
"""

import hashlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

MAGIC = b"urerf\x00\x00\n"
FORMAT = 1
_DTYPES = {"float32", "float64", "int8", "int32", "int64", "uint64", "bool"}


def write(path: str | os.PathLike, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    """Write header and arrays to ``path``, atomically."""
    path = Path(path)
    arrays = {name: np.ascontiguousarray(a) for name, a in arrays.items()}
    listing = [{"name": name, "dtype": a.dtype.name, "shape": a.shape} for name, a in arrays.items()]
    text = json.dumps({"format": FORMAT, "arrays": listing, **header}).encode()
    digest = hashlib.sha256()
    handle, partial = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".partial")
    try:
        with os.fdopen(handle, "wb") as file:
            parts: list[Any] = [MAGIC, len(text).to_bytes(8, "little"), text, *arrays.values()]
            for part in parts:
                digest.update(part)
                file.write(part)
            file.write(digest.digest())
            file.flush()
            os.fsync(file.fileno())
        os.chmod(partial, 0o666 & ~_umask())
        os.replace(partial, path)
    except BaseException:
        os.unlink(partial)
        raise


def read(path: str | os.PathLike) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Read what `write` wrote; anything else is refused with a ValueError that says what is wrong."""
    blob = Path(path).read_bytes()
    if blob[:8] != MAGIC:
        raise ValueError(f"path: {str(path)!r} is not a urerf model; write one with URerF.save")
    if len(blob) < 48 or hashlib.sha256(memoryview(blob)[:-32]).digest() != blob[-32:]:
        raise ValueError(f"path: {str(path)!r} is damaged (checksum differs); save the model again")
    end = 16 + int.from_bytes(blob[8:16], "little")
    try:
        header = json.loads(blob[16:end])
        if header["format"] != FORMAT:
            raise ValueError(
                f"path: {str(path)!r} has model format {header['format']}, this version reads {FORMAT}; "
                "install the urerf version that wrote it"
            )
        arrays = _arrays(header.pop("arrays"), memoryview(blob)[end:-32])
    except (KeyError, TypeError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise ValueError(f"path: {str(path)!r} has a malformed header ({error!r}); save the model again") from error
    return header, arrays


def _arrays(listing: list[dict[str, Any]], data: memoryview) -> dict[str, np.ndarray]:
    arrays, at = {}, 0
    for entry in listing:
        if entry["dtype"] not in _DTYPES or any(not isinstance(x, int) or x < 0 for x in entry["shape"]):
            raise ValueError(f"path: array {entry['name']!r} has no dtype or shape of a urerf model")
        dtype = np.dtype(entry["dtype"])
        size = int(np.prod(entry["shape"], dtype=object)) * dtype.itemsize
        if at + size > len(data):
            raise ValueError(f"path: array {entry['name']!r} is cut short; save the model again")
        arrays[entry["name"]] = np.frombuffer(data[at : at + size], dtype=dtype).reshape(entry["shape"]).copy()
        at += size
    if at != len(data):
        raise ValueError("path: the file holds more than its header lists; save the model again")
    return arrays


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
