"""The paper's store of cells, with a hash of exactly the code behind the cells of the bench."""

from __future__ import annotations

import ast
import hashlib
import json
from functools import cache
from pathlib import Path

import urerf.bench.tasks  # noqa: F401  registers the tasks, in every process that unpickles a store
from urerf.paper.store import PACKAGE, Store, library_version, sources
from urerf.paper.tasks import Cell

BASELINES = "paper/baselines.py"
COMMON = ("datasets", "metrics.py", BASELINES, "bench/tables.py", "bench/tasks.py")
FOREST: tuple[str, ...] = (
    "estimator.py",
    "queries.py",
    "parameters.py",
    "schema.py",
    "columns.py",
    "forest.py",
    "graph.py",
    "similarity.py",
)
FOREST += (
    "geodesic.py",
    "relevance",
    "kernels",
    "_threads.py",
    "_memory.py",
)
LIBRARIES = ("numpy", "scipy", "scikit-learn", "umap-learn")


@cache
def code_hash(forest: bool) -> str:
    """Hash the code; comments, docstrings and layout do not count. ``forest`` adds what URerF runs."""
    text = "\n".join(map(meaning, sources((*COMMON, *FOREST) if forest else COMMON)))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def meaning(path: Path) -> str:
    """Return what a file tells Python to do; of the baselines only the functions, not how they are drawn."""
    tree = ast.parse(path.read_text("utf-8"))
    if path == PACKAGE / BASELINES:
        tree.body = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module)
            and ast.get_docstring(node) is not None
        ):
            node.body = node.body[1:]
    return ast.dump(tree)


class BenchStore(Store):
    """A folder of results that outlives changes to code which is not at work in them."""

    def path(self, cell: Cell) -> Path:
        """Where the result of a cell is or will be."""
        forest = cell.get("method", "urerf").startswith("urerf")
        versions = [library_version(name) for name in LIBRARIES]
        text = json.dumps([cell, versions, code_hash(forest)], sort_keys=True)
        return self.folder / f"{hashlib.sha256(text.encode()).hexdigest()[:24]}.json"
