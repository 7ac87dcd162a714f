"""The modules of urerf are layers: imports only go down (CONTRIBUTING has the picture)."""

import ast
from pathlib import Path

import urerf

PACKAGE = Path(urerf.__file__).parent

# From the bottom to the top. Modules of one layer do not import each other; the modules inside a
# package (a folder) may.
LAYERS = [
    (
        "_blas",
        "_memory",
        "_messages",
        "_output",
        "_progress",
        "_random",
        "_sparse",
        "dates",
        "dimension",
        "kernels",
        "schema",
    ),
    ("_threads", "convert", "reading", "similarity", "storage", "datasets"),
    ("forest", "counters", "sentinels", "relevance", "metrics", "series"),
    ("graph", "columns", "kind_notices"),
    ("blend", "geodesic", "kinds"),
    ("fitted", "column_kinds"),
    ("frames", "parameters"),
    ("arrays", "tree_settings"),
    ("model_file", "stability", "tables", "warmup"),
    ("estimator",),
    ("outliers", "clusters", "embedding", "files", "scanpy"),
    ("leiden",),
    ("dask", "report"),
    ("lab",),
    ("cli", "plot"),
    ("__main__",),
]
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}

# Lazy imports that go up, each for a reason.
UPWARD: dict[tuple[str, str], str] = {}


def unit(path: Path) -> str:
    """Return the module or package of a file, as `LAYERS` names it."""
    relative = path.relative_to(PACKAGE)
    return relative.parts[0].removesuffix(".py")


def is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)


def imported_units(path: Path) -> set[str]:
    """Return the modules and packages of urerf that a file imports, anywhere in its code."""
    package = ["urerf", *path.relative_to(PACKAGE).parts[:-1]]
    found = set()

    def visit(node: ast.AST) -> None:
        if is_type_checking(node):
            return
        if isinstance(node, ast.Import):
            found.update(alias.name.split(".")[1] for alias in node.names if "urerf." in alias.name)
        if isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            full = [*base, *(node.module.split(".") if node.module else [])]
            if full[0] == "urerf" and len(full) > 1:
                found.add(full[1])
            elif full == ["urerf"]:
                found.update(alias.name for alias in node.names if alias.name in LEVEL)
        for child in ast.iter_child_nodes(node):
            visit(child)

    visit(ast.parse(path.read_text("utf-8")))
    return found


def test_every_module_has_a_layer():
    units = {unit(path) for path in PACKAGE.rglob("*.py")} - {"__init__"}
    assert units == set(LEVEL)


def test_imports_only_go_down():
    wrong = set()
    for path in PACKAGE.rglob("*.py"):
        source = unit(path)
        for target in imported_units(path) - {source}:
            goes_down = source in LEVEL and LEVEL[target] < LEVEL[source]
            if not goes_down:
                wrong.add((source, target))
    assert wrong == set(UPWARD)
