"""Files of every format: read, or refused by a message that names the file."""

from __future__ import annotations

import functools
import io
import json
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import scipy.sparse as sp

from hardening.fuzz.isolated import read_in_a_fork
from hardening.fuzz.mutate import EDGES, mutate
from urerf.files import ReadOptions, read_files

MESSY = Path(__file__).parents[3] / "tests" / "files" / "messy"
# What a user can cause; the command line shows these as one line.
EXPECTED = (ValueError, TypeError, OSError, ImportError, MemoryError)
TEXT_WORDS = [
    word.encode()
    for word in (
        ",", ";", "\t", "|", '"', '""', "\n", "\r\n", "\r", "NA", "nan", "inf", "-inf", "1e308",
        "1e-320", "1_12", "2021_05", "0x1F", "1.234.567,89", "1,234.5", "12%", "$5", "€7", "TRUE",
        "2021-02-30", "31.12.1999", "12:60:61", "999999-01-01", "٣", "½", "\u2212" + "5", "\ufeff",
        "\0", "#", "sep=;", "'", "9" * 400, "\u202e", "-", "- 5", "5-", "(5)", "1e", ".", "-.5",
    )
]  # fmt: skip
JSON_WORDS = [
    b"{", b"}", b"[", b"]", b",", b":", b'"', b'"a"', b"null", b"true", b"1e999", b"-0", b"NaN",
    b"\\ud800", b"\\u0000", b'{"a":', b"[[", b"1" * 50, b"\n",
]  # fmt: skip


@dataclass
class FileTarget:
    """Random changes of files: of the tests, named by patterns, or made by a function."""

    name: str
    patterns: tuple[str, ...] = ()
    words: Sequence[bytes] = ()
    more: Callable[[], list[bytes]] = list

    @functools.cached_property
    def seeds(self) -> list[bytes]:
        """Files to change."""
        paths = [path for pattern in self.patterns for path in sorted(MESSY.glob(pattern))]
        return [*(path.read_bytes() for path in paths), *self.more()]

    def prepare(self) -> None:
        """Import what reading needs, before there are workers."""
        read_in_a_fork()
        assert self.seeds, self.name

    def make(self, rng: Random) -> bytes:
        """Return a damaged file."""
        return mutate(rng.choice(self.seeds), rng, self.words)

    def check(self, content: bytes, folder: Path) -> None:
        """Read the file."""
        path = folder / "input.bin"
        path.write_bytes(content)
        try:
            data = read_files([str(path)], options=ReadOptions(max_size=50e6))
        except EXPECTED as error:
            if not isinstance(error, MemoryError):
                assert str(error).startswith(("input.bin", "--")), f"{error!r} names no file"
            return
        n_rows, n_columns = data.shape
        assert len(data.rows) == n_rows
        assert len(data.names) == n_columns
        values = data.frame.values
        stored = values.data if sp.issparse(values) else values
        assert not np.isinf(stored).any()


class Text(FileTarget):
    """Text: also tables in a random dialect, with random cells."""

    def make(self, rng: Random) -> bytes:
        """Return a table."""
        if rng.random() < 0.5:
            return super().make(rng)
        separator = rng.choice([",", ";", "\t", "|", " ", ", "])
        end = rng.choice(["\n", "\r\n", "\r"])
        n_columns = rng.randint(1, 6)
        rows = []
        for _ in range(rng.randint(0, 30)):
            n_cells = n_columns + rng.choice((0, 0, 0, 1, -1))
            cells = [_cell(rng) for _ in range(n_cells)]
            rows.append(separator.join(cells))
        encoding = rng.choice(["utf-8", "utf-8-sig", "utf-16", "utf-32", "latin-1", "utf-16-le"])
        return end.join(rows).encode(encoding, "replace")


