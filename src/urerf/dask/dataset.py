"""A folder of Parquet files that is complete or not there.

Workers write their files to a folder beside the final one, whose name begins with a dot. When all
are written, that folder is renamed. A client that is killed leaves only the folder with the dot,
which the next run with the same target deletes.

Stores that cannot rename a folder (``s3://``), and folders that are mounted, are filled file by
file instead; before that, the files lie in a folder that readers of datasets ignore. In any case
the file ``_SUCCESS`` comes last: a dataset that has it is complete.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator
from typing import Any

import fsspec
from fsspec.implementations.local import LocalFileSystem

MARKER = "_SUCCESS"


@contextlib.contextmanager
def new_dataset(out: Any) -> Iterator[str]:
    """Give a folder for the files of a dataset; move them to ``out`` at the end of the block."""
    fs, path = fsspec.core.url_to_fs(os.fspath(out))
    path = path.rstrip("/")
    parent, _, name = path.rpartition("/")
    renames = _can_rename(fs, path, parent)
    start = f"{parent}/.{name}.partial-" if renames else f"{path}/_partial-"
    folders = _list(fs, start.rpartition("/")[0])
    old = [folder for folder in folders if folder.startswith(start)]
    _check_empty(fs, path, out, old)
    for folder in old:
        fs.rm(folder, recursive=True)
    partial = f"{start}{secrets.token_hex(8)}"
    fs.makedirs(partial)
    try:
        yield fs.unstrip_protocol(partial)
        if renames:
            _rename(fs, partial, path)
        else:
            _move(fs, partial, path)
    except BaseException:
        with contextlib.suppress(OSError):
            fs.rm(partial, recursive=True)
        raise


def _can_rename(fs: Any, path: str, parent: str) -> bool:
    """Return whether a folder can take the place of the target in one step."""
    if not isinstance(fs, LocalFileSystem) or os.path.ismount(path):
        return False
    os.makedirs(parent, exist_ok=True)
    return os.access(parent, os.W_OK)


def _list(fs: Any, folder: str) -> list[str]:
    try:
        return [str(path).rstrip("/") for path in fs.ls(folder, detail=False)]
    except FileNotFoundError:
        return []


def _check_empty(
    fs: Any,
    path: str,
    out: Any,
    old: list[str],
) -> None:
    """Refuse a target with content, unless it is what an interrupted run left behind."""
    content = [name for name in _list(fs, path) if name not in old]
    is_complete = f"{path}/{MARKER}" in content
    file_names = [path_inside.rpartition("/")[2] for path_inside in content]
    is_ours = all(name.startswith("part-") for name in file_names)
    if old and is_ours and not is_complete:
        for name in content:
            fs.rm(name)
        return
    if content or fs.isfile(path):
        raise FileExistsError(
            f"out: {os.fspath(out)!r} is not an empty folder; choose another one or empty it"
        )


def _rename(fs: Any, partial: str, path: str) -> None:
    fs.touch(f"{partial}/{MARKER}")
    if os.path.isdir(path):
        os.rmdir(path)  # empty: Windows does not replace folders
    os.rename(partial, path)


def _move(fs: Any, partial: str, path: str) -> None:
    for source in sorted(_list(fs, partial)):
        fs.mv(source, f"{path}/{source.rpartition('/')[2]}")
    fs.touch(f"{path}/{MARKER}")
    if fs.exists(partial):
        fs.rm(partial, recursive=True)
