"""Open a file, again and again if needed, and unpack it within limits.

A packed file may unpack to `LARGEST_RATIO` times its size, or to `SMALLEST_LIMIT`, whichever is
more; ``max_size`` replaces both. The first stops files of a few kilobytes that unpack to
terabytes; tables rarely shrink to less than a fiftieth.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, cast

from urerf._memory import available_memory
from urerf._messages import listed, printable

from .optional import optional

GZIP = b"\x1f\x8b"
BZIP2 = b"BZh"
XZ = b"\xfd7zXZ\x00"
ZSTD = b"\x28\xb5\x2f\xfd"
ZIP = b"PK\x03\x04"
EMPTY_ZIP = b"PK\x05\x06"
# One of these files is in every ZIP file that is an XLSX, XLSB or ODS document.
FILES_OF_DOCUMENTS = ("[Content_Types].xml", "mimetype", "content.xml")

# Limits of what a packed file may unpack to; the top of this file has the reason.
LARGEST_RATIO = 200
SMALLEST_LIMIT = 256 * 2**20
PIECE = 1 << 20  # bytes read at once
BUFFER = 1 << 18  # bytes unpacked at once
# A file packed more often than this is not a table.
DEEPEST = 3
# The pieces of a stream and the whole are in memory at the same time.
COPIES = 2
LONGEST_REASON = 200  # characters of what a library says: some repeat the content of the file


class Source:
    """A file that can be opened several times.

    Attributes
    ----------
    name : str
        What messages call it: the name of the file without its folder.
    open : function
        Returns a new buffered binary file at its start.
    size : int
        Number of bytes on disk.
    limit : float
        Number of bytes that there can be after unpacking.
    """

    def __init__(
        self,
        name: str,
        open: Callable[[], BinaryIO],
        size: int,
        limit: float | None = None,
    ) -> None:
        self.name = name
        self.open = open
        self.size = size
        self.limit = size if limit is None else limit

    def start(self, n_bytes: int = 16) -> bytes:
        """Return the first bytes."""
        with self.open() as file:
            return file.read(n_bytes)

    def read(self) -> bytes:
        """Return everything."""
        with self.open() as file:
            return file.read()


def from_path(path: str) -> Source:
    """Return the source of a path; ``-`` is the standard input."""
    if path == "-":
        return from_bytes("standard input", _stdin())
    location = Path(path)
    name = printable(location.name)
    if location.is_dir():
        raise IsADirectoryError(f"{name}: is a folder; give the name of a file")
    size = location.stat().st_size
    if not location.is_file():  # a pipe can be read only once
        with open(path, "rb") as stream:
            content = _read_stream(stream, name)
        return from_bytes(name, content)
    return Source(name, lambda: open(path, "rb"), size)


def from_bytes(name: str, content: bytes) -> Source:
    """Return a source in memory."""

    def reopen() -> BinaryIO:
        raw = io.BytesIO(content)
        return cast(BinaryIO, io.BufferedReader(raw))

    return Source(name, reopen, len(content))


def unpack(source: Source, max_size: float | None, depth: int = 0) -> Source:
    """Return what a compressed file contains, or the file itself if it is not compressed."""
    start = source.start()
    unpacker = _unpacker(start, source)
    if unpacker is None:
        return source
    if depth == DEEPEST:
        raise ValueError(f"{source.name}: is compressed more than {DEEPEST} times")
    limit = max_size
    if limit is None:
        limit = unpacked_limit(source.size)

    def reopen() -> BinaryIO:
        packed = source.open()
        stream = Unpacked(unpacker(packed), packed)
        return cast(BinaryIO, stream)

    unpacked = Source(source.name, reopen, source.size, limit)
    _attempt(source.name, _read_through, unpacked)
    return unpack(unpacked, max_size, depth + 1)


class Unpacked(io.BufferedReader):
    """A stream of unpacked bytes, which closes the packed file, too."""

    def __init__(self, inner: Any, packed: BinaryIO) -> None:
        super().__init__(inner, BUFFER)
        self.packed = packed

    def fileno(self) -> int:
        """Raise OSError: the file on disk has other bytes, which NumPy would read."""
        raise io.UnsupportedOperation("an unpacked stream is not a file on disk")

    def close(self) -> None:
        """Close both files."""
        super().close()
        self.packed.close()


def _read_through(source: Source) -> None:
    """Raise if a file is damaged or unpacks to too much, before time is spent on its content."""
    n_read = 0
    with source.open() as file:
        while piece := file.read(PIECE):
            n_read += len(piece)
            check_unpacked(n_read, source.limit, source.name)


def check_unpacked(n_bytes: int, limit: float, name: str) -> None:
    """Refuse a file that unpacks to more than its limit."""
    if n_bytes > limit:
        raise ValueError(
            f"{name}: unpacks to more than {limit / 1e6:,.0f} MB, which is more than tables "
            "usually do; allow it with --max-size, or unpack it first"
        )


def unpacked_limit(size: int) -> float:
    """Return how many bytes a packed file of some size may unpack to."""
    return max(SMALLEST_LIMIT, LARGEST_RATIO * size)


def _attempt(name: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function of a library that unpacks; whatever it raises for damaged files is one error.

    These libraries raise at least EOFError, OSError, KeyError, RuntimeError, NotImplementedError,
    struct.error, UnicodeDecodeError and errors of their own.
    """
    try:
        return function(*arguments)
    except MemoryError:
        raise
    except Exception as error:
        raise damaged(name, error) from None


