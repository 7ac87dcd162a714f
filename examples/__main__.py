"""`python -m examples [NAME...]`: run examples and write their pages; without a name all of them."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import Any

from examples import NAMES, Result
from urerf.plot import save

GALLERY = Path(__file__).parents[1] / "docs" / "gallery"
PACKAGES = ("numpy", "scikit-learn", "numba")


def table(rows: Sequence[dict[str, Any]], score: str) -> str:
    """Return one of the numbers as a Markdown table, a column for each number of noise columns."""
    noises = list(dict.fromkeys(row["noise columns"] for row in rows))
    lines = [
        f"| data | method | {' | '.join(f'{n:,}' for n in noises)} |",
        f"|---|---|{'---:|' * len(noises)}",
    ]
    names, methods = (list(dict.fromkeys(row[key] for row in rows)) for key in ("data", "method"))
    for data, method in product(names, methods):
        of = {
            row["noise columns"]: row
            for row in rows
            if (row["data"], row["method"]) == (data, method)
        }
        lines.append(f"| {' | '.join([data, method, *(f'{of[n][score]:.2f}' for n in noises)])} |")
    return "\n".join(lines)


def tables(rows: Sequence[dict[str, Any]]) -> str:
    """Return a table for each of the numbers, and what it is of."""
    scores = [key for key in rows[0] if key not in ("data", "method", "noise columns")]
    return "\n\n".join(
        f"{s[0].upper()}{s[1:]}, by the number of noise columns:\n\n{table(rows, s)}"
        for s in scores
    )


def page(name: str, module: ModuleType, result: Result) -> str:
    """Return the page of an example: its docstring, figure, numbers and code."""
    title, _, text = (module.__doc__ or "").partition("\n")
    packages = ", ".join(f"{package} {version(package)}" for package in PACKAGES)
    made = (
        f"Made by `python -m examples {name}` with Python {platform.python_version()}, {packages}."
    )
    code = Path(str(module.__file__)).read_text(encoding="utf-8").split('"""\n', 1)[1].strip()
    parts = [f"# {title.rstrip('.')}", text.strip(), f"![{title}]({name}.png)"]
    parts += [tables(result.rows), made]
    return "\n\n".join([*parts, "## The code", f"```python\n{code}\n```"]) + "\n"


def main(names: Sequence[str]) -> int:
    """Run the named examples; return an exit code."""
    unknown = sorted(set(names) - set(NAMES))
    if unknown:
        print(
            f"no such example: {', '.join(unknown)}; there are: {', '.join(NAMES)}", file=sys.stderr
        )
        return 2
    GALLERY.mkdir(parents=True, exist_ok=True)
    for name in names or NAMES:
        print(f"{name} ...", file=sys.stderr, flush=True)
        module = import_module(f"examples.{name}")
        result = module.run()
        save(result.figure, GALLERY / f"{name}.png")
        (GALLERY / f"{name}.md").write_text(page(name, module, result), encoding="utf-8")
        print(f"{name}\n\n{tables(result.rows)}\n")
    return 0


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    sys.exit(main(sys.argv[1:]))
