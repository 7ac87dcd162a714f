"""Results on disk, one small file a cell, found again by what produced them.

A file's name is a hash of the cell's settings, the versions of the libraries at work and the code
that was run, so a result is used again only if it would come out the same, and whatever is stale is
never found. A file appears whole or not at all (written aside, flushed, renamed): a run killed at
any moment loses only the cell it was computing.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
from collections.abc import Iterable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from urerf.paper.baselines import OURS
from urerf.paper.tasks import Cell, Row

PACKAGE = Path(__file__).parents[1]
COMMON = ("datasets", "metrics.py", "paper/baselines.py", "paper/distances.py", "paper/tasks.py")
NOT_THE_FOREST: tuple[str, ...] = ("paper", "report", "cli", "files", "bench", "dask")
NOT_THE_FOREST += ("_messages.py", "plot.py", "embedding.py", "outliers.py", "demo.py")
LIBRARIES = {
    "umap": ("umap-learn", "pynndescent"),
    "pynndescent": ("pynndescent",),
    "flann": ("opencv-python-headless",),
}


@cache
def library_version(name: str) -> str:
    """Version of an installed distribution, "none" if there is none of that name."""
    try:
        return version(name)
    except PackageNotFoundError:
        return "none"


def sources(names: Iterable[str]) -> list[Path]:
    """Return the files of the package with the given names, and those of the folders among them."""
    paths = [PACKAGE / name for name in names]
    return [
        file for path in paths for file in (sorted(path.glob("*.py")) if path.is_dir() else [path])
    ]


@cache
def code_hash(forest: bool) -> str:
    """Hash of the code behind a cell; comments and layout do not count. ``forest`` adds all that URerF runs."""
    files = sources(COMMON)
    if forest:
        files += [
            path
            for path in PACKAGE.rglob("*.py")
            if path.relative_to(PACKAGE).parts[0] not in NOT_THE_FOREST
        ]
    digest = hashlib.sha256()
    for path in sorted(set(files)):
        digest.update(
            f"{path.relative_to(PACKAGE)}\n{ast.dump(ast.parse(path.read_text('utf-8')))}\n".encode()
        )
    return digest.hexdigest()[:16]


def provenance(cell: Cell) -> dict[str, str]:
    """Say all that a cell's result depends on besides its settings."""
    method = cell.get("method", "")
    names = ("urerf", "numpy", "scipy", "scikit-learn", *LIBRARIES.get(method, ()))
    return {name: library_version(name) for name in names} | {"code": code_hash(method in OURS)}


class Store:
    """A folder of results.

    Parameters
    ----------
    folder : Path
        Made when the first result is put.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, cell: Cell) -> Path:
        """Where the result of a cell is or will be."""
        text = json.dumps([cell, provenance(cell)], sort_keys=True)
        return self.folder / f"{hashlib.sha256(text.encode()).hexdigest()[:24]}.json"

    def has(self, cell: Cell) -> bool:
        """Whether the cell is computed."""
        return self.path(cell).exists()

    def get(self, cell: Cell) -> list[Row]:
        """Rows of a computed cell, each with the cell's settings."""
        stored: dict[str, Any] = json.loads(self.path(cell).read_text("utf-8"))
        settings = {
            key: value for key, value in cell.items() if key not in ("ks", "params", "task")
        }
        return [settings | cell.get("params", {}) | row for row in stored["rows"]]

    def put(self, cell: Cell, rows: list[Row], **spent: float) -> None:
        """Keep the rows of a cell, and the seconds spent on it."""
        path = self.path(cell)
        path.parent.mkdir(parents=True, exist_ok=True)
        content = {"cell": cell, "from": provenance(cell), "spent": spent, "rows": rows}
        aside = path.with_suffix(f".{os.getpid()}.tmp")
        with aside.open("w", encoding="utf-8") as file:
            json.dump(content, file)
            file.flush()
            os.fsync(file.fileno())
        aside.replace(path)
