"""Do the tests notice faults? `python -m hardening.mutants [--count 300] [--seconds N] [--record]`.

A seeded sample of small faults (a comparison turned, a constant changed, a statement removed) is
planted, one at a time, in a copy of the package, and those tests of the module that execute the
line run against it until one fails. What was tried is kept in `build/mutants.json`, so a run that
is stopped goes on where it was. `--again` tries those that no test noticed once more.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import importlib.util
import json
import shutil
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from hardening import line_tests, record

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "urerf"
RESULTS = ROOT / "build" / "mutants.json"
# Modules, and the tests that have to notice.
TESTS = {
    "relevance/*.py": ["tests/relevance"],
    "columns.py": ["tests/test_columns.py", "tests/whole/test_missing_values.py"],
    "units.py": ["tests/test_units.py", "tests/test_columns.py"],
    "gaps.py": ["tests/test_columns.py", "tests/whole/test_missing_values.py"],
    "points.py": ["tests/test_columns.py", "tests/test_geodesic.py"],
    "forest.py": ["tests/test_forest.py", "tests/whole/test_reproducible.py"],
    "graph.py": ["tests/test_graph.py"],
    "ranking/index.py": ["tests/test_graph.py", "tests/ranking/test_similarity.py"],
    "geodesic.py": ["tests/test_geodesic.py"],
    "fitted.py": [
        "tests/test_fitted.py",
        "tests/ranking/test_similarity.py",
        "tests/test_geodesic.py",
    ],
    "ranking/known_rows.py": ["tests/ranking/test_known_rows.py", "tests/test_fitted.py"],
    "fitting.py": ["tests/test_estimator.py", "tests/whole/test_bad_input.py"],
    "estimator.py": ["tests/test_estimator.py", "tests/whole/test_bad_input.py"],
}
SHOWN = 60  # characters of code that name a fault
COMPARISONS = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
OPERATORS = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.Pow: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}


class Mutant(NamedTuple):
    """A fault: the node of a module, counted in the order of `ast.walk`, and what changes."""

    module: str
    line: int
    node: int
    what: str
    key: str  # names the fault by its code, which stays the same when other lines change


def mutants() -> list[Mutant]:
    """Return every fault that can be planted."""
    found = []
    for pattern in TESTS:
        for path in sorted(PACKAGE.glob(pattern)):
            found += _mutants_of(str(path.relative_to(PACKAGE)), path.read_text())
    return found


def _mutants_of(module: str, source: str) -> list[Mutant]:
    tree = ast.parse(source)
    ignored = _ignored(tree)
    function_of: dict[ast.AST, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            function_of.update(dict.fromkeys(ast.walk(node), node.name))
    found = []
    count: Counter[str] = Counter()
    for number, node in enumerate(ast.walk(tree)):
        if node in ignored:
            continue
        for what, _ in _changes(node):
            code = ast.unparse(node).splitlines()[0][:SHOWN]
            key = f"{module}: {function_of.get(node, '')}: {what}: {code}"
            count[key] += 1
            key += f" #{count[key]}" if count[key] > 1 else ""
            found.append(Mutant(module, getattr(node, "lineno", 0), number, what, key))
    return found


def chosen(everything: list[Mutant], count: int, seed: int) -> list[Mutant]:
    """Return a random sample, most of which stays the same when the code changes."""

    def draw(mutant: Mutant) -> bytes:
        return hashlib.sha256(f"{seed} {mutant.key}".encode()).digest()

    return sorted(everything, key=draw)[:count]


def _ignored(tree: ast.AST) -> set[ast.AST]:
    """Return nodes that do nothing: annotations, messages of errors, and type checking."""
    ignored: set[ast.AST] = set()
    for node in ast.walk(tree):
        root: ast.AST | None = None
        match node:
            case ast.arg() | ast.AnnAssign():
                root = node.annotation
            case ast.FunctionDef():
                root = node.returns
            case ast.Raise() | ast.JoinedStr():
                root = node
            case ast.If(test=ast.Name("TYPE_CHECKING")):
                root = node
        if root is not None:
            ignored.update(ast.walk(root))
    return ignored


def _changes(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Yield what can be changed about a node, and the node that takes its place."""
    match node:
        case ast.Compare(ops=[first, *others]) if type(first) in COMPARISONS:
            turned = [COMPARISONS[type(first)](), *others]
            yield "turn the comparison", ast.Compare(node.left, turned, node.comparators)
        case ast.BinOp(op=operator) if type(operator) in OPERATORS:
            other = OPERATORS[type(operator)]()
            yield "change the operator", ast.BinOp(node.left, other, node.right)
        case ast.BoolOp(op=operator):
            other = ast.Or() if isinstance(operator, ast.And) else ast.And()
            yield "swap and, or", ast.BoolOp(other, node.values)
        case ast.UnaryOp(op=ast.Not() | ast.USub() | ast.Invert()):
            yield "drop the sign", node.operand
        case ast.Constant(value=bool(value)):
            yield "negate the constant", ast.Constant(not value)
        case ast.Constant(value=int(value)):
            yield "add one", ast.Constant(value + 1)
        case ast.Constant(value=float(value)) if value:
            yield "five times the constant", ast.Constant(value * 5.0)
        case ast.If():
            yield "always", ast.If(ast.Constant(True), node.body, node.orelse)
            yield "never", ast.If(ast.Constant(False), node.body, node.orelse)
        case ast.AugAssign() | ast.Expr(value=ast.Call()):  # a call whose result is not used
            yield "remove the statement", ast.Pass()


