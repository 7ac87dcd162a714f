"""The modules of urerf are layers: imports only go down.

`python tests/whole/test_layers.py` draws the picture of them in CONTRIBUTING.
"""

import ast
from pathlib import Path

import urerf

PACKAGE = Path(urerf.__file__).parent
PICTURE = Path(__file__).parents[2] / "docs" / "design" / "layers.svg"

# From the bottom to the top. Modules of one layer do not import each other; the modules inside a
# package (a folder) may.
LAYERS = [
    ("_typing",),
    (
        "_blas",
        "_memory",
        "_messages",
        "_output",
        "_progress",
        "_random",
        "_sparse",
        "kernels",
        "schema",
        "units",
    ),
    ("_checks", "_threads", "graph", "reading", "storage"),
    (
        "forest",
        "gaps",
        "points",
        "datasets",
        "kinds",
        "relevance",
    ),
    ("columns", "frames", "geodesic", "metrics"),
    ("ranking",),
    ("fitted", "parameters", "warmup"),
    ("stability", "tree_settings"),
    ("model_checks",),
    ("fitting", "model_file"),
    ("estimator",),
    ("outliers", "clusters", "embedding", "files", "scanpy"),
    ("leiden",),
    ("dask", "report"),
    ("lab",),
    ("cli", "plot"),
    ("__main__",),
]
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}

# What the picture says about a module or package.
WHAT = {
    "__main__": "python -m urerf",
    "_blas": "one BLAS thread",
    "_checks": "checks of arguments",
    "_memory": "memory and disk space",
    "_messages": "words of messages",
    "_output": "files whole or not at all",
    "_progress": "progress bar",
    "_random": "the seed of a fit",
    "_sparse": "checks of sparse X",
    "_threads": "tasks in threads",
    "_typing": "types of arrays",
    "cli": "commands, options",
    "clusters": "HDBSCAN on the graph",
    "columns": "table to matrix",
    "dask": "the forest on a cluster",
    "datasets": "simulations, noise",
    "embedding": "two coordinates per row",
    "estimator": "URerF: parameters, fit, questions",
    "files": "any file to a Frame",
    "fitted": "Fitted: what was learned, and its answers",
    "fitting": "the steps of fit",
    "forest": "grow, apply, merge",
    "frames": "data frames and arrays to a Frame",
    "gaps": "what may fill missing values",
    "geodesic": "shortest paths",
    "graph": "the graph contract",
    "kernels": "Numba loops",
    "kinds": "which kind a column is",
    "lab": "methods, trials, store, engine, studies",
    "leiden": "Leiden on the graph",
    "metrics": "geodesic precision",
    "model_checks": "is what was read a model?",
    "model_file": "save and load",
    "outliers": "unusual rows",
    "parameters": "allowed values, resolved numbers",
    "plot": "figures",
    "points": "rows as points",
    "ranking": "index, blend, paths: what ranks neighbors",
    "reading": "what trees read",
    "relevance": "columns with structure",
    "report": "HTML report",
    "scanpy": "neighbors of cells",
    "schema": "names and kinds of columns",
    "stability": "repeatable neighbors",
    "storage": "file format of models",
    "tree_settings": "do trees fit settings?",
    "units": "units and widths of columns",
    "warmup": "compile kernels",
}

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


# Sizes in the picture, in pixels.
WIDTH = 960
LEFT = 20
TOP = 30
BOX_HEIGHT = 40
STEP = 46
GAP = 8
PER_LINE = 6

HEAD = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1000 {height}" role="img" \
aria-label="The layers of urerf, from the command line at the top to the kernels at the bottom">
<style>
.box {{ fill: #eef2f5; stroke: #78909c; }}
.name {{ font: bold 14px sans-serif; text-anchor: middle; fill: #263238; }}
.what {{ font: 11px sans-serif; text-anchor: middle; fill: #455a64; }}
.note {{ font: 13px sans-serif; fill: #78909c; }}
.line {{ stroke: #b0bec5; stroke-dasharray: 2 4; }}
</style>
<rect width="1000" height="{height}" fill="#ffffff"/>
<text x="20" y="20" class="note">Imports only go down. Between two dotted lines, modules do not \
import each other.</text>
"""


def box(name: str, x: float, y: int, width: float) -> str:
    """Return one module of the picture."""
    is_package = (PACKAGE / name).is_dir()
    title = f"{name}/" if is_package else name
    middle = x + width / 2
    size = f'width="{width:.0f}" height="{BOX_HEIGHT}"'
    return (
        f'<rect x="{x:.0f}" y="{y}" {size} rx="6" class="box"/>\n'
        f'<text x="{middle:.0f}" y="{y + 17}" class="name">{title}</text>'
        f'<text x="{middle:.0f}" y="{y + 32}" class="what">{WHAT.get(name, "")}</text>\n'
    )


def picture() -> str:
    """Return the layers as SVG, the highest one first."""
    drawn = []
    y = TOP
    for layer in reversed(LAYERS):
        if y > TOP:
            middle = y - (STEP - BOX_HEIGHT) // 2
            drawn.append(f'<path d="M{LEFT} {middle}H{LEFT + WIDTH}" class="line"/>\n')
        for first in range(0, len(layer), PER_LINE):
            names = layer[first : first + PER_LINE]
            width = (WIDTH + GAP) / len(names)
            for place, name in enumerate(names):
                drawn.append(box(name, LEFT + place * width, y, width - GAP))
            y += STEP
    return HEAD.format(height=y + 10) + "".join(drawn) + "</svg>\n"


def test_the_picture_shows_all_layers():
    assert PICTURE.read_text("utf-8") == picture()


if __name__ == "__main__":
    PICTURE.write_text(picture(), "utf-8")