def damaged(name: str, error: Exception) -> ValueError:
    """Return the error about a damaged file; one that names the file already is kept."""
    text = " ".join(str(error).split())
    if isinstance(error, ValueError) and text.startswith(name):
        return error
    reason = text[:LONGEST_REASON] or type(error).__name__
    return ValueError(f"{name}: is damaged: {reason}")


def first_line(error: BaseException) -> str:
    """Return the first line of what an error says: the others are details of a library."""
    line, _, _ = str(error).partition("\n")
    return line


def _unpacker(start: bytes, source: Source) -> Callable[[BinaryIO], Any] | None:
    """Return the function that unpacks a file; None for a file that is not packed."""
    if start.startswith(GZIP):
        return lambda file: gzip.GzipFile(fileobj=file, mode="rb")
    if start.startswith(BZIP2):
        return bz2.BZ2File
    if start.startswith(XZ):
        return lzma.LZMAFile
    if start.startswith(ZSTD):
        return _zstd_reader(source.name)
    if start.startswith((ZIP, EMPTY_ZIP)):
        member = _only_table(source)
        if member is not None:
            return lambda file: zipfile.ZipFile(file).open(member)
    return None


def _zstd_reader(name: str) -> Callable[[BinaryIO], Any]:
    purpose = f"{name}: zstandard is needed to read .zst files"
    zstandard = optional("zstandard", purpose, "files")
    return lambda file: zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)


def check_members(source: Source, max_size: float | None) -> None:
    """Refuse a ZIP file whose files together are larger than its limit."""
    limit = max_size
    if limit is None:
        limit = unpacked_limit(source.size)
    n_bytes = sum(info.file_size for info in _infos(source))
    check_unpacked(n_bytes, limit, source.name)


def members(source: Source) -> list[str]:
    """Return the files in a ZIP file, without those that systems add."""
    names = []
    for info in _infos(source):
        name = info.filename
        is_added_by_macos = name.startswith("__MACOSX/")
        is_hidden = Path(name).name.startswith(".")
        is_folder = name.endswith("/")  # is_dir fails for a file without a name
        if not (is_added_by_macos or is_hidden or is_folder):
            names.append(name)
    return names


def _infos(source: Source) -> list[zipfile.ZipInfo]:
    with source.open() as file:
        return _attempt(source.name, lambda: zipfile.ZipFile(file).infolist())


def _only_table(source: Source) -> str | None:
    """Return the only file in a ZIP file; None if it is a format of its own, such as XLSX."""
    names = members(source)
    is_document = any(name in FILES_OF_DOCUMENTS for name in names)
    is_npz = any(name.endswith(".npy") for name in names)
    if is_document or is_npz:
        return None
    if len(names) == 1:
        return names[0]
    if not names:
        raise ValueError(f"{source.name}: is an empty ZIP file")
    raise ValueError(
        f"{source.name}: has {len(names):,} files ({listed(names)}); unpack it and name one of them"
    )


def _stdin() -> bytes:
    if sys.stdin.isatty():
        raise ValueError(
            "standard input: is a terminal; name a file, or redirect one: urerf ... - < data.csv"
        )
    return _read_stream(sys.stdin.buffer, "standard input")


def _read_stream(stream: BinaryIO, name: str) -> bytes:
    """Read everything, as far as memory goes: a device such as /dev/zero does not end."""
    limit = available_memory() / COPIES
    pieces = []
    n_read = 0
    while piece := stream.read(PIECE):
        pieces.append(piece)
        n_read += len(piece)
        if n_read > limit:
            raise ValueError(
                f"{name}: does not end within {limit / 2**30:,.1f} GiB, which is what fits into "
                "memory; save it to a file first"
            )
    return b"".join(pieces)
