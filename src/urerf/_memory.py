"""Memory and disk space: how much is available, reserving it, and giving it back to the system."""

from __future__ import annotations

import ctypes
import errno
import functools
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

# Where Linux describes the process and the control groups by which containers limit memory.
PROC = Path("/proc")
CONTROL_GROUPS = Path("/sys/fs/cgroup")
# Limits of a process, and the field of /proc/self/statm that counts towards each.
LIMITS = {"RLIMIT_AS": 0, "RLIMIT_DATA": 5}
# Version 1 of control groups states "no limit" as a number close to 2 ** 63.
UNLIMITED = 2.0**60
# What space on disk is reserved with, a megabyte at a time.
ZEROS = bytes(1 << 20)


@functools.cache
def _malloc_trim() -> Callable[[int], int] | None:
    try:
        return ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):  # not glibc; other allocators need no help
        return None


def release_memory() -> None:
    """Return freed memory to the system: glibc keeps much of it, for every thread that has run."""
    trim = _malloc_trim()
    if trim is not None:
        trim(0)


def available_memory() -> float:
    """Return how many bytes can be allocated, as far as the system tells.

    That is the smallest of what the machine, the container (control groups, version 1 and 2) and
    the limits of the process (``ulimit -v``) leave.
    """
    return max(0.0, min(_of_machine(), _of_control_groups(), _of_process()))


def check_memory(n_bytes: float, what: str, advice: str = "") -> None:
    """Raise a ValueError if something needs more memory than is available.

    ``what`` begins with the name of an argument or a file; ``advice`` says what to do instead.
    """
    free = available_memory()
    if n_bytes > free:
        needed = f"{what} needs {n_bytes / 2**30:,.1f} GiB"
        text = f"{needed}, but only {free / 2**30:,.1f} GiB is available"
        raise ValueError(f"{text}; {advice}" if advice else text)


def reserve_on_disk(file: IO[bytes], n_bytes: int) -> None:
    """Give a temporary file its size on disk.

    Without this, writing to an array in the file ends the program by SIGBUS once the disk is full.
    """
    try:
        _reserve(file, n_bytes)
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise
        folder = tempfile.gettempdir()
        free = shutil.disk_usage(folder).free
        raise OSError(
            f"X: needs {n_bytes / 1e6:,.0f} MB of disk space in {folder!r}, but only "
            f"{free / 1e6:,.0f} MB is available; set TMPDIR to a folder on a larger disk"
        ) from error


def _reserve(file: IO[bytes], n_bytes: int) -> None:
    if hasattr(os, "posix_fallocate"):
        try:
            os.posix_fallocate(file.fileno(), 0, n_bytes)
            return
        except OSError as error:
            if error.errno not in (errno.EOPNOTSUPP, errno.EINVAL):
                raise
    for start in range(0, n_bytes, len(ZEROS)):  # other systems, and file systems without it
        file.write(ZEROS[: n_bytes - start])
    file.flush()
    file.seek(0)


def _of_machine() -> float:
    if os.name == "nt":
        return _of_windows()
    for line in _lines(PROC / "meminfo"):
        if line.startswith("MemAvailable:"):
            return 1024.0 * int(line.split()[1])
    try:
        n_pages = os.sysconf("SC_PHYS_PAGES")
        return float(n_pages * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, ValueError, OSError):
        return float("inf")


class _MemoryStatus(ctypes.Structure):
    """MEMORYSTATUSEX of Windows."""

    _fields_ = [
        ("length", ctypes.c_uint32),
        ("load", ctypes.c_uint32),
        ("total", ctypes.c_uint64),
        ("available", ctypes.c_uint64),
        ("others", ctypes.c_uint64 * 5),
    ]


def _of_windows() -> float:
    status = _MemoryStatus()
    status.length = ctypes.sizeof(status)
    windows: Any = getattr(ctypes, "windll", None)
    if windows is None or not windows.kernel32.GlobalMemoryStatusEx(ctypes.byref(status)):
        return float("inf")
    return float(status.available)


def _of_control_groups() -> float:
    """Return what the tightest of the groups that the process is in leaves."""
    return min(map(_of_group, _limiting_groups()), default=float("inf"))


@functools.cache
def _limiting_groups() -> tuple[Path, ...]:
    """Return the folders of the groups that limit memory when the process first asks."""
    return tuple(folder for folder in _groups() if _of_group(folder) < UNLIMITED)


def _groups() -> Iterator[Path]:
    """Yield the folders of all groups that the process is in."""
    for line in _lines(PROC / "self" / "cgroup"):
        _, controllers, path = line.rstrip("\n").split(":", 2)
        if not controllers:
            root = CONTROL_GROUPS
        elif "memory" in controllers.split(","):
            root = CONTROL_GROUPS / "memory"
        else:
            continue
        folder = root / path.lstrip("/")
        yield folder
        while folder != root and folder != folder.parent:
            folder = folder.parent
            yield folder


def _of_group(folder: Path) -> float:
    names = ("memory.max", "memory.current", "inactive_file")
    if not (folder / "memory.max").exists():
        names = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
    limit, usage, cache = names
    most = _number(folder / limit)
    used = _number(folder / usage)
    if most is None or used is None:
        return float("inf")
    for line in _lines(folder / "memory.stat"):
        if line.startswith(f"{cache} "):  # files that the system drops when memory is needed
            used -= int(line.split()[1])
    return most - used


def _of_process() -> float:
    try:
        import resource  # not on Windows
    except ImportError:
        return float("inf")
    pages = " ".join(_lines(PROC / "self" / "statm")).split()
    free = float("inf")
    for name, field in LIMITS.items():
        limit, _ = resource.getrlimit(getattr(resource, name))
        if limit == resource.RLIM_INFINITY:
            continue
        n_pages = int(pages[field]) if pages else 0
        used = n_pages * resource.getpagesize()
        free = min(free, float(limit - used))
    return free


def _number(path: Path) -> float | None:
    """Return the number in a file; None if it holds something else, such as "max"."""
    text = "".join(_lines(path)).strip()
    return float(text) if text.isdigit() else None


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text("ascii", "replace").splitlines()
    except OSError:
        return []