def _cell(rng: Random) -> str:
    match rng.randrange(8):
        case 0 | 1 | 2:
            number = rng.gauss(0, 100)
            return f"{number:.{rng.randrange(5)}f}"
        case 3:
            return str(rng.randrange(-5, 2000))
        case 4:
            return rng.choice(TEXT_WORDS).decode()
        case 5:
            day = rng.randrange(1, 32)
            month = rng.randrange(1, 13)
            year = rng.randrange(1900, 2100)
            return f"{day}.{month}.{year}"
        case 6:
            return rng.choice(["red", "blue", "", "NA", "x y", '"a,b"', "ü"])
    n_letters = rng.randrange(6)
    return "".join(chr(rng.randrange(32, 0x2FF)) for _ in range(n_letters))


class Json(FileTarget):
    """JSON: also random values."""

    def make(self, rng: Random) -> bytes:
        """Return JSON, or something like it."""
        if rng.random() < 0.5:
            return super().make(rng)
        text = json.dumps(_json_value(rng, 4))
        return text.encode()


def _json_value(rng: Random, depth: int) -> Any:
    match rng.randrange(7 if depth else 5):
        case 0:
            return None
        case 1:
            return rng.choice([True, False])
        case 2:
            return rng.choice([0, -1, 10**30, rng.gauss(0, 1), 1e308, float("inf"), float("nan")])
        case 3 | 4:
            return rng.choice(["", "a", "1", "2021-01-01", "\ud800", "x" * 50])
        case 5:
            return [_json_value(rng, depth - 1) for _ in range(rng.randrange(4))]
    return {rng.choice("abcd"): _json_value(rng, depth - 1) for _ in range(rng.randrange(4))}


class Archives(FileTarget):
    """ZIP files whose members are changed and packed again, so that checksums are right."""

    def make(self, rng: Random) -> bytes:
        """Return an archive."""
        content = rng.choice(self.seeds)
        if rng.random() < 0.3:
            return mutate(content, rng)
        members = _members(content)
        name = rng.choice(list(members))
        members[name] = mutate(members[name], rng, (b"<c", b"</row>", b'r="A1048577"', b"&amp;"))
        if rng.random() < 0.1:
            del members[rng.choice(list(members))]
        return _packed(members, rng)


def _members(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _packed(members: dict[str, bytes], rng: Random) -> bytes:
    file = io.BytesIO()
    method = rng.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, content in members.items():
            # A ZipInfo has a fixed date: the same input must have the same bytes at any time.
            archive.writestr(zipfile.ZipInfo(name), content, compress_type=method)
    return file.getvalue()


class Arrays(FileTarget):
    """NPY and NPZ files, dense and sparse, with wrong headers and wrong numbers."""

    def prepare(self) -> None:
        """Do nothing: all inputs are made."""

    def make(self, rng: Random) -> bytes:
        """Return an array or an archive of arrays."""
        if rng.random() < 0.4:
            generator = np.random.default_rng(rng.getrandbits(32))
            content = _npy(rng, generator.normal(size=(6, 3)))
            return mutate(content, rng) if rng.random() < 0.5 else content
        members = _dense(rng) if rng.random() < 0.4 else _sparse(rng)
        content = _packed(members, rng)
        return mutate(content, rng) if rng.random() < 0.3 else content


def _npy(rng: Random, array: np.ndarray) -> bytes:
    """Return an array as a file; sometimes its header lies."""
    file = io.BytesIO()
    np.save(file, array)
    if rng.random() < 0.6:
        return file.getvalue()
    shape = rng.choice(["()", "(6,)", "(6, 3, 1)", "(-6, 3)", "(0, 3)", "(2000000000, 20)"])
    descr = rng.choice(["<f8", ">f8", "<f4", "|O", "|b1", "<U3", "<c16", "|V8", "<M8[s]", "<f2"])
    order = rng.choice(["True", "False", "1"])
    header = f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}".encode()
    length = len(header).to_bytes(2, "little")
    return b"\x93NUMPY\x01\x00" + length + header + array.tobytes()


