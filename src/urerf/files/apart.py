"""Read a file in a process of its own, with a time limit.

The C libraries below H5AD files and files of statistics programs can crash or hang on damaged
files. In a process of its own that becomes an error message.
"""

from __future__ import annotations

import importlib
import pickle
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from .source import Source
from .table import RawTable

# Time that the largest file of a kind may take: a start of Python, and a slow disk.
SECONDS = 60.0
SECONDS_PER_MB = 1.0


def read_apart(module: str, source: Source) -> RawTable:
    """Call ``load(path, name)`` of a module of this package in another process."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"  # such libraries seek, which a stream cannot
        with source.open() as file, copy.open("wb") as target:
            shutil.copyfileobj(file, target)
        seconds = SECONDS + SECONDS_PER_MB * copy.stat().st_size / 1e6
        result = Path(folder) / "result"
        command = [sys.executable, "-m", __name__, module, str(copy), source.name, str(result)]
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


def main(module: str, path: str, name: str, result: str) -> None:
    """Read a file and write the table, or the error, to another."""
    answer: RawTable | Exception
    try:
        answer = importlib.import_module(f".{module}", __package__).load(path, name)
    except ImportError as error:
        answer = ImportError(str(error))
    except Exception as error:  # such libraries raise nearly every kind of error
        message = str(error).split("\n", maxsplit=1)[0]
        if not message.startswith(name):
            message = f"{name}: cannot be read: {message or type(error).__name__}"
        answer = ValueError(message)
    partial = Path(f"{result}.partial")
    with partial.open("wb") as file:
        pickle.dump(answer, file, protocol=5)
    partial.replace(result)


if __name__ == "__main__":
    main(*sys.argv[1:])
