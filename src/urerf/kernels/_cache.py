"""Machine code on disk, one file per kernel and types of its arguments.

Numba's own cache looks only at the file that defines a kernel, so it goes stale when a kernel that
is called from another file changes; its index and its data are two files that two processes can
mix up; and a damaged file makes every call fail. Here,

- the folder's name contains a hash of all kernel sources, so that stale code is never found,
- every file carries its checksum; one that is damaged is deleted, and the kernel compiled again,
- files are written under another name and moved, so that processes see all of a file or nothing,
- a folder that is full or read-only costs one line on stderr, and the code is compiled in memory.

Folders are searched in this order: ``NUMBA_CACHE_DIR``, the package, the user's cache folder. The
first in which files can be created receives new ones.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import pickle
import secrets
import shutil
import sys
from pathlib import Path
from typing import Any

import llvmlite
import numba
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.runtime import rtsys
from numba.core.serialize import dumps
from numba.misc.appdirs import AppDirs

config: Any = numba.config
KERNELS = Path(__file__).parent
PREFIX = "urerf-"
CHECKSUM = 32  # bytes
# Folders for other versions of the kernels that are kept, for those who change between versions.
KEPT = 3


class KernelCache(_Cache):
    """The machine code of one kernel; variants of it are compiled with different options."""

    def __init__(self, function: Any, variant: str = "") -> None:
        self._function = function
        self._variant = variant

    @property
    def cache_path(self) -> str | None:
        """Folder in which machine code is stored."""
        folder = writable_folder()
        return None if folder is None else str(folder)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled kernel for some types of arguments; None if it is not stored."""
        # Machine code needs Numba's memory management. Only the compiler needs what `refresh` loads
        # beyond that, which takes half as long as importing Numba, and it calls `refresh` itself.
        rtsys.initialize(target_context)
        name = self._file_name(sig, target_context.codegen())
        for folder in folders():
            compiled = _load(folder / name, target_context)
            if compiled is not None:
                return compiled
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Store a compiled kernel."""
        folder = writable_folder()
        if folder is None or data.library.has_dynamic_globals or any(data.lifted):
            return
        content = dumps(data._reduce())
        checksum = hashlib.sha256(content).digest()
        path = folder / self._file_name(sig, data.codegen)
        partial = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
        try:
            partial.write_bytes(checksum + content)
            os.replace(partial, path)
        except OSError as error:
            _give_up(folder, error)
        finally:
            with contextlib.suppress(OSError):
                partial.unlink(missing_ok=True)

    def enable(self) -> None:
        """Do nothing: the cache is always enabled."""

    def disable(self) -> None:
        """Do nothing: the cache is always enabled."""

    def flush(self) -> None:
        """Do nothing: files are replaced when they are written again."""

    def _file_name(self, sig: Any, codegen: Any) -> str:
        kernel = self._function.__qualname__
        module = self._function.__module__
        key = (module, kernel, self._variant, sig, codegen.magic_tuple())
        digest = hashlib.sha256(repr(key).encode()).hexdigest()
        return f"{kernel}-{digest[:32]}.nbc"


def _load(path: Path, target_context: Any) -> Any:
    try:
        stored = path.read_bytes()
    except OSError:
        return None
    checksum = stored[:CHECKSUM]
    content = stored[CHECKSUM:]
    if hashlib.sha256(content).digest() == checksum:
        try:
            reduced = pickle.loads(content)
            return CompileResult._rebuild(target_context, *reduced)
        except Exception:  # written by a Numba that is different in spite of its version
            pass
    with contextlib.suppress(OSError):
        path.unlink()
    return None


@functools.cache
def version() -> str:
    """Return a hash of everything that the machine code depends on, except for the processor."""
    digest = hashlib.sha256()
    for path in sorted(KERNELS.glob("*.py")):
        source = path.read_bytes()
        header = f"{path.name} {len(source)}\n"
        digest.update(header.encode() + source)
    tools = (sys.version, numba.__version__, llvmlite.__version__)
    compiler = (tools, config.BOUNDSCHECK, config.OPT)
    digest.update(repr(compiler).encode())
    return digest.hexdigest()[:16]


@functools.cache
def folders() -> tuple[Path, ...]:
    """Return where machine code may be stored."""
    name = f"{PREFIX}{version()}"
    of_package = KERNELS / "__pycache__"
    of_user = Path(AppDirs("urerf", appauthor=False).user_cache_dir)
    roots = [of_package, of_user]
    if config.CACHE_DIR:
        roots.insert(0, Path(config.CACHE_DIR))
    return tuple(root / name for root in roots)


@functools.cache
def _found_folder() -> Path | None:
    error: OSError | None = None
    for folder in folders():
        try:
            is_new = not folder.exists()
            folder.mkdir(parents=True, exist_ok=True)
            probe = folder / f".{secrets.token_hex(8)}"
            probe.touch(exist_ok=False)
            probe.unlink()
        except OSError as refused:
            error = error or refused  # the message names the first folder
            continue
        if is_new:
            _delete_old(folder)
        return folder
    _give_up(folders()[0], error)
    return None


_gave_up = False


def writable_folder() -> Path | None:
    """Return the folder for new machine code; None if there is none."""
    return None if _gave_up else _found_folder()


def _give_up(folder: Path, error: OSError | None) -> None:
    """Say once that code is not stored; from now on it is compiled for this process only."""
    global _gave_up
    if not _gave_up:
        _gave_up = True
        reason = error.strerror if error is not None else "not writable"
        print(
            f"urerf: cannot store compiled code in {str(folder)!r} ({reason}), so the next process "
            "compiles it again; set NUMBA_CACHE_DIR to a writable folder with free space",
            file=sys.stderr,
            flush=True,
        )


def _delete_old(folder: Path) -> None:
    """Delete machine code of other versions, except for the newest."""
    with contextlib.suppress(OSError):
        others = [path for path in folder.parent.glob(f"{PREFIX}*") if path != folder]
        others.sort(key=lambda path: path.stat().st_mtime, reverse=True)
        for path in others[KEPT:]:
            shutil.rmtree(path, ignore_errors=True)