def _dense(rng: Random) -> dict[str, bytes]:
    generator = np.random.default_rng(rng.getrandbits(32))
    shape = (rng.randrange(8), rng.randrange(4))
    arrays = {"X": generator.normal(size=shape)}
    if rng.random() < 0.5:
        arrays["y"] = np.array(list("abcdef"))
    if rng.random() < 0.3:
        dtype = rng.choice(["f4", "i8", "?", "f2", "u1", "c16", "U5"])
        arrays["X"] = arrays["X"].astype(dtype)
    return {f"{name}.npy": _npy(rng, array) for name, array in arrays.items()}


def _sparse(rng: Random) -> dict[str, bytes]:
    matrix = sp.random(
        9, 4, 0.4, format=rng.choice(["csr", "csc"]), random_state=rng.getrandbits(9)
    )
    arrays = {
        "format": np.array(rng.choice([b"csr", b"csc", matrix.format.encode(), b"coo"])),
        "shape": np.array(matrix.shape),
        "data": matrix.data,
        "indices": matrix.indices,
        "indptr": matrix.indptr,
    }
    for _ in range(rng.randint(0, 2)):
        name = rng.choice(["shape", "data", "indices", "indptr"])
        dtype = rng.choice(["i8", "i4", "f8", arrays[name].dtype.name])
        with np.errstate(all="ignore"):
            arrays[name] = _with_odd_value(arrays[name].astype(dtype), rng)
    return {f"{name}.npy": _npy(rng, array) for name, array in arrays.items()}


def _with_odd_value(array: np.ndarray, rng: Random) -> np.ndarray:
    """Return the array with one odd value, sometimes without its end."""
    if array.size == 0:
        return array
    value = rng.choice([*EDGES, 3, 4, 5, 9, 10, -5])
    array[rng.randrange(len(array))] = np.array(value % 2**63).astype(array.dtype)
    if rng.random() < 0.3:
        return array[: rng.randrange(len(array) + 1)]
    return array


def _arrow_files() -> list[bytes]:
    import pandas as pd
    import pyarrow as pa
    import pyarrow.feather
    import pyarrow.parquet

    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "a": rng.normal(size=40),
            "b": pd.Categorical(rng.choice(list("xyz"), 40)),
            "c": pd.date_range("2020-01-01", periods=40),
            "d": [None if i % 7 == 0 else f"text{i % 5}" for i in range(40)],
            "e": rng.integers(0, 9, 40),
            "f": rng.random(40) < 0.5,
        }
    )
    table = pa.Table.from_pandas(frame)
    files = []
    for write, compressions in {
        pyarrow.parquet.write_table: ("none", "snappy", "zstd", "gzip"),
        pyarrow.feather.write_feather: ("uncompressed", "lz4", "zstd"),
    }.items():
        for compression in compressions:
            sink = io.BytesIO()
            write(table, sink, compression=compression)
            files.append(sink.getvalue())
    return files


def _h5ad_files() -> list[bytes]:
    import anndata
    import pandas as pd

    rng = np.random.default_rng(0)
    values = rng.normal(size=(12, 5))
    files = []
    with tempfile.TemporaryDirectory() as folder:
        for matrix in (values, sp.csr_matrix(values * (values > 0))):
            names = pd.Index([f"c{i}" for i in range(12)], dtype=object)
            cells = pd.DataFrame({"kind": np.arange(12) % 3}, index=names)
            genes = pd.DataFrame(index=pd.Index(list("abcde"), dtype=object))
            path = Path(folder) / "cells.h5ad"
            anndata.AnnData(matrix, obs=cells, var=genes).write_h5ad(path)
            files.append(path.read_bytes())
    return files


FILE_TARGETS = (
    Text("text", ("*.csv", "*.txt"), TEXT_WORDS),
    Json("json", ("*.json", "*.jsonl"), JSON_WORDS),
    FileTarget("packed", ("packed.*",)),
    Archives("archives", ("*.xlsx", "*.ods", "packed.zip")),
    Arrays("numpy"),
    FileTarget("arrow", ("*.parquet", "*.feather"), more=_arrow_files),
    FileTarget("statistics", ("*.sav", "*.dta", "*.xpt")),
    FileTarget("h5ad", more=_h5ad_files),
)
