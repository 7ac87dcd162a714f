"""Read a file in a process of its own, with limits on time and memory.

The libraries below H5AD files, spreadsheets and files of statistics programs can crash, hang or ask
for any amount of memory on damaged files. In a process of its own that becomes an error message.
"""

from __future__ import annotations

import importlib
import math
import pickle
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from urerf._memory import available_memory
from urerf._messages import UnknownNameError

from .source import Source, first_line

try:
    import resource
except ImportError:  # Windows has no such limits
    resource = None  # type: ignore[assignment]

# Time that the largest file of a kind may take: a start of Python, and a slow disk.
SECONDS = 60.0
SECONDS_PER_MB = 1.0


def read_apart(module: str, source: Source, *details: str) -> Any:
    """Call ``load(path, name, *details)`` of a module of this package in another process."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"  # such libraries seek, which a stream cannot
        with source.open() as file, copy.open("wb") as target:
            shutil.copyfileobj(file, target)
        n_bytes = copy.stat().st_size
        seconds = SECONDS + SECONDS_PER_MB * n_bytes / 1e6
        result = Path(folder) / "result"
        # -P: modules are not imported from the current folder, which may come from a stranger.
        command = [sys.executable, "-P", "-m", __name__]
        command += [module, str(result), str(copy), source.name, *details]
        try:
            subprocess.run(command, capture_output=True, timeout=seconds, check=False)
        except subprocess.TimeoutExpired:
            raise ValueError(
                f"{source.name}: could not be read within {seconds:.0f} seconds; it is damaged"
            ) from None
        if not result.exists():
            raise ValueError(f"{source.name}: is damaged: the library that reads it crashed")
        with result.open("rb") as file:
            answer = pickle.load(file)  # written by ourselves
    if isinstance(answer, Exception):
        raise answer
    return answer


def main(module: str, result: str, path: str, name: str, *details: str) -> None:
    """Read a file and write the table, or the error, to another."""
    answer: Any
    try:
        load = importlib.import_module(f".{module}", __package__).load
        _limit_memory()
        answer = load(path, name, *details)
    except ImportError as error:
        answer = ImportError(str(error))
    except UnknownNameError as error:
        answer = error
    except MemoryError:
        answer = ValueError(f"{name}: does not fit into memory")
    except BaseException as error:  # nearly every kind; a panic of Rust is not an Exception
        message = first_line(error)
        if not message.startswith(name + ":"):
            reason = message or type(error).__name__
            message = f"{name}: cannot be read: {reason}"
        answer = ValueError(message)
    partial = Path(f"{result}.partial")
    with partial.open("wb") as file:
        pickle.dump(answer, file, protocol=5)
    partial.replace(result)


def _limit_memory() -> None:
    """Let this process fail before the machine runs out of memory."""
    if resource is None:
        return
    free = available_memory()
    pages = Path("/proc/self/statm")
    if math.isfinite(free) and pages.exists():
        n_pages, *_ = pages.read_text().split()
        used = int(n_pages) * resource.getpagesize()
        most = used + int(free)
        _, hardest = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (most, hardest))


if __name__ == "__main__":
    main(*sys.argv[1:])