def plant(mutant: Mutant, source: str) -> str:
    """Return the source with the fault."""
    tree = ast.parse(source)
    old = list(ast.walk(tree))[mutant.node]
    new = dict(_changes(old))[mutant.what]

    class Replace(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST:
            return new if node is old else self.generic_visit(node)

    return ast.unparse(ast.fix_missing_locations(Replace().visit(tree)))


def tests_of(module: str) -> list[Path]:
    """Return the files with the tests of a module, and the module itself if it has doctests."""
    (tests,) = [tests for pattern, tests in TESTS.items() if Path(module).match(pattern)]
    files = []
    for name in tests:
        path = ROOT / name
        files += sorted(path.glob("test_*.py")) if path.is_dir() else [path]
    copy_of_module = line_tests.PACKAGE / module
    if ">>>" in copy_of_module.read_text():
        files.append(copy_of_module)
    return files


def noticing_test(mutant: Mutant) -> str | None:
    """Plant the fault in the copy of the package; return the test that fails, or None."""
    target = line_tests.PACKAGE / mutant.module
    timings = [line_tests.measure(path) for path in tests_of(mutant.module)]
    original = (PACKAGE / mutant.module).read_text()
    compiled = Path(importlib.util.cache_from_source(str(target)))
    compiled.unlink(missing_ok=True)  # compared by second and size, which may be the same
    target.write_text(plant(mutant, original))
    try:
        return line_tests.first_failure(mutant.module, _lines(mutant, original), timings)
    finally:
        target.write_text(original)
        compiled.unlink(missing_ok=True)


def _lines(mutant: Mutant, source: str) -> range:
    """Return the lines of the statement with the fault, without the statements inside of it."""
    lines = range(0)
    for node in ast.walk(ast.parse(source)):  # inner nodes come later
        if isinstance(node, ast.stmt):
            decorators = getattr(node, "decorator_list", [])
            start = min([node.lineno, *(decorator.lineno for decorator in decorators)])
            end = (node.end_lineno or 0) + 1
            body = getattr(node, "body", None)
            if body and mutant.line < body[0].lineno:
                end = body[0].lineno
            if start <= mutant.line < end:
                lines = range(start, end)
    return lines


def main() -> int:
    """Try the sample, or go on with it."""
    parser = argparse.ArgumentParser(prog="python -m hardening.mutants", description=__doc__)
    parser.add_argument("--count", type=int, default=300, help="size of the sample")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after this time")
    parser.add_argument("--again", action="store_true", help="try survivors once more")
    parser.add_argument("--record", action="store_true", help="write the numbers to the docs page")
    options = parser.parse_args()
    everything = mutants()
    sample = chosen(everything, options.count, options.seed)
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    if options.again:
        results = {key: test for key, test in results.items() if test is not None}
    copy = line_tests.PACKAGE
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    line_tests.warm_up()
    start = time.monotonic()
    for mutant in sample:
        if mutant.key in results:
            continue
        if time.monotonic() - start > options.seconds:
            break
        results[mutant.key] = noticing_test(mutant)
        RESULTS.write_text(json.dumps(results, indent=1) + "\n")
        print(mutant.key, results[mutant.key] or "SURVIVED", sep="\t", flush=True)
    tried = [mutant.key for mutant in sample if mutant.key in results]
    noticed = sum(results[key] is not None for key in tried)
    print(f"{noticed} of {len(tried)} noticed; {len(sample) - len(tried)} to go")
    if options.record:
        numbers = {
            "possible": len(everything),
            "sample": len(sample),
            "tried": len(tried),
            "noticed": noticed,
            "survivors": [key for key in tried if results[key] is None],
        }
        record.save("mutants", numbers)
    return 0


if __name__ == "__main__":
    sys.exit(main())
