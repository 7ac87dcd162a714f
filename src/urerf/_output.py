"""Write a file completely or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

# Names that stand for open streams, even for one that was redirected to a plain file.
STREAMS = ("/dev/fd/", "/dev/std", "/proc/")


def is_stream(target: str | os.PathLike) -> bool:
    """Return whether a target is a device or a pipe, which is written to and never replaced."""
    if os.fspath(target).startswith(STREAMS):
        return os.path.exists(target)
    try:
        mode = os.stat(target).st_mode
    except (OSError, ValueError):
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def check_folder(argument: str, target: str | os.PathLike) -> None:
    """Refuse a target that is a folder, or whose folder does not exist or is read-only.

    ``argument`` is what messages call the target.
    """
    name = os.fspath(target)
    if "\0" in name:
        raise ValueError(f"{argument}: a file name cannot contain a null character")
    if is_stream(target):
        return
    path = Path(os.path.realpath(target))
    if path.is_dir():
        raise IsADirectoryError(f"{argument}: {name!r} is a folder; give the name of a file")
    if path.is_symlink():
        raise OSError(f"{argument}: {name!r} is a link that leads to itself")
    given = Path(target)
    folder = str(given.parent)
    if given.is_symlink():
        folder = str(path.parent)
    if not path.parent.is_dir():
        raise FileNotFoundError(f"{argument}: folder {folder!r} does not exist; create it first")
    if not os.access(path.parent, os.W_OK):
        raise PermissionError(f"{argument}: folder {folder!r} is not writable; choose another one")


@contextlib.contextmanager
def replacing(target: str | os.PathLike) -> Iterator[Path]:
    """Give the path of an empty temporary file to write to, then move it to the target.

    The target is never an incomplete file, even if the program is killed or the power fails: the
    data are on the disk before the name changes. A symbolic link is followed, not replaced, and
    the permissions of a file that is replaced are kept. A device or a pipe is written to.
    """
    if is_stream(target):
        with tempfile.TemporaryDirectory(prefix="urerf-") as folder:
            partial = Path(folder) / f"output{Path(target).suffix}"
            yield partial
            with _naming(target), partial.open("rb") as source, open(target, "wb") as stream:
                shutil.copyfileobj(source, stream)
        return
    path = Path(os.path.realpath(target))
    partial = path.parent / f".urerf-{secrets.token_hex(8)}{path.suffix}"
    try:
        old = _status(path)
        # Nobody may read the new content who may not read the old one, not even for a moment.
        mode = 0o666 if old is None else 0o600
        with _naming(target, partial):
            only_if_new = os.O_WRONLY | os.O_CREAT | os.O_EXCL
            os.close(os.open(partial, only_if_new, mode))
            yield partial
            if old is not None:
                _copy_permissions(old, partial)
            _flush_to_disk(partial)
            os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)


@contextlib.contextmanager
def _naming(target: str | os.PathLike, partial: Path | None = None) -> Iterator[None]:
    """Let errors of the system name the target: that of a full disk does not name any file."""
    try:
        yield
    except OSError as error:
        if error.errno is not None and error.filename in (None, str(partial)):
            error.filename = os.fspath(target)
        raise


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def _copy_permissions(old: os.stat_result, path: Path) -> None:
    if hasattr(os, "chown"):
        with contextlib.suppress(PermissionError):  # only the superuser gives files away
            os.chown(path, old.st_uid, old.st_gid)
    os.chmod(path, stat.S_IMODE(old.st_mode))


def _flush_to_disk(path: Path) -> None:
    descriptor = os.open(path, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
