"""Results on disk, one small file per trial, found again by what produced them.

The name of a file is a hash of its ``key``: the settings of the trial, the versions of the
libraries and a hash of the code. A result is therefore only used again if it would come out the
same. Files are written atomically, so that a killed run loses only the trials in progress.
"""

from __future__ import annotations

import ast
import hashlib
import json
import sys
from functools import cache
from pathlib import Path
from typing import Any, TypeGuard

from .methods import METHODS
from .trial import Row, Trial
from .writing import library_version, write_text

PACKAGE = Path(__file__).parents[1]
# Code that no fitted forest runs; everything else in the package counts as the forest.
NOT_THE_FOREST = {
    "cli",
    "clusters.py",
    "dask",
    "embedding.py",
    "files",
    "lab",
    "outliers.py",
    "plot.py",
    "report",
}


def forest_files() -> list[Path]:
    """Return the files that a forest may run."""
    files = []
    for path in PACKAGE.rglob("*.py"):
        if path.relative_to(PACKAGE).parts[0] not in NOT_THE_FOREST:
            files.append(path)
    return files


def is_ours(node: ast.AST) -> TypeGuard[ast.ImportFrom]:
    """Return whether a statement imports from this package."""
    if not isinstance(node, ast.ImportFrom):
        return False
    package = (node.module or "").split(".")[0]
    return node.level > 0 or package == PACKAGE.name


def modules_named(statement: ast.ImportFrom, path: Path) -> list[Path]:
    """Return the files that a statement of a file may name: a module, or modules of a package."""
    folder = PACKAGE.parent
    if statement.level:
        folder = path.parents[statement.level - 1]
    if statement.module:
        folder = folder.joinpath(*statement.module.split("."))
    names = [folder / alias.name for alias in statement.names]
    return [name.with_suffix(".py") for name in (folder, *names)]


def meaning(path: Path) -> str:
    """Return what a file tells Python to do, without comments, layout and docstrings.

    Imports from this package are left out too: the files behind them count, not their names.
    """
    tree = ast.parse(path.read_text("utf-8"))
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module):
            continue
        if ast.get_docstring(node) is not None:
            node.body = node.body[1:]
        node.body = [statement for statement in node.body if not is_ours(statement)]
    return ast.dump(tree)


def imported_files(paths: set[Path]) -> set[Path]:
    """Return the files and those of this package that they import, directly or through others."""
    found: set[Path] = set()
    waiting = list(paths)
    while waiting:
        current = waiting.pop()
        found.add(current)
        module = ast.parse(current.read_text("utf-8"))
        for node in ast.walk(module):
            if is_ours(node):
                imported = filter(Path.exists, modules_named(node, current))
                waiting += set(imported) - found
    return found


def files_of(module: str) -> set[Path]:
    """Return the file of an imported module; an interactive session has none."""
    name = getattr(sys.modules[module], "__file__", None)
    return {Path(name)} if name else set()


def code_files(module: str, method: str) -> set[Path]:
    """Return the files behind the trials of a module by a method.

    Results of our forest depend on all files that it may run, those of other methods only on the
    files of the trial and of the method and what these import: they are kept when our forest
    changes. How methods are drawn does not count.
    """
    files = files_of(module)
    entry = METHODS.get(method)
    if entry is not None:
        for run in (entry.neighbors, entry.select):
            if run is not None:
                files |= files_of(run.__module__)
    files = imported_files(files).union((PACKAGE / "datasets").glob("*.py"))
    # A trial without a method, such as a test of the relevance, is about our own code.
    if entry is None or entry.is_ours:
        files |= set(forest_files())
    return files


@cache
def code_hash(module: str, method: str) -> str:
    """Hash the code behind the trials of a module by a method."""
    meanings = sorted(map(meaning, code_files(module, method)))  # files may be renamed
    return digest("\n".join(meanings))


def provenance(trial: Trial) -> dict[str, str]:
    """Return everything that a result depends on besides the settings of the trial."""
    method = METHODS.get(trial.method)
    needs = () if method is None else method.needs
    versions = {}
    for name in ("numpy", "scipy", "scikit-learn", *needs):
        versions[name] = library_version(name)
    return versions | {"code": code_hash(type(trial).__module__, trial.method)}


class Store:
    """A folder of results.

    Parameters
    ----------
    folder : Path
        Created when the first result is stored.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def key(self, trial: Trial) -> dict[str, Any]:
        """Return what identifies a result."""
        return {"trial": trial.settings(), "provenance": provenance(trial)}

    def path(self, trial: Trial) -> Path:
        """Return the file of a result."""
        name = hash_key(self.key(trial))
        return self.folder / f"{name}.json"

    def has(self, trial: Trial) -> bool:
        """Return whether the trial has been computed."""
        return self.path(trial).exists()

    def get(self, trial: Trial) -> list[Row]:
        """Return the rows of a computed trial, each with the settings of the trial."""
        stored = json.loads(self.path(trial).read_text("utf-8"))
        columns = trial.columns()
        return [columns | row for row in stored["rows"]]

    def put(self, trial: Trial, rows: list[Row]) -> None:
        """Store the rows of a trial."""
        self.folder.mkdir(parents=True, exist_ok=True)
        content = {"key": self.key(trial), "rows": rows}
        write_text(self.path(trial), json.dumps(content))


def hash_key(key: dict[str, Any]) -> str:
    """Return the name of the file of a key."""
    return digest(json.dumps(key, sort_keys=True))


def digest(text: str) -> str:
    """Return a hash that is short enough for the name of a file."""
    return hashlib.sha256(text.encode()).hexdigest()[:24]
