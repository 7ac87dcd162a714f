"""Write a file completely or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def replacing(target: str | os.PathLike) -> Iterator[Path]:
    """Give a temporary name in the same folder to write to, then move the file to the target.

    The target is never an incomplete file, even if the program is killed or the power fails: the
    data are on the disk before the name changes. A symbolic link is followed, not replaced.
    """
    path = Path(os.path.realpath(target))
    partial = path.parent / f".urerf-{secrets.token_hex(8)}{path.suffix}"
    try:
        yield partial
        _flush_to_disk(partial)
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)


def _flush_to_disk(path: Path) -> None:
    descriptor = os.open(path, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
